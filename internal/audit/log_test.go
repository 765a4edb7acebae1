package audit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestAppend(t *testing.T) {
	dir := logDir(t)
	l := open(t, dir, Options{})
	if got := files(t, dir); len(got) != 0 {
		t.Errorf("files before the first record: got %v, want none: a process without calls leaves none", got)
	}
	write(t, l, numbered("a", 1, 3)...)
	if got, want := ids(t, dir, Query{OldestFirst: true}), numbered("a", 1, 3); !slices.Equal(got, want) {
		t.Errorf("while it is written: got %v, want %v", got, want)
	}
	if r := checkOK(t, dir); len(r.Notes) != 0 {
		t.Errorf("while it is written: got notes %v, want none", r.Notes)
	}
	closeLog(t, l)
	closeLog(t, l) // does nothing
	r := checkOK(t, dir)
	if r.Chains != 1 || r.Segments != 1 || r.Records != 5 || len(r.Notes) != 0 {
		t.Errorf("Verify: got %s, want one chain of 3 records between two checkpoints and no notes", dump(r))
	}
	if err := l.Append(context.Background(), sample("late"), Written); !errors.Is(err, ErrClosed) {
		t.Errorf("Append after Close: got %v, want ErrClosed", err)
	}
}

// The log is its person's alone, and leads nowhere else.
func TestFilesArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("who may do what is not in a file's mode")
	}
	dir := logDir(t)
	l := open(t, dir, Options{})
	write(t, l, "a")
	filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		want := os.FileMode(0o600)
		if info.IsDir() {
			want = 0o700
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("mode of %s: got %o, want %o", info.Name(), got, want)
		}
		return nil
	})
	for _, c := range []struct {
		name  string
		spoil func(dir string) error
		want  string
	}{
		{"a directory that others can read", func(dir string) error { return os.Chmod(dir, 0o755) }, "chmod 700"},
		{"a key that others can read", func(dir string) error { return os.Chmod(filepath.Join(dir, keyFile), 0o640) }, "chmod 600"},
		{"a damaged key", func(dir string) error { return os.WriteFile(filepath.Join(dir, keyFile), []byte("x"), 0o600) }, "not an ed25519 key"},
		{"a damaged salt", func(dir string) error { return os.WriteFile(filepath.Join(dir, saltFile), []byte("00\n"), 0o600) }, "hexadecimal"},
		{"a key that is a link", func(dir string) error { return relink(filepath.Join(dir, keyFile)) }, "symbolic links"},
		{"a directory that is a link", relink, "links are not followed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := logDir(t)
			open(t, dir, Options{})
			if err := c.spoil(dir); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Open: got %v, want %q in it", err, c.want)
			}
		})
	}
}

// relink moves what is at path beside, and links to it.
func relink(path string) error {
	return errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path))
}

func TestSegmentsFollowOneAnother(t *testing.T) {
	dir := logDir(t)
	l := open(t, dir, Options{SegmentSize: 2000})
	want := numbered("a", 1, 40)
	write(t, l, want...)
	closeLog(t, l)
	r := checkOK(t, dir)
	if r.Chains != 1 || r.Segments < 5 || len(r.Notes) != 0 {
		t.Errorf("Verify: got %s, want one chain of several segments", dump(r))
	}
	if got := ids(t, dir, Query{OldestFirst: true}); !slices.Equal(got, want) {
		t.Errorf("Read: got %v, want %v", got, want)
	}
}

// Listings go by time, so a clock that is set back begins another segment; a
// small step is not worth one.
func TestClockGoesBack(t *testing.T) {
	c, dir := newClock(), logDir(t)
	l := open(t, dir, Options{Now: c.Now})
	write(t, l, "a1")
	c.add(-backMax / 2)
	write(t, l, "a2")
	if got := len(files(t, dir)); got != 1 {
		t.Errorf("after a small step back: got %d segments, want 1", got)
	}
	c.add(-time.Hour)
	write(t, l, "a3")
	if got := len(files(t, dir)); got != 2 {
		t.Errorf("after an hour back: got %d segments, want 2", got)
	}
	closeLog(t, l)
	checkOK(t, dir)
	if got, want := ids(t, dir, Query{OldestFirst: true}), []string{"a3", "a1", "a2"}; !slices.Equal(got, want) {
		t.Errorf("Read: got %v, want %v", got, want)
	}
}

// Who waits shares a sync with whoever else does.
func TestDurableAppendsShareSyncs(t *testing.T) {
	dir := logDir(t)
	l := open(t, dir, Options{SyncDelay: time.Hour})
	var mu sync.Mutex
	syncs, first, all := 0, make(chan struct{}), make(chan struct{})
	l.fsync = func(f *os.File) error {
		mu.Lock()
		syncs++
		n := syncs
		mu.Unlock()
		if n == 1 {
			close(first)
			<-all
		}
		return f.Sync()
	}
	var done sync.WaitGroup
	appendDurably := func(id string) {
		done.Go(func() {
			if err := l.Append(context.Background(), sample(id), Durable); err != nil {
				t.Error(err)
			}
		})
	}
	appendDurably("first")
	<-first
	for _, id := range numbered("a", 1, 20) {
		appendDurably(id)
	}
	for len(ids(t, dir, Query{})) < 21 { // all are written while the first sync lasts
		runtime.Gosched()
	}
	close(all)
	done.Wait()
	if syncs > 3 { // the first, that of those who waited, and one for who was told late
		t.Errorf("got %d syncs for 21 durable records, want 2 or 3", syncs)
	}
}

