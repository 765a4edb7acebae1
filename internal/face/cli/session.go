package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/session"
)

func (c *call) session() *cobra.Command {
	var text, prompt, roots bool
	cmd := &cobra.Command{
		Use:   "session",
		Short: "Show what an agent would get now, with its size",
		Long: `Show what an agent would get now: the text it begins with, the skills, agents,
commands, tasks, servers, tools and resources it may use, and the guards that are asked,
each with its size in characters and estimated tokens.

The text is as agents get it. Mortise's and the owner's own come first, as they
are. What extensions and servers say follows, each between two lines that hold a
boundary, here one that follows from the text, while each agent has its own. Of one
extension there are at most 8,000 characters, of all together 16,000, which are
shared so that none crowds out the others; what is left out is named.

For a workspace that is not adopted it shows what adoption would give, and says so.
--roots says from which directories extensions are read, without reading them.
--prompt shows the text line by line, with where each line comes from beside it:
whose it is, file and line. --text is for handing on: it prints what reaches an
agent now, so that in a workspace that is not adopted it prints nothing and the
exit code is 1. Characters that do not show are escaped; the documents of --json
have the exact text.`,
		Example: "mortise session\nmortise session --prompt",
		Args:    upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if text && c.json {
				return usage("--text and --json exclude each other; the document of --json holds the text")
			}
			if text && prompt {
				return usage("--text and --prompt exclude each other; --prompt shows the same text with its origins")
			}
			if roots && (text || prompt) {
				return usage("--roots shows directories alone; it excludes --text and --prompt")
			}
			if roots {
				return c.sessionRoots(cmd.Context())
			}
			g, err := c.look(cmd.Context())
			if err != nil {
				return err
			}
			if text {
				return c.sessionText(g)
			}
			if prompt {
				return c.sessionPrompt(g)
			}
			v := g.Session(true).View()
			if c.json {
				return c.document(sessionDoc{Adopted: g.Adopted, View: v})
			}
			c.page(g.Config).session(g, &v)
			return nil
		},
	}
	cmd.Flags().BoolVar(&text, "text", false, "print the text alone")
	cmd.Flags().BoolVar(&roots, "roots", false, "show the directories that its extensions are read from, in load order, and read none of them")
	cmd.Flags().BoolVar(&prompt, "prompt", false, "show the text alone, with the origin of each line beside it")
	return cmd
}

// sessionDoc is the JSON document of session.
type sessionDoc struct {
	Adopted bool `json:"adopted"` // false: it is what adoption would give
	session.View
}

// sessionText prints the text that reaches an agent, and fails closed where
// the workspace's own does not.
func (c *call) sessionText(g *host.Generation) error {
	if !g.Adopted && adoptionFinding(g.Listing()) != "" {
		return refuse("this workspace is not adopted, so none of its text reaches an agent; mortise %ssession shows what adoption would give",
			c.nextFlag(g.Config.Workspace().Dir))
	}
	s := g.Session(false)
	if text := s.Instructions(s.Boundary()); text != "" {
		c.out.WriteString(ext.EscapeText(text) + "\n")
	}
	return nil
}

func (p *page) session(g *host.Generation, v *session.View) {
	p.head(g)
	p.given(g)
	r := rootsOf(g.Listing(), p.call)
	p.prompt(v, r)
	p.leftOut(v.LeftOut, r)
	for _, part := range []struct {
		name  string
		items []session.Item
	}{{"Skills", v.Skills}, {"Agents", v.Agents}, {"Commands", v.Commands}, {"Rules", v.Rules}, {"Tasks", v.Tasks}, {"Servers", v.Servers}, {"Tools", v.Tools}, {"Resources", v.Resources}, {"Guards", v.Guards}, {"Agent classes", v.AgentClasses}, {"Deployments", v.Deployments}, {"Catalogue tools", v.ToolSpecs}, {"Profiles", v.Profiles}, {"Missions", v.Missions}} {
		p.items(part.name, part.items)
	}
	p.gap()
	p.line("%s", p.bold("Size"))
	var t table
	for _, part := range []struct {
		name, what string
		session.Size
	}{
		{"text", "what every turn carries", v.Total.Text},
		{"fences", "the lines around and between", v.Total.Fences},
		{"left out", count(len(v.LeftOut), "text") + " without room", v.Total.LeftOut},
		{"catalogue", "names and descriptions", v.Total.Catalogue},
		{"tools", "definitions of tools", v.Total.Tools},
		{"bodies", "what loading everything would add", v.Total.Bodies},
	} {
		if part.Size == (session.Size{}) && (part.name == "fences" || part.name == "left out") {
			continue
		}
		t.row(cell{part.name, nil}, cell{grouped(part.Characters) + " characters", nil}, cell{"about " + grouped(part.Tokens) + " tokens", nil}, cell{part.what, p.dim})
	}
	t.write(p)
}

// given says whether what is shown reaches an agent.
func (p *page) given(g *host.Generation) {
	l := g.Listing()
	for _, f := range unreadable(l) {
		p.line("%s %s", p.red("State unreadable:"), cut(f.Message, safe))
	}
	switch {
	case g.Lapsed != nil:
		p.line("%s this is what adopting what is here now would give.", p.yellow("Changed since it was adopted:"))
	case g.Adopted || adoptionFinding(l) == "":
		p.line("What an agent gets now.")
	default:
		p.line("%s nothing of this workspace reaches an agent. This is what adoption would give.", p.yellow("Not adopted:"))
	}
}

// prompt shows the fragments and the text that they make.
func (p *page) prompt(v *session.View, r roots) {
	if v.Text == "" {
		return
	}
	p.gap()
	p.line("%s", p.bold("Text"))
	var t table
	for _, it := range v.Prompt {
		t.row(cell{it.Layer, nil}, cell{it.Tier, nil}, cell{ext.Escape(it.Name), p.bold}, cell{sizes(it.Catalogue), nil},
			cell{r.at(p.call, it.Extension, "", it.Path, it.Line), p.dim})
	}
	t.write(p)
	p.gap()
	for text := range strings.SplitSeq(ext.EscapeText(v.Text), "\n") {
		p.line("  %s%s", p.dim("│"), after(" ", text))
	}
}

// items is a table of what of one kind an agent may use.
func (p *page) items(name string, items []session.Item) {
	if len(items) == 0 {
		return
	}
	p.gap()
	p.line("%s", p.bold(name))
	var t table
	for _, it := range items {
		t.row(cell{ext.Escape(it.Qualified), p.bold}, cell{costing(it.Cost), p.dim}, cell{bounded(it.Description), nil})
	}
	t.write(p)
}

// costing is the size that matters of one thing: of its text where using it loads
// that, else of what is carried.
func costing(c session.Cost) string {
	if c.Body != (session.Size{}) {
		return sizes(c.Body)
	}
	return sizes(c.Catalogue)
}

// sizes is a size in a few words; "" for nothing.
func sizes(s session.Size) string {
	if s == (session.Size{}) {
		return ""
	}
	return grouped(s.Characters) + " characters (" + grouped(s.Tokens) + " tokens)"
}
