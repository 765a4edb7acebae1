//go:build !linux

package sqlstore

import "time"

// stampClock is the clock that files are stamped from, in ns since 1970.
func stampClock() int64 { return time.Now().UnixNano() }
