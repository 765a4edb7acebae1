package host

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/guard"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/surface"
)

// explainer holds what the meanings of many entries share.
type explainer struct {
	*Generation
	composition *compose.Composition
	guarded     *guard.Set
	extensions  map[string]*ExtensionRow
	reasons     map[entryKey]string
	asks        map[entryKey]string // of the entries of hooks: what a person consents to
	evidence    map[entryKey][]string
	shadows     map[entryKey][]string
	rules       map[entryKey][2]string            // of what the surface's rule did not decide: a word, and what it does
	answers     map[*surface.Spec][]compose.Entry // what the name leads to; made when it is first asked for
	offered     map[offerKey]string               // what clients use entries by
}

// offerKey tells apart what can be offered.
type offerKey struct{ surface, qualified string }

// offers are the names by which clients use the entries of a composition.
func (g *Generation) offers(c *compose.Composition) map[offerKey]string {
	out := map[offerKey]string{}
	o := session.Resolve(c).Offer(session.OfferOptions{NameLimit: g.Config.Gateway.NameLimit})
	for _, list := range [][]session.Offer{o.Tools, o.Prompts, o.Resources, o.Templates} {
		for i := range list {
			key := offerKey{list[i].Entry.Spec.Name, list[i].Entry.Qualified}
			if _, known := out[key]; !known { // a task is a prompt first
				out[key] = list[i].Name
			}
		}
	}
	return out
}

// entryKey tells the entries of a listing apart.
type entryKey struct{ surface, extension, name, path string }

func newExplainer(g *Generation, l *Listing, c *compose.Composition) *explainer {
	x := &explainer{
		Generation: g, composition: c,
		extensions: make(map[string]*ExtensionRow, len(l.Extensions)),
		asks:       map[entryKey]string{}, evidence: map[entryKey][]string{},
		reasons: map[entryKey]string{}, shadows: map[entryKey][]string{}, rules: map[entryKey][2]string{}, answers: map[*surface.Spec][]compose.Entry{},
	}
	x.offered = g.offers(x.composition)
	if x.guarded = g.Guards(); c != g.Composition { // as it would be once it is adopted
		x.guarded = guard.New(guard.Members{Composition: c})
	}
	for i := range l.Extensions {
		x.extensions[l.Extensions[i].Name] = &l.Extensions[i]
	}
	for i := range g.decisions {
		d := &g.decisions[i]
		for j := range d.Contributions() {
			c := &d.Contributions()[j]
			if c.Status != admit.Active {
				x.reasons[keyOf(c, d.Tree().Extension)] = c.Reason
			}
			if v, ok := c.Value.(interface{ Because() []string }); ok {
				x.evidence[keyOf(c, d.Tree().Extension)] = v.Because()
			}
			if im, ok := c.Value.(surface.Implementation); ok {
				asks := im.Consents()
				if im.Role == surface.Guard && g.observes(d, c) {
					asks = "only watches, as its owner declared; by itself " + asks
				}
				x.asks[keyOf(c, d.Tree().Extension)] = asks
			}
		}
	}
	for _, s := range x.composition.Shadowed() {
		if lost := keyOf(&s.Lost.Contribution, s.Lost.Extension); s.Same && x.reasons[lost] == "" {
			x.reasons[lost] = "the same as " + s.Kept.Qualified + ", which stands for it"
		}
		k := keyOf(&s.Kept.Contribution, s.Kept.Extension)
		x.shadows[k] = append(x.shadows[k], s.Lost.Qualified)
		if word, doc := s.Decided(); s.Same {
			x.rules[keyOf(&s.Lost.Contribution, s.Lost.Extension)], x.rules[k] = [2]string{word, doc}, [2]string{word, doc}
		}
	}
	return x
}

func keyOf(c *admit.Contribution, x ext.Name) entryKey {
	return entryKey{c.Spec.Name, string(x), c.Name, c.Origin.Path}
}

// shownCandidates is how many candidates of an ambiguous name an entry lists;
// all of them are entries of the explanation themselves.
const shownCandidates = 20

func (x *explainer) meaning(e *EntryRow, name string) EntryMeaning {
	m := EntryMeaning{EntryRow: *e, Candidates: []string{}, Guards: []string{}, Evidence: []string{}, Offered: x.offered[offerKey{e.Surface, e.Qualified}]}
	spec := x.spec(e.Surface)
	m.Rule, m.RuleDoc = spec.Merge.String(), spec.Merge.Doc()
	if row := x.extensions[e.Extension]; row != nil {
		m.Source, m.Trust, m.Root = row.Source, row.Trust, row.Root
	}
	if found := x.evidence[entryKey{e.Surface, e.Extension, e.Name, e.Path}]; found != nil {
		m.Evidence = found
	}
	answers, known := x.answers[spec]
	if !known {
		answers = x.composition.Resolve(spec, strings.TrimPrefix(name, e.Surface+"/"))
		x.answers[spec] = answers
	}
	if len(answers) == 1 {
		m.Answers = answers[0].Qualified == e.Qualified && answers[0].Origin.Path == e.Path
	} else if m.Offered == name && name != "" {
		m.Answers = true
	} else {
		for _, a := range answers[:min(len(answers), shownCandidates)] {
			m.Candidates = append(m.Candidates, a.Qualified)
		}
	}
	k := entryKey{e.Surface, e.Extension, e.Name, e.Path}
	if r, otherwise := x.rules[k]; otherwise {
		m.Rule, m.RuleDoc = r[0], r[1]
	}
	m.Reason, m.Asks, m.Shadows = x.reasons[k], x.asks[k], orEmpty(x.shadows[k])
	if spec.Called {
		m.Guards = x.guards(e, m.Offered)
	}
	return m
}

// guards are what would be asked about a call of an entry, in order. What is asked
// although its extension is refused says so.
func (x *explainer) guards(e *EntryRow, offered string) []string {
	out := []string{}
	for _, g := range x.guarded.Asked(&guard.Call{Tool: offered, Qualified: e.Qualified, Extension: ext.Name(e.Extension)}) {
		name := g.Name
		switch {
		case g.Broken != "":
			name += " (denies: " + g.Broken + ")"
		case g.Held:
			name += " (in quarantine)"
		}
		out = append(out, name)
	}
	return out
}
