package audit

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// drop drops with a chain of its own, as the command does.
func drop(t testing.TB, dir string, o Options, keep Keep) []Dropped {
	t.Helper()
	l := open(t, dir, o)
	dropped, err := l.Drop(context.Background(), keep)
	if err != nil {
		t.Fatal(err)
	}
	closeLog(t, l)
	return dropped
}

func TestDrop(t *testing.T) {
	c, dir := newClock(), logDir(t)
	o := Options{Now: c.Now, SegmentSize: 2000}
	dead := open(t, dir, o)
	write(t, dead, numbered("a", 1, 10)...)
	dead.abandon()
	living := open(t, dir, o)
	write(t, living, numbered("b", 1, 10)...)
	c.add(time.Hour)
	middle := c.Now()
	write(t, living, numbered("c", 1, 3)...)
	before := checkOK(t, dir)

	if got := drop(t, dir, o, Keep{}); len(got) != 0 {
		t.Errorf("Drop that keeps all: got %v, want nothing", got)
	}
	c.add(time.Hour)
	got := drop(t, dir, o, Keep{Since: middle})
	if len(got) < 4 {
		t.Fatalf("Drop: got %v, want the segments of two chains", got)
	}
	records := uint64(0)
	for _, d := range got {
		records += d.Records
		if _, err := os.Stat(filepath.Join(dir, d.File)); !os.IsNotExist(err) {
			t.Errorf("%s was dropped and is there", d.File)
		}
		if d.Last-d.First+1 != d.Records || len(d.Hash) != 64 {
			t.Errorf("Dropped: got %+v, want numbers that fit", d)
		}
	}
	r := checkOK(t, dir)
	if len(r.Gaps) != 2 || r.Gaps[0].From != 1 || r.Gaps[0].Records+r.Gaps[1].Records != records {
		t.Errorf("gaps: got %+v, want two chains' with %d records", r.Gaps, records)
	}
	if r.Segments >= before.Segments {
		t.Errorf("segments: got %d of %d", r.Segments, before.Segments)
	}
	left := ids(t, dir, Query{OldestFirst: true})
	if !slices.Equal(left[len(left)-3:], numbered("c", 1, 3)) || slices.Contains(left, "a1") || slices.Contains(left, "b1") {
		t.Errorf("left: got %v, want the young records, and what shares a file with them", left)
	}
	write(t, living, "d1") // goes on
	closeLog(t, living)
	checkOK(t, dir)
}

func TestDropToSize(t *testing.T) {
	dir, _ := three(t)
	size := checkOK(t, dir).Size
	drop(t, dir, Options{}, Keep{Size: size - 1})
	r := checkOK(t, dir)
	if r.Gaps == nil || r.Gaps[0].From != 1 || len(r.Gaps) != 1 {
		t.Errorf("gaps: got %+v, want the beginning of the oldest chain", r.Gaps)
	}
}

// What accounts for a gap may be dropped itself, again and again: its word is
// passed on as long as anything needs it, and no longer.
func TestDropsFollowOneAnother(t *testing.T) {
	c, dir := newClock(), logDir(t)
	o := Options{Now: c.Now, SegmentSize: 3000}
	long := open(t, dir, o)
	for i := range 12 {
		write(t, long, numbered("long", 10*i, 10*i+9)...)
		short := open(t, dir, o)
		write(t, short, numbered("short", 10*i, 10*i+2)...)
		closeLog(t, short)
		c.add(48 * time.Hour)
		drop(t, dir, o, Keep{Since: c.Now().Add(-47 * time.Hour)})
		c.add(time.Minute)
		checkOK(t, dir)
	}
	var last Checkpoint
	for e := range Read(dir, Query{Kind: KindCheckpoint}) {
		if len(e.Checkpoint.Dropped) > 0 {
			last = *e.Checkpoint
			break
		}
	}
	if len(last.Dropped) > 12 {
		t.Errorf("the last checkpoint accounts for %d files or rows of files, want those that something left may name: %+v", len(last.Dropped), last.Dropped)
	}
	closeLog(t, long)
	checkOK(t, dir)
}

// Only what is a log's by name and by header is removed, through no link.
func TestDropTakesOursAlone(t *testing.T) {
	dir, chains := three(t)
	foreign := map[string]string{
		"notes.txt": "mine",
		segmentName{newChain(newClock().Now()), 1}.String(): "named as ours\n",
		segmentName{newChain(newClock().Now()), 2}.String(): "",
	}
	for name, content := range foreign {
		writeFile(t, filepath.Join(dir, name), []byte(content))
	}
	outside := filepath.Join(t.TempDir(), "outside")
	writeFile(t, outside, readFile(t, chains[1][0]))
	os.Remove(chains[1][0])
	if err := os.Symlink(outside, chains[1][0]); err != nil {
		t.Skip(err)
	}
	drop(t, dir, Options{}, Keep{Size: 1})
	for name, content := range foreign {
		if got := string(readFile(t, filepath.Join(dir, name))); got != content {
			t.Errorf("%s: got %q, want it untouched", name, got)
		}
	}
	if _, err := os.Lstat(chains[1][0]); err != nil {
		t.Errorf("a link that is named as ours: %v, want it untouched", err)
	}
	readFile(t, outside)
}

