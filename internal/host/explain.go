package host

import (
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Explanation is what a name means here.
type Explanation struct {
	Name       string             `json:"name"`
	Entries    []EntryMeaning     `json:"entries"`
	Extensions []ExtensionMeaning `json:"extensions"`
	Settings   []config.Value     `json:"settings"`
	Findings   []FindingRow       `json:"findings"` // those about what the name means
	Answers    []AnswerMeaning    `json:"answers"`  // to hooks, of what is in use
}

// ExtensionMeaning is an extension and why it is not admitted.
type ExtensionMeaning struct {
	ExtensionRow
	Reason string `json:"reason"` // in a few words; "" when it is admitted
}

// EntryMeaning is one candidate for a name.
type EntryMeaning struct {
	EntryRow
	Source     string   `json:"source"`
	Trust      string   `json:"trust"`
	Root       string   `json:"root"`
	Rule       string   `json:"rule"`       // the word of the rule that decided: the surface's merge rule, or compose.United
	RuleDoc    string   `json:"rule_doc"`   // what it does
	Answers    bool     `json:"answers"`    // the name, as given, leads here
	Reason     string   `json:"reason"`     // why it is not active; "" when it is
	Shadows    []string `json:"shadows"`    // qualified names of what lost to it
	Candidates []string `json:"candidates"` // qualified names that the short name could mean, when several; the first of many
	Guards     []string `json:"guards"`     // tools: the guards that would be asked, in order
	Asks       string   `json:"asks"`       // hooks: what is asked, as what, and about what; "" for anything else
	Evidence   []string `json:"evidence"`   // why it is what it is listed as, for what was found by reading somebody's source
	Offered    string   `json:"offered"`    // the name or address by which clients use it; "" for what they do not use by name
}

// Known reports whether the name means anything here.
func (x *Explanation) Known() bool {
	return len(x.Entries)+len(x.Extensions)+len(x.Settings)+len(x.Answers) > 0
}

// Explain says what a name means: an entry by its short or qualified name, or by
// the one that clients use it by, an extension, or a key of the configuration.
// Of a workspace that is not adopted it explains what adoption would give.
func (g *Generation) Explain(name string) *Explanation {
	x := g.explain(name, g.Listing(), g.Trial())
	if v, ok := g.Config.Explain(name); ok {
		x.Settings = append(x.Settings, v)
	}
	return x
}

// ExplainTold is Explain for an agent: of what it may be told, and of what is in
// use.
func (g *Generation) ExplainTold(name string) *Explanation {
	return g.explain(name, g.Told(), g.Composition)
}

func (g *Generation) explain(name string, l *Listing, c *compose.Composition) *Explanation {
	x := &Explanation{Name: name, Entries: []EntryMeaning{}, Extensions: []ExtensionMeaning{}, Settings: []config.Value{}, Findings: []FindingRow{}}
	for _, row := range l.Extensions {
		if row.Name == name {
			m := ExtensionMeaning{ExtensionRow: row}
			if row.Status != admit.Admitted.String() {
				m.Reason = g.reasonOf(name)
			}
			x.Extensions = append(x.Extensions, m)
		}
	}
	e := newExplainer(g, l, c)
	for i := range l.Entries {
		if row := &l.Entries[i]; names(*row, name) || e.offered[offerKey{row.Surface, row.Qualified}] == name {
			x.Entries = append(x.Entries, e.meaning(row, name))
		}
	}
	about := make(map[[2]string]bool, len(x.Entries))
	for i := range x.Entries {
		about[[2]string{x.Entries[i].Extension, x.Entries[i].Path}] = true
	}
	for _, f := range l.Findings {
		if about[[2]string{f.Extension, f.Path}] || f.Extension == name && f.Extension != "" {
			x.Findings = append(x.Findings, f)
		}
	}
	return x
}

// names reports whether name is the entry's: qualified, short, or short with
// its surface before it.
func names(e EntryRow, name string) bool {
	if s, rest, ok := strings.Cut(name, "/"); ok && s == e.Surface {
		name = rest
	}
	if x, short, ok := ext.SplitQualified(name); ok && string(x) == e.Extension {
		name = short
	}
	return surface.Fold(name) == surface.Fold(e.Name)
}

// Reason is why an extension is not in use, in a few words; "" when it is, or there is none.
func (g *Generation) Reason(name ext.Name) string { return g.reasonOf(string(name)) }

// reasonOf says why an extension is not admitted: the first reason that one
// of its trees has.
func (g *Generation) reasonOf(extension string) string {
	for i := range g.decisions {
		d := &g.decisions[i]
		if string(d.Tree().Extension) == extension && d.Reason() != "" {
			return d.Reason()
		}
	}
	return ""
}

func (g *Generation) spec(name string) *surface.Spec {
	for _, s := range g.specs {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Names are all names that Explain knows, for a suggestion when one is not
// known.
func (g *Generation) Names() []string {
	seen := map[string]bool{}
	for _, k := range g.Config.Keys() {
		seen[k] = true
	}
	for i := range g.decisions {
		d := &g.decisions[i]
		x := d.Tree().Extension
		seen[string(x)] = true
		for j := range d.Contributions() {
			name := d.Contributions()[j].Name
			seen[name] = true
			seen[ext.Qualified(x, name)] = true
		}
	}
	out := make([]string, 0, len(seen))
	for n := range seen {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}
