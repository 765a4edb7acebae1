package sqlstore_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

// remember asks for the revision until the store remembers it.
func remember(t testing.TB, s *sqlstore.Store) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !s.Remembers(); {
		if _, err := s.Revision(t.Context()); err != nil {
			t.Fatalf("Revision: got error %v, want none", err)
		}
		if time.Now().After(deadline) {
			t.Fatal("Revision: still asks SQLite after 10s, want it to remember")
		}
	}
}

// remembers skips a test where the system does not tell enough to remember.
func remembers(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("nothing is remembered here")
	}
}

func wantRevision(t *testing.T, s state.Store, want uint64, when string) {
	t.Helper()
	if n, err := state.RevisionOf(t.Context(), s); n != want || err != nil {
		t.Fatalf("Revision %s: got %d, error %v, want %d", when, n, err, want)
	}
}

// Each commit comes at another distance from the last look: with the revision
// remembered, or with some queries within the same tick.
func TestRevisionSeesEveryCommitOfAnotherProcess(t *testing.T) {
	const rounds, rememberEach = 2000, 50
	path := filepath.Join(t.TempDir(), "state.db")
	s, other := open(t, path), another(t, path)
	for i := range rounds {
		if i%rememberEach == 0 && runtime.GOOS != "windows" {
			remember(t, s)
		}
		n := other.do(t, "commit 1")
		if n != uint64(i+1) {
			t.Fatalf("the other process: made revision %d, want %d", n, i+1)
		}
		for range 1 + i%3 {
			wantRevision(t, s, n, "after an acknowledged commit")
		}
	}
}

func TestRevisionDuringATightLoopOfAnotherProcess(t *testing.T) {
	const commits = 3000
	path := filepath.Join(t.TempDir(), "state.db")
	s, other := open(t, path), another(t, path)
	other.order(t, fmt.Sprint("commit ", commits))
	var last uint64
	for range commits {
		acknowledged := other.answer(t)
		n, err := s.Revision(t.Context())
		if n < acknowledged || n < last || err != nil {
			t.Fatalf("Revision after commit %d was acknowledged and %d was seen: got %d, error %v, want neither to be missed", acknowledged, last, n, err)
		}
		last = n
	}
	wantRevision(t, s, commits, "after the loop")
}

// A log that was begun anew has the size it had: what tells is its time.
func TestRevisionAcrossCheckpoints(t *testing.T) {
	remembers(t)
	for _, mode := range []string{"PASSIVE", "FULL", "RESTART", "TRUNCATE"} {
		for _, where := range []string{"this process", "another process"} {
			t.Run(mode+" by "+where, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "state.db")
				s, other := open(t, path), another(t, path)
				other.order(t, "commit 20")
				for range 20 {
					other.answer(t)
				}
				remember(t, s)
				if where == "this process" {
					if err := checkpoint(path, mode); err != nil {
						t.Fatal(err)
					}
				} else {
					other.do(t, "checkpoint "+mode)
				}
				wantRevision(t, s, 20, "after the checkpoint")
				remember(t, s)
				before := size(t, path+"-wal")
				for n := uint64(21); n < 24; n++ {
					other.do(t, "commit 1")
					wantRevision(t, s, n, "after a commit into the log begun anew")
					remember(t, s)
				}
				if after := size(t, path+"-wal"); mode == "RESTART" && (after != before || before == 0) {
					t.Errorf("log begun anew: got %d bytes after %d, want as many: the case is about that", after, before)
				}
			})
		}
	}
}

func TestRevisionSeesOurOwnCommits(t *testing.T) {
	remembers(t)
	path := filepath.Join(t.TempDir(), "state.db")
	s, second := open(t, path), open(t, path)
	for n := uint64(1); n < 10; n += 2 {
		put(t, s, state.Switch{Extension: "acme"})
		wantRevision(t, s, n, "after an update of its own")
		remember(t, s)
		put(t, second, state.Switch{Extension: "acme"})
		wantRevision(t, s, n+1, "after an update of another store of this process")
		remember(t, s)
		if err := s.Append(t.Context(), state.Event{Kind: "disabled"}); err != nil {
			t.Fatal(err)
		}
		wantRevision(t, s, n+1, "after an event")
		remember(t, s)
	}
}

