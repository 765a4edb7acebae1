package main

import "github.com/mortise-dev/mortise/internal/face/cli"

// commands is the reference of the command line.
func commands() string { return cli.Reference() }
