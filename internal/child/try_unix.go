//go:build unix

package child

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Try writes what the pipe has room for now, which may be nothing. It never waits.
func (i *input) Try(b []byte) (n int, err error) {
	raw, err := i.f.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Write(func(fd uintptr) bool {
		n, failed = unix.Write(int(fd), b)
		return true // whatever came of it
	})
	switch {
	case err != nil:
		return 0, err
	case errors.Is(failed, unix.EAGAIN), errors.Is(failed, unix.EINTR):
		return 0, nil
	}
	return max(n, 0), failed
}
