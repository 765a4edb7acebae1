package discover_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/unpack"
)

// unpacked is a tree that this process wrote, and what it knows of that.
func unpacked(t *testing.T, names ...string) (dir string, sums *unpack.Sums) {
	t.Helper()
	dir, sums = filepath.Join(t.TempDir(), "tree"), new(unpack.Sums)
	w, err := unpack.New(dir, unpack.Bounds{}, sums)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, name := range names {
		if err := w.File(name, unpack.File, int64(len(name)), strings.NewReader(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Link("l", names[0]); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return dir, sums
}

// TestDigestWrittenReadsWhatWasTouched wants it to be Digest, whatever was read back.
func TestDigestWrittenReadsWhatWasTouched(t *testing.T) {
	dir, sums := unpacked(t, "a", "d/b", "d/c")
	seen := watch(t, dir)
	same := func(why string, files ...string) {
		t.Helper()
		got, err := discover.DigestWritten(t.Context(), dir, sums)
		if err != nil {
			t.Fatal(err)
		}
		seen.want(t, why, files...)
		if want, err := discover.Digest(t.Context(), dir); err != nil || got != want {
			t.Errorf("%s: got %s, want that of reading all, %s, %v", why, got, want, err)
		}
		seen.since(t)
	}
	same("untouched")
	moved := dir + ".moved"
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(moved, dir); err != nil {
		t.Fatal(err)
	}
	same("the directory moved, and back")
	overwrite(t, filepath.Join(dir, "new"), "x")
	if err := os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "d/b")); err != nil {
		t.Fatal(err)
	}
	seen.since(t)
	same("another file of its size in the place of one", "d/b")
}

// TestMemoryOfWhatWasWritten wants what this process wrote not to be read back, and not
// to be believed by the next one, which did not write it.
func TestMemoryOfWhatWasWritten(t *testing.T) {
	dir, sums := unpacked(t, "a", "d/b", "d/c")
	kept := filepath.Join(t.TempDir(), "kept")
	seen, m := watch(t, dir), discover.NewMemory(kept)
	m.Wrote(sums)
	first := contentOf(t, dir, m)
	seen.want(t, "by who wrote it")
	if again := contentOf(t, dir, m); again != first {
		t.Errorf("again: got %s, want %s", again, first)
	}
	seen.want(t, "again")
	if next := contentOf(t, dir, discover.NewMemory(kept)); next != first {
		t.Errorf("in the next process: got %s, want %s", next, first)
	}
	seen.want(t, "in the next process", "a", "d/b", "d/c")
	contentOf(t, dir, discover.NewMemory(kept))
	seen.want(t, "in the one after that")
}
