//go:build linux

// Package fulltest lets a test see what happens while the system is out of
// something.
package fulltest

import (
	"os"
	"syscall"
	"testing"
)

// Files has the system refuse to open any more files, until room is called or
// the test ends. The test must not run beside others of its process.
func Files(t *testing.T) (room func()) {
	t.Helper()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	next := null.Fd() // the lowest that is free once it is closed
	if err := null.Close(); err != nil {
		t.Fatal(err)
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	room = func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(room)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: uint64(next), Max: was.Max}); err != nil {
		t.Fatal(err)
	}
	return room
}
