package host

import (
	"context"
	"fmt"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/guard"
	"github.com/mortise-dev/mortise/internal/state"
)

// Keep keeps bytes under their digests: the guards that are remembered.
type Keep interface {
	// Put keeps bytes. What is there already stays.
	Put(raw []byte) error
	// Get is the bytes of a digest; nil when there are none, or others.
	Get(ext.Digest) []byte
}

// Guards are everything that is asked before a call.
func (g *Generation) Guards() *guard.Set { return g.guarding() }

// remembered are the guards that are remembered of extensions that may need them.
func (p *pass) remembered() []guard.Remembered {
	keep := p.host.options.Keep
	var out []guard.Remembered
	for _, r := range p.state.Guards {
		var raw []byte
		if keep != nil {
			raw = keep.Get(r.Code)
		}
		out = append(out, guard.Recall(r, raw))
	}
	return out
}

// remember keeps the guards of what is admitted now, so that they are asked when
// it is refused later, and forgets those of what its owner disabled.
func (h *Host) rememberGuards(ctx context.Context, g *Generation) error {
	whole := g.whole() == nil // else what seems gone may be there
	if h.options.Look || h.options.Keep == nil || !g.Adopted || g.Lapsed != nil || !whole {
		return nil
	}
	now, gone := g.mementos()
	var put, drop []state.Record
	for _, was := range g.state.Guards {
		if gone[was.Extension] || now[was.Extension] != nil && !slices.ContainsFunc(now[was.Extension], func(m guard.Memento) bool { return sameGuard(m.Record, was) }) {
			drop = append(drop, was)
		}
	}
	for _, list := range now {
		for _, m := range list {
			if slices.ContainsFunc(g.state.Guards, func(was state.Guard) bool { return sameGuard(m.Record, was) }) {
				continue
			}
			if err := h.options.Keep.Put(m.Bytes); err != nil {
				return fmt.Errorf("remember the guard %s: %w", ext.Escape(ext.Qualified(m.Record.Extension, m.Record.Name)), err)
			}
			m.Record.At = h.options.Clock().UTC()
			put = append(put, m.Record)
		}
	}
	if len(put)+len(drop) == 0 {
		return nil
	}
	err := h.options.Store.Update(ctx, func(s *state.Snapshot) error {
		s.Remove(drop...)
		s.Put(put...)
		return nil
	})
	if err != nil {
		return fmt.Errorf("remember the guards of extensions: %w", err)
	}
	return nil
}

func sameGuard(a, b state.Guard) bool {
	return a.Extension == b.Extension && a.Name == b.Name && a.Event == b.Event && a.Matcher == b.Matcher && a.Code == b.Code
}

// mementos are the guards of each admitted extension, none for one that has none,
// and the extensions that are disabled.
func (g *Generation) mementos() (now map[ext.Name][]guard.Memento, gone map[ext.Name]bool) {
	now, gone = map[ext.Name][]guard.Memento{}, map[ext.Name]bool{}
	refused := map[ext.Name]bool{}
	for i := range g.decisions {
		d := &g.decisions[i]
		name := d.Tree().Extension
		switch d.Status() {
		case admit.Disabled:
			gone[name] = true
		case admit.Admitted:
			now[name] = append(append([]guard.Memento{}, now[name]...), guard.Mementos(d)...)
		default:
			refused[name] = true
		}
	}
	for name := range refused { // one of its trees cannot be judged: what was stays
		delete(now, name)
		delete(gone, name)
	}
	return now, gone
}
