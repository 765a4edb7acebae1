package colony

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// Error is a manifest that cannot be read, or says what none may say. It is the only error
// of Read and Load.
type Error struct {
	Faults []Fault // one at least, in the order of the file
	err    error   // of the file, where it could not be read
}

// Fault is one thing that is wrong with a manifest.
type Fault struct {
	Reason Reason
	Line   int    // 1-based; 0 where it is about the file
	Field  string // a JSON pointer; "" where it is about the whole
	What   string // in one sentence, without a point
	Fix    string // what to do, likewise
}

// Reason sorts faults.
type Reason string

// The reasons.
const (
	Missing      Reason = "missing"    // there is no such file
	Unreadable   Reason = "unreadable" // the system does not give it, or it is no file
	OutOfBounds  Reason = "bounds"     // it is larger, deeper or longer than what is read
	Encoding     Reason = "encoding"   // it is not UTF-8, or begins with a byte order mark
	Syntax       Reason = "syntax"     // it is not JSON
	Duplicate    Reason = "duplicate"  // it has a key twice
	Newer        Reason = "newer"      // of a version that is not known here
	WrongVersion Reason = "version"    // of a version that no manifest has
	UnknownKey   Reason = "unknown"    // a key that is not known
	Absent       Reason = "absent"     // a key that must be there is not
	WrongType    Reason = "type"       // a value of another type
	WrongValue   Reason = "value"      // a value that is not one of those that may be there
)

// Error says all that is wrong, where, and what to do.
func (e *Error) Error() string {
	const most = 5
	var all []string
	for i, f := range e.Faults {
		if i == most {
			all = append(all, fmt.Sprintf("and %d more", len(e.Faults)-most))
			break
		}
		all = append(all, f.String())
	}
	return strings.Join(all, "; ")
}

// Unwrap is what was underneath, such as fs.ErrNotExist.
func (e *Error) Unwrap() error { return e.err }

// String is "file:line: what; fix".
func (f Fault) String() string {
	at := Path
	if f.Line > 0 {
		at += fmt.Sprintf(":%d", f.Line)
	}
	return at + ": " + f.What + "; " + f.Fix
}

func single(reason Reason, err error, what, fix string) *Error {
	return &Error{Faults: []Fault{{Reason: reason, What: what, Fix: fix}}, err: err}
}

// reasons are those of the checks of the reader of JSON. All others are Syntax.
var reasons = map[string]Reason{
	"not-utf8": Encoding, "bom": Encoding, "nul-byte": Encoding,
	"json-duplicate-key": Duplicate, "nesting-limit": OutOfBounds, "node-limit": OutOfBounds,
}

// faultOf is a finding of the reader of JSON.
func faultOf(f ext.Finding) Fault {
	reason, ok := reasons[f.Check.Code]
	if !ok {
		reason = Syntax
	}
	return Fault{Reason: reason, Line: f.Origin.Line, What: f.Message, Fix: lower(f.Fix())}
}

// lower is a sentence as the second half of another.
func lower(s string) string {
	s = strings.TrimSuffix(s, ".")
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && s[1] >= 'a' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}
