package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMain lets the test binary be another process that writes.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "writer" {
		os.Exit(writer(os.Args[2], os.Args[3:]))
	}
	if len(os.Args) > 2 && os.Args[1] == "full" {
		fmt.Println(fill(os.Args[2]))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// writer appends records and says of each that it has been written: "ok ID" or
// "failed ID ERROR". It goes on until it has written count ("0" is for ever).
func writer(dir string, args []string) int {
	prefix, size := args[0], args[2]
	count, _ := strconv.Atoi(args[1])
	segment, _ := strconv.ParseInt(size, 10, 64)
	for _, role := range args[3:] {
		if err := become(role); err != nil {
			fmt.Println("cannot", err)
			return 3
		}
	}
	l, err := Open(dir, Options{SegmentSize: segment})
	if err != nil {
		fmt.Println("cannot", err)
		return 1
	}
	for i := 1; count == 0 || i <= count; i++ {
		id := fmt.Sprintf("%s-%d", prefix, i)
		if err := l.Append(context.Background(), sample(id), Durability(i%50 == 0)); err != nil {
			fmt.Println("failed", id, err)
			continue
		}
		fmt.Println("ok", id)
	}
	if err := l.Close(); err != nil {
		fmt.Println("not closed:", err)
		return 1
	}
	return 0
}

func sample(id string) Record {
	return Record{
		Kind: KindCall, ID: id, Generation: 7, Workspace: "/src/w", Session: "s1", Client: "client 1.0", Agent: "main", Tool: "search_query",
		Extension: "acme", Server: "search", Outcome: Allowed, By: []string{"acme/policy/one"}, Duration: 1500 * time.Microsecond, ResultSize: 4096,
	}
}

// clock is a time that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

func logDir(t testing.TB) string { return filepath.Join(t.TempDir(), "audit") }

func open(t testing.TB, dir string, o Options) *Log {
	t.Helper()
	l, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.abandon() })
	return l
}

// abandon ends a log as the end of its process does: nothing is written any more.
func (l *Log) abandon() {
	l.mu.Lock()
	already := l.closing
	l.closing = true
	if l.file != nil && !already {
		l.file.Close()
	}
	l.letGo()
	l.mu.Unlock()
	if !already {
		close(l.quit)
		<-l.done
	}
}

func write(t testing.TB, l *Log, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if err := l.Append(context.Background(), sample(id), Written); err != nil {
			t.Fatal(err)
		}
	}
}

func closeLog(t testing.TB, l *Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// ids is what q finds.
func ids(t testing.TB, dir string, q Query) (out []string) {
	t.Helper()
	for e, err := range Read(dir, q) {
		if err != nil {
			t.Fatalf("Read: %v", err)
		}
		out = append(out, e.ID)
	}
	return out
}

func numbered(prefix string, from, to int) (out []string) {
	for i := from; i <= to; i++ {
		out = append(out, fmt.Sprintf("%s%d", prefix, i))
	}
	return out
}

func check(t testing.TB, dir string) Report {
	t.Helper()
	r, err := Verify(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkOK fails unless the log is as it was written.
func checkOK(t testing.TB, dir string) Report {
	t.Helper()
	r := check(t, dir)
	if !r.OK() {
		t.Fatalf("Verify: got %s, want nothing broken or missing", dump(r))
	}
	return r
}

func dump(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	e.Encode(v)
	return b.String()
}

func files(t testing.TB, dir string) (out []string) {
	t.Helper()
	names, err := segments(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		out = append(out, filepath.Join(dir, n.String()))
	}
	return out
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func writeFile(t testing.TB, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// faults is all that a report complains of, as text.
func faults(r Report) string {
	var out []string
	for _, f := range r.Broken {
		out = append(out, "broken "+f.String())
	}
	for _, f := range r.MissingSegments {
		out = append(out, "missing segment "+f)
	}
	for _, f := range r.MissingChains {
		out = append(out, "missing chain "+f)
	}
	return strings.Join(out, "\n")
}

func notes(r Report) string {
	var out []string
	for _, f := range r.Notes {
		out = append(out, f.String())
	}
	return strings.Join(out, "\n")
}

func removeFile(t testing.TB, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}
