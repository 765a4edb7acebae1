package host

import (
	"context"
	"slices"
	"time"

	"github.com/mortise-dev/mortise/internal/guard"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/state"
)

// Consent is a person's wish to answer a guard that asks before calls of a tool
// for good.
type Consent struct {
	Tool  string // by its qualified name, or as clients call it
	Guard string // by its qualified name
	By    string
	Until time.Time // zero: until the tool or the guard changes
}

// GrantCall remembers a person's consent. A tool or a guard that nobody knows by
// that name is a usage error, and so is a guard that is not asked about the tool.
// The consent is for this workspace.
func (h *Host) GrantCall(ctx context.Context, c Consent) (state.Grant, error) {
	g, err := h.Refresh(ctx)
	if err != nil {
		return state.Grant{}, err
	}
	view := g.view(session.OfferOptions{})
	at := slices.IndexFunc(view.Offers.Tools, func(o session.Offer) bool { return o.Entry.Qualified == c.Tool || o.Name == c.Tool })
	if at < 0 {
		var known []string
		for i := range view.Offers.Tools {
			known = append(known, view.Offers.Tools[i].Entry.Qualified)
		}
		return state.Grant{}, unknown("tool in use", c.Tool, known)
	}
	offer := &view.Offers.Tools[at]
	about := callOf(&Use{Offer: offer}, &offer.Entry)
	asked := g.Guards().Asked(&about)
	var grants []state.Record // of every guard of that name: each of them asks
	var r state.Grant
	for _, x := range asked {
		if x.Name == c.Guard {
			r = standing(guard.Objection{Guard: x.Name, Content: x.Content}, &offer.Entry, g.Config.Workspace().ID)
			r.By, r.At, r.Until = c.By, h.options.Clock().UTC(), c.Until
			grants = append(grants, r)
		}
	}
	if len(grants) == 0 {
		var known []string
		for _, x := range asked {
			known = append(known, x.Name)
		}
		return state.Grant{}, unknown("guard that is asked about "+offer.Entry.Qualified, c.Guard, known)
	}
	return r, h.change(ctx, state.Event{Kind: "granted", Subject: r.Subject, By: c.By}, func(s *state.Snapshot) { s.Put(grants...) })
}
