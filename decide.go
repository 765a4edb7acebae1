package mortise

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/guard"
)

// Objection is what one guard has against a call.
type Objection struct {
	Guard       string  // a policy or a guard, by its qualified name, or a plugin's veto
	Origin      string  // where it is declared; "" for a veto
	Verdict     Verdict // Deny or Ask
	Reason      string  // in words; foreign text
	Failed      bool    // it did not answer, which denies
	Quarantined bool    // its plugin is in quarantine

	content ext.Digest
}

// Denied says why a call was not made. It is a refusal.
type Denied struct {
	Decision   string // the id of the decision
	Tool       string
	Objections []Objection // those that deny, or those that ask
	Why        string      // why nobody consented, or why the tool is not offered; "" for a denial
}

// Error says who objects and why, and names the decision. What guards say is made
// safe to print.
func (d *Denied) Error() string {
	var parts []string
	for _, o := range d.Objections {
		word := "denies"
		switch {
		case o.Failed:
			word = "did not answer, which denies"
		case o.Verdict == Ask:
			word = "asks before"
		}
		part := fmt.Sprintf("%s %s this call: %s", ext.Escape(o.Guard), word, ext.Escape(ext.Shorten(o.Reason, 500)))
		if o.Quarantined {
			part += " (it is refused, and asked all the same)"
		}
		parts = append(parts, part)
	}
	if d.Why != "" {
		parts = append(parts, d.Why)
	}
	return fmt.Sprintf("%s may not be called: %s (decision %s)", d.Tool, strings.Join(parts, "; "), d.Decision)
}

// unguarded reports whether nobody would be asked about any call.
func (h *Host) unguarded() bool {
	if h.roster != nil || !h.composed.guards.Empty() {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.loaded)+len(h.quarantine) == 0
}

// changes is how often a call is judged anew because its person was asked.
const changes = 8

// decide asks everything that may object to a call, and the person where that asks
// for them; nil is no objection. It costs nothing where nobody is to be asked.
func (s *Session) decide(ctx context.Context, o *offer, arguments json.RawMessage) error {
	if o.owner.bridge == nil && s.host.unguarded() {
		return nil
	}
	return s.deliberate(ctx, o, arguments)
}

func (s *Session) deliberate(ctx context.Context, o *offer, arguments json.RawMessage) error {
	d := deciding{Session: s, offer: o, call: o.call, id: rand.Text()[:12]}
	d.call.Arguments, d.call.Session, d.call.Agent, d.call.Client, d.call.Mode = arguments, s.id, s.agent, s.client, s.mode
	for range changes {
		r, err := s.host.read(ctx, nil)
		if err != nil {
			return err
		}
		if b := o.owner.bridge; b != nil && !r.offers(b) {
			return d.denied(nil, withheld(b, r))
		}
		objections := d.judge(ctx, r)
		if err := ctx.Err(); err != nil {
			return err
		}
		if denials := of(Deny, objections); len(denials) > 0 {
			return d.denied(denials, "")
		}
		open := d.open(objections)
		if len(open) == 0 {
			return nil
		}
		if why := d.ask(ctx, open); why != "" {
			return d.denied(open, why)
		}
	}
	return d.denied(nil, fmt.Sprintf("what may be done changed %d times while its person was asked", changes))
}

// withheld is why the tools of a plugin may not be called.
func withheld(b *bridged, r *reading) string {
	if r.refused != nil {
		return fmt.Sprintf("no plugin is in use now, since together they cannot be: %s", r.refused)
	}
	return fmt.Sprintf("the plugin %s is not in use any more", b)
}

// deciding is one decision on its way.
type deciding struct {
	*Session
	offer    *offer
	call     guard.Call
	id       string
	answered []Objection // to which the person consented
}

// judge is what everybody has against the call. Vetoes are not asked where it is
// denied anyway.
func (d *deciding) judge(ctx context.Context, r *reading) []Objection {
	var out []Objection
	for _, o := range d.host.composed.guards.Judge(ctx, &d.call, guard.Means{Reach: d.host.composed.reach}).Objections {
		out = append(out, Objection{
			Guard: o.Guard, Origin: o.Origin.String(), Verdict: Verdict(o.Verdict.String()), Reason: o.Reason, Failed: o.Failed,
			Quarantined: o.Held, content: o.Content,
		})
	}
	if len(of(Deny, out)) > 0 {
		return out
	}
	return append(out, d.vetoes(ctx, r.asked)...)
}

// vetoes asks every plugin that has a veto, all at once.
func (d *deciding) vetoes(ctx context.Context, asked []held) (out []Objection) {
	errs := make([]error, len(asked))
	var all sync.WaitGroup
	for i := range asked {
		if _, ok := asked[i].plugin.(LegacyValidator); ok {
			all.Go(func() { errs[i] = d.veto(ctx, asked[i].plugin) })
		}
	}
	all.Wait()
	for i, err := range errs {
		if err != nil {
			out = append(out, Objection{Guard: asked[i].name, Verdict: Deny, Reason: err.Error(), Quarantined: asked[i].quarantined})
		}
	}
	return out
}

func (d *deciding) veto(ctx context.Context, p LegacyPlugin) error {
	action := d.action()
	_, err := within(ctx, d.host.patience, func(ctx context.Context) (struct{}, error) { return struct{}{}, veto(ctx, p, action) })
	return err
}

// action is the call for somebody who may change what it is given.
func (d *deciding) action() Action {
	return Action{Tool: d.call.Tool, Extension: string(d.call.Extension), Server: d.call.Server, Arguments: bytes.Clone(d.call.Arguments), Session: d.call.Session}
}

// open are the questions that nobody has answered yet.
func (d *deciding) open(objections []Objection) (out []Objection) {
	for _, o := range objections {
		if !slices.ContainsFunc(d.answered, func(a Objection) bool { return a.Guard == o.Guard && a.content == o.content }) {
			out = append(out, o)
		}
	}
	return out
}

// ask puts what is open to the person. It returns why they did not consent; "" when
// they did.
func (d *deciding) ask(ctx context.Context, open []Objection) string {
	if d.host.asker == nil {
		return "nobody can be asked here"
	}
	question := Question{Decision: d.id, Action: d.action(), Objections: slices.Clone(open)}
	yes, err := within(ctx, 0, func(ctx context.Context) (bool, error) { return d.host.asker(ctx, question) })
	switch {
	case err != nil:
		return "the person could not be asked: " + ext.Escape(ext.Shorten(err.Error(), 200))
	case !yes:
		return "the person did not allow it"
	}
	d.answered = append(d.answered, open...)
	return ""
}

func (d *deciding) denied(objections []Objection, why string) error {
	return ext.AsRefused(&Denied{Decision: d.id, Tool: d.call.Tool, Objections: objections, Why: why})
}

// of are the objections of one verdict.
func of(v Verdict, all []Objection) (out []Objection) {
	for _, o := range all {
		if o.Verdict == v {
			out = append(out, o)
		}
	}
	return out
}
