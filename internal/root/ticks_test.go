package root

import (
	"testing"
	"time"
)

// TestRacyWhereClocksAreCoarse wants a stamp not to be believed while another change could
// still have the same times.
func TestRacyWhereClocksAreCoarse(t *testing.T) {
	const second = int64(time.Second)
	for _, c := range []struct {
		name         string
		mtime, ctime int64
		since        int64
		want         bool
	}{
		{"a fine clock, a moment ago", 10*second + 1, 10*second + 1, 10*second + 40_000_000, true},
		{"a fine clock, settled", 10*second + 1, 10*second + 1, 10*second + 60_000_000, false},
		{"whole seconds, within the second", 10 * second, 10 * second, 10*second + 900_000_000, true},
		{"whole seconds, within two", 10 * second, 10 * second, 12 * second, true},
		{"whole seconds, settled", 10 * second, 10 * second, 12*second + 60_000_000, false},
		{"a time that was set to a whole second", 10 * second, 10*second + 1, 10*second + 60_000_000, false},
		{"of the future", 20 * second, 20 * second, 10 * second, true},
	} {
		if got := newStamp("x", fact{mtime: c.mtime, ctime: c.ctime}, c.since).Racy; got != c.want {
			t.Errorf("%s: got Racy %v, want %v", c.name, got, c.want)
		}
	}
}
