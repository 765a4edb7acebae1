package watch

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// upheaval does something at random below dir, as far as it can be done.
func upheaval(r *rand.Rand, dir string) {
	some := func() string {
		path := dir
		for range 1 + r.IntN(3) {
			path = filepath.Join(path, string(rune('a'+r.IntN(4))))
		}
		return path
	}
	switch r.IntN(7) {
	case 0, 1:
		_ = os.MkdirAll(some(), 0o755)
	case 2:
		_ = os.WriteFile(some(), []byte("content"), 0o644)
	case 3, 4:
		_ = os.Rename(some(), some())
	case 5:
		_ = os.RemoveAll(some())
	case 6:
		deep := filepath.Join(some(), "d/e/f")
		_ = os.MkdirAll(deep, 0o755)
		_ = os.WriteFile(filepath.Join(deep, "file"), nil, 0o644)
	}
}

// Whatever happens in whatever order, afterwards all is watched, and a change
// in any directory is told.
func TestUpheavals(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 1))
			dir, mark := own(t), own(t)
			w := start(t, Options{Quiet: time.Millisecond})
			w.Set([]string{dir, dir + "/a/b", dir + "/c", mark})
			for range 8 {
				for range 1 + r.IntN(30) {
					upheaval(r, dir)
				}
				toldBefore(t, w, mark)
				holdsAll(t, w)
				touchAll(t, w, dir, mark)
			}
		})
	}
}

// touchAll makes a change in each directory, each of which must be told.
func touchAll(t *testing.T, w *Watcher, dir, mark string) {
	t.Helper()
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			file := filepath.Join(path, "touched")
			write(t, file, "")
			if got := toldBefore(t, w, mark); !slices.Contains(got, dir) {
				t.Errorf("a file in %s: got %q told, want %q", path, got, dir)
			}
			remove(t, file)
		}
		return nil
	})
	toldBefore(t, w, mark)
}

// Set runs while everything moves.
func TestUpheavalsDuringSet(t *testing.T) {
	dir, mark := own(t), own(t)
	w := start(t, Options{Quiet: time.Millisecond})
	var moving sync.WaitGroup
	for seed := range uint64(2) {
		moving.Go(func() {
			r := rand.New(rand.NewPCG(seed, 2))
			for range 400 {
				upheaval(r, dir)
			}
		})
	}
	for i := range 100 {
		roots := []string{mark, dir + "/a", dir + "/b/c", dir + "/a/b", dir}
		w.Set(roots[:1+i%len(roots)])
	}
	moving.Wait()
	w.Set([]string{dir, mark})
	toldBefore(t, w, mark)
	holdsAll(t, w)
	touchAll(t, w, dir, mark)
}

// descriptors is how many files this process has open, and how many
// directories the system watches for it.
func descriptors(t *testing.T) (files, watches int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fdinfo")
	if err != nil {
		t.Skip(err)
	}
	for _, e := range entries {
		info, err := os.ReadFile("/proc/self/fdinfo/" + e.Name())
		if err == nil {
			files++
			watches += strings.Count(string(info), "inotify wd:")
		}
	}
	return files, watches
}

func TestNothingGrows(t *testing.T) {
	dir := own(t)
	for i := range 20 {
		mkdir(t, dir, fmt.Sprintf("a/%d/deep", i))
		mkdir(t, dir, fmt.Sprintf("b/%d/deep", i))
	}
	before := runtime.NumGoroutine()
	beforeFiles, beforeWatches := descriptors(t)
	w := New(Options{Poll: never})
	sets := [][]string{{dir + "/a"}, {dir + "/b", dir + "/none"}, {dir + "/a", dir + "/b"}, nil}
	w.Set(sets[0])
	goroutines := runtime.NumGoroutine()
	files, watches := descriptors(t)
	if want := beforeWatches + 42; watches != want {
		t.Errorf("watching 41 directories and their parent: got %d watches, want %d", watches, want)
	}
	for i := range 101 {
		w.Set(sets[i%len(sets)])
	}
	w.Set(sets[0])
	if got := runtime.NumGoroutine(); got != goroutines {
		t.Errorf("goroutines after 100 Sets: got %d, want %d", got, goroutines)
	}
	if f, n := descriptors(t); f != files || n != watches {
		t.Errorf("after 100 Sets: got %d files and %d watches, want %d and %d", f, n, files, watches)
	}
	w.Close()
	for until := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before && time.Now().Before(until); {
		runtime.Gosched() // they have told that they end
	}
	if got := runtime.NumGoroutine(); got != before {
		t.Errorf("goroutines after Close: got %d, want %d", got, before)
	}
	if f, n := descriptors(t); f != beforeFiles || n != beforeWatches {
		t.Errorf("after Close: got %d files and %d watches, want %d and %d", f, n, beforeFiles, beforeWatches)
	}
}
