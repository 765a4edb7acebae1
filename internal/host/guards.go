package host

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/config"
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

// ofPerson is the scope of what is a person's own, in every workspace.
var ofPerson = ext.NewHash("guards of a person").Sum()

// scope is that of a workspace by its place: what is remembered of its extensions is
// not asked in another of the same names, and is asked here though the directory
// became another workspace (a repository was begun in it, or taken out of it).
func scope(w config.Workspace) ext.Digest {
	return ext.NewHash("guards of a workspace").Text(w.Dir).Sum()
}

// members are a generation's guards but for its composition.
func (p *pass) members(g *Generation) guard.Members {
	m := guard.Members{
		Decisions: g.decisions, Adopted: g.Adopted, Lapsed: g.Lapsed != nil, Scope: scope(p.config.Workspace()),
		Off: func(x ext.Name, entry string) bool {
			_, off := p.state.Disabled(p.id(), x, entry)
			return off
		},
		Observes: func(name string, content, tree ext.Digest) bool {
			return p.state.Granted(admit.GrantObserver, name, admit.Observing(content, tree, p.id()), p.now)
		},
		Data:    p.host.options.Data,
		Granted: p.grantedCode,
		Kept: func(x ext.Name, tree ext.Digest) string {
			if p.host.options.Trees == nil || !p.grantedCode(x, tree) {
				return ""
			}
			return p.host.options.Trees.Dir(tree)
		},
	}
	for _, r := range g.remembered() {
		m.Remembered = append(m.Remembered, guard.Recall(r, g.kept()[r.Code]))
	}
	return m
}

// grantedCode reports whether the code of an extension is granted with a content.
func (p *pass) grantedCode(x ext.Name, content ext.Digest) bool {
	return p.state.Granted(admit.GrantCode, string(x), content, p.now)
}

// remembered are the records of guards of the person's own extensions and of this
// workspace's.
func (g *Generation) remembered() []state.Guard {
	here := scope(g.now.Workspace())
	var out []state.Guard
	for _, r := range g.state.Guards {
		if r.Scope == here || r.Scope == ofPerson {
			out = append(out, r)
		}
	}
	return out
}

// keptOf is what is kept of the guards that a generation remembers, by digest. It is
// read once.
func (h *Host) keptOf(g *Generation) func() map[ext.Digest][]byte {
	return sync.OnceValue(func() map[ext.Digest][]byte {
		out := map[ext.Digest][]byte{}
		if h.options.Keep == nil {
			return out
		}
		for _, r := range g.remembered() {
			if raw := h.options.Keep.Get(r.Code); raw != nil {
				out[r.Code] = raw
			}
		}
		return out
	})
}

// rememberGuards keeps the guards of what is admitted now, so that they are asked
// when it is refused later. Those of what its owner disabled stay remembered: it may
// be refused when it is enabled again.
func (h *Host) rememberGuards(ctx context.Context, g *Generation) error {
	whole := g.whole() == nil // else what seems gone may be there
	if h.options.Look || h.options.Keep == nil || !g.Adopted || g.Lapsed != nil || !whole {
		return nil
	}
	put, drop, err := h.keepGuards(g, g.decisions, false)
	if err != nil {
		return err
	}
	if len(put)+len(drop) == 0 {
		return nil
	}
	var now state.Snapshot
	err = h.options.Store.Update(ctx, func(s *state.Snapshot) error {
		s.Remove(drop...)
		s.Put(put...)
		now = s.Clone()
		return nil
	})
	if err != nil {
		return fmt.Errorf("remember the guards of extensions: %w", err)
	}
	if len(drop) > 0 {
		h.sweepTrees(&now)
	}
	return nil
}

