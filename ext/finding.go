package ext

import (
	"cmp"
	"fmt"
	"slices"
)

// Severity of a finding. Higher is worse.
type Severity uint8

const (
	// Info is worth knowing and asks for nothing.
	Info Severity = iota + 1
	// Warning is something recovered from, ignored or doubtful.
	Warning
	// Error refuses the entry, or the extension, that it was found in.
	Error
)

var severityWords = [...]string{"none", "info", "warning", "error"}

// String is the word for s used in listings.
func (s Severity) String() string {
	if int(s) < len(severityWords) {
		return severityWords[s]
	}
	return fmt.Sprintf("severity(%d)", uint8(s))
}

// Check defines one thing that can be found, once: its stable code, how severe
// it is, what it means and what to do. docs/checks.md is generated from them.
type Check struct {
	Code     string
	Severity Severity
	Doc      string // what was noticed, in one sentence
	Fix      string // what to do about it, in one sentence
}

// At makes a finding of this check. The message says what was found and, where
// it helps, what was expected; foreign text in it must already be quoted.
func (c *Check) At(o Origin, format string, args ...any) Finding {
	return Finding{Check: c, Origin: o, Message: fmt.Sprintf(format, args...)}
}

// Finding is one thing a stage noticed. Findings are not errors: a stage
// collects them all and goes on.
type Finding struct {
	Check   *Check
	Origin  Origin
	Message string
	// Field is the field it is about: a key as the file spells it, or a JSON
	// pointer where a key alone would not tell it; "" for none.
	Field  string
	Want   string // what should stand there, or how it should be named, where that is one thing; else ""
	Advice string // a fix for this very case; "" means the check's own
}

// Fix is what to do about f.
func (f Finding) Fix() string { return cmp.Or(f.Advice, f.Check.Fix) }

// Of is f about a field.
func (f Finding) Of(field string) Finding {
	f.Field = field
	return f
}

// Wanting is f with what should stand there.
func (f Finding) Wanting(want string) Finding {
	f.Want = want
	return f
}

// With is f with a fix for this very case.
func (f Finding) With(format string, args ...any) Finding {
	f.Advice = fmt.Sprintf(format, args...)
	return f
}

// String is "origin: severity: message (code)".
func (f Finding) String() string {
	return fmt.Sprintf("%s: %s: %s (%s)", f.Origin, f.Check.Severity, f.Message, f.Check.Code)
}

// Findings collects. The zero value is ready.
type Findings []Finding

// Add appends findings.
func (fs *Findings) Add(more ...Finding) { *fs = append(*fs, more...) }

// Failed reports whether any finding is an error.
func (fs Findings) Failed() bool {
	return slices.ContainsFunc(fs, func(f Finding) bool { return f.Check.Severity >= Error })
}

// Sort orders findings by where they were found, then by code and message, so
// that the order does not depend on the order of the work.
func (fs Findings) Sort() {
	slices.SortStableFunc(fs, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Origin.Extension, b.Origin.Extension),
			cmp.Compare(a.Origin.Path, b.Origin.Path),
			cmp.Compare(a.Origin.Line, b.Origin.Line),
			cmp.Compare(a.Check.Code, b.Check.Code),
			cmp.Compare(a.Message, b.Message),
		)
	})
}
