//go:build unix

package audit

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openFile opens what is at path itself: no link is followed, and nothing is
// waited for.
func openFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag|unix.O_NOFOLLOW|unix.O_NONBLOCK, perm)
}

// tryLock takes a lock on f that ends with its process at the latest; errHeld if
// another one has it that excludes this.
func tryLock(f *os.File, exclusive bool) error {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	return flock(f, how|unix.LOCK_NB)
}

// waitLock takes an exclusive lock on f. Whoever has it has it for a moment.
func waitLock(f *os.File) error { return flock(f, unix.LOCK_EX) }

func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return errHeld
		default:
			return os.NewSyscallError("flock", err)
		}
	}
}

// syncDir makes it last which files dir has.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// private says why others than its person could use what info is of, "" if they
// cannot.
func private(info fs.FileInfo) string {
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Geteuid() {
		return "it belongs to another user"
	}
	switch {
	case info.Mode().Perm()&0o077 == 0:
		return ""
	case info.IsDir():
		return "others than you have access to it: chmod 700"
	default:
		return "others than you have access to it: chmod 600"
	}
}
