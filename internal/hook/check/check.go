// Package check holds the hooks by which extensions say whether all is well: for doctor,
// in the box and outside it, and for verify.
package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Test is one thing that can be tried. Exactly one of its members is given. A test needs
// nothing of whoever wrote it to be run: it is data.
type Test struct {
	Program  string   `json:"program,omitzero"`  // a program that is in the PATH
	Variable string   `json:"variable,omitzero"` // a variable of the environment that is not empty
	Path     string   `json:"path,omitzero"`     // a file or directory that is there
	Port     int      `json:"port,omitzero"`     // a port of this machine that answers
	Command  []string `json:"command,omitempty"` // a command that ends with 0; no shell is asked
}

// Check is one row of doctor: what came out of it, where code says so, or what is to be
// tried.
type Check struct {
	Name   string `json:"name" doc:"What is checked, in a few words."`
	Status Status `json:"status,omitzero" doc:"What came of it: ok, warn, fail or running. Without it there is something to try."`
	Detail string `json:"detail,omitzero" doc:"What came of it, in words, and what to do. Never a secret."`
	Try    *Test  `json:"try,omitzero" doc:"What to try: an object with one of program, variable, path, port and command."`
	Good   string `json:"good,omitzero" doc:"What is said where it succeeds."`
	Bad    string `json:"bad,omitzero" doc:"What is said where it does not, and what to do."`
	Else   Status `json:"else,omitzero" doc:"What it comes to where it does not succeed: warn, or fail (the default)."`
	Deep   bool   `json:"deep,omitzero" doc:"It takes its time, so that it is tried with --deep alone."`
}

// Status is what came of a check.
type Status string

// The statuses.
const (
	OK      Status = "ok"
	Warn    Status = "warn"
	Fail    Status = "fail"
	Running Status = "running" // a later row of the same name says what came of it
)

// Claim is one row of verify: something that must not be possible. Control shows that
// trying works at all; where it does not succeed, nothing is proven, which counts as
// failed.
type Claim struct {
	Name    string `json:"name" doc:"What is claimed, in a few words."`
	Status  string `json:"status,omitzero" doc:"What came of it: pass, fail or info. Without it there is something to try."`
	Detail  string `json:"detail,omitzero" doc:"What came of it, in words. Never a secret."`
	Control *Test  `json:"control,omitzero" doc:"What must succeed, so that the attempt proves something."`
	Attempt *Test  `json:"attempt,omitzero" doc:"What must not succeed."`
}

// Fix is a command that mends what a check found.
type Fix struct {
	Check   string   `json:"check" doc:"The check that it is for, by its exact name."`
	Label   string   `json:"label" doc:"What it does, in a few words."`
	Command []string `json:"command" doc:"The program and its arguments. It asks for nothing. No shell is asked."`
}

var (
	// Doctor are checks on the host.
	Doctor = surface.DefineHook(surface.HookDef[surface.Question, Check]{
		Name:  "doctor_checks",
		Doc:   "What mortise doctor checks.",
		Needs: ext.Project, Merge: surface.Append, Valid: (*Check).check,
	})
	// Box are checks in the box.
	Box = surface.DefineHook(surface.HookDef[surface.Question, Check]{
		Name:  "box_doctor_checks",
		Doc:   "What mortise doctor checks inside the box.",
		Needs: ext.Project, Merge: surface.Append, Valid: (*Check).check,
	})
	// Fixes mend what checks find.
	Fixes = surface.DefineHook(surface.HookDef[surface.Question, Fix]{
		Name:  "doctor_fixes",
		Doc:   "Commands that mend what a check of mortise doctor found.",
		Needs: ext.Project, Merge: surface.Append, Fixed: true, Valid: (*Fix).check,
	})
	// Verify are claims about isolation.
	Verify = surface.DefineHook(surface.HookDef[surface.Question, Claim]{
		Name:  "verify_checks",
		Doc:   "Claims about isolation that mortise verify tries to break.",
		Needs: ext.Project, Merge: surface.Append, Valid: (*Claim).check,
	})
)

func (c *Check) check() error {
	if c.Else == "" {
		c.Else = Fail
	}
	switch {
	case strings.TrimSpace(c.Name) == "":
		return fmt.Errorf("is about a check without a name")
	case (c.Status == "") == (c.Try == nil):
		return fmt.Errorf("is about the check %s, of which exactly one of \"status\" and \"try\" is needed", ext.Quote(c.Name))
	case c.Status != "" && !slices.Contains([]Status{OK, Warn, Fail, Running}, c.Status):
		return fmt.Errorf("is about the check %s, which has the status %s, expected ok, warn, fail or running", ext.Quote(c.Name), ext.Quote(string(c.Status)))
	case c.Else != Warn && c.Else != Fail:
		return fmt.Errorf("is about the check %s, of which \"else\" is %s, expected warn or fail", ext.Quote(c.Name), ext.Quote(string(c.Else)))
	}
	return c.Try.check(c.Name)
}

func (t *Test) check(of string) error {
	if t == nil {
		return nil
	}
	n := 0
	for _, given := range []bool{t.Program != "", t.Variable != "", t.Path != "", t.Port != 0, len(t.Command) > 0} {
		if given {
			n++
		}
	}
	switch {
	case n != 1:
		return fmt.Errorf("is about %s, which tries %d things, expected one of program, variable, path, port and command", ext.Quote(of), n)
	case t.Port < 0 || t.Port > 65535:
		return fmt.Errorf("is about %s, which tries the port %d, which is none", ext.Quote(of), t.Port)
	case len(t.Command) > 0 && t.Command[0] == "":
		return fmt.Errorf("is about %s, which tries a command without a program", ext.Quote(of))
	}
	return nil
}

func (c *Claim) check() error {
	switch {
	case strings.TrimSpace(c.Name) == "":
		return fmt.Errorf("is about a claim without a name")
	case (c.Status == "") == (c.Attempt == nil):
		return fmt.Errorf("is about the claim %s, of which exactly one of \"status\" and \"attempt\" is needed", ext.Quote(c.Name))
	case c.Status != "" && !slices.Contains([]string{"pass", "fail", "info"}, c.Status):
		return fmt.Errorf("is about the claim %s, which has the status %s, expected pass, fail or info", ext.Quote(c.Name), ext.Quote(c.Status))
	case c.Attempt != nil && c.Control == nil:
		return fmt.Errorf("is about the claim %s, which has no control: an attempt that fails for another reason would count as proof", ext.Quote(c.Name))
	}
	if err := c.Control.check(c.Name); err != nil {
		return err
	}
	return c.Attempt.check(c.Name)
}

func (f *Fix) check() error {
	switch {
	case f.Check == "" || f.Label == "":
		return fmt.Errorf("is about a fix without a check or a label")
	case len(f.Command) == 0 || f.Command[0] == "":
		return fmt.Errorf("is about the fix %s, which has no command", ext.Quote(f.Label))
	}
	return nil
}
