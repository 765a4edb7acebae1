package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony/tools"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/surface/tool"
	"github.com/mortise-dev/mortise/internal/surface/toolspec"
)

// The two kinds of tools.
const (
	callable    = "callable"  // by an agent, through a session
	catalogTool = "catalogue" // of a design monorepo's catalogue; nothing here calls it
)

func (c *call) tool() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tool",
		Short: "List and search the tools of every kind, and register one",
		Long: `There are two kinds of tools. What is callable is what agents can call: the tools of
code, and those that servers described when they last ran. What is in the catalogue is
what a design monorepo declares in ` + tools.Path + `: which tool serves a
purpose, where it lies and which class is behind it. Nothing here calls one.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("tool command", args[0], commandNames(cmd), "there are "+enumerate(commandNames(cmd)))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(c.toolList(), c.toolShow(), c.toolSearch(), c.toolRegister())
	return cmd
}

// toolDoc is one tool in a document.
type toolDoc struct {
	Kind        string `json:"kind"` // callable or catalogue
	Name        string `json:"name"`
	Qualified   string `json:"qualified"`
	Extension   string `json:"extension"`
	Status      string `json:"status"` // as in list
	Description string `json:"description"`
	LastKnown   bool   `json:"last_known"` // a server described it, and is not known to run
	Path        string `json:"path"`
	Line        int    `json:"line"`
	// Catalogue is what its entry says; nil for what is callable, and for an entry that
	// is not in use.
	Catalogue *catalogDoc `json:"catalogue"`

	root string
}

// catalogDoc is what an entry of the catalogue says.
type catalogDoc struct {
	Purpose    string `json:"purpose"`
	Location   string `json:"location"`
	Capability string `json:"capability"`
	Class      string `json:"class"` // "": it is a stub
	Stub       bool   `json:"stub"`
	Writable   bool   `json:"writable"` // it is this repository's own
}

func (d *toolDoc) key() tools.Key {
	if d.Catalogue == nil {
		return tools.Key{}
	}
	return tools.Key{Purpose: d.Catalogue.Purpose, Name: d.Name}
}

// allTools are the tools of both kinds, the callable ones first.
func (c *call) allTools(ctx context.Context) (*host.Generation, []toolDoc, error) {
	p, err := c.place()
	if err != nil {
		return nil, nil, err
	}
	g, err := c.lookAt(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	now, err := c.doing(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	l := g.Listing()
	running := l
	if now.listing != nil { // it may hold more than is recorded
		running = now.listing
	}
	docs := toolDocs(running, tool.Surface.Name, callable)
	catalogued := toolDocs(l, toolspec.Surface.Name, catalogTool)
	entered := map[string][]*toolspec.ToolSpec{}
	of := compose.Of(g.Trial(), toolspec.Surface)
	for i := range of {
		entered[of[i].Qualified] = append(entered[of[i].Qualified], &of[i].Value)
	}
	for i := range catalogued {
		d := &catalogued[i]
		if same := entered[d.Qualified]; len(same) > 0 && d.Status != "refused" {
			d.Catalogue = catalogOf(same[0])
			entered[d.Qualified] = same[1:] // entries of one name are in the same order in both
		}
	}
	return g, append(docs, catalogued...), nil
}

func toolDocs(l *host.Listing, surface, kind string) []toolDoc {
	docs := []toolDoc{}
	for _, e := range l.Entries {
		if e.Surface == surface {
			docs = append(docs, toolDoc{
				Kind: kind, Name: e.Name, Qualified: e.Qualified, Extension: e.Extension, Status: e.Status, Description: e.Description,
				LastKnown: e.LastKnown, Path: e.Path, Line: e.Line, root: e.Root,
			})
		}
	}
	return docs
}

func catalogOf(s *toolspec.ToolSpec) *catalogDoc {
	return &catalogDoc{Purpose: s.Purpose, Location: s.Location, Capability: s.Capability, Class: s.Class, Stub: s.Stub(), Writable: tools.ParseLocation(s.Location).Remote == ""}
}

func (c *call) toolList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the tools of both kinds",
		Long: `List what agents can call, and what the tool catalogue of the repository holds, each with
its kind. Of servers that do not run it is what they described when they last ran. An
entry without a class behind it is a stub.`,
		Args: upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			g, docs, err := c.allTools(cmd.Context())
			if err != nil {
				return err
			}
			if c.json {
				return c.document(struct {
					Tools []toolDoc `json:"tools"`
				}{docs})
			}
			c.page(g.Config).toolTable(docs)
			return nil
		},
	}
}

func (p *page) toolTable(docs []toolDoc) {
	if len(docs) == 0 {
		p.line("There are no tools here.")
		return
	}
	several := map[string]int{}
	for i := range docs {
		several[docs[i].Kind+" "+docs[i].Name]++
	}
	var t table
	n := 0
	for i := range docs {
		d := &docs[i]
		shown := d.Name
		switch {
		case d.Kind == catalogTool:
			n++
			if d.Catalogue != nil && several[d.Kind+" "+d.Name] > 1 {
				shown = d.key().String()
			}
		case several[d.Kind+" "+d.Name] > 1:
			shown = d.Qualified
		}
		t.row(cell{ext.Escape(shown), p.bold}, cell{d.Kind, p.dim}, cell{ext.Escape(d.Extension), p.dim}, cell{notActive(d.Status), p.status}, cell{d.about(), nil})
	}
	t.write(p)
	p.line("%s: %d callable, %d of the catalogue, which nothing here calls.", count(len(docs), "tool"), len(docs)-n, n)
}

// notActive is a status where it tells something.
func notActive(status string) string {
	if status == "active" {
		return ""
	}
	return status
}

// about is a tool in a line.
func (d *toolDoc) about() string {
	text := bounded(d.Description)
	if d.LastKnown {
		text = "(last known) " + text
	}
	if d.Catalogue == nil {
		return text
	}
	can := "stub"
	switch {
	case d.Catalogue.Capability != "":
		can = "can " + line(ext.Shorten(d.Catalogue.Capability, 80))
		if d.Catalogue.Stub {
			can += " (stub)"
		}
	case !d.Catalogue.Stub:
		can = "does not say what it can"
	}
	if text == line(d.Catalogue.Purpose) {
		text = ""
	}
	return "for " + line(ext.Shorten(d.Catalogue.Purpose, 80)) + ", " + can + after(": ", text)
}

// toolNames are the names by which tools are shown.
func toolNames(g *host.Generation) []string {
	var names []string
	for _, s := range []string{tool.Surface.Name, toolspec.Surface.Name} {
		for _, e := range g.Entries(s) {
			if !slices.Contains(names, e.Name) {
				names = append(names, e.Name)
			}
		}
	}
	return names
}

// toolsNamed are the tools that a name means: a qualified name, or purpose/name of the
// catalogue, else a short one.
func toolsNamed(docs []toolDoc, name string) (out []toolDoc) {
	for i := range docs {
		if d := &docs[i]; d.Qualified == name || d.Catalogue != nil && d.key().String() == name {
			out = append(out, *d)
		}
	}
	if len(out) > 0 {
		return out
	}
	for i := range docs {
		if d := &docs[i]; d.Name == name || strings.HasSuffix(d.Name, "/"+name) && d.Kind == callable {
			out = append(out, *d)
		}
	}
	return out
}
