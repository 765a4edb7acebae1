package mortise

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/driver/inproc"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/spelling"
	"github.com/mortise-dev/mortise/internal/surface"
)

// planHooks are the hooks that a plan asks, in the order of the catalogue.
var planHooks = func() (out []*surface.Spec) {
	for _, s := range catalog.Specs {
		if s.Answers != nil {
			out = append(out, s)
		}
	}
	return out
}()

// Hook answers one of the hooks that a plan asks: variables, daemons, checks, what a box
// is made with. docs/points.md lists them, with what an answer holds and how the answers
// of all extensions are merged.
type Hook struct {
	Hook    string        // which it answers: "derive_env"
	Name    string        // of this answer; no other of the extension to the same hook has it
	Timeout time.Duration // how long it may take; 0: five seconds
	// Answer returns a list that is written as JSON: one object for each answer, with the
	// members that docs/points.md says; nil is none. It has no effect, and returns the same
	// for the same question, but where the hook says otherwise. One that returns an error,
	// panics or is late costs its own answers and is a finding. It may be asked by several
	// goroutines at once.
	Answer func(ctx context.Context, q Asked) (any, error)
}

// Asked is what a hook is asked: everything that its answers may depend on.
type Asked struct {
	Worktree string            // absolute directory
	Mode     map[string]string // the level of every axis; nil: the answers are the same in every mode
	Settings json.RawMessage   // of the extension that is asked, a JSON object; nil: none
	// Merged are the merged answers to the hooks that this one builds on, JSON lists by the
	// names of the hooks.
	Merged map[string]json.RawMessage
	Deep   bool // checks may take their time and ask the network
}

// answers takes an answer to a hook, if it is asked and can be called.
func (l *layout) answers(h *Hook) {
	name := ext.Quote(ext.Shorten(h.Name, 80))
	spec := planHook(h.Hook)
	if spec == nil {
		l.findings.Add(checkHook.At(l.origin, "%s answers %s%s", name, ext.Quote(ext.Shorten(h.Hook, 80)), meant(h.Hook)))
		return
	}
	if h.Answer == nil {
		l.findings.Add(checkFunction.At(l.origin, "%s, which answers %s, has no function Answer", name, spec.Name))
		return
	}
	if !l.put(spec.Name, spec.Dir, h.Name, ".json", nil) { // the driver describes it
		return
	}
	do := h.Answer
	l.hooks = append(l.hooks, inproc.Hook{
		Hook: path.Base(spec.Dir), Name: h.Name, Timeout: h.Timeout,
		Answer: func(ctx context.Context, q surface.Question) (any, error) {
			return do(ctx, Asked{Worktree: q.Workspace, Mode: q.Mode, Settings: q.Settings, Merged: q.Merged, Deep: q.Deep})
		},
	})
}

