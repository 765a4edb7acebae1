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
	Rule       string   `json:"rule"`       // the word of the surface's merge rule
	RuleDoc    string   `json:"rule_doc"`   // what it does
	Answers    bool     `json:"answers"`    // the name, as given, leads here
	Reason     string   `json:"reason"`     // why it is not active; "" when it is
	Shadows    []string `json:"shadows"`    // qualified names of what lost to it
	Candidates []string `json:"candidates"` // qualified names that the short name could mean, when several
	Guards     []string `json:"guards"`     // tools: the guards that would be asked, in order
}

// Known reports whether the name means anything here.
func (x *Explanation) Known() bool {
	return len(x.Entries)+len(x.Extensions)+len(x.Settings) > 0
}

// Explain says what a name means: an entry by its short or qualified name, an
// extension, or a key of the configuration. Of a workspace that is not adopted
// it explains what adoption would give.
func (g *Generation) Explain(name string) *Explanation {
	x := &Explanation{Name: name, Entries: []EntryMeaning{}, Extensions: []ExtensionMeaning{}, Settings: []config.Value{}, Findings: []FindingRow{}}
	l := g.Listing()
	for _, row := range l.Extensions {
		if row.Name == name {
			x.Extensions = append(x.Extensions, ExtensionMeaning{row, g.reasonOf(name)})
		}
	}
	if v, ok := g.Config.Explain(name); ok {
		x.Settings = append(x.Settings, v)
	}
	c := g.Trial()
	for i, e := range l.Entries {
		if names(e, name) {
			x.Entries = append(x.Entries, g.meaning(c, &l.Entries[i], name, l))
		}
	}
	for _, f := range l.Findings {
		if slices.ContainsFunc(x.Entries, func(e EntryMeaning) bool { return e.Extension == f.Extension && e.Path == f.Path }) ||
			f.Extension == name && f.Extension != "" {
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
	return name == e.Qualified || surface.Fold(name) == surface.Fold(e.Name)
}

func (g *Generation) meaning(c *compose.Composition, e *EntryRow, name string, l *Listing) EntryMeaning {
	m := EntryMeaning{EntryRow: *e, Shadows: []string{}, Candidates: []string{}, Guards: []string{}}
	spec := g.spec(e.Surface)
	m.Rule, m.RuleDoc = spec.Merge.String(), spec.Merge.Doc()
	for _, row := range l.Extensions {
		if row.Name == e.Extension {
			m.Source, m.Trust, m.Root = row.Source, row.Trust, row.Root
		}
	}
	answers := c.Resolve(spec, strings.TrimPrefix(name, e.Surface+"/"))
	if len(answers) == 1 {
		m.Answers = answers[0].Qualified == e.Qualified && answers[0].Origin.Path == e.Path
	}
	if len(answers) > 1 {
		for _, a := range answers {
			m.Candidates = append(m.Candidates, a.Qualified)
		}
	}
	for _, s := range c.Shadowed() {
		if s.Kept.Spec == spec && s.Kept.Qualified == e.Qualified && s.Kept.Origin.Path == e.Path {
			m.Shadows = append(m.Shadows, s.Lost.Qualified)
		}
	}
	m.Reason = g.reason(spec, e)
	if spec.Called {
		m.Guards = g.guards(c)
	}
	return m
}

// guards are the entries of hooks that may deny, in the order they are asked.
func (g *Generation) guards(c *compose.Composition) []string {
	out := []string{}
	for _, s := range g.specs {
		if !s.Hook {
			continue
		}
		for _, e := range c.Entries(s) {
			if im, ok := e.Value.(surface.Implementation); ok && im.Role == surface.Guard {
				out = append(out, e.Qualified)
			}
		}
	}
	return out
}

// reasonOf says why an extension is not admitted: the first reason that one
// of its trees has.
func (g *Generation) reasonOf(extension string) string {
	for i := range g.found {
		d := &g.found[i].decision
		if string(d.Tree().Extension) == extension && d.Reason() != "" {
			return d.Reason()
		}
	}
	return ""
}

func (g *Generation) reason(spec *surface.Spec, e *EntryRow) string {
	for i := range g.found {
		d := &g.found[i].decision
		if string(d.Tree().Extension) != e.Extension {
			continue
		}
		for j := range d.Contributions() {
			k := &d.Contributions()[j]
			if k.Spec == spec && k.Name == e.Name && k.Origin.Path == e.Path && k.Status != admit.Active {
				return k.Reason
			}
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
	for i := range g.found {
		d := &g.found[i].decision
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
