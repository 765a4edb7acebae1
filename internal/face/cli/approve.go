package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
)

func (c *call) approve() *cobra.Command {
	var yes, diff bool
	cmd := &cobra.Command{
		Use:   "approve [NAME…]",
		Short: "Approve what servers offer, and how it changed",
		Long: `Show what servers offer that nobody approved as it is, and approve it: tools, prompts,
templates of resources and instructions, each with its whole definition. Until then
it is not listed to agents and cannot be called. NAME is an extension, a server
(EXTENSION:SERVER) or one thing that it offers (EXTENSION:SERVER/NAME); without one
everything that waits is meant.

What a server of the owner's offers when it first runs counts as approved, unless
trust.tools says ask; what a plugin's server offers always waits. --diff shows each
definition, and how it differs from what was approved, and approves nothing.

On a terminal it asks. Without one it approves with --yes alone; otherwise it shows
what it would approve, and the exit code is 1.`,
		Example: "mortise approve --diff\nmortise approve acme:search\nmortise approve acme:search/find --yes",
		RunE: func(cmd *cobra.Command, args []string) error {
			if yes && diff {
				return usage("--yes and --diff exclude each other; --diff approves nothing")
			}
			return c.runApprove(cmd.Context(), args, yes, diff)
		},
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			g, err := c.look(cmd.Context())
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			return typeable(slices.Sorted(maps.Keys(g.Unapproved()))), cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "approve what is shown without asking")
	cmd.Flags().BoolVar(&diff, "diff", false, "show each definition and how it differs, and approve nothing")
	return cmd
}

// approving is the JSON document of approve.
type approving struct {
	Waiting  []awaiting `json:"waiting"`  // what is shown; approved by now where the command did that
	Approved int        `json:"approved"` // by this command
}

type awaiting struct {
	Name       string          `json:"name"`
	Surface    string          `json:"surface"`
	Server     string          `json:"server"`
	Cause      string          `json:"cause"` // new, changed
	Digest     ext.Digest      `json:"digest"`
	Definition json.RawMessage `json:"definition"`
	Was        *approved       `json:"was"`  // null: it was never approved
	Diff       string          `json:"diff"` // unified, of one line for each value; "" without what was
}

// approved is a definition that was approved.
type approved struct {
	Digest     ext.Digest      `json:"digest"`
	By         string          `json:"by"`
	At         time.Time       `json:"at"`
	Definition json.RawMessage `json:"definition"` // null: it is not kept
}

func approvingOf(all []host.Awaiting) approving {
	out := approving{Waiting: []awaiting{}}
	for i := range all {
		a := &all[i]
		w := awaiting{Name: a.Name, Surface: a.Surface, Server: a.Server, Cause: cause(a), Digest: a.Digest, Definition: a.Now, Diff: a.Difference()}
		if a.Was != nil {
			w.Was = &approved{Digest: a.Was.Digest, By: a.Was.By, At: a.Was.At, Definition: a.Before}
		}
		out.Waiting = append(out.Waiting, w)
	}
	return out
}

func cause(a *host.Awaiting) string {
	if a.Was == nil {
		return "new"
	}
	return "changed"
}

func (c *call) runApprove(ctx context.Context, names []string, yes, diff bool) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	asks := !yes && !diff && !c.json && c.Asked
	purpose := host.Looking
	if yes || asks {
		purpose = host.Changing
	}
	return c.with(ctx, p, purpose, func(h *host.Host) error {
		g, err := h.Refresh(ctx)
		if err != nil {
			return err
		}
		shown, err := g.Choose(h.Awaiting(g), names)
		if err != nil {
			return err
		}
		view := c.page(g.Config)
		if !c.json {
			view.awaiting(shown, diff)
		}
		given := yes
		if len(shown) > 0 && asks {
			answer, err := c.answer(ctx, "Approve it? [y/N] ")
			if err != nil {
				return err
			}
			given = answer == "y"
		}
		out := approvingOf(shown)
		if given && len(shown) > 0 {
			if err := h.Approve(ctx, c.Person(), shown); err != nil {
				return err
			}
			out.Approved = len(shown)
		}
		return c.approveDone(view, out, g, diff)
	})
}

// approveDone says how it ended.
func (c *call) approveDone(p *page, out approving, g *host.Generation, diff bool) error {
	n := len(out.Waiting)
	switch {
	case c.json:
		if err := c.document(out); err != nil {
			return err
		}
	case n == 0:
		p.line("Nothing waits for approval.")
	case out.Approved > 0:
		p.line("%s %s.", p.green("Approved:"), count(n, "definition"))
	case !diff:
		p.line("%s mortise %sapprove --yes approves what is shown; --diff shows it whole.", p.yellow("Not approved:"), c.nextFlag(g.Config.Workspace().Dir))
	}
	if n > out.Approved {
		return errNo
	}
	return nil
}

// awaiting shows what waits for approval: what changed always whole, what is new
// where that is asked for.
func (p *page) awaiting(all []host.Awaiting, whole bool) {
	server := ""
	for i := range all {
		a := &all[i]
		if a.Server != server {
			server = a.Server
			p.gap()
			p.line("%s", p.bold(ext.Escape(server)))
		}
		p.line("  %s  %s  %s", p.yellow(cause(a)), a.Surface, p.bold(bounded(a.Name)))
		switch d := a.Difference(); {
		case a.Was != nil && d != "":
			p.line("    %s", p.dim("approved"+by(a.Was.By)+" on "+a.Was.At.Local().Format("2 Jan 2006 15:04")))
			p.difference(d)
		case a.Was != nil:
			p.line("    %s", p.dim("what was approved is not kept; this is all of it now"))
			p.definition(a.Now)
		case whole:
			p.definition(a.Now)
		default:
			p.line("    %s", description(a))
		}
	}
	if len(all) > 0 {
		p.gap()
	}
}

// description is what a definition says of itself, on one line.
func description(a *host.Awaiting) string {
	var d struct {
		Description string `json:"description"`
	}
	if json.Unmarshal(a.Now, &d) == nil {
		return cut(cmp.Or(d.Description, "(it says nothing of itself)"), line)
	}
	var text string // instructions
	_ = json.Unmarshal(a.Now, &text)
	return cut(text, line)
}

// definition shows a definition line by line.
func (p *page) definition(raw []byte) {
	for _, l := range host.Lines(raw) {
		p.line("    %s", safe(l))
	}
}

// difference shows a unified diff of definitions without its heads, old and new line
// by line.
func (p *page) difference(text string) {
	_, body, _ := strings.Cut(text, "\n@@")
	_, body, _ = strings.Cut(body, "\n")
	for l := range strings.SplitSeq(strings.TrimSuffix(body, "\n"), "\n") {
		switch shown := safe(l); {
		case strings.HasPrefix(l, "+"):
			p.line("    %s", p.green(shown))
		case strings.HasPrefix(l, "-"):
			p.line("    %s", p.red(shown))
		case strings.HasPrefix(l, "@@"):
			p.line("    %s", p.dim("…"))
		default:
			p.line("    %s", p.dim(shown))
		}
	}
}
