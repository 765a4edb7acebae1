package ahead_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mortise-dev/mortise/internal/ahead"
)

// TestEach wants everything in order, whoever is done first.
func TestEach(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7} {
		var got []int
		for i, v := range ahead.Each(100, workers, func(i int) int { return i * i }, func(int) { t.Error("something was dropped") }) {
			if v != i*i {
				t.Errorf("%d workers: got %d at %d, want %d", workers, v, i, i*i)
			}
			got = append(got, i)
		}
		want := make([]int, 100)
		for i := range want {
			want[i] = i
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d workers: got the order %v, want each once and in order", workers, got)
		}
	}
}

// TestEachAtOnce wants workers to work at the same time: each of two waits for the
// other.
func TestEachAtOnce(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	n := 0
	for range ahead.Each(2, 2, func(int) int { both.Done(); both.Wait(); return 0 }, func(int) {}) {
		n++
	}
	if n != 2 {
		t.Errorf("got %d, want both", n)
	}
}

// TestEachStopped wants who stops asking to get nothing more, all that was made in
// vain to be dropped, and nothing to be made after.
func TestEachStopped(t *testing.T) {
	for _, workers := range []int{1, 3} {
		var made, dropped atomic.Int64
		for i := range ahead.Each(1000, workers, func(int) int { made.Add(1); return 0 }, func(int) { dropped.Add(1) }) {
			if i == 4 {
				break
			}
		}
		if made.Load() != dropped.Load()+5 || made.Load() > 100 {
			t.Errorf("%d workers: %d were made and %d dropped, want all but five dropped, and few made", workers, made.Load(), dropped.Load())
		}
	}
}
