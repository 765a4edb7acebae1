package watch

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// never is longer than a test runs.
const never = time.Hour

// start is a Watcher that does not poll unless a test says so.
func start(t *testing.T, o Options) *Watcher {
	t.Helper()
	if o.Poll == 0 {
		o.Poll = never
	}
	if o.Quiet == 0 {
		o.Quiet = 10 * time.Millisecond
	}
	w := New(o)
	t.Cleanup(func() { w.Close() })
	return w
}

// next is the next change, which must come.
func next(t *testing.T, w *Watcher) Change {
	t.Helper()
	select {
	case c, ok := <-w.Changes():
		if !ok {
			t.Fatal("Changes: closed, want a change")
		}
		return c
	case <-time.After(20 * time.Second):
		t.Fatal("Changes: got nothing, want a change")
	}
	panic("unreachable")
}

// toldBefore is the roots that are told until a change of the directory mark,
// which is made now: what came before it was told by then. It is a change of
// one event, so that nothing of it is told later.
func toldBefore(t *testing.T, w *Watcher, mark string) []string {
	t.Helper()
	if _, err := os.MkdirTemp(mark, ""); err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for !told[mark] {
		c := next(t, w)
		if c.All {
			t.Fatalf("got %v, want no events lost", c)
		}
		for _, r := range c.Roots {
			told[r] = true
		}
	}
	delete(told, mark)
	return slices.Sorted(maps.Keys(told))
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, elem ...string) string {
	t.Helper()
	path := filepath.Join(elem...)
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Skip(err)
	}
}

// own is a temporary directory by its real name.
func own(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// mkdirFilled makes a directory of n files.
func mkdirFilled(dir string, n int) error {
	err := os.Mkdir(dir, 0o755)
	for i := 0; i < n && err == nil; i++ {
		err = os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), nil, 0o644)
	}
	return err
}
