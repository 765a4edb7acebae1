package root

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/mortise-dev/mortise/ext"
)

var (
	// ErrEscape is matched by the error for a link that leads outside, an
	// *EscapeError.
	ErrEscape = errors.New("leads outside")
	// ErrLoop is matched by the error for links that lead in circles, or
	// through more than 40 links.
	ErrLoop = errors.New("leads through too many links; they may form a loop")

	// errUnsteady is for a name that leads elsewhere each time it is looked at.
	errUnsteady = errors.New("changes while it is being opened")
)

// EscapeError is a link that leads outside the root. It matches ErrEscape.
type EscapeError struct {
	Name   string // what was asked for
	Link   string // the link that leaves: Name itself, or a link on the way
	Target string // absolute; where Name leads, resolved as far as possible
}

// Error says where the link leads, without the name that was asked for.
func (e *EscapeError) Error() string {
	return viaLink(e.Name, e.Link) + "leads outside, to " + ext.Quote(e.Target)
}

// Is reports whether target is ErrEscape.
func (e *EscapeError) Is(target error) bool { return target == ErrEscape }

// DanglingError is a link that leads nowhere. It matches fs.ErrNotExist.
type DanglingError struct {
	Name   string // what was asked for
	Link   string // the link that dangles: Name itself, or a link on the way
	Target string // absolute; where Link leads, resolved as far as possible
}

// Error says where the link leads, without the name that was asked for.
func (e *DanglingError) Error() string {
	return viaLink(e.Name, e.Link) + "leads to " + ext.Quote(e.Target) + ", which does not exist"
}

// Is reports whether target is fs.ErrNotExist.
func (e *DanglingError) Is(target error) bool { return target == fs.ErrNotExist }

func viaLink(name, link string) string {
	if link == name || link == "" {
		return "the link "
	}
	return "the link " + ext.Quote(link) + " "
}

// TooLargeError is a file of more bytes than were asked for at most. Nothing
// of it is returned.
type TooLargeError struct {
	Name string
	Size int64 // at least; the file may still be growing
	Max  int64
}

// Error says how large the file is and what was allowed.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("is %d bytes large, at most %d are read", e.Size, e.Max)
}

// KindError is something of another kind than was asked for: a directory or a
// device instead of a file, a file instead of a directory or of a link.
type KindError struct {
	Name string // what is of the wrong kind: what was asked for, or a place on the way to it
	Type fs.FileMode
	Want Kind // the zero value is a file or a directory
}

// Error says what is there and what was expected.
func (e *KindError) Error() string {
	return "is " + typeWord(e.Type) + ", not a " + e.Want.String()
}

func typeWord(m fs.FileMode) string {
	switch m & fs.ModeType {
	case 0:
		return "a file"
	case fs.ModeDir:
		return "a directory"
	case fs.ModeSymlink:
		return "a link"
	case fs.ModeNamedPipe:
		return "a named pipe"
	case fs.ModeSocket:
		return "a socket"
	case fs.ModeDevice, fs.ModeDevice | fs.ModeCharDevice:
		return "a device"
	}
	return "something that is no file"
}

// failure wraps err with what was being done. The name is escaped: it is
// foreign text on its way into a message.
func failure(op, name string, err error) error {
	switch e := err.(type) {
	case *KindError:
		if e.Name == "" {
			e.Name = name
		}
		name = e.Name
	case *TooLargeError:
		e.Name = name
	case *EscapeError:
		e.Name = name
	case *DanglingError:
		e.Name = name
	case *fs.PathError:
		err = e.Err
	}
	return &fs.PathError{Op: op, Path: ext.Escape(name), Err: err}
}

// escaped is err with its path made safe to print.
func escaped(err error) error {
	if path, ok := err.(*fs.PathError); ok {
		return failure(path.Op, path.Path, path.Err)
	}
	return err
}
