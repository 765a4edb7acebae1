package guard

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/hook/clientevent"
	"github.com/mortise-dev/mortise/internal/hook/toolcall"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/policy"
)

// Set is everything that is asked before a call. It is immutable; the zero Set
// asks nobody.
type Set struct {
	policies *policy.Set   // nil: none
	rules    []Guard       // by the policies' positions
	alone    []policy.Rule // the same policies
	hooks    []hook
	handlers []handler
	walls    []wall

	observers int // among the handlers
}

// Guard is one member of a set, for people.
type Guard struct {
	Name   string // qualified
	Kind   string // the surface: "policy", "before_tool_call"
	Origin ext.Origin
	// Content is the digest of the guard itself, which a standing answer is bound to.
	Content ext.Digest
	Held    bool   // its extension is in quarantine, or it is asked as it was before a change
	Broken  string // why it cannot be asked, so that it denies what it guards; "" when it can
}

// fix is how its owner declares that it guards nothing, for one of which that is not
// known.
func (g *Guard) fix() string {
	if g.Kind != clientevent.On.Name || g.Broken != "" || !ext.Bare(g.Name) {
		return ""
	}
	return "if it only watches, its owner may say so: mortise grant observer " + g.Name
}

// hook is an implementation of the hook before a call.
type hook struct {
	Guard
	pattern
	im surface.Implementation
}

// wall is a guard that cannot be asked and denies what it guards.
type wall struct {
	Guard
	pattern
}

// Members are how a set is made: what is in use, what was decided about all that
// was found, and what is remembered of guards that cannot be read now.
type Members struct {
	Composition *compose.Composition
	Decisions   []admit.Decision
	// Adopted: the workspace's person adopted it. The guards of what nobody adopted
	// guard nothing, since nothing of it is in use.
	Adopted bool
	// Lapsed: the workspace is not what its person adopted. What was remembered of its
	// guards is asked beside what they are now, so that none goes unseen.
	Lapsed bool
	// Scope is that of the workspace, by which its own guards are remembered.
	Scope ext.Digest
	// Observes reports whether the owner declared of a handler with that content, in a
	// tree of that content, that it only watches; nil: of none.
	Observes func(name string, content, tree ext.Digest) bool
	// Granted reports whether the code of an extension is granted with that content; nil:
	// none is.
	Granted func(x ext.Name, content ext.Digest) bool
	// Kept is the directory in which the tree of an extension is kept as it was, by the
	// digest of all that it held, where its code is still granted; "" where it is not.
	// Nil: none is.
	Kept func(x ext.Name, tree ext.Digest) string
	// Data is the directory that an extension may keep things in; nil: none has one.
	Data func(ext.Tree) string
	// Remembered are the guards of extensions as they were last admitted.
	Remembered []Remembered
	// Off reports whether an entry of an extension was disabled, be it there or not;
	// nil: none was.
	Off func(x ext.Name, entry string) bool
}

func (m *Members) off(x ext.Name, entry string) bool { return m.Off != nil && m.Off(x, entry) }

// New is the set of all that may object to a call: the guards in use, in load
// order, then those in quarantine. A guard that could be asked and cannot answer
// denies what it guards (law 5).
func New(m Members) *Set {
	b := builder{members: m, lost: map[ext.Name]bool{}, asked: map[ext.Digest]bool{}, present: present(m.Decisions), frozen: map[ext.Name]map[string]bool{}}
	b.trees, b.contents = trees(m.Decisions)
	for _, r := range m.Composition.Refused() {
		b.lost[r.Extension] = true
	}
	for _, e := range m.Composition.Entries(policy.Surface.Spec) {
		b.add(of(e.Extension, &e.Contribution), e.Value)
	}
	for _, spec := range []*surface.Spec{toolcall.Before.Spec, clientevent.On.Spec} {
		for _, e := range m.Composition.Entries(spec) {
			b.add(of(e.Extension, &e.Contribution), e.Value)
		}
	}
	for _, s := range m.Composition.Shadowed() { // whoever has its name, it is asked
		if Guards(s.Lost.Spec) && !s.Same {
			b.add(of(s.Lost.Extension, &s.Lost.Contribution), s.Lost.Value)
		}
	}
	for i := range m.Decisions {
		b.hold(&m.Decisions[i])
	}
	if m.Lapsed || !m.Adopted { // who can make the workspace another one takes no guard away with that
		b.lapsed()
	}
	b.set.policies, b.set.alone = policy.NewSet(b.rules), b.rules
	return &b.set
}

// Guards reports whether entries of a surface are guards of calls.
func Guards(s *surface.Spec) bool {
	return s.Name == policy.Surface.Name || s.Name == toolcall.Before.Name || s.Name == clientevent.On.Name
}

func of(x ext.Name, c *admit.Contribution) Guard {
	return Guard{Name: ext.Qualified(x, c.Name), Kind: c.Spec.Name, Origin: c.Origin, Content: c.Digest}
}

// Empty reports whether nobody would be asked about any call.
func (s *Set) Empty() bool {
	return s == nil || len(s.rules)+len(s.hooks)+len(s.walls)+len(s.handlers) == 0
}

// Asked are the guards that would be asked about a call, in the order in which
// they are: policies, guards that cannot answer, then the others.
func (s *Set) Asked(c *Call) []Guard {
	if s.Empty() {
		return nil
	}
	var out []Guard
	for _, r := range s.policies.Consulted(c.action()) {
		out = append(out, s.rules[r.Index()])
	}
	for i := range s.walls {
		if w := &s.walls[i]; w.matches(c) {
			out = append(out, w.Guard)
		}
	}
	for i := range s.hooks {
		if h := &s.hooks[i]; h.matches(c) {
			out = append(out, h.Guard)
		}
	}
	for _, h := range s.handling(c) {
		out = append(out, h.Guard)
	}
	return out
}

// Still are those of some objections whose guards are members of the set as they
// were.
func (s *Set) Still(objections []Objection) (out []Objection) {
	if len(objections) == 0 {
		return nil
	}
	there := map[Guard]bool{}
	note := func(g *Guard) { there[Guard{Name: g.Name, Content: g.Content}] = true }
	for i := range s.rules {
		note(&s.rules[i])
	}
	for i := range s.hooks {
		note(&s.hooks[i].Guard)
	}
	for i := range s.handlers {
		note(&s.handlers[i].Guard)
	}
	for i := range s.walls {
		note(&s.walls[i].Guard)
	}
	for _, o := range objections {
		if there[Guard{Name: o.Guard, Content: o.Content}] {
			out = append(out, o)
		}
	}
	return out
}

// Handlers are the handlers of clients' hooks, whatever they do: those that can be
// run, then those that deny because they cannot.
func (s *Set) Handlers() []Guard {
	var out []Guard
	for i := range s.handlers {
		out = append(out, s.handlers[i].Guard)
	}
	for i := range s.walls {
		if s.walls[i].occasion != nil {
			out = append(out, s.walls[i].Guard)
		}
	}
	return out
}

// Quarantined are the guards of refused extensions.
func (s *Set) Quarantined() []Guard {
	var out []Guard
	for i := range s.rules {
		if s.rules[i].Held {
			out = append(out, s.rules[i])
		}
	}
	for i := range s.walls {
		if s.walls[i].Held {
			out = append(out, s.walls[i].Guard)
		}
	}
	for i := range s.hooks {
		if s.hooks[i].Held {
			out = append(out, s.hooks[i].Guard)
		}
	}
	for i := range s.handlers {
		if s.handlers[i].Held {
			out = append(out, s.handlers[i].Guard)
		}
	}
	return out
}
