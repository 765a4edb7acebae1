package host

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/state"
)

// pinning is a pin with the definition that it is of.
type pinning struct {
	pin        state.Pin
	server     state.Pin // the pin of its server
	definition []byte    // nil for the pin of a server
}

// pinned is what identifies a pin.
type pinned struct {
	workspace     string
	extension     ext.Name
	server, entry string
}

func pinnedOf(p *state.Pin) pinned { return pinned{p.Workspace, p.Extension, p.Server, p.Tool} }

func (k pinned) ofServer() pinned {
	k.entry = admit.ServerPin
	return k
}

// pinsIn are the places of the pins of a snapshot.
func pinsIn(s *state.Snapshot) map[pinned]int {
	out := make(map[pinned]int, len(s.Pins))
	for i := range s.Pins {
		out[pinnedOf(&s.Pins[i])] = i
	}
	return out
}

// putPins is Put for many pins.
func putPins(s *state.Snapshot, pins []state.Pin) {
	at := pinsIn(s)
	for _, p := range pins {
		k := pinnedOf(&p)
		if i, there := at[k]; there {
			s.Pins[i] = p
			continue
		}
		at[k] = len(s.Pins)
		s.Pins = append(s.Pins, p)
	}
}

// first is the least trust of a server of which the first description counts as
// approved. Who adopts the workspace for one process consents to all that it serves
// then, plugins included.
func (h *Host) first(c *config.Config) ext.Trust {
	h.held.mu.Lock()
	defer h.held.mu.Unlock()
	switch {
	case c.Trust.Tools != config.First:
		return 0
	case h.held.once:
		return ext.Plugin
	}
	return ext.Owner
}

// byFirst is who pins what servers describe first.
const byFirst = "mortise: the first description of a server of the owner's"

// pinFirst pins what servers of the owner's said of themselves first, for who holds
// the lock of the pass. A host that runs no servers pins nothing. What cannot be
// written holds in this host all the same, and is written later.
func (h *Host) pinFirst(ctx context.Context, g *Generation) error {
	if h.options.Look || h.options.Serve == nil {
		return nil
	}
	fresh := h.firsts(g)
	h.held.mu.Lock()
	h.held.pins = append(h.held.pins, fresh...)
	todo := h.held.pins
	if h.held.once {
		todo = nil
	}
	h.held.mu.Unlock()
	if len(todo) == 0 {
		return nil
	}
	if err := h.writeFirst(ctx, todo); err != nil {
		return fmt.Errorf("remember what servers offered first: %w", err)
	}
	h.held.mu.Lock()
	defer h.held.mu.Unlock()
	h.held.pins = nil
	return nil
}

// firsts are the pins of what servers said of themselves first.
func (h *Host) firsts(g *Generation) []pinning {
	var out []pinning
	for i := range g.decisions {
		d := &g.decisions[i]
		if !d.First() {
			continue
		}
		server := h.serverPin(g, d, byFirst)
		out = append(out, pinning{pin: server, server: server})
		for c, raw := range d.Definitions() {
			p := server
			p.Tool, p.Digest = state.EntryName(c.Spec.Name, c.Name), c.Defined
			out = append(out, pinning{p, server, raw})
		}
	}
	return out
}

// serverPin says that the first description of a server was dealt with.
func (h *Host) serverPin(g *Generation, d *admit.Decision, by string) state.Pin {
	of := d.Tree().Describes
	return state.Pin{
		Workspace: g.Config.Workspace().ID, Extension: d.Tree().Extension, Server: of.Entry, Tool: admit.ServerPin,
		Digest: of.Declaration, By: by, At: h.options.Clock().UTC(),
	}
}

