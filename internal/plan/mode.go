package plan

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/spelling"
	"github.com/mortise-dev/mortise/internal/state"
)

// How long an emergency level holds: without a word about it, and at most.
const (
	DefaultTTL = time.Hour
	MostTTL    = 8 * time.Hour
)

// Current is the mode that a worktree is in: every axis at its level, and when each
// emergency level ends. What is remembered counts only while it holds, whether or not
// anything took note of its end.
type Current struct {
	Mode   ext.Mode
	Until  map[string]time.Time // of axes at an emergency level
	Lapsed []string             // axes whose remembered level has ended, in their order
	// Lowered are axes that rest because what they need has lapsed, in their order.
	Lowered  []string
	Findings ext.Findings
}

// Current reads what is remembered of a worktree. What makes no sense counts as the
// default; so does what depends on a level that has ended.
func (r *Registry) Current(ctx context.Context, levels []state.Level, now time.Time) *Current {
	c := &Current{Mode: r.Default(), Until: map[string]time.Time{}}
	for _, l := range levels {
		at := ext.Origin{Path: "mode of " + l.Worktree}
		a := r.Axis(l.Axis)
		switch {
		case a == nil && r.Unanswered() != "":
			c.Findings.Add(ModeLeft.At(at, "the level %s of the axis %s is remembered, and what may declare the axis does not answer", ext.Quote(l.Level), ext.Quote(l.Axis)))
			if l.Until.IsZero() || now.Before(l.Until) && !impossible(&l, now) { // policies go on seeing what its person set
				c.Mode[l.Axis] = l.Level
				if !l.Until.IsZero() {
					c.Until[l.Axis] = l.Until
				}
			}
		case a == nil:
			c.Findings.Add(ModeLeft.At(at, "the level %s of the axis %s is remembered, and there is no such axis", ext.Quote(l.Level), ext.Quote(l.Axis)))
		case !slices.Contains(a.Value.Levels, l.Level):
			c.Findings.Add(ModeOdd.At(at, "the axis %s is remembered to be at %s, which is none of its levels; it is at %s", l.Axis, ext.Quote(l.Level), a.Value.Default()))
		case l.Until.IsZero() && !slices.Contains(a.Value.Emergency, l.Level):
			c.Mode[l.Axis] = l.Level
		case l.Until.IsZero():
			c.Findings.Add(ModeOdd.At(at, "the axis %s is remembered to be at the emergency level %s without an end; it is at %s", l.Axis, l.Level, a.Value.Default()))
		case !now.Before(l.Until):
			c.Lapsed = append(c.Lapsed, l.Axis)
		// What was set so that it ends does so, whatever the axis says of the level by now.
		case impossible(&l, now):
			c.Findings.Add(ModeOdd.At(at, "the emergency level %s of the axis %s is remembered to have begun %s and to end %s, which cannot be; it is at %s", l.Level, l.Axis, l.At.UTC().Format(time.RFC3339), l.Until.UTC().Format(time.RFC3339), a.Value.Default()))
		default:
			c.Mode[l.Axis], c.Until[l.Axis] = l.Level, l.Until
		}
	}
	slices.SortFunc(c.Lapsed, func(a, b string) int { return r.place(a) - r.place(b) })
	if len(c.Lapsed)+len(c.Findings) > 0 {
		c.Lowered = r.Settle(ctx, c.Mode)
		for _, axis := range c.Lowered {
			delete(c.Until, axis)
		}
	}
	return c
}

// impossible reports whether a level that ends lasts longer than any may, or began at no
// time or in the future.
func impossible(l *state.Level, now time.Time) bool {
	return l.At.IsZero() || l.Until.Sub(l.At) > MostTTL || l.At.After(now.Add(time.Minute))
}

// Update is one axis that is to be set.
type Update struct{ Axis, Level string }

// Change is what is to be set at once.
type Change struct {
	Updates []Update
	TTL     time.Duration // of emergency levels; 0: as long as they hold without
	// Limited: a time was given, so that a level that it is about must be among the
	// updates.
	Limited bool
}

// Refused is a change that was not made, and why.
type Refused struct {
	Issues  []Issue
	Command []Update // what would succeed; nil when nothing is known to
}

func (e *Refused) Error() string {
	texts := make([]string, len(e.Issues))
	for i := range e.Issues {
		texts[i] = e.Issues[i].Message
	}
	return strings.Join(texts, "\n")
}

// Set is the mode that a change leads to: all of it, or none. What is wrong with the
// change itself is a usage error; an issue with the mode that it leads to is a *Refused.
// Warnings are returned beside the new mode.
func (r *Registry) Set(ctx context.Context, from *Current, c Change, now time.Time) (*Current, []Issue, error) {
	if err := r.possible(c); err != nil {
		return nil, nil, err
	}
	if r.findings.Failed() {
		for _, f := range r.findings {
			if f.Check == RelationFault {
				return nil, nil, ext.AsRefused(fmt.Errorf("%s: %s; no mode is set until that is mended", f.Origin, f.Message))
			}
		}
	}
	to := from.clone()
	for _, u := range c.Updates {
		to.Mode[u.Axis] = u.Level
		delete(to.Until, u.Axis)
		if r.emergency(u) {
			to.Until[u.Axis] = now.Add(clamp(c.TTL)).UTC()
		}
	}
	var warnings []Issue
	errs := r.unheard(ctx, c, to.Mode)
	for _, i := range r.Issues(ctx, to.Mode) {
		if i.Fatal {
			errs = append(errs, i)
		} else {
			warnings = append(warnings, i)
		}
	}
	if len(errs) > 0 {
		return nil, nil, ext.AsRefused(&Refused{Issues: errs, Command: r.complete(ctx, from.Mode, c.Updates)})
	}
	return to, warnings, nil
}

