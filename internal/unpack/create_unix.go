//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package unpack

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/mortise-dev/mortise/internal/root"
)

// folder is a directory that files are made in.
type folder struct {
	open *os.File
	fd   int
}

func openFolder(in *os.Root, name string) (folder, error) {
	f, err := in.Open(name)
	if err != nil {
		return folder{}, err
	}
	return folder{f, int(f.Fd())}, nil
}

func (f folder) close() { f.open.Close() }

// create makes a file, under a name that has no slash and was judged.
func (f folder) create(name string, mode os.FileMode) (*fresh, error) {
	const how = unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC
	for {
		fd, err := unix.Openat(f.fd, name, how, uint32(mode.Perm()))
		switch {
		case err == nil:
			return &fresh{fd, filepath.Join(f.open.Name(), name)}, nil
		case !errors.Is(err, unix.EINTR):
			return nil, &fs.PathError{Op: "open", Path: filepath.Join(f.open.Name(), name), Err: err}
		}
	}
}

// fresh is a new file that is written. An os.File would ask the system five times whether
// it can be waited for, which no regular file can.
type fresh struct {
	fd   int
	name string // its path, for messages
}

// Write writes all of p.
func (f *fresh) Write(p []byte) (done int, err error) {
	for done < len(p) {
		n, err := unix.Write(f.fd, p[done:])
		switch {
		case err == nil:
			done += n
		case !errors.Is(err, unix.EINTR):
			return done, &fs.PathError{Op: "write", Path: f.name, Err: err}
		}
	}
	return done, nil
}

func (f *fresh) stamp() (root.Stamp, error) { return root.StampDescriptor(f.fd) }

// Close ends it.
func (f *fresh) Close() error {
	if err := unix.Close(f.fd); err != nil && !errors.Is(err, unix.EINTR) {
		return &fs.PathError{Op: "close", Path: f.name, Err: err}
	}
	return nil
}
