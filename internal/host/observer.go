package host

import (
	"context"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/state"
)

// GrantObserver is the kind of grant by which an owner declares of a handler, as it
// is, that it only watches: what it answers, or that it does not, denies nothing.
const GrantObserver = "observer"

// DeclareObserver declares that a handler of a client's hooks only watches, until it
// changes. What nobody knows by that name is a usage error.
func (h *Host) DeclareObserver(ctx context.Context, name, by string) (state.Grant, error) {
	g, err := h.Refresh(ctx)
	if err != nil {
		return state.Grant{}, err
	}
	var known []string
	var records []state.Record
	var r state.Grant
	for _, guard := range g.Guards().Handlers() {
		if known = append(known, guard.Name); guard.Name == name {
			r = state.Grant{Kind: GrantObserver, Subject: name, Digest: guard.Content, By: by, At: h.options.Clock().UTC()}
			records = append(records, r)
		}
	}
	if len(records) == 0 {
		return state.Grant{}, unknown("handler of a client's hooks that is asked here", name, known)
	}
	return r, h.change(ctx, state.Event{Kind: "granted", Subject: ext.Shorten(name, 300), Text: GrantObserver, By: by}, func(s *state.Snapshot) { s.Put(records...) })
}
