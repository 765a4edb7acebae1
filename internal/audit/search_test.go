package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// memory is an Index in memory, kept in the plainest way.
type memory struct {
	segments map[string]Indexed
	changes  int
	before   func() error // what comes before a change; nil: nothing
}

func newMemory() *memory { return &memory{segments: map[string]Indexed{}} }

func (m *memory) Segments(_ context.Context, beginnings []string) (out []Indexed, err error) {
	for _, s := range m.segments {
		blocks := s.Blocks
		s.Blocks = nil
		for i, b := range blocks {
			has := len(beginnings) > 0 || i == len(blocks)-1
			for _, begin := range beginnings {
				has = has && strings.Contains(b.Words, "\n"+begin)
			}
			if b.Words = ""; has {
				s.Blocks = append(s.Blocks, b)
			}
		}
		out = append(out, s)
	}
	return out, nil
}

func (m *memory) Update(_ context.Context, c Change) error {
	if m.before != nil {
		if err := m.before(); err != nil {
			return err
		}
	}
	m.changes++
	for _, name := range c.Gone {
		delete(m.segments, name)
	}
	if c.Segment.File == "" {
		return nil
	}
	s, ok := m.segments[c.Segment.File]
	switch {
	case c.Anew:
		s = Indexed{}
	case !ok || s.End != c.Was:
		return ErrMoved
	}
	blocks := s.Blocks
	for _, b := range c.Segment.Blocks {
		blocks = append(slices.Clip(blocks[:b.Number]), b)
	}
	s = c.Segment
	s.Blocks = blocks
	m.segments[s.File] = s
	return nil
}

// said is all that a reading yields, as text.
func said(records iter.Seq2[Entry, error]) (out []string) {
	for e, err := range records {
		out = append(out, fmt.Sprintf("%s %s %v", e.File, e.Line, err))
	}
	return out
}

// searched is Search with blocks and changes so short that there are many.
func searched(dir string, q Query, index Index) []string {
	c := catchUp{dir: dir, index: index, span: 700, part: 1500}
	return said(read(dir, q, c.find(context.Background(), q)))
}

// oddNames are names of tools and sessions; some are kept shortened or with other
// bytes, and some look like what lines are looked through for.
var oddNames = []string{
	"", "a", "ab", `a"b`, `a\`, `"tool":"a"`, strings.Repeat("é", 200), strings.Repeat("é", 200) + "x", strings.Repeat("é", 130), "bad\xff", "bad\xfe", "\x01\n",
}

func drawRecord(t *rapid.T) Record {
	name := rapid.SampledFrom(oddNames)
	return Record{
		Kind:    rapid.SampledFrom([]Kind{KindCall, KindDeny, KindAsk}).Draw(t, "kind"),
		Outcome: rapid.SampledFrom([]Outcome{"", Allowed, Denied, Asked}).Draw(t, "outcome"),
		ID:      rapid.StringOfN(rapid.RuneFrom([]rune(`ABé"\`)), 0, 14, -1).Draw(t, "id"),
		Tool:    name.Draw(t, "tool"), Session: name.Draw(t, "session"), Reason: name.Draw(t, "reason"),
	}
}

