//go:build unix

package main

import (
	"fmt"
	"syscall"

	"github.com/mortise-dev/mortise/ext"
)

// execute has a program take this process's place.
func execute(args, environ []string) error {
	if len(args) == 0 {
		return errNoProgram
	}
	file, err := program(args[0], environ)
	if err != nil {
		return err
	}
	return fmt.Errorf("run %s: %w", ext.Quote(ext.Shorten(args[0], 80)), syscall.Exec(file, args, environ))
}
