package plan

import (
	"context"
	"fmt"
	"maps"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/hook/axis"
	"github.com/mortise-dev/mortise/internal/hook/proxy"
	"github.com/mortise-dev/mortise/internal/hook/secret"
	"github.com/mortise-dev/mortise/internal/surface"
)

// unheard is an issue for everybody who may object to a mode and does not answer: what
// they have against it is not known, so that it is not set. Going to defaults needs nobody.
func (r *Registry) unheard(ctx context.Context, c Change, mode ext.Mode) []Issue {
	lowers := true
	for _, u := range c.Updates {
		lowers = lowers && u.Level == r.Axis(u.Axis).Value.Default()
	}
	if lowers {
		return nil
	}
	var out []Issue
	p := r.Plan(mode)
	for _, hook := range []*surface.Spec{axis.Issues.Spec, proxy.Rules.Spec} {
		for _, f := range p.Gather(ctx, hook).Findings {
			if f.Check == HookFailed {
				out = append(out, Issue{Fatal: true, Message: fmt.Sprintf("what may object does not answer: %s; mend its extension, or disable it", f.Message), Origin: f.Origin})
			}
		}
	}
	return out
}

// SecretNames are the variables that hold secrets in any mode, as far as anybody says so:
// what a text of ours must not show the value of.
func (p *Plan) SecretNames(ctx context.Context) map[string]bool {
	r := p.registry
	out := map[string]bool{}
	for _, hook := range []*surface.Spec{secret.Wanted.Spec, proxy.Rules.Spec} {
		ignored := new(Gathered)
		all := r.rows(hook, ignored)
		for _, mode := range r.single() {
			q := surface.Question{Workspace: r.in.Worktree, Mode: mode, Tables: r.in.Tables}
			entries := r.in.Composition.Entries(hook)
			for i := range entries {
				all = append(all, r.answers(ctx, hook, &entries[i], q, ignored)...)
			}
		}
		for i := range all {
			switch v := all[i].Value.(type) {
			case secret.Secret:
				out[v.Variable] = true
			case proxy.Rule:
				if v.Secret != "" {
					out[v.Secret] = true
				}
			}
		}
	}
	return out
}

// single are the modes in which at most one axis is not at its default. What data says of
// others does not matter: its conditions are not asked.
func (r *Registry) single() []ext.Mode {
	out := []ext.Mode{r.Default()}
	for i := range r.axes {
		a := &r.axes[i].Value
		for _, l := range a.Levels[1:] {
			m := maps.Clone(out[0])
			m[a.Name] = l
			out = append(out, m)
		}
	}
	return out
}
