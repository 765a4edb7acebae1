package host

import (
	"testing"
	"testing/synctest"
	"time"
)

// However slowly servers start, taking them in is a few passes: what was one pass for
// each server where a busy machine let them come further apart than the host waited.
func TestWhatArrivesSlowlyIsTakenInByFewPasses(t *testing.T) {
	for _, apart := range []time.Duration{time.Millisecond, 60 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			fresh := make(chan struct{}, 1)
			go func() {
				for range 30 {
					time.Sleep(apart) // of the bubble's clock
					select {
					case fresh <- struct{}{}:
					default:
					}
				}
				time.Sleep(time.Minute)
				close(fresh)
			}()
			passes := 0
			var a arriving
			for range fresh {
				a.settle(t.Context(), fresh)
				passes++
			}
			if passes > 15 {
				t.Errorf("30 that came %s apart were taken in by %d passes, want 15 at most", apart, passes)
			}
		})
	}
}

// Who comes alone does not wait for more than the moment in which others could come
// along, also after a row of others.
func TestWhoArrivesAloneIsTakenInAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a arriving
		none := make(chan struct{})
		for range 3 {
			begun := time.Now()
			a.settle(t.Context(), none)
			if took := time.Since(begun); took != settling {
				t.Errorf("waited %s, want %s", took, settling)
			}
			time.Sleep(10 * time.Second)
		}
	})
}
