//go:build !windows

package main

import (
	"os"

	"golang.org/x/term"
)

// terminal reports whether f is a terminal that shows colours.
func terminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
