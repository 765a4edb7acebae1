package mortise

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// AdmissionError says what was refused and why. It is a refusal: what was asked for
// is understood, and the answer is no. It holds at least one Refusal.
type AdmissionError struct {
	Refusals []Refusal
	Findings ext.Findings // everything that was noticed, whatever came of it
	// Teardown is what became of tearing down what was installed, after an install hook
	// failed: as the error of [Host.Close], it counts the hooks that failed, shows the
	// first and unwraps to all. nil is no failure.
	Teardown error

	failed error // the install hook that failed; nil: none
}

// Refusal is one reason why an extension was not admitted.
type Refusal struct {
	Extension string // that is refused, by its name or, where that cannot be told, its Go type
	Cause     Cause
	// Owner is who has the name in question: an extension, "the deployment", "the
	// host"; "" where the cause is no name.
	Owner  string
	Reason string // in words; fit to be printed
	Fix    string // what to do about it
}

// Cause is why an extension was refused, in a word.
type Cause string

const (
	// AtFault: something in it does not fit; the findings say what.
	AtFault Cause = "at-fault"
	// NameClaimed: another extension has its name, or the host keeps it.
	NameClaimed Cause = "name-claimed"
	// ToolClaimed: another extension has a tool of that name.
	ToolClaimed Cause = "tool-claimed"
	// ToolReserved: the deployment reserves the name of a tool.
	ToolReserved Cause = "tool-reserved"
	// InstallFailed: an install hook of it failed.
	InstallFailed Cause = "install-failed"
	// Unbridgeable: it does not answer what it is asked, so that nothing is known of
	// it.
	Unbridgeable Cause = "unbridgeable"
	// Renamed: it goes by another name than the one it was admitted by.
	Renamed Cause = "renamed"
	// RosterRefused: it would join others that cannot be composed as they are.
	RosterRefused Cause = "roster-refused"
	// RosterUnread: the roster did not answer.
	RosterUnread Cause = "roster-unread"
	// PromptRefused: its prompt hook failed, or what it says cannot be taken.
	PromptRefused Cause = "prompt-refused"
)

// Error names every extension that was refused, and the cause.
func (e *AdmissionError) Error() string {
	var parts []string
	for _, r := range e.Refusals {
		part := fmt.Sprintf("%s is refused (%s): %s", ext.Escape(ext.Shorten(r.Extension, 80)), r.Cause, r.Reason)
		if r.Fix != "" {
			part += ". " + strings.TrimSuffix(r.Fix, ".")
		}
		parts = append(parts, part)
	}
	if e.Teardown != nil {
		parts = append(parts, "in tearing down what was installed "+e.Teardown.Error())
	}
	return strings.Join(parts, "; ")
}

// Unwrap is what lifecycle hooks returned that failed; nothing where none was run.
func (e *AdmissionError) Unwrap() (out []error) {
	for _, err := range []error{e.failed, e.Teardown} {
		if err != nil {
			out = append(out, err)
		}
	}
	return out
}

// Of are the refusals of one extension.
func (e *AdmissionError) Of(extension string) (out []Refusal) {
	for _, r := range e.Refusals {
		if r.Extension == extension {
			out = append(out, r)
		}
	}
	return out
}

// refuse is an error of refusals; nil when there are none.
func refuse(refusals []Refusal, findings ext.Findings) *AdmissionError {
	if len(refusals) == 0 {
		return nil
	}
	return &AdmissionError{Refusals: refusals, Findings: findings}
}

// faults is a refusal for what findings call errors.
func faults(extension string, findings ext.Findings) Refusal {
	r := Refusal{Extension: extension, Cause: AtFault}
	var said []string
	for _, f := range findings {
		if f.Check.Severity != ext.Error {
			continue
		}
		const few = 5
		if len(said) == few {
			said = append(said, "and more")
			break
		}
		said = append(said, f.Message)
		if r.Fix == "" {
			r.Fix = f.Fix()
		}
	}
	r.Reason = strings.Join(said, "; ")
	return r
}
