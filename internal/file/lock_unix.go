//go:build unix

package file

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Lock is a file that one process has. It is given back when that ends.
type Lock struct {
	file *os.File
	path string
}

// ErrHeld is a lock that another process has, or another part of this one.
var ErrHeld = errors.New("another process has the lock")

// TryLock takes the lock at path; ErrHeld if another one has it.
func TryLock(path string) (*Lock, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
		if err != nil {
			return nil, err
		}
		if err := flock(f); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if same(f, path) {
			return &Lock{f, path}, nil
		}
		f.Close() // who had it took it away meanwhile
	}
}

func flock(f *os.File) error {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrHeld
		default:
			return os.NewSyscallError("flock", err)
		}
	}
}

// same reports whether f is what is at path.
func same(f *os.File, path string) bool {
	mine, err := f.Stat()
	there, lookErr := os.Lstat(path)
	return err == nil && lookErr == nil && os.SameFile(mine, there)
}

// Release takes the lock's file away while nobody else has it, and gives the lock
// back.
func (l *Lock) Release() {
	if same(l.file, l.path) {
		os.Remove(l.path)
	}
	l.file.Close()
}
