package watch

import (
	"fmt"
	"testing"
)

// benchTree is 1,000 directories of 10 files.
func benchTree(b *testing.B) string {
	b.Helper()
	dir := b.TempDir()
	for d := range 1000 {
		sub := fmt.Sprintf("%s/%d", dir, d)
		if err := mkdirFilled(sub, 10); err != nil {
			b.Fatal(err)
		}
	}
	return dir
}

func BenchmarkSet(b *testing.B) {
	dir := benchTree(b)
	w := New(Options{Poll: never})
	defer w.Close()
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			w.Set([]string{dir})
			w.Set(nil)
		}
	})
	w.Set([]string{dir})
	b.Run("the same", func(b *testing.B) {
		for b.Loop() {
			w.Set([]string{dir})
		}
	})
}

func BenchmarkPoll(b *testing.B) {
	dir := benchTree(b)
	w := New(Options{Poll: never, open: impossible})
	defer w.Close()
	w.Set([]string{dir})
	for b.Loop() {
		w.do(func(l *lookout) { l.poll() })
	}
}