func clamp(ttl time.Duration) time.Duration {
	if ttl == 0 {
		ttl = DefaultTTL
	}
	return min(ttl, MostTTL)
}

func (r *Registry) emergency(u Update) bool {
	a := r.Axis(u.Axis)
	return a != nil && slices.Contains(a.Value.Emergency, u.Level)
}

// possible is what is wrong with a change, whatever mode it leads to.
func (r *Registry) possible(c Change) error {
	limited := false
	for i, u := range c.Updates {
		a := r.Axis(u.Axis)
		switch {
		case a == nil:
			return ext.AsUsage(r.unknown(u.Axis))
		case !slices.Contains(a.Value.Levels, u.Level):
			err := fmt.Errorf("the axis %s has no level %s; it has %s", u.Axis, ext.Quote(u.Level), strings.Join(a.Value.Levels, ", "))
			if near := spelling.Nearest(u.Level, a.Value.Levels); near != "" {
				err = fmt.Errorf("%w; did you mean %s?", err, near)
			}
			return ext.AsUsage(err)
		case slices.ContainsFunc(c.Updates[:i], func(o Update) bool { return o.Axis == u.Axis && o.Level != u.Level }):
			return ext.AsUsage(fmt.Errorf("the axis %s is to be set to two levels", u.Axis))
		}
		limited = limited || r.emergency(u)
	}
	switch {
	case len(c.Updates) == 0:
		return ext.AsUsage(errors.New("nothing is to be set"))
	case c.TTL < 0 || c.Limited && c.TTL == 0:
		return ext.AsUsage(errors.New("the time must be more than none, such as 30m"))
	case c.Limited && !limited:
		return ext.AsUsage(fmt.Errorf("only emergency levels end with time, and none is among what is to be set; there are %s", r.emergencies()))
	}
	return nil
}

// unknown says that there is no such axis, with what may be why: something that would
// declare axes does not answer, say.
func (r *Registry) unknown(name string) error {
	why := ""
	for _, f := range r.findings {
		if f.Check.Severity > ext.Info {
			why = "; " + f.Message
			break
		}
	}
	var known []string
	for i := range r.axes {
		known = append(known, r.axes[i].Value.Name)
	}
	if len(known) == 0 {
		return fmt.Errorf("there is no axis %s; this workspace has none: [[axis]] and [[inject]] in its configuration, and extensions, declare them%s", ext.Quote(name), why)
	}
	near := ""
	if n := spelling.Nearest(name, known); n != "" {
		near = "; did you mean " + n + "?"
	}
	return fmt.Errorf("there is no axis %s; there are %s%s%s", ext.Quote(name), strings.Join(known, ", "), near, why)
}

// emergencies are the levels that end with time, as they are written.
func (r *Registry) emergencies() string {
	var all []string
	for i := range r.axes {
		for _, l := range r.axes[i].Value.Emergency {
			all = append(all, r.axes[i].Value.Name+"="+l)
		}
	}
	if len(all) == 0 {
		return "none here"
	}
	return strings.Join(all, ", ")
}

// complete are the updates of a command that would succeed and does what was asked for:
// what it needs is set besides, and what does not go with it rests. Nil when none is
// found.
func (r *Registry) complete(ctx context.Context, from ext.Mode, asked []Update) []Update {
	mode := maps.Clone(from)
	all := slices.Clone(asked)
	for _, u := range asked {
		mode[u.Axis] = u.Level
	}
	for range len(r.axes) + 1 {
		errs := errorsOf(r.Issues(ctx, mode))
		if len(errs) == 0 {
			return all
		}
		more := slices.IndexFunc(errs[0].ways, func(w Update) bool { return !slices.ContainsFunc(all, func(u Update) bool { return u.Axis == w.Axis }) })
		if more < 0 {
			return nil
		}
		way := errs[0].ways[more]
		mode[way.Axis] = way.Level
		all = slices.Insert(all, 0, way)
	}
	return nil
}

func errorsOf(all []Issue) []Issue {
	return slices.DeleteFunc(slices.Clone(all), func(i Issue) bool { return !i.Fatal })
}

func (c *Current) clone() *Current {
	return &Current{Mode: maps.Clone(c.Mode), Until: maps.Clone(c.Until)}
}

// Levels are what is to be remembered of a mode: the axes that are not at their defaults.
func (r *Registry) Levels(c *Current, worktree, by string, now time.Time) []state.Level {
	var out []state.Level
	for i := range r.axes {
		a := &r.axes[i].Value
		if level := c.Mode[a.Name]; level != a.Default() {
			out = append(out, state.Level{Worktree: worktree, Axis: a.Name, Level: level, Until: c.Until[a.Name], By: by, At: now.UTC()})
		}
	}
	return out
}

// Arguments are updates as they are typed.
func Arguments(all []Update) string {
	out := make([]string, len(all))
	for i, u := range all {
		out[i] = u.Axis + "=" + u.Level
	}
	return strings.Join(out, " ")
}
