package discover

import "testing"

// TestRecall wants what is asked for to stay through sweeps, all else to go,
// and never more weight to be held than there is room for.
func TestRecall(t *testing.T) {
	r := recall[string, int]{most: 10}
	expect := func(when, key string, want int, there bool) {
		t.Helper()
		if got, ok := r.get(key); got != want || ok != there {
			t.Errorf("%s: get(%s) is %d, %v, want %d, %v", when, key, got, ok, want, there)
		}
	}
	expect("empty", "a", 0, false)
	r.put("a", 1, 6)
	r.put("b", 2, 4)
	r.put("c", 3, 1)
	expect("full", "c", 0, false)
	r.put("b", 20, 3)
	r.put("c", 3, 1)
	expect("with something lighter in its place", "c", 3, true)
	r.put("c", 30, 9)
	expect("with something too heavy in its place", "c", 0, false)
	r.forget("b")
	expect("forgotten", "b", 0, false)
	r.put("b", 2, 4)
	if got := r.of("d", func() int { return 4 }); got != 4 {
		t.Errorf("of what is not there: got %d, want what is made", got)
	}
	if got := r.of("d", func() int { return 5 }); got != 4 {
		t.Errorf("of what is there: got %d, want it", got)
	}
	r.sweep()
	expect("put since the sweep before", "a", 1, true)
	r.of("d", func() int { return 6 })
	r.sweep()
	expect("not asked for since the sweep before", "b", 0, false)
	expect("asked for since the sweep before", "a", 1, true)
	expect("made when it was asked for", "d", 4, true)
	r.put("b", 2, 4)
	expect("where swept things left room", "b", 2, true)
}