// What need not be durable at once is synced by itself, soon.
func TestWrittenIsSyncedSoon(t *testing.T) {
	l := open(t, logDir(t), Options{SyncDelay: time.Millisecond})
	synced := make(chan struct{}, 100)
	l.fsync = func(f *os.File) error {
		synced <- struct{}{}
		return f.Sync()
	}
	for range 3 {
		write(t, l, "a")
		select {
		case <-synced:
		case <-time.After(10 * time.Second):
			t.Fatal("nothing was synced")
		}
	}
}

func TestDurableAppendMayBeLeft(t *testing.T) {
	l := open(t, logDir(t), Options{})
	ctx, cancel := context.WithCancel(context.Background())
	held := make(chan struct{})
	l.fsync = func(f *os.File) error {
		cancel()
		<-held
		return f.Sync()
	}
	defer close(held)
	if err := l.Append(ctx, sample("a"), Durable); !errors.Is(err, context.Canceled) {
		t.Errorf("Append: got %v, want context.Canceled", err)
	}
}

// After a sync that failed, nothing says which pages are on the disk, and a later
// sync that succeeds says nothing of them.
func TestFailedSync(t *testing.T) {
	dir := logDir(t)
	reported := make(chan error, 10)
	l := open(t, dir, Options{Report: func(err error) { reported <- err }})
	write(t, l, "a1")
	if err := l.Append(context.Background(), sample("a2"), Durable); err != nil {
		t.Fatal(err)
	}
	bad := errors.New("the disk is gone")
	failed := false
	setSync(l, func(*os.File) error {
		if failed {
			return nil // as kernels answer, once they have told
		}
		failed = true
		return bad
	})
	if err := l.Append(context.Background(), sample("a3"), Durable); !errors.Is(err, bad) {
		t.Errorf("Append: got %v, want that the sync failed", err)
	}
	if err := <-reported; !errors.Is(err, bad) {
		t.Errorf("Report: got %v, want that the sync failed", err)
	}
	if err := l.Append(context.Background(), sample("a4"), Durable); err != nil {
		t.Errorf("Append after it: got %v, want a new segment", err)
	}
	closeLog(t, l)
	checkOK(t, dir)
	all := files(t, dir)
	if len(all) != 2 || !strings.Contains(string(readFile(t, all[1])), `"after":{"seq":3,`) || !strings.Contains(string(readFile(t, all[1])), `"why":"the disk is gone"`) {
		t.Fatalf("segments: got %v, want two, and the second says why and that a2, the third record, is the last sure one", all)
	}

	t.Run("what was not sure is lost", func(t *testing.T) {
		lines := strings.SplitAfter(string(readFile(t, all[0])), "\n")
		writeFile(t, all[0], []byte(strings.Join(lines[:len(lines)-2], "")))
		if r := checkOK(t, dir); !strings.Contains(notes(r), "were written and are not there") {
			t.Errorf("notes: got %q, want that a record is not there", notes(r))
		}
	})
	t.Run("what was sure is lost", func(t *testing.T) {
		lines := strings.SplitAfter(string(readFile(t, all[0])), "\n")
		writeFile(t, all[0], []byte(strings.Join(lines[:len(lines)-2], "")))
		if r := check(t, dir); r.OK() || !strings.Contains(faults(r), "when the next segment began") {
			t.Errorf("Verify: got %s, want that the segment was cut", dump(r))
		}
	})
}

// Who wrote while the sync failed that others waited for is told as well: their
// records are in the same file.
func TestFailedSyncOfOthers(t *testing.T) {
	dir := logDir(t)
	l := open(t, dir, Options{SyncDelay: time.Hour})
	write(t, l, "a1")
	begun, release := make(chan struct{}, 1), make(chan struct{})
	setSync(l, func(*os.File) error {
		begun <- struct{}{}
		<-release
		return errors.New("bad")
	})
	failed := make(chan error, 2)
	appendDurably := func(id string) { failed <- l.Append(context.Background(), sample(id), Durable) }
	go appendDurably("a2")
	<-begun
	go appendDurably("a3")
	for !slices.Contains(ids(t, dir, Query{}), "a3") {
		runtime.Gosched()
	}
	close(release)
	for range 2 {
		if err := <-failed; err == nil {
			t.Error("Append: got no error, want that the sync failed")
		}
	}
}

// setSync makes the syncs of the segment at hand go another way.
func setSync(l *Log, fsync func(*os.File) error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file.mu.Lock()
	defer l.file.mu.Unlock()
	l.file.fsync = fsync
}

