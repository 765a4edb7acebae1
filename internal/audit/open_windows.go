package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// openFile opens what is at path itself, and refuses a link.
func openFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	before, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && flag&os.O_CREATE != 0:
		return os.OpenFile(path, flag|os.O_EXCL, perm)
	case err != nil:
		return nil, err
	case !before.Mode().IsRegular():
		return nil, &fs.PathError{Op: "open", Path: path, Err: errors.New("not a regular file")}
	}
	f, err := os.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	if after, err := f.Stat(); err != nil || !os.SameFile(before, after) {
		return nil, errors.Join(fmt.Errorf("open %s: it changed meanwhile", path), err, f.Close())
	}
	return f, nil
}

// A lock is on one byte far behind whatever a file holds: what is locked here
// cannot be read by others.
const lockAt = 1 << 30

func lock(f *os.File, flags uint32) error {
	at := windows.Overlapped{OffsetHigh: lockAt}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errHeld
	}
	return os.NewSyscallError("LockFileEx", err)
}

// tryLock takes a lock on f that ends with its process at the latest; errHeld if
// another one has it that excludes this.
func tryLock(f *os.File, exclusive bool) error {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	return lock(f, flags)
}

// waitLock takes an exclusive lock on f. Whoever has it has it for a moment.
func waitLock(f *os.File) error { return lock(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// syncDir has nothing to do: a directory cannot be synced here.
func syncDir(string) error { return nil }

// Who may do what is not in a file's mode here: a person's own directories
// admit that person alone.
func private(fs.FileInfo) string { return "" }
