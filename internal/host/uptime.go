package host

import (
	"time"

	"github.com/mortise-dev/mortise/internal/state"
)

// lasting are levels, of which one that is over by how long the machine has run since it
// was set ends now at the latest, whatever the clock says. One that was set in another boot
// goes by the clock alone.
func lasting(levels []state.Level, now time.Time, uptime func() (string, time.Duration)) []state.Level {
	boot, lasted := "", time.Duration(0)
	for i := range levels {
		l := &levels[i]
		if l.Until.IsZero() || l.Boot == "" || l.At.IsZero() {
			continue
		}
		if boot == "" {
			boot, lasted = uptime()
		}
		if l.Boot == boot && lasted-l.Uptime >= l.Until.Sub(l.At) && now.Before(l.Until) {
			l.Until = now
		}
	}
	return levels
}
