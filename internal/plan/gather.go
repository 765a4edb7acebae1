package plan

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/hook/axis"
	"github.com/mortise-dev/mortise/internal/hook/overlay"
	"github.com/mortise-dev/mortise/internal/hook/probe"
	"github.com/mortise-dev/mortise/internal/hook/proxy"
	"github.com/mortise-dev/mortise/internal/hook/secret"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Given is one answer in its place among all others.
type Given struct {
	surface.Answer
	Extension ext.Name   // "" for the configuration
	Entry     string     // the qualified name of what answered; "" for the configuration
	Origin    ext.Origin // file and, where there is one, line
	precedes  int        // position in precedence; lower wins
}

// Shadow is an answer that lost its key to another.
type Shadow struct{ Lost, Kept Given }

// Gathered is what a hook was answered in one mode, merged.
type Gathered struct {
	Answers  []Given // in load order, those of the configuration first
	Shadowed []Shadow
	Findings ext.Findings
}

// patience is how long code may take for an answer, unless its document says otherwise,
// and how long a deep check may: no document gives its code more than that.
const patience, deepPatience = 5 * time.Second, 60 * time.Second

// gather asks everybody who answers a hook, in load order, and merges.
func (r *Registry) gather(ctx context.Context, hook *surface.Spec, mode ext.Mode, deep bool) *Gathered {
	g := new(Gathered)
	q := surface.Question{Hook: hook.Name, Workspace: r.in.Worktree, Mode: mode, Tables: r.in.Tables, Deep: deep, Merged: r.merged(ctx, hook, mode, g)}
	var all []Given
	all = append(all, r.rows(hook, g)...)
	entries := r.in.Composition.Entries(hook)
	for i := range entries {
		all = append(all, r.answers(ctx, hook, &entries[i], q, g)...)
	}
	kept := make([]Given, 0, len(all))
	for i := range all {
		if r.holds(hook, &all[i], mode, g) {
			kept = append(kept, all[i])
		}
	}
	g.merge(hook, kept)
	return g
}

// merged are the merged answers to the hooks that one builds on.
func (r *Registry) merged(ctx context.Context, hook *surface.Spec, mode ext.Mode, into *Gathered) map[string]json.RawMessage {
	if len(hook.Answers.Reads) == 0 {
		return nil
	}
	out := map[string]json.RawMessage{}
	for _, name := range hook.Answers.Reads {
		for _, s := range r.in.Specs {
			if s.Name != name || s.Answers == nil {
				continue
			}
			g := r.gather(ctx, s, mode, false)
			values := make([]any, 0, len(g.Answers))
			for _, a := range g.Answers {
				values = append(values, a.Value)
			}
			raw, err := json.Marshal(values)
			if err != nil {
				into.Findings.Add(HookFailed.At(ext.Origin{}, "what %s is answered cannot be handed on: %s", name, ext.Escape(err.Error())))
				continue
			}
			out[name] = raw
		}
	}
	return out
}

// tables are the arrays of tables of the configuration that are answers to hooks.
var tables = map[string]*surface.Spec{"axis": axis.Axes.Spec, "overlay": overlay.Overlays.Spec, "secret": secret.Wanted.Spec}

// rows are the answers that the configuration itself holds.
func (r *Registry) rows(hook *surface.Spec, g *Gathered) []Given {
	var out []Given
	for i := range r.in.Rows {
		row := &r.in.Rows[i]
		if tables[row.Table] != hook {
			continue
		}
		answers, line, err := hook.Answers.ReadDoc(&row.Doc)
		if err != nil {
			o := row.Origin
			o.Line = line
			g.Findings.Add(RowFault.At(o, "[[%s]] %s", row.Table, strings.Replace(err.Error(), "answer 1 ", "", 1)))
			continue
		}
		for _, a := range answers {
			one := Given{Answer: a, Origin: row.Origin, precedes: -1}
			expand(&one.Value, r.in.Worktree, Dirs{})
			out = append(out, one)
		}
	}
	return out
}

