package root

import "time"

// later is a clock an hour ahead: nothing that a test makes is racy by it.
func later() time.Time { return time.Now().Add(time.Hour) }
