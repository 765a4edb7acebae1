// Package axis holds the hooks for the settings of a worktree: which there are, and
// which of their levels do not go together.
package axis

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Axis is one setting of a worktree and its levels.
type Axis struct {
	Name   string `json:"name" doc:"What it goes by: letters, digits, '.', '_' and '-'."`
	Levels Levels `json:"levels" doc:"Its levels. The first is the default, which needs no secret."`
	// Blurb says what each level means: it has every level and nothing else.
	Blurb     map[string]string `json:"blurb" doc:"What each level means, by level: every one."`
	Daemon    string            `json:"daemon,omitzero" doc:"The daemon that its levels are enforced by."`
	Emergency Levels            `json:"emergency,omitempty" doc:"Levels that are for a limited time: they end after an hour, or as --ttl says."`
	Requires  []Requirement     `json:"requires,omitempty" doc:"What levels of other axes its own levels need: objects with when, axis, accepts, and perhaps severity, reason, message."`
	Conflicts []Conflict        `json:"conflicts,omitempty" doc:"What levels of other axes its own levels do not go with: objects with when, axis, at, and perhaps severity, message."`
}

// Default is the level that the axis is at when nobody set another.
func (a *Axis) Default() string { return a.Levels[0] }

// Requirement is what another axis must be at when the owner is at one of some levels.
// An axis that there is not is at no level, so that it is not met.
type Requirement struct {
	When     Levels   `json:"when"`
	Axis     string   `json:"axis,omitzero"`
	Switch   string   `json:"switch,omitzero"` // another word for axis
	Accepts  Levels   `json:"accepts,omitempty"`
	Severity Severity `json:"severity,omitzero"`
	Reason   string   `json:"reason,omitzero"`
	Message  string   `json:"message,omitzero"`
}

// Conflict is what another axis must not be at when the owner is at one of some levels.
// An axis that there is not is at no level, so that nothing conflicts with it.
type Conflict struct {
	When     Levels   `json:"when"`
	Axis     string   `json:"axis,omitzero"`
	Switch   string   `json:"switch,omitzero"` // another word for axis
	At       Levels   `json:"at"`
	Severity Severity `json:"severity,omitzero"`
	Message  string   `json:"message,omitzero"`
}

// Severity is what an issue with a mode comes to.
type Severity string

// The severities.
const (
	Error   Severity = "error" // the mode is refused
	Warning Severity = "warn"  // the mode is set, and it is said
)

// Levels are levels of an axis: in JSON one, or a list.
type Levels []string

// UnmarshalJSON reads one level, or a list of them.
func (l *Levels) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*l = nil
		return nil
	}
	var one string
	if json.Unmarshal(data, &one) == nil {
		*l = Levels{one}
		return nil
	}
	var many []string
	if err := json.Unmarshal(data, &many); err != nil {
		return err
	}
	*l = many
	return nil
}

// Issue is something that is wrong with a mode.
type Issue struct {
	Severity Severity `json:"severity" doc:"error refuses the mode; warn is said."`
	Message  string   `json:"message" doc:"What is wrong, and the whole command that mends it."`
}

var (
	// Axes are the axes of a worktree.
	Axes = surface.DefineHook(surface.HookDef[surface.Question, Axis]{
		Name:  "axes",
		Doc:   "Which settings a worktree has, and their levels.",
		Needs: ext.Project, Merge: surface.Exclusive, Fixed: true,
		Key:   func(a Axis) string { return a.Name },
		Valid: (*Axis).Check,
	})
	// Issues are what is wrong with a mode, beyond what axes require of each other.
	Issues = surface.DefineHook(surface.HookDef[surface.Question, Issue]{
		Name:  "mode_issues",
		Doc:   "What is wrong with a mode that requirements and conflicts cannot say.",
		Needs: ext.Project, Merge: surface.Append,
		Valid: (*Issue).check,
	})
)

