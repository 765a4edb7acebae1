//go:build !unix

package main

import "github.com/rogpeppe/go-internal/testscript"

// running are commands for scripts in which something runs meanwhile: none here.
var running map[string]func(*testscript.TestScript, bool, []string)

type scriptServes struct{}
