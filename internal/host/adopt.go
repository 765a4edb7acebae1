package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/state"
)

// Proposal is what adopting the workspace would consent to, as it is now.
type Proposal struct {
	Workspace config.Workspace
	Adopted   bool   // exactly this is adopted already, and nothing waits for a grant
	By        string // of an earlier adoption of this directory; "" without one
	Effects   []Effect
	Changes   []Difference // against what was adopted here last; nil where nothing was
	Plugins   []Plugin     // whose code would be granted
	Setups    []Setup      // set-up steps that would run then, or did
	digest    ext.Digest
	consents  []state.Grant
	adopted   adopted
	known     bool
	after     time.Time // of the adoption before, which this one must be newer than
}

// Digest is what the adoption would be of.
func (p *Proposal) Digest() ext.Digest { return p.digest }

// Possible is nil when the workspace can be adopted: an adoption counts for
// nothing while it is not known what the person and the machine forbid.
func (p *Proposal) Possible() error {
	if p.known {
		return nil
	}
	return ext.AsRefused(errors.New("your own configuration, or the machine's, could not be read whole, so that it is not known what it forbids; mend it first (mortise list names the file)"))
}

// Plugin is a plugin whose code waits for a grant, or has one.
type Plugin struct {
	Name    string     `json:"name"`
	Content ext.Digest `json:"content"` // of its whole tree
	Granted bool       `json:"granted"`
}

// Consented reports whether there is nothing to propose: the workspace is adopted as
// it is here now, and no code of its plugins waits for a grant.
func (g *Generation) Consented() bool {
	return g.whole() == nil && g.Adopted && g.Lapsed == nil && !slices.ContainsFunc(g.consents, func(c admit.Consent) bool {
		return !g.state.Granted(c.Kind, c.Subject, c.Digest, g.at)
	})
}

// Propose looks at the workspace as its person would adopt it: links of theirs
// that lead outside are followed. Nothing is recorded.
func (h *Host) Propose(ctx context.Context) (*Proposal, *Generation, error) {
	h.pass.Lock()
	defer h.pass.Unlock()
	h.kept.told(nil)
	g, err := h.run(ctx, true)
	if err == nil {
		err = g.whole()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read the workspace: %w", err)
	}
	p, err := h.proposal(ctx, g)
	return p, g, err
}

func (h *Host) proposal(ctx context.Context, g *Generation) (*Proposal, error) {
	snap, err := h.options.Store.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("load the state: %w", err)
	}
	h.addTo(&snap)
	w := g.now.Workspace()
	p := &Proposal{
		Workspace: w, Effects: g.effects, digest: g.Effects, Adopted: g.Adopted && g.Lapsed == nil,
		Setups: h.setupsWith(g.proposed), Changes: g.Lapsed, known: g.known, adopted: adopted{Files: g.now.Files(), Effects: g.effects},
	}
	if last, _, ok := snap.LastAdoption(w.ID, w.Dir); ok {
		p.By, p.after = last.By, last.At
	}
	for _, c := range g.consents {
		granted := snap.Granted(c.Kind, c.Subject, c.Digest, h.options.Clock())
		p.Plugins = append(p.Plugins, Plugin{Name: c.Subject, Content: c.Digest, Granted: granted})
		p.consents = append(p.consents, state.Grant{Kind: c.Kind, Subject: c.Subject, Digest: c.Digest})
		p.Adopted = p.Adopted && granted
	}
	return p, nil
}

// Adopt records that the workspace's person adopted what they were shown: its
// configuration, and everything in it that runs, connects or guards, with the
// code that its plugins run. When the workspace is another by now, adopting it
// is refused.
func (h *Host) Adopt(ctx context.Context, by string, shown *Proposal) error {
	records, g, err := h.consent(ctx, by, shown)
	if err != nil {
		return err
	}
	var drop []state.Record
	if h.options.Keep != nil { // with the adoption: no moment in which a guard that was adopted is not remembered
		put, gone, err := h.keepGuards(g, g.proposed, true)
		if err != nil {
			return err
		}
		records, drop = append(records, put...), gone
	}
	return h.change(ctx, state.Event{Kind: "adopted", Subject: g.now.Workspace().ID, By: by}, func(s *state.Snapshot) {
		s.Remove(drop...)
		s.Put(records...)
	})
}

// AdoptOnce is Adopt for this host alone: nothing is recorded, and it ends with
// the host.
func (h *Host) AdoptOnce(ctx context.Context, by string, shown *Proposal) error {
	records, _, err := h.consent(ctx, by, shown)
	if err != nil {
		return err
	}
	h.held.mu.Lock()
	defer h.held.mu.Unlock()
	h.held.records.Put(records...)
	h.held.once = true
	return nil
}

// Once reports whether the workspace is adopted for this host alone.
func (h *Host) Once() bool {
	h.held.mu.Lock()
	defer h.held.mu.Unlock()
	return h.held.once
}

// consent looks once more and makes the records of an adoption of what it sees.
func (h *Host) consent(ctx context.Context, by string, shown *Proposal) ([]state.Record, *Generation, error) {
	now, g, err := h.Propose(ctx)
	if err != nil {
		return nil, nil, err
	}
	if now.digest != shown.digest || !sameGrants(now.consents, shown.consents) {
		return nil, nil, ext.AsRefused(fmt.Errorf("the workspace is not what was shown: something in it changed meanwhile; look at it again"))
	}
	at := h.options.Clock().UTC()
	if !at.After(now.after) { // the clock was set back
		at = now.after.Add(time.Nanosecond)
	}
	w := now.Workspace
	records := []state.Record{state.Adoption{Workspace: w.ID, Digest: now.digest, Place: w.Dir, Snapshot: now.adopted.text(), By: by, At: at}}
	for _, g := range now.consents {
		g.By, g.At = by, at
		records = append(records, g)
	}
	return records, g, nil
}

func sameGrants(a, b []state.Grant) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// held is what this host remembers for itself: consents that nobody recorded,
// and descriptions that are not written, or could not be.
type held struct {
	mu      sync.Mutex
	records state.Snapshot
	once    bool // the workspace is adopted for this host alone
	// unwritten are those of the records that are still to be written.
	unwritten []state.Record
	// pins are of what servers described first, and are not written: not yet, or
	// never where the workspace is adopted for this host alone.
	pins []pinning
}

// addTo adds to a snapshot what this host remembers for itself.
func (h *Host) addTo(s *state.Snapshot) {
	h.held.mu.Lock()
	defer h.held.mu.Unlock()
	for _, a := range h.held.records.Adoptions {
		s.Put(a)
	}
	for _, g := range h.held.records.Grants {
		s.Put(g)
	}
	for _, d := range h.held.records.Descriptions {
		s.Put(d)
	}
	h.addPins(s)
}
