package audit

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// mixed is three chains whose records alternate, a second apart: r0 to r29.
func mixed(t testing.TB) (string, *clock) {
	t.Helper()
	c, dir := newClock(), logDir(t)
	var logs []*Log
	for range 3 {
		logs = append(logs, open(t, dir, Options{Now: c.Now, SegmentSize: 2500}))
	}
	for i, id := range numbered("r", 0, 29) {
		r := sample(id)
		switch {
		case i%10 == 4:
			r.Kind, r.Outcome = KindDeny, Denied
		case i%10 == 7:
			r.Tool = "other"
		case i%10 == 9:
			r.Session, r.Reason = "s2", `"tool":"other"`
		}
		if err := logs[i%3].Append(context.Background(), r, Written); err != nil {
			t.Fatal(err)
		}
		c.add(time.Second)
	}
	for _, l := range logs {
		closeLog(t, l)
	}
	return dir, c
}

func TestRead(t *testing.T) {
	dir, _ := mixed(t)
	start := newClock().Now()
	all := numbered("r", 0, 29)
	for _, c := range []struct {
		name string
		q    Query
		want []string // the oldest first
	}{
		{"all", Query{}, all},
		{"a limit", Query{Limit: 4}, nil},
		{"since", Query{Since: start.Add(25 * time.Second)}, all[25:]},
		{"until", Query{Until: start.Add(3 * time.Second)}, all[:3]},
		{"between", Query{Since: start.Add(10 * time.Second), Until: start.Add(13 * time.Second)}, all[10:13]},
		{"before everything", Query{Until: start}, nil},
		{"after everything", Query{Since: start.Add(time.Hour)}, nil},
		{"a tool, not one that a reason speaks of", Query{Tool: "other"}, []string{"r7", "r17", "r27"}},
		{"a session", Query{Session: "s2"}, []string{"r9", "r19", "r29"}},
		{"a kind", Query{Kind: KindDeny}, []string{"r4", "r14", "r24"}},
		{"an outcome", Query{Outcome: Denied, Since: start.Add(14 * time.Second)}, []string{"r14", "r24"}},
		{"a beginning of ids", Query{ID: "r1"}, append([]string{"r1"}, all[10:20]...)},
		{"nothing that is there", Query{Tool: "none"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := slices.Clone(c.want)
			if c.q.Limit > 0 {
				want = all[:c.q.Limit]
			}
			c.q.OldestFirst = true
			if got := ids(t, dir, c.q); !slices.Equal(got, want) {
				t.Errorf("oldest first: got %v, want %v", got, want)
			}
			want = slices.Clone(c.want)
			if c.q.Limit > 0 {
				want = slices.Clone(all[len(all)-c.q.Limit:])
			}
			slices.Reverse(want)
			c.q.OldestFirst = false
			if got := ids(t, dir, c.q); !slices.Equal(got, want) {
				t.Errorf("newest first: got %v, want %v", got, want)
			}
		})
	}
}

// A name that was shortened is found by the whole one, and by no other that
// begins alike.
func TestReadFindsShortenedNames(t *testing.T) {
	dir := logDir(t)
	l := open(t, dir, Options{})
	long := strings.Repeat("é", 300)
	for _, name := range []string{long, long + "x", "bad\xff", "bad\xfe\xfe"} {
		r := sample(name)
		r.ID, r.Tool = "of "+name, name
		l.Append(context.Background(), r, Written)
	}
	for _, name := range []string{long, long + "x", "bad\xff", "bad\xfe\xfe"} {
		if got := ids(t, dir, Query{Tool: name}); len(got) != 1 {
			t.Errorf("Read(%.9q of %d bytes): got %d records, want 1", name, len(name), len(got))
		}
	}
}

func TestCheckpointsAreReadOnDemand(t *testing.T) {
	dir, _ := mixed(t)
	n := 0
	for e := range Read(dir, Query{Checkpoints: true}) {
		if (e.Kind == KindCheckpoint) != (e.Checkpoint != nil) {
			t.Errorf("%s: its kind is %s", e.Line, e.Kind)
		}
		n++
	}
	if r := checkOK(t, dir); n != int(r.Records) {
		t.Errorf("got %d records, want all %d", n, r.Records)
	}
}

// Who cannot read a place is told, and gets the rest.
func TestReadGoesOn(t *testing.T) {
	dir, _ := mixed(t)
	all := files(t, dir)
	edit(t, all[0], func(l [][]byte) [][]byte { return slices.Insert(l, 3, []byte("what is this\n")) })
	edit(t, all[1], func(l [][]byte) [][]byte { return slices.Insert(l, 0, []byte("no header\n")) })
	writeFile(t, all[2], append(readFile(t, all[2]), "no end"...))
	for _, q := range []Query{{}, {OldestFirst: true}} {
		var got []string
		bad := map[string]bool{}
		for e, err := range Read(dir, q) {
			if err != nil {
				bad[e.File] = true
				continue
			}
			got = append(got, e.ID)
		}
		if slices.Sort(got); len(got) != 30 || len(bad) != 2 {
			t.Errorf("Read(%+v): got %d records and faults in %v, want 30 and two files", q, len(got), bad)
		}
	}
	if err := Export(Read(dir, Query{}), new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), "places cannot be read") {
		t.Errorf("Export: got %v, want that places cannot be read", err)
	}
}

// A line that nobody could have written does not fill the memory.
func TestReadOfEndlessLine(t *testing.T) {
	dir := logDir(t)
	l := open(t, dir, Options{})
	write(t, l, "a1", "a2")
	l.abandon()
	path := files(t, dir)[0]
	endless := append(bytes.Repeat([]byte("x"), 3*lineMax), '\n')
	edit(t, path, func(l [][]byte) [][]byte { return slices.Insert(l, 3, endless) })
	for _, q := range []Query{{}, {OldestFirst: true}} {
		var got []string
		long := 0
		for e, err := range Read(dir, q) {
			if errors.Is(err, errLong) {
				long++
				continue
			}
			got = append(got, e.ID)
		}
		if len(got) != 2 || long != 1 {
			t.Errorf("Read(%+v): got %v and %d long lines, want 2 records and 1", q, got, long)
		}
	}
	if got := faults(check(t, dir)); !strings.Contains(got, ":4: "+errLong.Error()) {
		t.Errorf("Verify: got %q, want that a line is too long", got)
	}
}

func TestReadMayStop(t *testing.T) {
	dir, _ := mixed(t)
	for range Read(dir, Query{}) {
		break
	}
	for _, f := range files(t, dir) { // all are closed again: elsewhere they could not be removed
		if err := os.Remove(f); err != nil {
			t.Error(err)
		}
	}
}

// Evidence is exported as it stands.
func TestExport(t *testing.T) {
	dir := logDir(t)
	l := open(t, dir, Options{})
	write(t, l, numbered("a", 1, 5)...)
	closeLog(t, l)
	var out bytes.Buffer
	if err := Export(Read(dir, Query{OldestFirst: true, Checkpoints: true}), &out); err != nil {
		t.Fatal(err)
	}
	_, records, _ := bytes.Cut(readFile(t, files(t, dir)[0]), []byte("\n"))
	if !bytes.Equal(out.Bytes(), records) {
		t.Errorf("Export: got\n%s\nwant\n%s", out.Bytes(), records)
	}
	if err := Export(Read(dir, Query{}), broken{}); err == nil {
		t.Error("Export to what cannot be written: got no error")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }
