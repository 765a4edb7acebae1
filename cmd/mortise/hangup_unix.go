//go:build unix

package main

import (
	"os"
	"syscall"
)

// hangups are the signals that ask a serving host to read everything anew.
var hangups = []os.Signal{syscall.SIGHUP}
