package host

import (
	"slices"
	"time"

	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/state"
)

// lasting are levels, of which one that is over by how long the machine has run since it
// was set ends now at the latest, whatever the clock says. One that was set in another boot
// goes by the clock alone. The levels that it is given stay as they are: who changes them
// compares with what is remembered.
func lasting(levels []state.Level, now time.Time, uptime func() (string, time.Duration)) []state.Level {
	levels = slices.Clone(levels)
	boot, lasted := "", time.Duration(0)
	for i := range levels {
		l := &levels[i]
		if l.Until.IsZero() || l.Boot == "" {
			continue
		}
		if boot == "" {
			boot, lasted = uptime()
		}
		if over, known := runsOut(l, boot); known && lasted >= over && now.Before(l.Until) {
			l.Until = now
		}
	}
	return levels
}

// ending is the boot, and how long it has lasted when a mode ends that does so in left by the
// clock: sooner where one of its levels does.
func ending(levels []state.Level, left time.Duration, uptime func() (string, time.Duration)) (boot string, lasts time.Duration) {
	boot, lasted := uptime()
	lasts = lasted + left
	for i := range levels {
		if over, known := runsOut(&levels[i], boot); known && over > lasted { // else it is in force no more
			lasts = min(lasts, over)
		}
	}
	return boot, lasts
}

// runsOut is how long a boot has lasted when a level is over; not known: it was set in
// another boot, or cannot be as it is remembered.
func runsOut(l *state.Level, boot string) (over time.Duration, known bool) {
	lasts := l.Until.Sub(l.At)
	if boot == "" || l.Boot != boot || l.At.IsZero() || lasts <= 0 || lasts > plan.MostTTL {
		return 0, false
	}
	return l.Uptime + lasts, true
}
