package state

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// Tidy brings s into the one form in which stores keep it: every list sorted
// by what identifies its records (the roster by Order first), empty lists nil,
// times in UTC. Two records with one identity, a record that names nothing and
// a time that cannot be written down are errors; s is then half tidied. Stores
// call it on what Update made and on what Load read.
func (s *Snapshot) Tidy() error {
	err := errors.Join(
		tidy(&s.Roster), tidy(&s.Switches), tidy(&s.Adoptions),
		tidy(&s.Grants), tidy(&s.Pins), tidy(&s.Guards), tidy(&s.Descriptions), tidy(&s.Connections), tidy(&s.Levels),
	)
	slices.SortStableFunc(s.Roster, func(a, b Installed) int { return cmp.Compare(a.Order, b.Order) })
	return err
}

// record is what the lists of a Snapshot hold.
type record[T any] interface {
	compare(T) int      // by what identifies it
	tidied() (T, error) // with its times in UTC, or what is wrong with it
	String() string     // for messages
}

func tidy[T record[T]](list *[]T) error {
	if len(*list) == 0 {
		*list = nil
		return nil
	}
	for i, r := range *list {
		t, err := r.tidied()
		if err != nil {
			return fmt.Errorf("%s: %w", r.String(), err)
		}
		(*list)[i] = t
	}
	slices.SortFunc(*list, T.compare)
	for i := 1; i < len(*list); i++ {
		if r := (*list)[i]; r.compare((*list)[i-1]) == 0 {
			return fmt.Errorf("%s is there twice", r.String())
		}
	}
	return nil
}

func (r Installed) compare(o Installed) int {
	return cmp.Or(cmp.Compare(r.Name, o.Name), cmp.Compare(r.Scope, o.Scope))
}

func (r Switch) compare(o Switch) int {
	return cmp.Or(cmp.Compare(r.Workspace, o.Workspace), cmp.Compare(r.Extension, o.Extension), cmp.Compare(r.Entry, o.Entry))
}

func (r Adoption) compare(o Adoption) int {
	return cmp.Or(cmp.Compare(r.Workspace, o.Workspace), bytes.Compare(r.Digest[:], o.Digest[:]), cmp.Compare(r.Place, o.Place))
}

func (r Grant) compare(o Grant) int {
	return cmp.Or(cmp.Compare(r.Kind, o.Kind), cmp.Compare(r.Subject, o.Subject), slices.Compare(r.Digest[:], o.Digest[:]))
}

func (r Pin) compare(o Pin) int {
	return cmp.Or(cmp.Compare(r.Workspace, o.Workspace), cmp.Compare(r.Extension, o.Extension), cmp.Compare(r.Server, o.Server), cmp.Compare(r.Tool, o.Tool))
}

func (r Guard) compare(o Guard) int {
	return cmp.Or(
		cmp.Compare(r.Extension, o.Extension), slices.Compare(r.Scope[:], o.Scope[:]),
		cmp.Compare(r.Name, o.Name), cmp.Compare(r.Event, o.Event), cmp.Compare(r.Matcher, o.Matcher),
	)
}

func (r Description) compare(o Description) int {
	return cmp.Or(cmp.Compare(r.Workspace, o.Workspace), cmp.Compare(r.Extension, o.Extension), cmp.Compare(r.Server, o.Server))
}

func (r Connection) compare(o Connection) int {
	return cmp.Or(cmp.Compare(r.Workspace, o.Workspace), cmp.Compare(r.Client, o.Client), cmp.Compare(r.Event, o.Event))
}

func (r Level) compare(o Level) int {
	return cmp.Or(cmp.Compare(r.Worktree, o.Worktree), cmp.Compare(r.Axis, o.Axis))
}

func (r Installed) tidied() (Installed, error) {
	err := errors.Join(named(r.Name != "", "extension"), utc(&r.At))
	return r, err
}

func (r Switch) tidied() (Switch, error) {
	err := errors.Join(named(r.Extension != "", "extension"), utc(&r.At))
	return r, err
}

func (r Adoption) tidied() (Adoption, error) {
	err := errors.Join(named(r.Workspace != "", "workspace"), named(r.Digest != ext.Digest{}, "digest"), utc(&r.At))
	return r, err
}

func (r Grant) tidied() (Grant, error) {
	err := errors.Join(named(r.Kind != "", "kind"), named(r.Digest != ext.Digest{}, "digest"), utc(&r.At), utc(&r.Until))
	return r, err
}

func (r Pin) tidied() (Pin, error) {
	err := errors.Join(named(r.Extension != "", "extension"), utc(&r.At))
	return r, err
}

func (r Guard) tidied() (Guard, error) {
	err := errors.Join(named(r.Extension != "", "extension"), utc(&r.At))
	return r, err
}

func (r Description) tidied() (Description, error) {
	err := errors.Join(
		named(r.Workspace != "", "workspace"), named(r.Extension != "", "extension"), named(r.Server != "", "server"),
		named(r.Declaration != ext.Digest{}, "digest"), utc(&r.At),
	)
	return r, err
}

func (r Connection) tidied() (Connection, error) {
	err := errors.Join(named(r.Workspace != "", "workspace"), named(r.Client != "", "client"), named(r.Event != "", "event"), utc(&r.At))
	return r, err
}

func (r Level) tidied() (Level, error) {
	err := errors.Join(named(r.Worktree != "", "worktree"), named(r.Axis != "", "axis"), named(r.Level != "", "level"), utc(&r.At), utc(&r.Until))
	return r, err
}

func named(ok bool, what string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("no %s is given", what)
}

// utc also strips the monotonic reading, so that equal times are ==.
func utc(t *time.Time) error {
	*t = t.Round(0).UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		return fmt.Errorf("the year %d is not within 0 to 9999", y)
	}
	return nil
}

// String names r in messages.
func (r Installed) String() string { return "installed " + ext.Quote(string(r.Name)) + in(r.Scope) }

// String names r in messages.
func (r Switch) String() string {
	return "switch of " + ext.Quote(ext.Qualified(r.Extension, r.Entry)) + in(r.Workspace)
}

// String names r in messages.
func (r Adoption) String() string {
	if r.Place == "" {
		return "adoption of " + ext.Quote(r.Workspace)
	}
	return "adoption of " + ext.Quote(r.Workspace) + " at " + ext.Quote(r.Place)
}

// String names r in messages.
func (r Grant) String() string {
	return fmt.Sprintf("grant of %s %s at %s", ext.Quote(r.Kind), ext.Quote(r.Subject), r.Digest.Short())
}

// String names r in messages.
func (r Pin) String() string {
	return "pin of " + ext.Quote(ext.Qualified(r.Extension, r.Server)+"/"+r.Tool) + in(r.Workspace)
}

// String names r in messages.
func (r Guard) String() string {
	return "guard " + ext.Quote(ext.Qualified(r.Extension, r.Name)) + " of " + ext.Quote(r.Event)
}

// String names r in messages.
func (r Description) String() string {
	return "description of " + ext.Quote(ext.Qualified(r.Extension, r.Server)) + in(r.Workspace)
}

// String names r in messages.
func (r Connection) String() string {
	return "connection of " + ext.Quote(r.Event) + " of " + ext.Quote(r.Client) + in(r.Workspace)
}

// String names r in messages.
func (r Level) String() string {
	return "level of the axis " + ext.Quote(r.Axis) + in(r.Worktree)
}

func in(workspace string) string {
	if workspace == "" {
		return ""
	}
	return " in " + ext.Quote(workspace)
}
