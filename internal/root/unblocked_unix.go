//go:build unix

package root

import "syscall"

// unblocked opens without waiting for a writer, and without taking a terminal.
const unblocked = syscall.O_NONBLOCK | syscall.O_NOCTTY