// writeFirst writes pins, but for those of servers that another process has dealt
// with by now.
func (h *Host) writeFirst(ctx context.Context, all []pinning) error {
	if err := h.keepDefinitions(all); err != nil {
		return err
	}
	return h.options.Store.Update(ctx, func(s *state.Snapshot) error {
		there := pinsIn(s)
		var pins []state.Pin
		for i := range all {
			if _, dealt := there[pinnedOf(&all[i].pin).ofServer()]; !dealt {
				pins = append(pins, all[i].pin)
			}
		}
		putPins(s, pins)
		return nil
	})
}

// keepDefinitions keeps what pins are of, so that it can be shown when it changes.
func (h *Host) keepDefinitions(all []pinning) error {
	if h.options.Definitions == nil {
		return nil
	}
	for i := range all {
		if all[i].definition == nil {
			continue
		}
		if err := h.options.Definitions.Put(all[i].definition); err != nil {
			return fmt.Errorf("keep the definition of %s: %w", ext.Escape(all[i].pin.Tool), err)
		}
	}
	return nil
}

// definition is what a pin is of; nil when it is not kept.
func (h *Host) definition(p *state.Pin) []byte {
	if h.options.Definitions == nil || p == nil {
		return nil
	}
	return h.options.Definitions.Get(p.Digest)
}

// addPins adds to a snapshot the pins that this host holds and nobody wrote. The
// lock of what is held is held.
func (h *Host) addPins(s *state.Snapshot) {
	if len(h.held.pins) == 0 {
		return
	}
	there := pinsIn(s)
	for i := range h.held.pins {
		if p := &h.held.pins[i].pin; !has(there, pinnedOf(p)) {
			s.Pins = append(s.Pins, *p)
		}
	}
}

func has(in map[pinned]int, k pinned) bool {
	_, ok := in[k]
	return ok
}

// Awaiting is a definition that waits for its person's approval.
type Awaiting struct {
	Surface   string
	Extension ext.Name
	Server    string // its qualified name
	Name      string // the entry's qualified name
	Digest    ext.Digest
	Was       *state.Pin // what was approved; nil: nothing was
	Now       []byte     // the definition, in canonical form
	Before    []byte     // the one that was approved; nil when it is not kept
	pin       state.Pin
	server    state.Pin // says that its server's first description was dealt with
}

// Subject names the entry where names of several surfaces are alike.
func (a *Awaiting) Subject() string { return ext.Qualified(a.Extension, a.pin.Tool) }

// Awaiting are all definitions that wait for approval, those of one server together.
func (h *Host) Awaiting(g *Generation) []Awaiting {
	var out []Awaiting
	for i := range g.decisions {
		d := &g.decisions[i]
		waiting := d.Waiting()
		if len(waiting) == 0 {
			continue
		}
		raw := map[*admit.Contribution][]byte{}
		for c, definition := range d.Definitions() {
			raw[c] = definition
		}
		for _, w := range waiting {
			x := d.Tree().Extension
			server := h.serverPin(g, d, "")
			a := Awaiting{
				Surface: w.Spec.Name, Extension: x, Server: ext.Qualified(x, server.Server), Name: ext.Qualified(x, w.Name),
				Digest: w.Defined, Was: w.Was, Now: raw[w.Contribution], Before: h.definition(w.Was), pin: server, server: server,
			}
			a.pin.Tool, a.pin.Digest = state.EntryName(w.Spec.Name, w.Name), w.Defined
			out = append(out, a)
		}
	}
	return out
}

// Unapproved counts what waits for approval, by the qualified names of servers.
func (g *Generation) Unapproved() map[string]int {
	out := map[string]int{}
	for i := range g.decisions {
		d := &g.decisions[i]
		if n := len(d.Waiting()); n > 0 {
			out[ext.Qualified(d.Tree().Extension, d.Tree().Describes.Entry)] += n
		}
	}
	return out
}

