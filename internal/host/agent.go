package host

import (
	"context"
	"fmt"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Agent is one agent that is connected. What it was given is sealed until it
// lists again; what it uses is looked at anew each time.
type Agent struct {
	host    *Host
	options session.OfferOptions

	mu     sync.Mutex
	sealed *View // nil before it was given anything
}

// View is what an agent was given: of one generation.
type View struct {
	*session.Session
	*session.Offers
	Generation uint64 // its number; the rest of it is not held on to
}

// Agent begins a session for an agent. It holds nothing that must be released.
func (h *Host) Agent(o session.OfferOptions) *Agent { return &Agent{host: h, options: o} }

// List gives the agent what there is now.
func (a *Agent) List(ctx context.Context) (*View, error) {
	g, err := a.host.Current(ctx)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sealed == nil || a.sealed.Generation != g.Number {
		a.sealed = g.view(a.options)
	}
	return a.sealed, nil
}

// View is what the agent was given last, or what there is now where it was
// given nothing yet.
func (a *Agent) View(ctx context.Context) (*View, error) {
	a.mu.Lock()
	v := a.sealed
	a.mu.Unlock()
	if v != nil {
		return v, nil
	}
	return a.List(ctx)
}

// view is the generation as agents are given it: one view for all of them.
func (g *Generation) view(o session.OfferOptions) *View {
	resolve := sync.OnceValue(func() *View {
		s := g.Session(false)
		return &View{Session: s, Offers: s.Offer(o), Generation: g.Number}
	})
	view, _ := g.views.LoadOrStore(o, resolve)
	return view.(func() *View)()
}

// Watched reports whether anybody is told of calls that were made.
func (a *Agent) Watched() bool {
	g := a.host.Now()
	return g != nil && g.Guards().Watched()
}

// Begins is the text that an agent begins with that is offered what a view has; of one
// server alone what that says of itself.
func (v *View) Begins(boundary, only string) string {
	if only == "" {
		return v.Instructions(boundary)
	}
	return v.Session.ServerText(only)
}

// Allowed looks whether what an agent was offered may be used now: a change that
// another process made holds for this very use. It is a refusal that says why
// when it may not.
func (a *Agent) Allowed(ctx context.Context, o *session.Offer) error {
	_, _, err := a.allowed(ctx, o)
	return err
}

// AllowedAt is Allowed for what lies at an address that fits an offer that is a
// template: what its extension declares at that very address must be in use too.
func (a *Agent) AllowedAt(ctx context.Context, o *session.Offer, uri string) error {
	g, _, err := a.allowed(ctx, o)
	if err != nil || uri == o.Name {
		return err
	}
	for i := range g.decisions {
		d := &g.decisions[i]
		if d.Tree().Extension != o.Entry.Extension {
			continue
		}
		for j := range d.Contributions() {
			if c := &d.Contributions()[j]; c.Spec == o.Entry.Spec && c.Name == uri && c.Status != admit.Active {
				return ext.AsRefused(fmt.Errorf("%s %s", ext.Quote(ext.Shorten(uri, 200)), g.absence(c.Spec, o.Entry.Extension, uri)))
			}
		}
	}
	return nil
}

// allowed is Allowed, with the generation that allows it and the entry as it is
// there.
func (a *Agent) allowed(ctx context.Context, o *session.Offer) (*Generation, compose.Entry, error) {
	g, err := a.host.Current(ctx)
	if err != nil {
		return nil, compose.Entry{}, err
	}
	now, err := g.allows(o)
	return g, now, err
}

// allows is the entry of an offer as it is in use.
func (g *Generation) allows(o *session.Offer) (compose.Entry, error) {
	e := &o.Entry
	for _, now := range g.Composition.Resolve(e.Spec, e.Qualified) {
		if now.Extension != e.Extension || now.Name != e.Name {
			continue
		}
		if o.Ref == (ext.Ref{}) || refers(now.Value).Target == o.Ref.Target {
			return now, nil
		}
		return compose.Entry{}, ext.AsRefused(fmt.Errorf("%s is declared otherwise by now; list again", ext.Escape(e.Qualified)))
	}
	return compose.Entry{}, ext.AsRefused(fmt.Errorf("%s %s", ext.Escape(e.Qualified), g.absence(e.Spec, e.Extension, e.Name)))
}

func refers(value any) ext.Ref {
	if v, ok := value.(interface{ Refers() ext.Ref }); ok {
		return v.Refers()
	}
	return ext.Ref{}
}

// absence says why an entry is not in use.
func (g *Generation) absence(s *surface.Spec, x ext.Name, name string) string {
	for i := range g.decisions {
		d := &g.decisions[i]
		if d.Tree().Extension != x {
			continue
		}
		for j := range d.Contributions() {
			c := &d.Contributions()[j]
			switch {
			case c.Spec != s || c.Name != name:
			case c.Status != admit.Active && c.Reason != "":
				return "cannot be used now: " + ext.Escape(c.Reason)
			case c.Status != admit.Active:
				return "cannot be used now: it is " + c.Status.String()
			default:
				return "lost its name to another"
			}
		}
	}
	return "is not there any more; list again"
}

// Reach opens a link to what answers for an offer, once it is allowed, for a
// client; nil is nobody in particular.
func (a *Agent) Reach(ctx context.Context, o *session.Offer, p *call.Peer) (call.Link, error) {
	if err := a.Allowed(ctx, o); err != nil {
		return nil, err
	}
	d, ok := a.host.options.Drivers[o.Ref.Driver]
	if !ok {
		return nil, ext.AsRefused(fmt.Errorf("%s wants the driver %s, which this version does not have", ext.Escape(o.Entry.Qualified), ext.Quote(o.Ref.Driver)))
	}
	return d.Link(ctx, o.Ref, p)
}

// drivers are the drivers that admission is told of, with the trust that a file
// needs to refer to each; nil when nothing is known about them.
func (h *Host) drivers() map[string]ext.Trust {
	if h.options.Drivers == nil {
		return nil
	}
	out := map[string]ext.Trust{}
	for name := range h.options.Drivers {
		out[name] = h.options.Refer[name]
	}
	return out
}
