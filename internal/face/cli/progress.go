package cli

import (
	"fmt"
)

// progress counts on standard error what has been read, where that is a
// terminal. clear takes the count away again.
func (c *call) progress() (counter func(read int), clear func()) {
	const every = 32
	if !c.Watched {
		return nil, func() {}
	}
	shown := false
	counter = func(read int) {
		if read%every == 0 {
			shown = true
			fmt.Fprintf(c.Err, "\rmortise: read %s extensions", grouped(read))
		}
	}
	return counter, func() {
		if shown {
			fmt.Fprint(c.Err, "\r\x1b[K")
		}
	}
}
