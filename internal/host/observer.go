package host

import (
	"context"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface"
)

// DeclareObserver declares of a handler of a client's hooks, as it and its extension are
// now and in this workspace, that it only watches: what it answers, or that it does not,
// denies nothing. What nobody knows by that name is a usage error.
func (h *Host) DeclareObserver(ctx context.Context, name, by string) (state.Grant, error) {
	g, err := h.Refresh(ctx)
	if err != nil {
		return state.Grant{}, err
	}
	var known []string
	var records []state.Record
	var r state.Grant
	for i := range g.decisions {
		d := &g.decisions[i]
		for j := range d.Contributions() {
			c := &d.Contributions()[j]
			im, ok := c.Value.(surface.Implementation)
			if !ok || c.Spec.Questions == nil || im.Role != surface.Guard {
				continue
			}
			is := ext.Qualified(d.Tree().Extension, c.Name)
			if known = append(known, is); is == name {
				r = state.Grant{Kind: admit.GrantObserver, Subject: name, Digest: admit.Observing(c.Digest, d.Content(), g.Config.Workspace().ID), By: by, At: h.options.Clock().UTC()}
				records = append(records, r)
			}
		}
	}
	if len(records) == 0 {
		return state.Grant{}, unknown("handler of a client's hooks that may deny", name, known)
	}
	return r, h.change(ctx, state.Event{Kind: "granted", Subject: ext.Shorten(name, 300), Text: admit.GrantObserver, By: by}, func(s *state.Snapshot) { s.Put(records...) })
}

// observes reports whether its owner declared of a contribution that it only watches.
func (g *Generation) observes(d *admit.Decision, c *admit.Contribution) bool {
	return g.state.Granted(admit.GrantObserver, ext.Qualified(d.Tree().Extension, c.Name), admit.Observing(c.Digest, d.Content(), g.Config.Workspace().ID), g.at)
}
