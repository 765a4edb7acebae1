package mortise

import (
	"context"
	"fmt"
	"slices"

	"github.com/mortise-dev/mortise/ext"
)

// reading is the roster as it was read once: for one turn, or for one call.
type reading struct {
	base     *Composed       // the providers, with what their servers say of themselves
	offered  []*bridged      // what is in use, in order; none where refused says why
	composed *Composed       // the base, with what is offered
	refused  *AdmissionError // why nothing of the roster is offered; nil
	blamed   []*bridged      // of the refusals, in their order; nil for what is of no plugin
	asked    []held          // every object that may veto, whatever became of it
}

// held is an object whose veto is asked.
type held struct {
	plugin      LegacyPlugin
	name        string // for people
	quarantined bool
}

// read reads the live roster, with one more plugin on trial where there is one. All
// that is known is asked for its veto, whether the roster can be composed or not. It
// returns an error when ctx ends, and for nothing else.
func (h *Host) read(ctx context.Context, trial *bridged) (*reading, error) {
	h.mu.Lock()
	h.readings++
	number := h.readings
	h.mu.Unlock()
	listed, unread := h.listed(ctx, number)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h.mu.Lock()
	var quarantined []LegacyPlugin
	for _, q := range h.quarantine {
		quarantined = append(quarantined, q.Plugin)
	}
	bridges := h.bridgesOf(slices.Concat(listed, h.loaded), number)
	h.mu.Unlock()
	if trial != nil && !slices.ContainsFunc(bridges, func(b *bridged) bool { return same(b.plugin, trial.plugin) }) {
		bridges = append(bridges, trial)
	}

	r := &reading{base: h.base()}
	if unread != nil {
		r.refuse(nil, Refusal{Extension: "the roster", Cause: RosterUnread, Reason: unread.Error(), Fix: "Mend the function that lists the plugins."})
	}
	h.construct(ctx, r, bridges)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.ask(bridges, quarantined)
	if r.refused == nil {
		h.compose(r, bridges)
	}
	if r.refused != nil {
		r.offered, r.composed = nil, r.base
	}
	return r, nil
}

// listed is what the adopter's roster lists, and where it cannot be read what it
// listed when it last could be.
func (h *Host) listed(ctx context.Context, number uint64) ([]LegacyPlugin, error) {
	if h.roster == nil {
		return nil, nil
	}
	list, err := within(ctx, h.patience, func(context.Context) ([]LegacyPlugin, error) { return slices.Clone(h.roster()), nil })
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		return h.lastRoster, err
	}
	if number >= h.lastRead { // an older reading may end later
		h.lastRoster, h.lastRead = list, number
	}
	return list, nil
}

// bridgesOf are the bridges of the objects that are live, each the one that there was
// before. Bridges of what a later reading did not meet are dropped. The host is
// locked.
func (h *Host) bridgesOf(live []LegacyPlugin, number uint64) []*bridged {
	var out []*bridged
	for _, p := range live {
		if p == nil {
			out = append(out, &bridged{plugin: p}) // which refuses the roster
			continue
		}
		is := func(b *bridged) bool { return same(b.plugin, p) }
		if slices.ContainsFunc(out, is) {
			continue
		}
		b := &bridged{plugin: p}
		if at := slices.IndexFunc(h.bridges, is); at >= 0 {
			b = h.bridges[at]
		} else if unidentified(p) == "" {
			h.bridges = append(slices.Clip(h.bridges), b)
		}
		b.seen = max(b.seen, number)
		out = append(out, b)
	}
	h.bridges = slices.DeleteFunc(slices.Clone(h.bridges), func(b *bridged) bool { return b.seen < number && b.pinned == 0 })
	return out
}

// construct asks what is new for what it is, and everything whether it still is what
// it was.
func (h *Host) construct(ctx context.Context, r *reading, bridges []*bridged) {
	if len(bridges) == 0 {
		return
	}
	said, err := within(ctx, h.patience, func(context.Context) ([][]Refusal, error) {
		out := make([][]Refusal, len(bridges))
		for i, b := range bridges {
			b.construct()
			out[i] = b.standing()
		}
		return out, nil
	})
	if err != nil {
		r.refuse(nil, Refusal{Extension: "the roster", Cause: RosterUnread, Reason: "of what a plugin says of itself: " + err.Error(), Fix: "Mend the plugin that does not answer."})
		return
	}
	for i, b := range bridges {
		for _, one := range said[i] {
			r.refuse(b, one)
		}
		if len(said[i]) > 0 {
			r.refused.Findings.Add(b.found...)
		}
	}
}

func (r *reading) refuse(b *bridged, one Refusal) {
	if r.refused == nil {
		r.refused = &AdmissionError{}
	}
	r.refused.Refusals, r.blamed = append(r.refused.Refusals, one), append(r.blamed, b)
}

// ask lists all that may veto.
func (r *reading) ask(bridges []*bridged, quarantined []LegacyPlugin) {
	for _, b := range bridges {
		if b.plugin != nil && !has(quarantined, b.plugin) {
			r.asked = append(r.asked, held{b.plugin, b.String(), false})
		}
	}
	for _, p := range quarantined {
		name := typeOf(p)
		for _, b := range bridges {
			if same(b.plugin, p) {
				name = b.String()
			}
		}
		r.asked = append(r.asked, held{p, name, true})
	}
}

// tried is a roster and what came of composing it.
type tried struct {
	base     *Composed
	of       []*bridged
	composed *Composed
	refused  *AdmissionError
	blamed   []*bridged
}

// compose composes the providers and the plugins. A roster of the same bridges on
// the same base was composed before, and a bridge does not change.
func (h *Host) compose(r *reading, bridges []*bridged) {
	h.mu.Lock()
	t := h.latest
	h.mu.Unlock()
	if t == nil || t.base != r.base || !slices.Equal(t.of, bridges) {
		t = try(r.base, bridges)
		h.mu.Lock()
		h.latest = t
		h.mu.Unlock()
	}
	r.composed, r.refused, r.blamed = t.composed, t.refused, t.blamed
	if t.refused == nil {
		r.offered = bridges
	}
}

func try(base *Composed, bridges []*bridged) *tried {
	if len(bridges) == 0 {
		return &tried{base: base, composed: base}
	}
	a := base.again(base.described)
	for _, b := range bridges {
		a.findings.Add(b.found...)
		a.add(b.part)
	}
	t := &tried{base: base, of: bridges}
	t.composed, t.refused = a.compose()
	t.blamed = a.blamed
	return t
}

// blame is why a plugin cannot join, its own reasons first.
func (r *reading) blame(p LegacyPlugin) *AdmissionError {
	out := &AdmissionError{Findings: r.refused.Findings}
	var others []Refusal
	for i, one := range r.refused.Refusals {
		if b := r.blamed[i]; b != nil && (same(b.plugin, p) || alike(b.plugin, p)) {
			out.Refusals = append(out.Refusals, one)
		} else {
			others = append(others, one)
		}
	}
	if len(out.Refusals) == 0 {
		first := others[0].Extension
		out.Refusals = append(out.Refusals, Refusal{
			Extension: typeOf(p), Cause: RosterRefused, Owner: first,
			Reason: fmt.Sprintf("what it would join cannot be composed as it is, for what is told of %s", ext.Escape(ext.Shorten(first, 80))),
			Fix:    "Mend that, and load it again.",
		})
	}
	out.Refusals = append(out.Refusals, others...)
	return out
}

// offers reports whether a plugin is in use.
func (r *reading) offers(b *bridged) bool { return slices.Contains(r.offered, b) }