// answers are those of one implementation.
func (r *Registry) answers(ctx context.Context, hook *surface.Spec, e *compose.Entry, q surface.Question, g *Gathered) []Given {
	im, ok := e.Value.(surface.Implementation)
	if !ok {
		return nil
	}
	var answers []surface.Answer
	var err error
	if im.Answer != nil {
		answers, err = r.readData(hook, im.Answer)
	} else {
		q.Settings = r.in.Settings[e.Extension]
		if im.Ref.Target == "" {
			im.Ref.Target = string(e.Extension)
		}
		answers, err = r.ask(ctx, hook, im, q)
	}
	if err != nil {
		g.Findings.Add(HookFailed.At(e.Origin, "%s does not answer %s: %s", ext.Escape(e.Qualified), hook.Name, ext.Escape(ext.Shorten(err.Error(), 500))))
		return nil
	}
	out := make([]Given, 0, len(answers))
	for _, a := range answers {
		one := Given{Answer: a, Extension: e.Extension, Entry: e.Qualified, Origin: e.Origin, precedes: e.Precedes()}
		switch {
		case im.Answer != nil:
			one.Origin.Line = a.Line
		case a.From != "" && e.Origin.Trust == ext.Builtin: // it speaks of the configuration
			one.Origin = ext.Origin{Trust: ext.Owner, Path: a.From, Line: a.Line}
		}
		expand(&one.Value, r.in.Worktree, r.in.Dirs[e.Extension])
		out = append(out, one)
	}
	return out
}

// readData reads answers that are data, once for all modes.
func (r *Registry) readData(hook *surface.Spec, d *ext.Doc) ([]surface.Answer, error) {
	r.mu.Lock()
	answers, known := r.data[d]
	r.mu.Unlock()
	if known {
		return answers, nil
	}
	answers, _, err := hook.Answers.ReadDoc(d)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.data[d] = answers
	return answers, nil
}

var errNobody = errors.New("nothing here can run it")

// ask asks code, which has so long and no longer.
func (r *Registry) ask(ctx context.Context, hook *surface.Spec, im surface.Implementation, q surface.Question) ([]surface.Answer, error) {
	if r.in.Caller == nil {
		return nil, errNobody
	}
	argument, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	limit := cmp.Or(r.in.Patience, patience)
	if q.Deep {
		limit = deepPatience
	}
	if im.Timeout > 0 {
		limit = time.Duration(min(int64(im.Timeout), deepPatience.Milliseconds())) * time.Millisecond
	}
	raw, err := within(ctx, limit, func(ctx context.Context) (json.RawMessage, error) {
		return r.in.Caller.Call(ctx, im.Ref, argument)
	})
	if err != nil {
		return nil, err
	}
	return hook.Answers.Read(raw)
}

// within calls what may hang or panic. What is late is left to end by itself: nobody
// hears its answer any more.
func within(ctx context.Context, limit time.Duration, do func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	type outcome struct {
		raw json.RawMessage
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		defer func() {
			if p := recover(); p != nil {
				done <- outcome{err: fmt.Errorf("it failed: %v", p)}
			}
		}()
		raw, err := do(ctx)
		done <- outcome{raw, err}
	}()
	select {
	case o := <-done:
		return o.raw, o.err
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, fmt.Errorf("it did not answer within %s", limit)
		}
		return nil, ctx.Err()
	}
}

// holds reports whether an answer holds in a mode. A condition on an axis that there is
// not never does, whatever the mode says. What is about an axis does not hold while that
// is at its default, which needs no secret; a stand-in for a credential, which says not
// when it holds, while it is.
func (r *Registry) holds(hook *surface.Spec, a *Given, mode ext.Mode, g *Gathered) bool {
	if hook.Answers.Fixed {
		return true
	}
	known := true
	for _, name := range a.When.Axes() {
		if x := r.Axis(name); x == nil {
			known = false
			g.Findings.Add(ConditionUnknown.At(a.Origin, "%s: a condition is on the axis %s, which there is not", hook.Name, ext.Quote(name)))
		}
	}
	holds := known && a.When.Holds(mode)
	about, rests := aboutAxis(a.Value)
	if about == "" {
		return holds
	}
	x := r.Axis(about)
	if x == nil {
		g.Findings.Add(AxisUnknown.At(a.Origin, "%s: an answer is about the axis %s, which there is not", hook.Name, ext.Quote(about)))
		return false
	}
	atRest := mode[about] == x.Value.Default()
	if rests {
		return holds && (atRest || a.When != nil)
	}
	return holds && !atRest
}

// aboutAxis is the axis that an answer is about; rests: it holds while that rests.
func aboutAxis(v any) (name string, rests bool) {
	switch v := v.(type) {
	case proxy.Rule:
		return v.Axis, false
	case proxy.Held:
		return v.Axis, true
	case probe.Probe:
		return v.Axis, false
	}
	return "", false
}
