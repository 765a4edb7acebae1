//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// hangups are the signals that ask a serving host to read everything anew. The
// same one comes when the terminal is closed that the program was started in:
// then closed is called, unless it was started so as to survive that.
func hangups(closed func()) <-chan os.Signal {
	survives := signal.Ignored(syscall.SIGHUP) || !attached()
	came, asked := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(came, syscall.SIGHUP)
	go func() { // it ends with the program
		for s := range came {
			if !survives && !attached() {
				closed()
			}
			select {
			case asked <- s:
			default: // one is waiting already, and will see everything
			}
		}
	}()
	return asked
}

// attached reports whether the program belongs to a terminal.
func attached() bool {
	tty, err := os.Open("/dev/tty")
	if err != nil {
		return false
	}
	return tty.Close() == nil
}