// What was written into the log and not yet into its index is seen on the
// outside and not by a query. Only who writes knows, and holds the lock.
func TestRevisionIsNotRememberedDuringACommit(t *testing.T) {
	remembers(t)
	path := filepath.Join(t.TempDir(), "state.db")
	s, writer := open(t, path), open(t, path)
	s.SetClock(func() int64 { return math.MaxInt64 }) // everything counts as settled
	err := writer.Update(t.Context(), func(*state.Snapshot) error {
		for range 3 {
			wantRevision(t, s, 0, "during an update, without waiting for its end")
			if s.Remembers() {
				t.Error("Revision during an update: is remembered, want it not to be")
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	wantRevision(t, s, 1, "after the update")
	if !s.Remembers() {
		t.Error("Revision after the update, with everything settled: is not remembered, want it to be")
	}
}

// Without a log at its path, what is written into it shows nowhere.
func TestRevisionIsNotRememberedWithoutALog(t *testing.T) {
	remembers(t)
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path)
	s.SetClock(func() int64 { return math.MaxInt64 })
	put(t, s, state.Switch{Extension: "acme"})
	wantRevision(t, s, 1, "with a log")
	if err := os.Remove(path + "-wal"); err != nil {
		t.Fatal(err)
	}
	for n := uint64(1); n < 4; n++ {
		wantRevision(t, s, n, "without a log")
		if s.Remembers() {
			t.Error("Revision without a log: is remembered, want it not to be")
		}
		put(t, s, state.Switch{Extension: "acme"})
	}
}

func TestSettled(t *testing.T) {
	remembers(t)
	path := filepath.Join(t.TempDir(), "f")
	whole := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC) // seconds, and later than the test
	for _, c := range []struct {
		name    string
		changed time.Time
		since   time.Duration
		want    bool
	}{
		{"the same moment", whole.Add(123456789), 0, false},
		{"within a tick", whole.Add(123456789), 49 * time.Millisecond, false},
		{"after it", whole.Add(123456789), 51 * time.Millisecond, true},
		{"before it, by a clock that was set back", whole.Add(123456789), -time.Hour, false},
		{"after a tick, where seconds are counted", whole, 51 * time.Millisecond, false},
		{"within two of them", whole, 2 * time.Second, false},
		{"after them", whole, 4 * time.Second, true},
	} {
		write(t, path, c.name)
		if err := os.Chtimes(path, c.changed, c.changed); err != nil {
			t.Fatal(err)
		}
		if got := sqlstore.SettledAt(path, c.since); got != c.want {
			t.Errorf("settled %s: got %v, want %v", c.name, got, c.want)
		}
	}
	if sqlstore.SettledAt(path+"-none", time.Hour) {
		t.Error("settled of what is not there: got true, want false")
	}
}

// SQLite would go on with the file that it has open.
func TestAnotherFileInItsPlace(t *testing.T) {
	remembers(t)
	for name, lay := range map[string]func(t *testing.T, path string){
		"of this schema": fill,
		"of the first":   version1,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, next := filepath.Join(dir, "state.db"), filepath.Join(dir, "next.db")
			s := open(t, path)
			for range 5 {
				put(t, s, state.Switch{Extension: "old"})
			}
			remember(t, s)
			lay(t, next)
			for _, end := range []string{"-wal", "-shm"} {
				if err := os.Remove(path + end); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Rename(next, path); err != nil {
				t.Fatal(err)
			}
			other := another(t, path)
			if n := other.do(t, "commit 1"); n != 2 {
				t.Fatalf("commit of another process into it: made revision %d, want 2", n)
			}
			wantRevision(t, s, 2, "of the file put in its place")
			remember(t, s)
			other.do(t, "commit 1")
			wantRevision(t, s, 3, "after another commit into it")
			put(t, s, state.Description{Workspace: "w", Extension: "acme", Server: "s", Declaration: d1})
			other.end()
			snap, err := sqlstore.Peek(t.Context(), path)
			_, old := snap.Disabled("", "old", "")
			if snap.Revision != 4 || len(snap.Grants) != 1 || old || len(snap.Descriptions) != 1 || err != nil {
				t.Errorf("file after updates of both: got %+v, error %v, want revision 4, with its own grant and nothing of the file before", snap, err)
			}
		})
	}
}

// Law 10: what was written into a file that nobody will read was not stored.
func TestFileGone(t *testing.T) {
	remembers(t)
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path)
	put(t, s, state.Switch{Extension: "acme"})
	remember(t, s)
	for _, f := range s.Files() {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.Revision(t.Context())
	for door, err := range map[string]error{
		"Revision": err,
		"Update":   s.Update(t.Context(), func(*state.Snapshot) error { return nil }),
	} {
		if err == nil || !strings.Contains(err.Error(), "state at "+path+" is gone") || errors.Is(err, state.ErrReadOnly) {
			t.Errorf("%s of a file that is gone: got error %v, want one that says so and not ErrReadOnly", door, err)
		}
	}
}

func TestRevisionThroughALink(t *testing.T) {
	remembers(t)
	dir := t.TempDir()
	put(t, open(t, filepath.Join(dir, "a")), state.Switch{Extension: "acme"})
	link, b := filepath.Join(dir, "state.db"), open(t, filepath.Join(dir, "b"))
	put(t, b, state.Switch{Extension: "acme"})
	put(t, b, state.Switch{Extension: "acme"})
	if err := os.Symlink("a", link); err != nil {
		t.Skip(err)
	}
	s := open(t, link)
	wantRevision(t, s, 1, "of the first file")
	remember(t, s)
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("b", link); err != nil {
		t.Fatal(err)
	}
	wantRevision(t, s, 2, "of the file that the link leads to now")
	remember(t, s)
	put(t, b, state.Switch{Extension: "acme"})
	wantRevision(t, s, 3, "after a commit into that")
}

func TestFiles(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "state.db")
	if got, want := open(t, path).Files(), []string{path, path + "-wal"}; !slices.Equal(got, want) {
		t.Errorf("Files: got %v, want %v", got, want)
	}
	link := filepath.Join(dir, "link.db")
	if err := os.Symlink("state.db", link); err != nil {
		t.Skip(err)
	}
	if got, want := open(t, link).Files(), []string{link, path, path + "-wal"}; !slices.Equal(got, want) {
		t.Errorf("Files of a link: got %v, want %v", got, want)
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
