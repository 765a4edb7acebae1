package guard

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
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
	walls    []wall
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
	b := builder{members: m, lost: map[ext.Name]bool{}, asked: map[ext.Digest]bool{}, present: present(m.Decisions)}
	for _, r := range m.Composition.Refused() {
		b.lost[r.Extension] = true
	}
	for _, e := range m.Composition.Entries(policy.Surface.Spec) {
		b.add(of(e.Extension, &e.Contribution), e.Value)
	}
	for _, e := range m.Composition.Entries(toolcall.Before.Spec) {
		b.add(of(e.Extension, &e.Contribution), e.Value)
	}
	for _, s := range m.Composition.Shadowed() { // whoever has its name, it is asked
		if Guards(s.Lost.Spec) && !s.Same {
			b.add(of(s.Lost.Extension, &s.Lost.Contribution), s.Lost.Value)
		}
	}
	for i := range m.Decisions {
		b.hold(&m.Decisions[i])
	}
	if m.Lapsed {
		b.lapsed()
	}
	b.set.policies, b.set.alone = policy.NewSet(b.rules), b.rules
	return &b.set
}

// Guards reports whether entries of a surface are guards of calls.
func Guards(s *surface.Spec) bool {
	return s.Name == policy.Surface.Name || s.Name == toolcall.Before.Name
}

func of(x ext.Name, c *admit.Contribution) Guard {
	return Guard{Name: ext.Qualified(x, c.Name), Kind: c.Spec.Name, Origin: c.Origin, Content: c.Digest}
}

// Empty reports whether nobody would be asked about any call.
func (s *Set) Empty() bool {
	return s == nil || len(s.rules)+len(s.hooks)+len(s.walls) == 0
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
	return out
}