// When what accounts for it cannot be written, nothing is removed.
func TestDropThatCannotBeAccountedFor(t *testing.T) {
	dir, _ := three(t)
	l := open(t, dir, Options{})
	write(t, l, "d")
	setSync(l, func(*os.File) error { return os.ErrDeadlineExceeded })
	before := files(t, dir)
	if dropped, err := l.Drop(context.Background(), Keep{Size: 1}); err == nil || len(dropped) != 0 {
		t.Errorf("Drop: got %v %v, want an error", dropped, err)
	}
	if got := files(t, dir); !slices.Equal(got, before) {
		t.Errorf("files: got %v, want all: %v", got, before)
	}
}

// A drop that was interrupted left files that are accounted for; the next one
// takes them.
func TestInterruptedDrop(t *testing.T) {
	dir, chains := three(t)
	kept := readFile(t, chains[0][0])
	drop(t, dir, Options{}, Keep{Size: checkOK(t, dir).Size - 1})
	writeFile(t, chains[0][0], kept)
	if r := checkOK(t, dir); !strings.Contains(notes(r), "still there") {
		t.Errorf("notes: got %q, want that a dropped file is still there", notes(r))
	}
	if got := drop(t, dir, Options{}, Keep{Size: 1}); len(got) == 0 {
		t.Error("Drop: got nothing")
	}
	if r := checkOK(t, dir); strings.Contains(notes(r), "still there") {
		t.Errorf("notes: got %q, want nothing of a file that is there", notes(r))
	}
}

// Retention goes on where a segment was damaged, and says what was wrong with it.
func TestDropOfDamaged(t *testing.T) {
	dir, chains := three(t)
	edit(t, chains[0][0], func(l [][]byte) [][]byte { return slices.Delete(l, 2, 3) })
	got := drop(t, dir, Options{}, Keep{Size: 1})
	if len(got) == 0 || !strings.Contains(got[0].Fault, "line 3: ") {
		t.Errorf("Drop: got %+v, want the fault of the first", got)
	}
	checkOK(t, dir)
}

func TestDropsExcludeOneAnother(t *testing.T) {
	dir, _ := three(t)
	lock, err := openLock(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := tryLock(lock, true); err != nil {
		t.Fatal(err)
	}
	l := open(t, dir, Options{})
	if _, err := l.Drop(context.Background(), Keep{Size: 1}); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("Drop: got %v, want that another one is at it", err)
	}
}

// A chain goes from its beginning on, also where its clock was set back.
func TestDropWithClockSetBack(t *testing.T) {
	c, dir := newClock(), logDir(t)
	l := open(t, dir, Options{Now: c.Now})
	write(t, l, "young")
	c.add(-2 * time.Hour)
	write(t, l, "old")
	c.add(-time.Hour)
	write(t, l, "older")
	closeLog(t, l)
	c.add(4 * time.Hour)
	if got := drop(t, dir, Options{Now: c.Now}, Keep{Since: newClock().Now().Add(-time.Hour)}); len(got) != 0 {
		t.Errorf("Drop: got %v, want nothing while the first segment is kept", got)
	}
}

// What follows a gap must be what followed it when the gap was made.
func TestForgedBehindGap(t *testing.T) {
	dir := logDir(t)
	l := open(t, dir, Options{SegmentSize: 1500})
	write(t, l, numbered("a", 1, 6)...)
	drop(t, dir, Options{}, Keep{Size: 1})
	l.abandon()
	path := l.path(segmentName{l.chain, l.number})
	line, _, _ := strings.Cut(string(readFile(t, path)), "\n")
	h, err := parseHeader([]byte(line), segmentName{l.chain, l.number})
	if err != nil {
		t.Fatal(err)
	}
	h.Prev = strings.Repeat("0", 64)
	forged, _ := h.line()
	l.at = h.mark(forged)
	e := encoder{salt: &l.salt}
	r := sample("forged")
	e.body(&r)
	record, _ := l.compose(e.b, false)
	writeFile(t, path, append(forged, record...))
	if got := faults(check(t, dir)); !strings.Contains(got, "does not continue the segment that was dropped") {
		t.Errorf("Verify: got %q, want that the segment does not continue the dropped one", got)
	}
}
