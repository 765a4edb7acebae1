//go:build !unix

package main

import "os"

// hangups are the signals that ask a serving host to read everything anew: there
// are none.
func hangups(func()) <-chan os.Signal { return nil }
