package file

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Lock is a file that one process has open, and nobody else can. It is gone
// when that process ends.
type Lock struct{ file windows.Handle }

// ErrHeld is a lock that another process has, or another part of this one.
var ErrHeld = errors.New("another process has the lock")

// TryLock takes the lock at path; ErrHeld if another one has it.
func TryLock(path string) (*Lock, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil,
		windows.OPEN_ALWAYS, windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
	switch {
	case errors.Is(err, windows.ERROR_SHARING_VIOLATION), errors.Is(err, windows.ERROR_ACCESS_DENIED):
		return nil, ErrHeld // the latter while it is being taken away
	case err != nil:
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return &Lock{h}, nil
}

// Release gives the lock back, and its file is gone.
func (l *Lock) Release() { _ = windows.CloseHandle(l.file) }
