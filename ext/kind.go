package ext

import "errors"

// ErrorKind sorts errors by what a person can do about them. Faces map it to
// exit codes, HTTP statuses and JSON-RPC codes, once each.
type ErrorKind uint8

const (
	// Failed is the kind of every error without another: we could not do it.
	Failed ErrorKind = iota
	// Usage is a request that cannot be meant: an unknown name, flag or key.
	Usage
	// Refused is a request understood and turned down.
	Refused
)

type kindError struct {
	error
	kind ErrorKind
}

func (e kindError) Unwrap() error { return e.error }

// AsUsage marks err as a usage error. Nil stays nil.
func AsUsage(err error) error { return mark(err, Usage) }

// AsRefused marks err as a refusal. Nil stays nil.
func AsRefused(err error) error { return mark(err, Refused) }

func mark(err error, k ErrorKind) error {
	if err == nil {
		return nil
	}
	return kindError{err, k}
}

// KindOf is the outermost kind that err or anything it wraps was marked with.
func KindOf(err error) ErrorKind {
	var k kindError
	if errors.As(err, &k) {
		return k.kind
	}
	return Failed
}