// Approve approves definitions as they were shown. When one of them is another by
// now, or waits no more, nothing is approved, and that is a refusal.
func (h *Host) Approve(ctx context.Context, by string, shown []Awaiting) error {
	g, err := h.Refresh(ctx)
	if err != nil {
		return err
	}
	now := map[pinned]*Awaiting{}
	waiting := h.Awaiting(g)
	for i := range waiting {
		now[pinnedOf(&waiting[i].pin)] = &waiting[i]
	}
	var all []pinning
	var names []string
	for i := range shown {
		a := now[pinnedOf(&shown[i].pin)]
		if a == nil || a.Digest != shown[i].Digest {
			return ext.AsRefused(fmt.Errorf("%s is not what was shown: it changed meanwhile, or is not offered any more; look at it again", ext.Escape(shown[i].Name)))
		}
		a.pin.By, a.server.By = by, by
		all = append(all, pinning{a.pin, a.server, a.Now})
		names = append(names, a.Name)
	}
	if err := h.keepDefinitions(all); err != nil {
		return err
	}
	e := state.Event{Kind: "approved", Subject: ext.Shorten(strings.Join(names, ", "), 300), By: by}
	return h.change(ctx, e, func(s *state.Snapshot) { approve(s, all) })
}

// approve puts pins, and that their servers' first descriptions were dealt with.
func approve(s *state.Snapshot, all []pinning) {
	there := pinsIn(s)
	var pins []state.Pin
	for i := range all {
		p := all[i].pin
		pins = append(pins, p)
		if k := pinnedOf(&p).ofServer(); !has(there, k) {
			there[k] = len(s.Pins)
			pins = append(pins, all[i].server)
		}
	}
	putPins(s, pins)
}

// Choose are those of what waits that names mean: an extension, a server, or an
// entry, by its qualified name, with its surface or without, or by its own name where
// one alone has it. No names mean all. What nobody knows by a name is a usage error.
func (g *Generation) Choose(waiting []Awaiting, names []string) ([]Awaiting, error) {
	if len(names) == 0 {
		return waiting, nil
	}
	chosen := make([]bool, len(waiting))
	for _, name := range names {
		if err := g.choose(waiting, name, chosen); err != nil {
			return nil, err
		}
	}
	var out []Awaiting
	for i := range waiting {
		if chosen[i] {
			out = append(out, waiting[i])
		}
	}
	return out, nil
}

func (g *Generation) choose(waiting []Awaiting, name string, chosen []bool) error {
	var short, known []string
	found := false
	for i := range waiting {
		a := &waiting[i]
		if name == string(a.Extension) || name == a.Server || name == a.Name || name == a.Subject() {
			chosen[i], found = true, true
		}
		known = append(known, a.Name, a.Subject())
	}
	if found {
		return nil
	}
	for i := range waiting {
		if a := &waiting[i]; name == strings.TrimPrefix(a.Name, a.Server+"/") {
			short = append(short, a.Name)
			chosen[i] = true
		}
	}
	if len(short) > 1 {
		slices.Sort(short)
		return ext.AsUsage(fmt.Errorf("%s could be %s; use one of these names", ext.Quote(ext.Shorten(name, 80)), ext.Escape(strings.Join(short, " or "))))
	}
	if len(short) == 1 {
		return nil
	}
	if names := g.describing(); slices.Contains(names, name) {
		return nil // it waits for nothing
	} else {
		return unknown("server, or anything that one offers,", name, append(known, names...))
	}
}

// describing are the names of extensions that have servers, of servers, and of what
// they offer.
func (g *Generation) describing() []string {
	var out []string
	for i := range g.decisions {
		d := &g.decisions[i]
		x := d.Tree().Extension
		of := d.Tree().Describes
		if of == nil || d.Status() == admit.Outdated {
			continue
		}
		out = append(out, string(x), ext.Qualified(x, of.Entry))
		for j := range d.Contributions() {
			c := &d.Contributions()[j]
			out = append(out, ext.Qualified(x, c.Name), ext.Qualified(x, state.EntryName(c.Spec.Name, c.Name)), strings.TrimPrefix(c.Name, of.Entry+"/"))
		}
	}
	return out
}
