//go:build unix

package root

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A named pipe without a writer blocks who opens it the ordinary way.
func TestLaw_looking_runs_nothing_pipes_sockets_and_devices_are_not_read(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Chdir(dir) // a socket's path must be short
		listener, err := net.Listen("unix", "sock")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		link(t, "pipe", filepath.Join(dir, "to-pipe"))
		link(t, "sock", filepath.Join(dir, "to-sock"))
		r := open(t, dir, opt)
		for _, name := range []string{"pipe", "sock", "to-pipe", "to-sock"} {
			for _, c := range calls(r, name) {
				switch err := c.do(); {
				case c.name == "Stat", c.name == "Lstat", c.name == "Real", c.name == "ReadLink" && name[:2] == "to":
					if err != nil {
						t.Errorf("%s(%s): got %v", c.name, name, err)
					}
				case !isKind(err, name):
					t.Errorf("%s(%s): got %v, want a KindError", c.name, name, err)
				}
			}
		}
	})
}

// Files of procfs say that they are empty.
func TestReadLimit_reads_files_that_do_not_know_their_size(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("needs procfs")
	}
	onEach(t, func(t *testing.T, opt Options) {
		r := open(t, "/proc/self", opt)
		if got, err := r.ReadLimit("status", 1<<20); err != nil || len(got) < 200 {
			t.Errorf("ReadLimit(status): got %d bytes, %v", len(got), err)
		}
		if got, err := r.ReadLimit("status", 10); err == nil {
			t.Errorf("ReadLimit(status, 10): got %d bytes, want a TooLargeError", len(got))
		}
	})
}