// keepGuards keeps the bytes of the guards of what was decided, and returns the
// records that remember them and those that they take the place of. What waits for a
// grant takes the place of nothing, unless that is given with this very step.
func (h *Host) keepGuards(g *Generation, decisions []admit.Decision, granting bool) (put, drop []state.Record, err error) {
	now, known := mementos(decisions, scope(g.now.Workspace())), g.remembered()
	frozen := map[rememberedOf]bool{}
	for of, list := range now {
		waits := func(m guard.Memento) bool { return m.Waits && m.Tree != (ext.Digest{}) }
		if !granting && (slices.ContainsFunc(list, waits) || ungrantedTree(g, decisions, of.extension)) {
			frozen[of], now[of] = true, slices.DeleteFunc(list, waits)
		}
	}
	for _, was := range known {
		of := rememberedOf{was.Extension, was.Scope}
		list := now[of]
		if list != nil && !frozen[of] && !slices.ContainsFunc(list, func(m guard.Memento) bool { return sameGuard(m.Record, was) }) {
			drop = append(drop, was)
		}
	}
	for _, list := range now {
		for _, m := range list {
			if slices.ContainsFunc(known, func(was state.Guard) bool { return sameGuard(m.Record, was) }) && g.kept()[m.Record.Code] != nil {
				continue
			}
			if err := h.options.Keep.Put(m.Bytes); err != nil {
				return nil, nil, fmt.Errorf("remember the guard %s: %w", ext.Escape(ext.Qualified(m.Record.Extension, m.Record.Name)), err)
			}
			h.keepTree(g, &m)
			m.Record.At = h.options.Clock().UTC()
			put = append(put, m.Record)
		}
	}
	return put, drop, nil
}

// ungrantedTree reports whether a plugin is not as its code was granted, though it
// was at some time: it may have no program left that could wait for a grant.
func ungrantedTree(g *Generation, decisions []admit.Decision, x ext.Name) bool {
	for i := range decisions {
		d := &decisions[i]
		if d.Tree().Extension == x && d.Tree().Describes == nil && d.Tree().Origin.Trust == ext.Plugin {
			granted := slices.ContainsFunc(g.state.Grants, func(r state.Grant) bool { return r.Kind == admit.GrantCode && r.Subject == string(x) })
			now := slices.ContainsFunc(g.state.Grants, func(r state.Grant) bool {
				return r.Kind == admit.GrantCode && r.Subject == string(x) && r.Digest == d.Content()
			})
			return granted && !now
		}
	}
	return false
}

func sameGuard(a, b state.Guard) bool {
	return a.Extension == b.Extension && a.Scope == b.Scope && a.Name == b.Name && a.Event == b.Event && a.Matcher == b.Matcher && a.Code == b.Code
}

// rememberedEntries are the names, short and with their surface, of the guards that
// are remembered of an extension: what may be asked though the extension shows it no
// more can be disabled.
func (g *Generation) rememberedEntries(extension string) []string {
	var out []string
	for _, r := range g.remembered() {
		if string(r.Extension) == extension {
			out = append(out, r.Name, state.EntryName(r.Event, r.Name))
		}
	}
	return out
}

// rememberedOf is an extension of a scope.
type rememberedOf struct {
	extension ext.Name
	scope     ext.Digest
}

// mementos are the guards of each admitted extension of the workspace of a scope; a
// list without any for one that has none.
func mementos(decisions []admit.Decision, here ext.Digest) map[rememberedOf][]guard.Memento {
	now, refused := map[rememberedOf][]guard.Memento{}, map[rememberedOf]bool{}
	for i := range decisions {
		d := &decisions[i]
		of := rememberedOf{d.Tree().Extension, ofPerson}
		if admit.OfWorkspace(d.Tree()) {
			of.scope = here
		}
		switch d.Status() {
		case admit.Disabled:
		case admit.Admitted:
			list := now[of]
			if list == nil {
				list = []guard.Memento{}
			}
			for _, m := range guard.Mementos(d) {
				m.Record.Scope = of.scope
				list = append(list, m)
			}
			now[of] = list
		default:
			refused[of] = true
		}
	}
	for of := range refused { // one of its trees cannot be judged: what was stays
		delete(now, of)
	}
	return now
}