// name reports whether s can be the name of an axis or a level.
func name(s string) bool { return surface.Plain(s, 64, "._-") && s[0] != '_' }

// Check is what is wrong with an axis, nil when nothing is. Other words that were used
// are replaced, and severities that are not said become errors.
func (a *Axis) Check() error {
	switch {
	case !name(a.Name):
		return fmt.Errorf("has the name %s, expected letters, digits, '.', '_' and '-'", ext.Quote(ext.Shorten(a.Name, 80)))
	case len(a.Levels) == 0:
		return fmt.Errorf("is about the axis %s, which has no levels", ext.Quote(a.Name))
	}
	for i, l := range a.Levels {
		switch {
		case !name(l):
			return fmt.Errorf("is about the axis %s, which has the level %s, expected letters, digits, '.', '_' and '-'", ext.Quote(a.Name), ext.Quote(ext.Shorten(l, 80)))
		case slices.Contains(a.Levels[:i], l):
			return fmt.Errorf("is about the axis %s, which has the level %s twice", ext.Quote(a.Name), ext.Quote(l))
		case a.Blurb[l] == "":
			return fmt.Errorf("is about the axis %s, of which \"blurb\" does not say what %s means", ext.Quote(a.Name), ext.Quote(l))
		}
	}
	if len(a.Blurb) != len(a.Levels) {
		return fmt.Errorf("is about the axis %s, of which \"blurb\" says what other levels mean than it has", ext.Quote(a.Name))
	}
	for _, l := range a.Emergency {
		switch {
		case !slices.Contains(a.Levels, l):
			return fmt.Errorf("is about the axis %s, of which the emergency level %s is none of its levels", ext.Quote(a.Name), ext.Quote(l))
		case l == a.Default():
			return fmt.Errorf("is about the axis %s, of which the default level %s is an emergency level: time would not end it", ext.Quote(a.Name), ext.Quote(l))
		}
	}
	return a.relations()
}

// relations checks what an axis says of others.
func (a *Axis) relations() error {
	for i := range a.Requires {
		r := &a.Requires[i]
		if err := a.relation("requires", r.When, &r.Axis, &r.Switch, &r.Severity); err != nil {
			return err
		}
	}
	for i := range a.Conflicts {
		c := &a.Conflicts[i]
		if err := a.relation("conflicts", c.When, &c.Axis, &c.Switch, &c.Severity); err != nil {
			return err
		}
		if len(c.At) == 0 {
			return fmt.Errorf("is about the axis %s, of which \"conflicts\" names no levels of %s (\"at\")", ext.Quote(a.Name), ext.Quote(c.Axis))
		}
	}
	return nil
}

func (a *Axis) relation(what string, when Levels, other, alias *string, s *Severity) error {
	if *other == "" {
		*other = *alias
	}
	*alias = ""
	if *s == "" {
		*s = Error
	}
	switch {
	case *other == "":
		return fmt.Errorf("is about the axis %s, of which %q names no axis", ext.Quote(a.Name), what)
	case *s != Error && *s != Warning:
		return fmt.Errorf("is about the axis %s, of which %q has the severity %s, expected error or warn", ext.Quote(a.Name), what, ext.Quote(string(*s)))
	case len(when) == 0:
		return fmt.Errorf("is about the axis %s, of which %q says of no level when it holds", ext.Quote(a.Name), what)
	}
	for _, l := range when {
		if !slices.Contains(a.Levels, l) {
			return fmt.Errorf("is about the axis %s, of which %q holds at %s, which is none of its levels", ext.Quote(a.Name), what, ext.Quote(l))
		}
	}
	return nil
}

func (i *Issue) check() error {
	switch {
	case i.Severity != Error && i.Severity != Warning:
		return fmt.Errorf("has the severity %s, expected error or warn", ext.Quote(string(i.Severity)))
	case i.Message == "":
		return fmt.Errorf("says nothing")
	}
	return nil
}
