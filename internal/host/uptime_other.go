//go:build !linux

package host

import "time"

// sinceBoot is not known here: levels go by the clock alone.
func sinceBoot() (string, time.Duration) { return "", 0 }