func planHook(name string) *surface.Spec {
	for _, s := range planHooks {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// meant says what a hook that there is not was perhaps meant to be.
func meant(name string) string {
	var known []string
	for _, s := range planHooks {
		known = append(known, s.Name)
	}
	if near := spelling.Nearest(name, known); near != "" {
		return ", which is no hook of a plan; did you mean " + ext.Quote(near) + "?"
	}
	return ", which is no hook of a plan; there are " + strings.Join(known, ", ")
}

// Worktree is the place that a plan is for, and what it depends on beside the composition.
type Worktree struct {
	Dir  string            // absolute
	Mode map[string]string // levels of axes; one that is not named is at its default
	// Settings are those of extensions, JSON objects; one without has none.
	Settings map[string]json.RawMessage
}

// Plan is what should run, and be so, in one worktree in one mode. Making one and asking it
// changes nothing, so that one can be made for a mode that nobody has set. It is safe for
// concurrent use.
type Plan struct {
	Worktree string
	Mode     map[string]string // every axis at its level
	Axes     []Axis            // in load order
	Issues   []ModeIssue       // what is wrong with the mode
	Findings ext.Findings      // what was wrong in finding out which axes there are

	plan *plan.Plan
}

// Axis is a setting of a worktree.
type Axis struct {
	Name      string
	Extension string            // whose it is
	Levels    []string          // the first is the default
	Meanings  map[string]string // of every level, in words
	Emergency []string          // levels that end with time
}

// ModeIssue is something that is wrong with a mode.
type ModeIssue struct {
	Fatal   bool     // the command line sets no such mode
	Axes    []string // that it is about; may be none
	Message string   // fit to be printed
}

// Plan asks which axes there are and resolves the mode of a worktree. An axis or a level
// that there is not is an error, and so is a directory that is not absolute. What it returns
// is its caller's, to change as they like.
func (c *Composed) Plan(ctx context.Context, w Worktree) (*Plan, error) {
	if !filepath.IsAbs(w.Dir) {
		return nil, ext.AsUsage(fmt.Errorf("the worktree %s is no absolute directory", ext.Quote(w.Dir)))
	}
	in := plan.Inputs{Composition: c.composition, Specs: planHooks, Worktree: filepath.Clean(w.Dir), Caller: c.answering(), Settings: map[ext.Name]json.RawMessage{}}
	for name, settings := range w.Settings {
		in.Settings[ext.Name(name)] = slices.Clone(settings)
	}
	r := plan.New(ctx, in)
	if err := ctx.Err(); err != nil { // axes are missing that nobody waited for
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(w.Mode)) {
		if err := possible(r, name, w.Mode[name]); err != nil {
			return nil, ext.AsUsage(err)
		}
	}
	resolved := r.Plan(w.Mode)
	out := &Plan{Worktree: in.Worktree, Mode: maps.Clone(resolved.Mode), Findings: slices.Clone(r.Findings()), plan: resolved}
	for _, a := range r.Axes() {
		out.Axes = append(out.Axes, Axis{Name: a.Value.Name, Extension: string(a.Extension), Levels: slices.Clone(a.Value.Levels), Meanings: maps.Clone(a.Value.Blurb), Emergency: slices.Clone(a.Value.Emergency)})
	}
	for _, i := range r.Issues(ctx, resolved.Mode) {
		out.Issues = append(out.Issues, ModeIssue{Fatal: i.Fatal, Axes: i.Axes, Message: i.Message})
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

// possible says why an axis cannot be at a level.
func possible(r *plan.Registry, axis, level string) error {
	a := r.Axis(axis)
	if a == nil {
		why := ""
		if found := r.Findings(); len(found) > 0 {
			why = "; " + found[0].Message
		}
		return fmt.Errorf("there is no axis %s%s", ext.Quote(axis), why)
	}
	if !slices.Contains(a.Value.Levels, level) {
		return fmt.Errorf("the axis %s has no level %s; it has %s", axis, ext.Quote(level), strings.Join(a.Value.Levels, ", "))
	}
	return nil
}

// hooked reaches the functions that answer hooks.
type hooked map[string]*inproc.Driver

// Call asks one of them.
func (h hooked) Call(ctx context.Context, ref ext.Ref, argument json.RawMessage) (json.RawMessage, error) {
	d, ok := h[ref.Target]
	if !ok {
		return nil, fmt.Errorf("there is no extension %s", ext.Quote(ref.Target))
	}
	return d.Call(ctx, ref, argument)
}

func (c *Composed) answering() hooked {
	out := hooked{}
	for _, p := range c.parts {
		out[string(p.name)] = p.driver
	}
	return out
}

// HookAnswer is one answer to a hook, in its place among all.
type HookAnswer struct {
	Extension string          // whose it is
	By        string          // what answered, by its qualified name
	Key       string          // what it is about; "" where the hook's answers have no keys
	Value     json.RawMessage // with the members that docs/points.md says
	// LostTo is what has the key in its place, by its qualified name; "" for an answer
	// that counts.
	LostTo string
}

// Answers are what a hook is answered in the plan's mode: those that count, in load order,
// then those that lost their key to another. A hook that fails costs its own answers and is
// told among the findings. A hook that there is not is an error. Checks are asked anew
// each time when deep is set, and may take a minute then.
func (p *Plan) Answers(ctx context.Context, hook string, deep bool) ([]HookAnswer, ext.Findings, error) {
	spec := planHook(hook)
	if spec == nil {
		return nil, nil, ext.AsUsage(fmt.Errorf("there is no hook %s%s", ext.Quote(ext.Shorten(hook, 80)), meant(hook)))
	}
	gather := p.plan.Gather
	if deep {
		gather = p.plan.Deep
	}
	g := gather(ctx, spec)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	var out []HookAnswer
	for i := range g.Answers {
		one, err := shownAnswer(&g.Answers[i], "")
		if err != nil {
			return nil, nil, err
		}
		out = append(out, one)
	}
	for i := range g.Shadowed {
		one, err := shownAnswer(&g.Shadowed[i].Lost, g.Shadowed[i].Kept.Entry)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, one)
	}
	return out, slices.Clone(g.Findings), nil
}

func shownAnswer(a *plan.Given, lostTo string) (HookAnswer, error) {
	raw, err := ext.EncodeJSON(a.Value)
	if err != nil {
		return HookAnswer{}, fmt.Errorf("write the answer of %s: %w", ext.Escape(a.Entry), err)
	}
	return HookAnswer{Extension: string(a.Extension), By: a.Entry, Key: a.Key, Value: raw, LostTo: lostTo}, nil
}

// Environment is what the plan gives to programs of the worktree that begin with environ,
// which holds lines such as os.Environ has: a variable that it names wins, also when it is
// empty.
func (p *Plan) Environment(ctx context.Context, environ []string) (set map[string]string, findings ext.Findings) {
	e := p.plan.Environment(ctx, environ, "")
	set = make(map[string]string, len(e.Set))
	for _, v := range e.Set {
		set[v.Value.Name] = v.Value.Value
	}
	return set, e.Findings
}
