package root

import (
	"errors"
	"slices"
	"sync/atomic"
	"syscall"
)

// transient are the errors by which a system says that it could not answer, and
// not what is there. The same question may have another answer in a moment,
// without any file having changed.
var transient = append([]error{
	syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, syscall.ENOBUFS,
	syscall.EINTR, syscall.EAGAIN,
}, device...)

// device are those of them that a disk or a network file system gives. They may
// also be all that there ever is to hear of a file.
var device = []error{syscall.EIO, syscall.ESTALE, syscall.ETIMEDOUT}

// Transient reports whether err says nothing of what is there: too many files
// are open, memory is short, a disk or the network did not answer.
func Transient(err error) bool {
	return oneOf(transient, err)
}

// Device reports whether err is a transient error of a disk or a network file
// system, which may last for one file while everything else is answered.
func Device(err error) bool { return oneOf(device, err) }

func oneOf(all []error, err error) bool {
	return err != nil && slices.ContainsFunc(all, func(t error) bool { return errors.Is(err, t) })
}

// Transient is the first transient error that r, or a file that it opened, gave
// since it was opened; nil when there was none. After one, what was read
// through r is not known to be all that is there.
func (r *Root) Transient() error {
	if err := r.shaken.Load(); err != nil {
		return *err
	}
	return nil
}

// shaken remembers the first transient error.
type shaken struct{ atomic.Pointer[error] }

func (s *shaken) note(err error) {
	if Transient(err) {
		s.CompareAndSwap(nil, &err)
	}
}

// failure is the error for what r was asked for.
func (r *Root) failure(op, name string, err error) error {
	err = failure(op, name, err)
	r.shaken.note(err)
	return err
}
