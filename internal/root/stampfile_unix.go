//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package root

import (
	"errors"

	"golang.org/x/sys/unix"
)

// StampDescriptor is StampFile for a bare descriptor.
func StampDescriptor(fd int) (Stamp, error) {
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	for errors.Is(err, unix.EINTR) {
		err = unix.Fstat(fd, &st)
	}
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return Stamp{}, errors.Join(err, ErrChanged)
	}
	return Stamp{Kind: File, Dev: uint64(st.Dev), Ino: st.Ino, Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano()}, nil //nolint:unconvert // the fields differ by system
}
