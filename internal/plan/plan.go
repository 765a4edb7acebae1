// Package plan resolves a composition for one place: what should run, and be so, for a
// worktree in a mode. A plan can be made for a mode that nobody has set, and making one
// changes nothing.
package plan

import (
	"context"
	"maps"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/server"
)

// Plan is what should be in one mode. It is immutable; what hooks answer is asked for
// when it is first wanted.
type Plan struct {
	Worktree string // absolute directory of the worktree it is for
	Mode     ext.Mode
	Servers  []compose.Typed[server.Server] // what would be started or reached, in load order
	Digest   ext.Digest                     // of the registry, the mode and nothing else

	registry *Registry
	mu       sync.Mutex
	gathered map[*surface.Spec]*Gathered
}

// Plan is the plan of a mode. Axes that the mode does not name are at their defaults,
// and what it says of axes that there are not is kept: it means nothing to anybody.
func (r *Registry) Plan(mode ext.Mode) *Plan {
	whole := r.Default()
	maps.Copy(whole, mode)
	h := ext.NewHash("plan").Digest(r.digest)
	for _, axis := range sorted(whole) {
		h.Text(axis, whole[axis])
	}
	return &Plan{
		Worktree: r.in.Worktree, Mode: whole, Servers: compose.Of(r.in.Composition, server.Surface), Digest: h.Sum(),
		registry: r, gathered: map[*surface.Spec]*Gathered{},
	}
}

// Gather is what the hook is answered in the plan's mode. A hook that fails costs its
// own answers, and is told among the findings.
func (p *Plan) Gather(ctx context.Context, hook *surface.Spec) *Gathered {
	if hook.Answers.Fixed {
		return p.registry.Fixed(ctx, hook)
	}
	p.mu.Lock()
	g, known := p.gathered[hook]
	p.mu.Unlock()
	if known {
		return g
	}
	g = p.registry.gather(ctx, hook, p.Mode, false) // twice at once is twice the same
	if ctx.Err() == nil {
		p.mu.Lock()
		p.gathered[hook] = g
		p.mu.Unlock()
	}
	return g
}

// Dirs are the directories of an extension that its answers may name; none where it has
// none.
func (p *Plan) Dirs(name ext.Name) Dirs { return p.registry.in.Dirs[name] }

// Typed is an answer with its value's type back.
type Typed[T any] struct {
	Given
	Value T
}

// Of are the answers to a hook in a plan, merged.
func Of[T any](ctx context.Context, p *Plan, h surface.Hook[surface.Question, T]) []Typed[T] {
	return typed[T](p.Gather(ctx, h.Spec))
}

func typed[T any](g *Gathered) []Typed[T] {
	out := make([]Typed[T], 0, len(g.Answers))
	for _, a := range g.Answers {
		if v, ok := a.Value.(T); ok {
			out = append(out, Typed[T]{a, v})
		}
	}
	return out
}