// A chain whose segment was given up goes on some time: nobody may take it for one
// whose process has ended.
func TestGivenUpIsInUse(t *testing.T) {
	dir := logDir(t)
	l := open(t, dir, Options{})
	write(t, l, "a1")
	setSync(l, func(*os.File) error { return errors.New("bad") })
	if err := l.Append(context.Background(), sample("a2"), Durable); err == nil {
		t.Fatal("Append: got no error")
	}
	if r := checkOK(t, dir); len(r.Notes) != 0 {
		t.Errorf("notes: got %v, want none", r.Notes)
	}
	if got := drop(t, dir, Options{}, Keep{Size: 1}); len(got) != 0 {
		t.Errorf("Drop: got %v, want nothing", got)
	}
	write(t, l, "a3")
	closeLog(t, l)
	checkOK(t, dir)
}

// That a segment leads to another one is on the disk only if that one is: else a
// power failure looks as if it had been taken away.
func TestNextSegmentIsSyncedFirst(t *testing.T) {
	dir := logDir(t)
	l := open(t, dir, Options{SegmentSize: 1000, SyncDelay: time.Hour})
	var order []string
	l.fsync = func(f *os.File) error {
		what := "the end"
		if n, _ := parseName(filepath.Base(f.Name())); n.number == 2 {
			what = "the next"
		}
		if first := readFile(t, files(t, dir)[0]); strings.Contains(string(first), `"next":`) != (what == "the end") {
			t.Errorf("sync of %s, and the end says %s", what, first[max(0, len(first)-300):])
		}
		order = append(order, what)
		return f.Sync()
	}
	write(t, l, numbered("a", 1, 3)...)
	if !slices.Equal(order, []string{"the next", "the end"}) {
		t.Errorf("syncs: got %v, want the next segment's and then the end's", order)
	}
}

// A directory that nothing can be made in any more is an error, and no record is
// lost by it.
func TestSegmentCannotBegin(t *testing.T) {
	dir := logDir(t)
	l := open(t, dir, Options{SegmentSize: 3000})
	write(t, l, "a1")
	next := filepath.Join(dir, segmentName{l.chain, 2}.String())
	writeFile(t, next, []byte("in the way\n")) // root may write anywhere
	kept := []string{"a1"}
	failed := 0
	for _, id := range numbered("b", 1, 20) {
		if err := l.Append(context.Background(), sample(id), Written); err != nil {
			if !strings.Contains(err.Error(), "begin the next segment") {
				t.Errorf("Append: got %v, want that no segment can begin", err)
			}
			failed++
			continue
		}
		kept = append(kept, id)
	}
	if failed == 0 {
		t.Error("every Append went well")
	}
	os.Remove(next)
	write(t, l, "c")
	closeLog(t, l)
	checkOK(t, dir)
	if got, want := ids(t, dir, Query{OldestFirst: true}), append(kept, "c"); !slices.Equal(got, want) {
		t.Errorf("Read: got %v, want %v", got, want)
	}
}

// What is seen of another chain is on the disk before the checkpoint that names
// it, else a power failure looks like a cut.
func TestCheckpointNamesOthers(t *testing.T) {
	dir := logDir(t)
	a := open(t, dir, Options{})
	write(t, a, "a1", "a2")
	b := open(t, dir, Options{})
	write(t, b, "b1")
	if got := b.file.others; len(got) != 1 || got[0] != files(t, dir)[0] {
		t.Errorf("to be synced with the checkpoint: got %v, want the file of the other chain", got)
	}
	closeLog(t, a)
	closeLog(t, b)
	for e, err := range Read(dir, Query{Kind: KindCheckpoint}) { // the newest: b's end
		if err != nil {
			t.Fatal(err)
		}
		h := e.Checkpoint.Heads
		if len(h) != 1 || filepath.Join(dir, h[0].File) != files(t, dir)[0] || h[0].Seq != 4 || h[0].Size != int64(len(readFile(t, files(t, dir)[0]))) {
			t.Errorf("heads at the end: got %+v, want the end of the other chain", h)
		}
		break
	}
	checkOK(t, dir)
}

// Many processes have been here: a checkpoint stays small, and says what it leaves
// out.
func TestCheckpointIsBounded(t *testing.T) {
	dir := logDir(t)
	for i := range headsMax + 5 {
		l := open(t, dir, Options{})
		write(t, l, numbered("a", i, i)...)
		closeLog(t, l)
	}
	var last Checkpoint
	for e := range Read(dir, Query{Kind: KindCheckpoint, Limit: 1}) {
		last = *e.Checkpoint
	}
	if len(last.Heads) != headsMax || last.Unnamed != 4 {
		t.Errorf("the last checkpoint: got %d heads and %d unnamed, want %d and 4", len(last.Heads), last.Unnamed, headsMax)
	}
	if r := checkOK(t, dir); r.Chains != headsMax+5 {
		t.Errorf("chains: got %d, want %d", r.Chains, headsMax+5)
	}
}
