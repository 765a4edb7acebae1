package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/spelling"
)

// The exit codes of the contract.
const (
	exitDone   = 0
	exitNo     = 1 // done, and the answer is no
	exitUsage  = 2
	exitFailed = 3
)

// errNo is the answer no of a command that has said why in its result.
var errNo = ext.AsRefused(errors.New("the answer is no"))

// exitCode is the one place where kinds of errors become exit codes.
func exitCode(err error) int {
	if err == nil {
		return exitDone
	}
	if as := exitAs(0); errors.As(err, &as) {
		return int(as)
	}
	switch ext.KindOf(err) {
	case ext.Usage:
		return exitUsage
	case ext.Refused:
		return exitNo
	}
	return exitFailed
}

// report says on standard error what went wrong. What a command answered comes
// first, whatever the answer.
func (c *call) report(err error) {
	switch {
	case err == nil, errors.As(err, new(exitAs)): // the client's protocol says it all
	case errors.Is(err, errNo):
		if err := c.flush(); err != nil {
			c.complain(err)
		}
	case errors.Is(err, context.Canceled):
		c.complain(errors.New("interrupted"))
	default:
		c.complain(err)
	}
}

// complain writes an error. Messages quote what is foreign in them; what the
// system says does not, so all of it is made safe once more.
func (c *call) complain(err error) {
	fmt.Fprintln(c.Err, "mortise: "+safe(err.Error()))
}

// usage is an error of how the command was called.
func usage(format string, args ...any) error {
	return ext.AsUsage(fmt.Errorf(format, args...))
}

// refuse is an error of a request that is turned down.
func refuse(format string, args ...any) error {
	return ext.AsRefused(fmt.Errorf(format, args...))
}

// unknown is the usage error of a name that is not among known; it names the
// nearest, or else where to find them all.
func unknown(what, name string, known []string, where string) error {
	if near := spelling.Nearest(name, known); near != "" {
		return usage("there is no %s %s; did you mean %s?", what, quote(name), ext.Escape(near))
	}
	return usage("there is no %s %s; %s", what, quote(name), where)
}

// quote is a name that a person gave, in quotes and not endless.
func quote(name string) string { return ext.Quote(ext.Shorten(name, 80)) }
