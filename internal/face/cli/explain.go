package cli

import (
	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
)

func (c *call) explain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain NAME",
		Short: "Say what a name means here, and which rule decided",
		Long: `Say what NAME means in this workspace: an entry by its short name or as
EXTENSION:NAME, an extension, or a key of the configuration.

For an entry: every candidate with its origin, which one answers to the name, by
which rule, what it shadows, and for a tool the guards that would be asked. For a
key: its value, where that comes from, and what every lower layer says.`,
		Example: "mortise explain review\nmortise explain owner:review\nmortise explain limits.files",
		Args:    one("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, err := c.look(cmd.Context())
			if err != nil {
				return err
			}
			x := g.Explain(args[0])
			if !x.Known() {
				return unknown("entry, extension or configuration key", args[0], g.Names(), "mortise list shows what there is")
			}
			if c.json {
				return c.document(explanationOf(x, g.Adopted))
			}
			c.page(g.Config).explanation(x, g)
			return nil
		},
		ValidArgsFunction: c.completes((*host.Generation).Names),
	}
}

// explanation is the JSON document of explain.
type explanation struct {
	Name       string              `json:"name"`
	Adopted    bool                `json:"adopted"` // false: it is what adoption would give
	Entries    []host.EntryMeaning `json:"entries"`
	Extensions []host.ExtensionRow `json:"extensions"`
	Settings   []setting           `json:"settings"`
	Findings   []host.FindingRow   `json:"findings"`
}

// setting is a key of the configuration with what every layer says.
type setting struct {
	Key string `json:"key"`
	saying
	Layers []saying `json:"layers"` // what else was said, the highest first
}

// saying is what one layer says about a key.
type saying struct {
	Layer   config.Layer `json:"layer"`
	Value   string       `json:"value"`
	Path    string       `json:"path"` // the file, or the variable
	Line    int          `json:"line"`
	Ignored string       `json:"ignored"` // why it does not count, where no higher layer is the reason
}

func explanationOf(x *host.Explanation, adopted bool) explanation {
	out := explanation{
		Name: x.Name, Adopted: adopted,
		Entries: x.Entries, Extensions: x.Extensions, Settings: []setting{}, Findings: x.Findings,
	}
	for _, v := range x.Settings {
		s := setting{Key: v.Key, saying: sayingOf(v.Said), Layers: []saying{}}
		for _, said := range v.Shadowed {
			s.Layers = append(s.Layers, sayingOf(said))
		}
		out.Settings = append(out.Settings, s)
	}
	return out
}

func sayingOf(s config.Said) saying {
	return saying{Layer: s.Layer, Value: s.Text, Path: s.Origin.Path, Line: s.Origin.Line, Ignored: s.Ignored}
}

func (p *page) explanation(x *host.Explanation, g *host.Generation) {
	l := &host.Listing{Extensions: g.Listing().Extensions}
	r := rootsOf(l, p.call)
	p.meaning(x)
	if !g.Adopted && len(x.Entries)+len(x.Extensions) > 0 {
		p.line("The workspace is not adopted; this is what adoption would give.")
	}
	for _, e := range x.Entries {
		p.entry(e, r)
	}
	for _, row := range x.Extensions {
		p.extension(row)
	}
	for _, v := range x.Settings {
		p.setting(v, r)
	}
	p.findings(x.Findings, r, true)
}

// meaning sums up in one sentence what the name leads to.
func (p *page) meaning(x *host.Explanation) {
	name := p.bold(ext.Escape(x.Name))
	for _, e := range x.Entries {
		if len(e.Candidates) > 0 {
			p.line("%s is ambiguous: it could be %s. Use one of these names.", name, enumerate(escaped(e.Candidates)))
			return
		}
	}
	for _, e := range x.Entries {
		if e.Answers {
			p.line("%s is the %s %s.", name, e.Surface, ext.Escape(e.Qualified))
			return
		}
	}
	switch {
	case len(x.Entries) > 0:
		p.line("%s leads to nothing that is active.", name)
	case len(x.Extensions) > 0:
		p.line("%s is an extension.", name)
	default:
		p.line("%s is a key of the configuration.", name)
	}
}

func (p *page) entry(e host.EntryMeaning, r roots) {
	p.gap()
	head := p.bold(ext.Escape(e.Qualified)) + "  " + e.Surface + ", " + p.status(e.Status)
	if e.Reason != "" && e.Reason != e.Status {
		head += ": " + line(e.Reason)
	}
	p.line("%s", head)
	var t table
	field := func(name, value string) {
		if value != "" {
			t.row(cell{name, p.dim}, cell{value, nil})
		}
	}
	field("says", line(e.Description))
	field("from", ext.Escape(e.Source)+", trust "+e.Trust)
	field("file", r.at(p.call, e.Extension, e.Root, e.Path, e.Line))
	field("rule", e.Rule+": "+e.RuleDoc)
	field("shadows", join(escaped(e.Shadows)))
	field("shadowed by", ext.Escape(e.ShadowedBy))
	field("guards", join(escaped(e.Guards)))
	if isCalled(p.call, e.Surface) && len(e.Guards) == 0 {
		field("guards", "none would be asked")
	}
	t.full(p)
}

// isCalled reports whether agents call the entries of a surface.
func isCalled(c *call, surface string) bool {
	for _, s := range c.Specs {
		if s.Name == surface {
			return s.Called
		}
	}
	return false
}

func (p *page) extension(x host.ExtensionRow) {
	p.gap()
	p.line("%s  extension, %s", p.bold(ext.Escape(x.Name)), p.status(x.Status))
	var t table
	t.row(cell{"format", p.dim}, cell{format(x), nil})
	t.row(cell{"from", p.dim}, cell{ext.Escape(x.Source) + ", trust " + x.Trust, nil})
	if x.Root != "" {
		t.row(cell{"directory", p.dim}, cell{p.call.shown(x.Root), nil})
	}
	t.row(cell{"entries", p.dim}, cell{count(x.Entries, "entry") + after(", ", incomplete(&x)), nil})
	t.row(cell{"digest", p.dim}, cell{x.Digest, nil})
	t.full(p)
}

func after(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

// setting shows a key's value and every layer below it.
func (p *page) setting(v config.Value, r roots) {
	p.gap()
	p.line("%s = %s", p.bold(ext.Escape(v.Key)), value(v.Text))
	var t table
	for i, said := range append([]config.Said{v.Said}, v.Shadowed...) {
		note := "in effect"
		if i > 0 {
			note = line(said.Ignored)
		}
		t.row(cell{said.Layer.String(), nil}, cell{value(said.Text), nil}, cell{origin(p.call, said, r), p.dim}, cell{note, nil})
	}
	t.full(p)
}

// value is a configured value as it is shown.
func value(text string) string {
	if text == "" {
		return `""`
	}
	return line(text)
}

func origin(c *call, s config.Said, r roots) string {
	if s.Layer == config.Environment {
		return "$" + ext.Escape(s.Origin.Path)
	}
	if s.Layer == config.Default {
		return ""
	}
	return r.at(c, "", "", s.Origin.Path, s.Origin.Line)
}

func escaped(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = ext.Escape(n)
	}
	return out
}
