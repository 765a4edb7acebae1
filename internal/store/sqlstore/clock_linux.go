package sqlstore

import (
	"time"

	"golang.org/x/sys/unix"
)

// stampClock is the clock that the kernel stamps files from, in ns since 1970.
// It runs in ticks, which may be late: what it shows no stamp is behind.
func stampClock() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &t); err != nil {
		return time.Now().UnixNano()
	}
	return t.Nano()
}
