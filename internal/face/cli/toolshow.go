package cli

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony/tools"
	"github.com/mortise-dev/mortise/internal/host"
)

func (c *call) toolShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME",
		Short: "Show a tool of either kind",
		Long: `Show a tool: what it is for, where it is declared, and by which name clients call it, or
for one of the catalogue what it can do, where it lies and which class is behind it.

NAME is a tool's own name, or EXTENSION:NAME; or PURPOSE/NAME for one of the catalogue.
All that have that name are shown.`,
		Args:              one("NAME"),
		ValidArgsFunction: c.completes(toolNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, docs, err := c.allTools(cmd.Context())
			if err != nil {
				return err
			}
			meant := toolsNamed(docs, args[0])
			if len(meant) == 0 {
				known := toolNames(g)
				return unknown("tool", args[0], known, "mortise "+c.placeFlag()+"tool list shows those there are")
			}
			if c.json {
				return c.document(struct {
					Tools []toolDoc `json:"tools"`
				}{meant})
			}
			p := c.page(g.Config)
			for i := range meant {
				if i > 0 {
					p.gap()
				}
				p.toolPage(g, &meant[i])
			}
			return nil
		},
	}
}

func (p *page) toolPage(g *host.Generation, d *toolDoc) {
	p.line("%s  %s, %s", p.bold(ext.Escape(d.Qualified)), d.Kind, p.status(d.Status))
	var t table
	field := func(name, value string) {
		if value != "" {
			t.row(cell{name, p.dim}, cell{value, nil})
		}
	}
	field("says", bounded(d.Description))
	if d.LastKnown {
		field("known", "from when its server last ran")
	}
	field("declared", rootsOf(g.Listing(), p.call).at(p.call, d.Extension, d.root, d.Path, d.Line))
	if c := d.Catalogue; c != nil {
		p.catalogued(field, c)
	} else {
		p.called(field, g, d)
	}
	t.full(p)
}

func (p *page) catalogued(field func(name, value string), c *catalogDoc) {
	field("purpose", line(c.Purpose))
	field("can", line(c.Capability))
	field("lies", line(c.Location))
	if l := tools.ParseLocation(c.Location); l.Remote != "" {
		field("of", "the imported remote "+line(l.Remote))
	}
	field("class", line(c.Class))
	if c.Stub {
		field("class", "none: it is a stub")
	}
	field("use", "nothing here calls it")
}

// called is what is said of a callable tool where it is explained.
func (p *page) called(field func(name, value string), g *host.Generation, d *toolDoc) {
	for _, e := range g.Explain(d.Qualified).Entries {
		if e.Qualified != d.Qualified || e.Surface != "tool" {
			continue
		}
		field("clients use", ext.Escape(e.Offered))
		field("guards", join(escaped(e.Guards)))
		field("why not", bounded(e.Reason))
		return
	}
}

func (c *call) toolSearch() *cobra.Command {
	var s tools.Search
	cmd := &cobra.Command{
		Use:   "search QUERY",
		Short: "Find tools by what they can do",
		Long: `Find tools: one whose capability is the query comes first, then those whose capability
begins with it, or it with theirs, then those that share words with it in capability, name,
purpose or description. What does not say what it can do comes last; so does what is
callable, which has no capability.`,
		Example: "mortise tool search navier-stokes\nmortise tool search 'mesh quality' --writable --limit 5",
		Args:    one("QUERY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.Limit < 0 {
				return usage("--limit is a number of tools, and not %d", s.Limit)
			}
			s.Query = args[0]
			g, docs, err := c.allTools(cmd.Context())
			if err != nil {
				return err
			}
			return c.showSearch(g, docs, s)
		},
	}
	cmd.Flags().BoolVar(&s.Writable, "writable", false, "leave out what cannot be changed here: tools of imported remotes, and callable ones")
	cmd.Flags().IntVar(&s.Limit, "limit", 20, "show at most `N`; 0 shows all")
	return cmd
}

// scoredDoc is a tool that was found.
type scoredDoc struct {
	Score float64 `json:"score"`
	toolDoc
}

func (c *call) showSearch(g *host.Generation, docs []toolDoc, s tools.Search) error {
	var entries []tools.Entry
	var of []*toolDoc
	for i := range docs {
		if e, ok := docs[i].entry(); ok && (!s.Writable || docs[i].Kind == catalogTool) {
			entries, of = append(entries, e), append(of, &docs[i])
		}
	}
	found, total := s.In(entries)
	rows := make([]scoredDoc, len(found))
	for i, m := range found {
		rows[i] = scoredDoc{m.Score, *of[m.At]}
	}
	if c.json {
		return c.document(struct {
			Tools []scoredDoc `json:"tools"`
			Total int         `json:"total"` // without the limit
		}{rows, total})
	}
	p := c.page(g.Config)
	if len(rows) == 0 {
		p.line("No tool is found by %s.", quote(s.Query))
		return nil
	}
	var t table
	for i := range rows {
		d := &rows[i].toolDoc
		shown := d.Name
		if d.Catalogue != nil {
			shown = d.key().String()
		}
		score := strconv.FormatFloat(rows[i].Score, 'f', 2, 64)
		t.row(cell{score, p.dim}, cell{ext.Escape(shown), p.bold}, cell{d.Kind, p.dim}, cell{notActive(d.Status), p.status}, cell{d.about(), nil})
	}
	t.write(p)
	if len(rows) < total {
		p.line("%d of %s; --limit 0 shows all.", len(rows), count(total, "tool"))
	}
	return nil
}

// entry is a tool as it is looked for; what is in nobody's use is not.
func (d *toolDoc) entry() (tools.Entry, bool) {
	e := tools.Entry{Name: d.Name, Purpose: d.Extension}
	said := ext.Doc{Kind: ext.String, Text: d.Description}
	e.Extra = &ext.Doc{Kind: ext.Map, Map: []ext.Pair{{Key: "description", Value: said}}}
	switch c := d.Catalogue; {
	case c != nil:
		e.Purpose, e.Capability, e.Location = c.Purpose, c.Capability, c.Location
		e.Remote = tools.ParseLocation(c.Location).Remote
	case d.Kind == catalogTool, d.Status == "refused", d.Status == "disabled":
		return tools.Entry{}, false
	}
	return e, true
}