func drawQuery(t *rapid.T, now time.Time) Query {
	name := rapid.SampledFrom(append([]string{"none"}, oddNames...))
	q := Query{
		OldestFirst: rapid.Bool().Draw(t, "oldest first"),
		Limit:       rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "limit"),
		Kind:        rapid.SampledFrom([]Kind{"", "", KindCall, KindDeny, KindCheckpoint}).Draw(t, "kind"),
		Outcome:     rapid.SampledFrom([]Outcome{"", "", Denied}).Draw(t, "outcome"),
		ID:          rapid.OneOf(rapid.Just(""), rapid.StringOfN(rapid.RuneFrom([]rune(`ABé"\`)), 0, 14, -1)).Draw(t, "id"),
		Checkpoints: rapid.Bool().Draw(t, "checkpoints"),
	}
	if rapid.Bool().Draw(t, "a tool") {
		q.Tool = name.Draw(t, "tool")
	}
	if rapid.Bool().Draw(t, "a session") {
		q.Session = name.Draw(t, "session")
	}
	if rapid.Bool().Draw(t, "since") {
		q.Since = now.Add(-time.Duration(rapid.IntRange(-10, 100).Draw(t, "ago")) * time.Second)
	}
	if rapid.Bool().Draw(t, "until") {
		q.Until = now.Add(-time.Duration(rapid.IntRange(-10, 100).Draw(t, "ago")) * time.Second)
	}
	return q
}

// odd appends a record that a query may look for.
func (m *machine) odd(t *rapid.T) {
	l, _ := m.some(t)
	r := drawRecord(t)
	m.next++
	r.ID += fmt.Sprintf("~%d.", m.next)
	if err := l.Append(context.Background(), r, Written); err != nil {
		t.Fatal(err)
	}
	m.want[r.ID] = true
}

// search is that an index, whatever has happened since it was brought up to date,
// leads to what reading everything leads to.
func (m *machine) search(t *rapid.T) {
	q := drawQuery(t, m.clock.Now())
	want, got := said(Read(m.dir, q)), searched(m.dir, q, m.index)
	if !slices.Equal(got, want) {
		t.Fatalf("Search(%+v): got\n%s\nwant what Read yields:\n%s", q, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The same of a log that somebody changed: faults are told alike, and at the same
// place. There is a search before and after each change: when a segment was added to
// besides, it shows only where a block is read, as TestSearchTellsOfChanges holds.
func TestSearchOfChangedLog(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "audit")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		m := &machine{dir: dir, clock: newClock(), want: map[string]bool{}, size: 3000, index: newMemory()}
		defer func() {
			for _, l := range m.open {
				l.abandon()
			}
		}()
		hurt := func(t *rapid.T) {
			names, _ := segments(dir)
			if len(names) == 0 {
				return
			}
			searched(dir, Query{ID: "A"}, m.index)
			hurtSegment(t, filepath.Join(dir, rapid.SampledFrom(names).Draw(t, "file").String()))
			searched(dir, Query{ID: "A"}, m.index)
			m.search(t)
		}
		t.Repeat(map[string]func(*rapid.T){
			"begin": m.begin, "record": m.odd, "another": m.odd, "one more": m.odd, "time": m.time, "search": m.search, "hurt": hurt,
		})
	})
}

// hurtSegment changes lines of a segment. That a file was changed always shows in
// its time, as a test cannot be sure of.
func hurtSegment(t *rapid.T, path string) {
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
	switch rapid.IntRange(0, 4).Draw(t, "what") {
	case 0:
		lines = slices.Delete(lines, i, i+1)
	case 1:
		lines = slices.Insert(lines, i, []byte(rapid.SampledFrom([]string{"what is this\n", "\n", `{"tool":"a"` + "\n", `{"id":"A`}).Draw(t, "line")))
	case 2:
		j := rapid.IntRange(0, len(lines)-1).Draw(t, "other line")
		lines[i], lines[j] = lines[j], lines[i]
	case 3:
		lines[i] = bytes.Replace(lines[i], []byte(`"kind":"call"`), []byte(`"kind":"call","tool":"a","generation":"x"`), 1)
	case 4:
		lines = lines[:i]
	}
	changed := bytes.Join(lines, nil)
	if bytes.Equal(changed, whole) {
		return
	}
	if err := os.WriteFile(path, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Unix(rand.Int63n(1<<31), rand.Int63n(1e9))
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// Once it is up to date, nothing is written, and of a log that grew no more is read
// than what it grew by.
func TestIndexIsBroughtUpToDate(t *testing.T) {
	dir, clock := mixed(t)
	index := newMemory()
	q := Query{Session: "s2"}
	searched(dir, q, index)
	made := index.changes
	if searched(dir, q, index); index.changes != made || made == 0 {
		t.Errorf("a second search: got %d changes of the index after %d, want none more", index.changes-made, made)
	}
	l := open(t, dir, Options{Now: clock.Now})
	r := sample("late")
	r.Session = "s2"
	if err := l.Append(context.Background(), r, Written); err != nil {
		t.Fatal(err)
	}
	got := searched(dir, q, index)
	if len(got) != 4 || !strings.Contains(got[0], "late") || index.changes != made+1 {
		t.Errorf("a search after a record more: got %d records and %d changes, want 4 and 1", len(got), index.changes-made)
	}
}

// Half a line at the end of a file, as a writer at work leaves, is found when it is
// whole.
func TestIndexOfHalfLine(t *testing.T) {
	dir := logDir(t)
	l := open(t, dir, Options{})
	write(t, l, "a1", "a2")
	closeLog(t, l)
	path := files(t, dir)[0]
	whole := readFile(t, path)
	index := newMemory()
	for n := range whole {
		writeFile(t, path, whole[:n+1])
		if got, want := searched(dir, Query{ID: "a"}, index), said(Read(dir, Query{ID: "a"})); !slices.Equal(got, want) {
			t.Fatalf("Search of %d bytes: got %q, want %q", n+1, got, want)
		}
	}
}

// An index that leads to what is not there says so, and does not answer as if
// there were nothing.
func TestSearchTellsOfChanges(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(content []byte) []byte
	}{
		{"a record is another one", func(b []byte) []byte { return bytes.Replace(b, []byte(`"id":"a7"`), []byte(`"id":"b7"`), 1) }},
		{"a neighbour is another one", func(b []byte) []byte { return bytes.Replace(b, []byte(`"id":"a8"`), []byte(`"id":"b8"`), 1) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := logDir(t)
			l := open(t, dir, Options{})
			write(t, l, numbered("a", 1, 20)...)
			closeLog(t, l)
			index, q := newMemory(), Query{ID: "a7"}
			search := func() []string { return said(Search(context.Background(), dir, q, index, nil)) } // all in one block
			if got := search(); len(got) != 1 {
				t.Fatalf("Search: got %q, want one record", got)
			}
			path := files(t, dir)[0]
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, path, c.change(readFile(t, path)))
			if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil { // else it is indexed anew
				t.Fatal(err)
			}
			if got := search(); len(got) != 1 || !strings.Contains(got[0], errChanged.Error()) {
				t.Errorf("Search: got %q, want that the segment is not what it was", got)
			}
		})
	}
}

// Whatever is wrong with an index, what is found is what is there.
func TestSearchWithoutIndex(t *testing.T) {
	dir, _ := mixed(t)
	q := Query{Session: "s2"}
	want := said(Read(dir, q))
	for _, c := range []struct {
		name  string
		fault error
		tries int
	}{{"an index that cannot be written", errors.New("read-only"), 1}, {"one that others change all the time", ErrMoved, 3}} {
		tries := 0
		index := newMemory()
		index.before = func() error { tries++; return c.fault }
		if got := said(Search(context.Background(), dir, q, index, nil)); !slices.Equal(got, want) || tries != c.tries {
			t.Errorf("Search by %s: got %d records after %d tries, want %d after %d", c.name, len(got), tries, len(want), c.tries)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := said(Search(ctx, dir, q, newMemory(), nil)); len(got) != 1 || !strings.Contains(got[0], context.Canceled.Error()) {
		t.Errorf("Search that was ended: got %q, want its error alone", got)
	}
}

// What is dropped is forgotten.
func TestIndexForgetsDroppedSegments(t *testing.T) {
	dir, clock := mixed(t)
	index := newMemory()
	searched(dir, Query{Tool: "other"}, index)
	l := open(t, dir, Options{Now: clock.Now})
	gone, err := l.Drop(context.Background(), Keep{Size: 5000})
	if err != nil || len(gone) == 0 {
		t.Fatalf("Drop: got %d segments and error %v, want some", len(gone), err)
	}
	searched(dir, Query{Tool: "other"}, index)
	for _, g := range gone {
		if _, ok := index.segments[g.File]; ok {
			t.Errorf("the index still knows %s, which was dropped", g.File)
		}
	}
	if len(index.segments) != len(files(t, dir)) {
		t.Errorf("the index knows %d segments, want the %d that are there", len(index.segments), len(files(t, dir)))
	}
}

func TestSearchable(t *testing.T) {
	small, _ := mixed(t)
	large := logDir(t)
	l := open(t, large, Options{SegmentSize: 2 << 20, Full: true, FullSize: 1 << 20})
	r := sample("a")
	r.Arguments = l.Summarize([]byte(`{"x":"` + strings.Repeat("x", 900<<10) + `"}`))
	for range 6 {
		if err := l.Append(context.Background(), r, Written); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		dir  string
		q    Query
		want bool
	}{
		{"a tool", large, Query{Tool: "a"}, true},
		{"a beginning of ids", large, Query{ID: "a"}, true},
		{"everything", large, Query{Limit: 50}, false},
		{"a time alone", large, Query{Since: time.Now()}, false},
		{"an id that no record can have", large, Query{ID: "\xff"}, false},
		{"a small log", small, Query{Tool: "a"}, false},
		{"no log", filepath.Join(small, "none"), Query{Tool: "a"}, false},
	} {
		if got := Searchable(c.dir, c.q); got != c.want {
			t.Errorf("Searchable(%s): got %v, want %v", c.name, got, c.want)
		}
	}
}
