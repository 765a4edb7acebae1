package host

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/state"
)

// Kinds of consents, beside GrantAnswer.
const (
	// KindCode is to the code and the servers of a plugin.
	KindCode = admit.GrantCode
	// KindPin is a pin: to one definition of what a server offers.
	KindPin = "pin"
)

// Consented is one consent that is remembered: a grant, or a pin in this workspace.
type Consented struct {
	Kind    string
	Subject string // what it is to, as Revoke takes it
	Server  string // of a pin: the qualified name of its server
	Surface string // of a pin
	Name    string // of a pin: the entry's qualified name
	Digest  ext.Digest
	By      string
	At      time.Time
	Until   time.Time // zero: until what it is to changes
	record  state.Record
	pin     *state.Pin
}

// Consents are all that are remembered, those that lapsed included: the grants by
// their kind, then the pins of this workspace.
func (h *Host) Consents(ctx context.Context) ([]Consented, error) {
	g, err := h.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	snap, err := h.options.Store.Load(ctx)
	if err != nil {
		return nil, fmt.Errorf("load the state: %w", err)
	}
	var out []Consented
	for _, r := range snap.Grants {
		out = append(out, Consented{Kind: r.Kind, Subject: r.Subject, Digest: r.Digest, By: r.By, At: r.At, Until: r.Until, record: r})
	}
	slices.SortStableFunc(out, func(a, b Consented) int { return cmp.Compare(a.Kind, b.Kind) })
	for _, r := range snap.Pins {
		if r.Workspace == g.Config.Workspace().ID && r.Tool != admit.ServerPin {
			out = append(out, consentedPin(r))
		}
	}
	return out, nil
}

func consentedPin(r state.Pin) Consented {
	surface, name, _ := strings.Cut(r.Tool, "/")
	return Consented{
		Kind: KindPin, Subject: ext.Qualified(r.Extension, r.Tool), Surface: surface, Name: ext.Qualified(r.Extension, name),
		Server: ext.Qualified(r.Extension, r.Server), Digest: r.Digest, By: r.By, At: r.At, record: r, pin: &r,
	}
}

// Definition is what a pin is of, in canonical form; nil for what is none, and where
// it is not kept.
func (h *Host) Definition(c *Consented) []byte { return h.definition(c.pin) }

// About are those of all that a name means: its subject, or for a pin its server, or
// the entry without its surface. A name that means none is a usage error.
func About(all []Consented, name string) ([]Consented, error) {
	var out []Consented
	var known []string
	for i := range all {
		c := &all[i]
		known = append(known, c.Subject)
		if c.pin != nil {
			known = append(known, c.Server, c.Name)
		}
		if name == c.Subject || c.pin != nil && (name == c.Server || name == c.Name) {
			out = append(out, *c)
		}
	}
	if len(out) == 0 {
		return nil, unknown("grant", name, known)
	}
	return out, nil
}

// Revoke takes back every consent that a name means, and returns them. It holds for
// the very next call: what a pin was of waits for approval again, even where the first
// description of its server counted as approved.
func (h *Host) Revoke(ctx context.Context, name, by string) ([]Consented, error) {
	all, err := h.Consents(ctx)
	if err != nil {
		return nil, err
	}
	gone, err := About(all, name)
	if err != nil {
		return nil, err
	}
	e := state.Event{Kind: "revoked", Subject: ext.Shorten(name, 300), By: by}
	return gone, h.change(ctx, e, func(s *state.Snapshot) {
		for i := range gone {
			s.Remove(gone[i].record)
			if p := gone[i].pin; p != nil {
				forgetPin(s, p)
			}
		}
	})
}

// forgetPin sees to it that what a pin was of is asked about anew: its server's first
// description was dealt with.
func forgetPin(s *state.Snapshot, p *state.Pin) {
	server := *p
	server.Tool, server.Digest = admit.ServerPin, ext.Digest{}
	if _, there := pinsIn(s)[pinnedOf(&server)]; !there {
		s.Put(server)
	}
}
