package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/mortise-dev/mortise/ext"
)

// execute runs a program, and ends as it does.
func execute(args, environ []string) error {
	if len(args) == 0 {
		return errNoProgram
	}
	file, err := program(args[0], environ)
	if err != nil {
		return err
	}
	cmd := exec.Command(file, args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdin, os.Stdout, os.Stderr, environ
	err = cmd.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		os.Exit(ended.ExitCode())
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", ext.Quote(ext.Shorten(args[0], 80)), err)
	}
	os.Exit(0)
	return nil
}
