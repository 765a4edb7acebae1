package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
)

// listing is what list is asked to show.
type listing struct {
	surface string // "": every one
	sort    string
	verbose bool
}

// sorts are the values of --sort, the one that holds without it first.
var sorts = []string{"load", "name", "cost"}

func (c *call) list() *cobra.Command {
	var o listing
	cmd := &cobra.Command{
		Use:   "list [SURFACE]",
		Short: "List what an agent could use here, and what was refused and why",
		Long: `List every extension of the workspace, the entries of each surface, and what was
noticed about them. With SURFACE the entries of that surface alone.

An entry goes by its short name while only one extension has it, and by
EXTENSION:NAME where several do. What is not active says what it is.

What an extension takes of an agent's context is told in estimated tokens: what is
carried whether it is used or not, then what using it adds. The sums are of what is
active, or waits. --sort cost tells it of each entry, the highest first.

A workspace with a refused extension is still listed, and the exit code is 0.`,
		Example: "mortise list\nmortise list skill --sort cost\nmortise --workspace examples/workshop list",
		Args:    upTo(1, "SURFACE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if o.surface = args[0]; !slices.Contains(c.surfaces(), o.surface) {
					return unknown("surface", o.surface, c.surfaces(), "there are "+enumerate(c.surfaces()))
				}
			}
			if !slices.Contains(sorts, o.sort) {
				return unknown("order", o.sort, sorts, "use "+either(sorts))
			}
			g, err := c.look(cmd.Context())
			if err != nil {
				return err
			}
			return c.showList(g, o)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return c.surfaces(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	verboseFlag(cmd, &o.verbose)
	cmd.Flags().StringVar(&o.sort, "sort", sorts[0], "the `ORDER` of extensions, and of entries: load, as they are loaded; name; or cost, the highest first")
	_ = cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(sorts, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func verboseFlag(cmd *cobra.Command, verbose *bool) {
	cmd.Flags().BoolVarP(verbose, "verbose", "v", false, "show notes as well, which are otherwise counted only")
}

func (c *call) showList(g *host.Generation, o listing) error {
	l, surface := g.Listing(), o.surface
	l.Sort(host.Order(o.sort))
	if c.json {
		if surface != "" {
			return c.document(l.Of(surface))
		}
		return c.document(l)
	}
	p := c.page(g.Config)
	p.head(g)
	p.adoption(g, l)
	if surface == "" {
		p.extensions(l)
	}
	for _, s := range c.surfaces() {
		if planned := c.spec(s) != nil && c.spec(s).Answers != nil; surface == "" && !planned || s == surface {
			p.entries(l, s, host.Order(o.sort) == host.ByCost)
		}
	}
	if surface == "" {
		p.planned(l)
	}
	if surface != "" {
		p.gap()
		p.totals(l)
		p.costs(l)
		p.line("%s of %s; mortise %slist shows the rest.", entriesOf(l, surface), count(len(l.Entries), "entry"), c.nextFlag(g.Config.Workspace().Dir))
		return nil
	}
	p.findings(l.Findings, rootsOf(l, c), o.verbose)
	p.folders(l)
	p.gap()
	p.totals(l)
	p.costs(l)
	return nil
}

// folders tells of what the project keeps for clients and nobody named: it is
// what a person who begins with Mortise has, and looks for.
func (p *page) folders(l *host.Listing) {
	for _, f := range l.Findings {
		if f.Code == host.FolderUnnamed.Code {
			p.gap()
			p.line("%s", ext.Escape(f.Message))
			p.line("%s", ext.Escape(f.Fix))
		}
	}
}

// head says which workspace and generation this is.
func (p *page) head(g *host.Generation) {
	w := g.Config.Workspace()
	p.line("%s  %s", p.bold(p.call.directoryShown(w.Dir)), p.dim("generation "+decimal(g.Number)+", digest "+g.Digest().Short()))
}

// adoption says what keeps the workspace from agents, if anything does, and
// what a person can do.
func (p *page) adoption(g *host.Generation, l *host.Listing) {
	flag := p.call.nextFlag(g.Config.Workspace().Dir)
	switch code := adoptionFinding(l); {
	case code != "" && unreadable(l) != nil:
		p.line("%s what is remembered cannot be read, so nothing of this workspace reaches an agent.", p.yellow("Not adopted:"))
	case code == host.NotAdopted.Code:
		p.line("%s nothing of this workspace reaches an agent.", p.yellow("Not adopted:"))
		p.line("mortise %ssession shows what adoption would give; mortise %strust adopts it.", flag, flag)
	case code == host.AdoptionLapsed.Code:
		p.line("%s what runs here, or the configuration, is not as it was adopted.", p.yellow("Changed since it was adopted:"))
		p.line("What was adopted goes on, the rest waits. mortise %strust --diff shows it; mortise %strust adopts it.", flag, flag)
	case !g.Adopted && onlyBuiltin(l) && l.UnknownFormat == 0:
		p.line("There is nothing in this workspace yet. mortise %sinit begins one.", flag)
	}
}

// onlyBuiltin reports whether nothing was found but what is built in.
func onlyBuiltin(l *host.Listing) bool {
	return !slices.ContainsFunc(l.Extensions, func(x host.ExtensionRow) bool { return x.Name != string(ext.BuiltinName) })
}

// unreadable is the finding that the state cannot be read, nothing when it can.
func unreadable(l *host.Listing) []host.FindingRow {
	for i, f := range l.Findings {
		if f.Code == host.StateUnreadable.Code {
			return l.Findings[i : i+1]
		}
	}
	return nil
}

// adoptionFinding is the code of the finding about adoption, "" without one.
func adoptionFinding(l *host.Listing) string {
	for _, f := range l.Findings {
		if aboutAdoption(f) {
			return f.Code
		}
	}
	return ""
}

func aboutAdoption(f host.FindingRow) bool {
	return f.Code == host.NotAdopted.Code || f.Code == host.AdoptionLapsed.Code
}

// extensions is the table of extensions, in load order.
func (p *page) extensions(l *host.Listing) {
	p.gap()
	p.line("%s", p.bold("Extensions"))
	has := holdingsOf(l)
	var t table
	for _, x := range l.Extensions {
		t.row(
			cell{ext.Escape(x.Name), p.bold}, cell{format(x), nil}, cell{x.Trust, nil}, cell{x.Status, p.status},
			cell{incomplete(&x), p.yellow}, cell{has.of(&x, p.call) + after("; ", tokens(x.Cost)), nil},
		)
	}
	t.folded(p)
}

func format(x host.ExtensionRow) string {
	if x.Format == "" {
		return "unknown"
	}
	return ext.Escape(x.Format)
}

// incomplete is the mark of an extension with refused entries.
func incomplete(x *host.ExtensionRow) string {
	if x.Incomplete == 0 || x.Status == "refused" {
		return ""
	}
	return "incomplete: " + decimal(uint64(x.Incomplete)) + " of " + decimal(uint64(x.Entries))
}

// totals is the line that adds up.
func (p *page) totals(l *host.Listing) {
	p.line("%s found = %d admitted + %d refused + %d disabled + %d pending; %d of unknown format; %s",
		count(l.Found, "extension"), l.Admitted, l.Refused, l.Disabled, l.Pending, l.UnknownFormat, count(len(l.Entries), "entry"))
}
