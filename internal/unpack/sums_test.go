package unpack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
)

// written writes files of these sizes, in two directories by turns.
func written(t *testing.T, sums *Sums, sizes ...int) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "tree")
	w, err := New(dir, Bounds{}, sums)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i, size := range sizes {
		text := bytes.Repeat([]byte{byte('a' + i%26)}, size)
		kind := []Kind{File, Program}[i%2]
		if err := w.File(fmt.Sprintf("d%d/f%d", i%2, i), kind, int64(size), bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// stamps are all files below a directory, as they lie.
func stamps(t *testing.T, dir string) (all []root.Stamp) {
	t.Helper()
	r, err := root.Open(dir, root.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	err = r.Survey(t.Context(), 1000, func(i root.Item) error {
		if i.Kind == root.File {
			all = append(all, i.Stamp)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What is known of files that were written is what reading them back says, whatever their
// size and however many.
func TestSumsAreThoseOfReadingBack(t *testing.T) {
	sizes := []int{0, 1, 1000, batchBytes - 1, batchBytes, batchBytes + 1, 300 << 10, 0}
	for i := range 3 * batchFiles {
		sizes = append(sizes, 7*i)
	}
	sums := new(Sums)
	dir := written(t, sums, sizes...)
	all := stamps(t, dir)
	if len(all) != len(sizes) {
		t.Fatalf("got %d files, want %d", len(all), len(sizes))
	}
	for _, s := range all {
		text, err := os.ReadFile(filepath.Join(dir, s.Path))
		if err != nil {
			t.Fatal(err)
		}
		switch d, ok := sums.Of(s); {
		case s.Coarse && ok:
			t.Errorf("%s: got a sum where nothing tells a file from another", s.Path)
		case !s.Coarse && (!ok || d != ext.Sum(text)):
			t.Errorf("%s: got %s, %v, want %s", s.Path, d, ok, ext.Sum(text))
		}
		if _, ok := (*Sums)(nil).Of(s); ok {
			t.Errorf("%s: nil knows a sum, want none", s.Path)
		}
	}
}

// What was touched after it was written is read back.
func TestSumsOfTouchedFilesAreNotBelieved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are none")
	}
	for what, touch := range map[string]func(name string) error{
		"another of its size in its place": func(name string) error {
			return errors.Join(os.WriteFile(name+".new", []byte("bbbb"), 0o600), os.Rename(name+".new", name))
		},
		"longer":            func(name string) error { return os.WriteFile(name, []byte("aaaaa"), 0o600) },
		"shorter":           func(name string) error { return os.Truncate(name, 3) },
		"changed since":     func(name string) error { return os.Chtimes(name, time.Time{}, time.Now().Add(time.Second)) },
		"its time set back": func(name string) error { return os.Chtimes(name, time.Time{}, time.Now().Add(-time.Hour)) },
		"removed, and a new": func(name string) error {
			return errors.Join(os.Rename(name, name+".old"), os.WriteFile(name, []byte("aaaa"), 0o600))
		},
	} {
		t.Run(what, func(t *testing.T) {
			sums := new(Sums)
			dir := written(t, sums, 4)
			if _, ok := sums.Of(stamps(t, dir)[0]); !ok {
				t.Fatal("untouched: got none, want a sum")
			}
			if err := touch(filepath.Join(dir, "d0", "f0")); err != nil {
				t.Fatal(err)
			}
			if d, ok := sums.Of(stamps(t, dir)[0]); ok {
				t.Errorf("got %s, want none", d)
			}
		})
	}
}

// What cannot be written is told at the end at the latest, and then no link is made.
func TestFailuresOfSeveralAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	w, err := New(dir, Bounds{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	err = errors.Join(w.Dir("d"), os.WriteFile(filepath.Join(dir, "d", "f7"), nil, 0o600), w.Link("l", "d"))
	for i := 0; i < 10*batchFiles && err == nil; i++ {
		err = w.File(fmt.Sprintf("d/f%d", i), File, 1, strings.NewReader("x"))
	}
	if err == nil {
		err = w.Finish()
	}
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want that it is there", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "l")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the link: got %v, want none", err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "d", "f7")); err != nil || len(text) > 0 {
		t.Errorf("what was there: got %q, %v, want it as it was", text, err)
	}
}

// A file that ends before its size is an error, small or large.
func TestFilesThatAreShorterThanTold(t *testing.T) {
	for _, size := range []int64{1, batchBytes, batchBytes + 1} {
		w, err := New(filepath.Join(t.TempDir(), "tree"), Bounds{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.File("f", File, size, io.LimitReader(endless{}, size-1)); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes: got %v, want an unexpected end", size, err)
		}
		w.Close()
		w.Close()
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
