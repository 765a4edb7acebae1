package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// terminal reports whether f is a console that shows colours, which one does
// only after it was told to.
func terminal(f *os.File) bool {
	var mode uint32
	h := windows.Handle(f.Fd())
	if windows.GetConsoleMode(h, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(h, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
