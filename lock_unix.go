//go:build unix

package mortise

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// openLock opens a file to be locked, and makes it where there is none. No link is
// followed.
func openLock(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
}

// tryLock takes the lock on a file; errHeld if another one has it.
func tryLock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return errHeld
		default:
			return os.NewSyscallError("flock", err)
		}
	}
}
