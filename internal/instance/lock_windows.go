package instance

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lock is a file that one process has open, and nobody else can. It is gone
// when that process ends.
type lock struct{ file windows.Handle }

var errHeld = errors.New("another process has the lock")

// tryLock takes the lock at path; errHeld if another one has it.
func tryLock(path string) (*lock, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	h, err := windows.CreateFile(name, windows.GENERIC_READ|windows.GENERIC_WRITE, 0, nil,
		windows.OPEN_ALWAYS, windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
	switch {
	case errors.Is(err, windows.ERROR_SHARING_VIOLATION), errors.Is(err, windows.ERROR_ACCESS_DENIED):
		return nil, errHeld // the latter while it is being taken away
	case err != nil:
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return &lock{h}, nil
}

// release gives the lock back, and its file is gone.
func (l *lock) release() { _ = windows.CloseHandle(l.file) }
