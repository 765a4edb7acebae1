package audit

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// machine does to a log whatever may happen to it, and knows what must be in it.
type machine struct {
	dir   string
	clock *clock
	open  []*Log
	size  int64 // of segments
	next  int
	want  map[string]bool // ids
	index *memory
}

func (m *machine) begin(*rapid.T) {
	if len(m.open) == 3 {
		return
	}
	l, err := Open(m.dir, Options{SegmentSize: m.size, Now: m.clock.Now, SyncDelay: time.Hour})
	if err != nil {
		panic(err)
	}
	l.fsync = func(*os.File) error { return nil } // the test is of what is written, and of many logs
	m.open = append(m.open, l)
}

// some is one of the open logs.
func (m *machine) some(t *rapid.T) (*Log, int) {
	if len(m.open) == 0 {
		m.begin(t)
	}
	i := rapid.IntRange(0, len(m.open)-1).Draw(t, "log")
	return m.open[i], i
}

func (m *machine) record(t *rapid.T) {
	l, _ := m.some(t)
	m.next++
	r := sample(fmt.Sprintf("id%d.", m.next))
	r.Reason = rapid.String().Draw(t, "reason")
	how := Durability(rapid.Bool().Draw(t, "durable"))
	if err := l.Append(context.Background(), r, how); err != nil {
		t.Fatal(err)
	}
	m.want[r.ID] = true
}

func (m *machine) time(t *rapid.T) {
	m.clock.add(time.Duration(rapid.IntRange(-5, 30).Draw(t, "seconds")) * time.Second)
}

// crash ends a process, perhaps in the midst of a line.
func (m *machine) crash(t *rapid.T) {
	l, i := m.some(t)
	m.open = slices.Delete(m.open, i, i+1)
	file := l.file
	l.abandon()
	if file != nil && rapid.Bool().Draw(t, "torn") {
		spill(file.Name(), rapid.SliceOfN(rapid.ByteRange(32, 126), 1, 50).Draw(t, "half a line"))
	}
}

func spill(path string, b []byte) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		panic(err)
	}
	f.Write(b)
	f.Close()
}

// fail lets the next write fail after a part of it is there.
func (m *machine) fail(t *rapid.T) {
	l, _ := m.some(t)
	if l.file == nil {
		return
	}
	name := l.file.Name()
	spill(name, rapid.SliceOfN(rapid.ByteRange(11, 255), 1, 50).Draw(t, "part of a line"))
	l.mu.Lock()
	l.file.mu.Lock()
	l.file.Close()
	l.file.File, _ = os.Open(name) // cannot be written
	if err := waitLock(l.file.File); err != nil {
		t.Fatal(err)
	}
	l.file.mu.Unlock()
	l.mu.Unlock()
	if err := l.Append(context.Background(), sample("never"), Written); err == nil {
		t.Fatal("Append to what cannot be written: got no error")
	}
}

func (m *machine) shut(t *rapid.T) {
	l, i := m.some(t)
	m.open = slices.Delete(m.open, i, i+1)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func (m *machine) drop(t *rapid.T) {
	l, _ := m.some(t)
	in := map[string][]string{}
	for e, err := range Read(m.dir, Query{}) {
		if err == nil {
			in[e.File] = append(in[e.File], e.ID)
		}
	}
	keep := Keep{Size: int64(rapid.IntRange(1, 30_000).Draw(t, "size"))}
	if rapid.Bool().Draw(t, "by time") {
		keep = Keep{Since: m.clock.Now().Add(-time.Duration(rapid.IntRange(0, 60).Draw(t, "age")) * time.Second)}
	}
	dropped, err := l.Drop(context.Background(), keep)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range dropped {
		for _, id := range in[d.File] {
			delete(m.want, id)
		}
	}
}

// check is the first property: what we wrote is there, and is in order.
func (m *machine) check(t *rapid.T) {
	r, err := Verify(context.Background(), m.dir)
	if err != nil || !r.OK() {
		t.Fatalf("Verify: %v\n%s", err, dump(r))
	}
	for _, q := range []Query{{}, {OldestFirst: true}} {
		got := map[string]bool{}
		last := ""
		for e, err := range Read(m.dir, q) {
			if err != nil {
				continue // what a failed write left is read as far as it goes
			}
			now := stamp(e.Time)
			if last != "" && now != last && (now > last) != q.OldestFirst {
				t.Fatalf("Read(%+v): %s comes after %s", q, now, last)
			}
			last, got[e.ID] = now, true
		}
		for id := range m.want {
			if !got[id] {
				t.Fatalf("Read(%+v): %s was written and is not there", q, id)
			}
		}
		if len(got) != len(m.want) {
			t.Fatalf("Read(%+v): got %d records, want %d", q, len(got), len(m.want))
		}
	}
}

// surely is the lines of a file that are followed by another one that is in order.
func surely(t *rapid.T, dir string, names []segmentName, i int) [][]byte {
	content, err := os.ReadFile(filepath.Join(dir, names[i].String()))
	if err != nil {
		t.Fatal(err)
	}
	if i+1 < len(names) && names[i+1].chain == names[i].chain {
		next, _ := os.ReadFile(filepath.Join(dir, names[i+1].String()))
		line, _, _ := bytes.Cut(next, []byte("\n"))
		if h, err := parseHeader(line, names[i+1]); err == nil && h.After != nil {
			content = content[:h.After.Size]
		}
	}
	lines := bytes.SplitAfter(content, []byte("\n"))
	return lines[:max(len(lines)-2, 0)]
}

// change is the second property: no byte but those at an end can be another one.
func (m *machine) change(t *rapid.T) {
	names, err := segments(m.dir)
	if err != nil || len(names) == 0 {
		return
	}
	i := rapid.IntRange(0, len(names)-1).Draw(t, "file")
	lines := surely(t, m.dir, names, i)
	if len(lines) == 0 {
		return
	}
	n := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
	at := len(bytes.Join(lines[:n], nil)) + rapid.IntRange(0, len(lines[n])-1).Draw(t, "column")
	path := filepath.Join(m.dir, names[i].String())
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Clone(whole)
	changed[at] += byte(rapid.IntRange(1, 255).Draw(t, "difference"))
	os.WriteFile(path, changed, 0o600)
	if r, err := Verify(context.Background(), m.dir); err != nil || r.OK() {
		t.Fatalf("byte %d of %s is %q for %q: Verify found nothing (%v)", at, names[i], changed[at], whole[at], err)
	}
	os.WriteFile(path, whole, 0o600)
}

func TestWhateverHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "audit")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		m := &machine{dir: dir, clock: newClock(), want: map[string]bool{}, index: newMemory(), size: int64(rapid.IntRange(500, 6000).Draw(t, "segment"))}
		defer func() {
			for _, l := range m.open {
				l.abandon()
			}
		}()
		t.Repeat(map[string]func(*rapid.T){
			"": m.check, "begin": m.begin, "record": m.record, "another": m.record, "one more": m.record, "time": m.time,
			"crash": m.crash, "fail": m.fail, "close": m.shut, "drop": m.drop, "change": m.change,
			"odd": m.odd, "another odd one": m.odd, "search": m.search, "search again": m.search,
		})
	})
}
