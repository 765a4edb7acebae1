package host

import (
	"testing"
	"time"

	"github.com/mortise-dev/mortise/internal/state"
)

// A mode that is kept in mind holds no longer than it would for who reads it anew, also
// where it was first read after the clock was set back.
func TestModeInMindEndsWithItsLevels(t *testing.T) {
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	level := state.Level{At: at, Until: at.Add(time.Hour), Boot: "first", Uptime: 40 * time.Hour}
	for _, c := range []struct {
		name  string
		level state.Level
		boot  string
		left  time.Duration // by the clock
		want  time.Duration
	}{
		{"the clock is right", level, "first", 30 * time.Minute, 41 * time.Hour},
		{"the clock was set back by twenty minutes", level, "first", 50 * time.Minute, 41 * time.Hour},
		{"the clock was set forward by twenty minutes", level, "first", 10 * time.Minute, 40*time.Hour + 40*time.Minute},
		{"another boot", level, "second", 50 * time.Minute, 41*time.Hour + 20*time.Minute},
		{"a boot that cannot be told", level, "", 50 * time.Minute, 41*time.Hour + 20*time.Minute},
		{"a level that cannot be", state.Level{At: at.Add(2 * time.Hour), Until: level.Until, Boot: "first", Uptime: 41 * time.Hour}, "first", 50 * time.Minute, 41*time.Hour + 20*time.Minute},
	} {
		boot, lasts := ending([]state.Level{c.level}, c.left, func() (string, time.Duration) { return c.boot, 40*time.Hour + 30*time.Minute })
		if boot != c.boot || lasts != c.want {
			t.Errorf("%s: got %q, %v, want %v", c.name, boot, lasts, c.want)
		}
	}
}
