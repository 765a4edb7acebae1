package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/internal/host"
)

func (c *call) trust() *cobra.Command {
	var yes, diff bool
	cmd := &cobra.Command{
		Use:   "trust [DIR]",
		Short: "Adopt the workspace, and let what it declares run",
		Long: `Show what adopting the workspace means, and adopt it: what its configuration decides,
every server, tool and hook that would run or connect, where links lead, and the
plugins whose code would be granted, each at the digest of its whole directory. Their
set-up steps are shown as they would run, and run once it is adopted.

Editing text later changes nothing about it. When something that runs changes, or
the configuration does, what was adopted goes on as it was, and what is new or
changed waits until mortise trust showed it. --diff shows it and adopts nothing.

On a terminal it asks. Without one it adopts with --yes alone; otherwise it shows
what it would adopt, and the exit code is 1. It is 1 as well when something in the
workspace is at fault and was refused.`,
		Example: "mortise trust\nmortise trust --diff\nmortise trust ./workshop --yes",
		Args:    upTo(1, "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if yes && diff {
				return usage("--yes and --diff exclude each other; --diff adopts nothing")
			}
			if err := c.takeDir(args); err != nil {
				return err
			}
			return c.runTrust(cmd.Context(), yes, diff)
		},
		ValidArgsFunction: directories,
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "adopt what is shown without asking")
	cmd.Flags().BoolVar(&diff, "diff", false, "show what changed since it was adopted, and adopt nothing")
	return cmd
}

// trusted is the JSON document of trust.
type trusted struct {
	Workspace string            `json:"workspace"`
	Adopted   bool              `json:"adopted"` // exactly what is here now is adopted
	Changed   bool              `json:"changed"` // it was adopted by this command
	Effects   []host.Effect     `json:"effects"` // what adopting it consents to
	Changes   []host.Difference `json:"changes"` // against what was adopted here last
	Plugins   []host.Plugin     `json:"plugins"` // whose code it grants
	Setups    []setupRow        `json:"setups"`  // the set-up steps of the plugins in use, as they stand then
	Errors    int               `json:"errors"`  // findings; what they refuse stays refused
}

func (c *call) runTrust(ctx context.Context, yes, diff bool) error {
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
		shown, g, err := h.Propose(ctx)
		if err != nil {
			return err
		}
		if err := shown.Possible(); err != nil {
			return err
		}
		t := trustOf(p, shown, g)
		view := c.page(g.Config)
		if !c.json {
			view.proposal(shown, rootsOf(g.Listing(), c), diff)
		}
		given := yes
		if !shown.Adopted && asks {
			answer, err := c.answer(ctx, "Adopt it? [y/N] ")
			if err != nil {
				return err
			}
			given = answer == "y"
		}
		if given && !shown.Adopted {
			if err := h.Adopt(ctx, c.Person(), shown); err != nil {
				return err
			}
			if g, err = h.Refresh(ctx); err != nil {
				return err
			}
			t.Adopted, t.Changed = true, true
			if t.Setups, err = c.setUpShown(ctx, p, h, g, shown.Setups); err != nil {
				return err
			}
			t.Errors = tally(g.Listing().Findings).errors
		}
		return c.trustDone(view, t, diff)
	})
}

func trustOf(p host.Place, shown *host.Proposal, g *host.Generation) trusted {
	t := trusted{
		Workspace: shown.Workspace.Dir, Adopted: shown.Adopted, Effects: shown.Effects, Changes: shown.Changes, Plugins: shown.Plugins,
	}
	t.Setups = []setupRow{}
	for i := range shown.Setups {
		t.Setups = append(t.Setups, rowOf(p, &shown.Setups[i]))
	}
	if t.Changes == nil {
		t.Changes = []host.Difference{}
	}
	if t.Plugins == nil {
		t.Plugins = []host.Plugin{}
	}
	t.Errors = tally(g.Listing().Findings).errors
	return t
}

// trustDone says how it ended.
func (c *call) trustDone(p *page, t trusted, diff bool) error {
	if c.json {
		if err := c.document(t); err != nil {
			return err
		}
	} else if t.Changed {
		p.line("%s agents get what is here, and what it declares may run.", p.green("Adopted:"))
		p.setUp(t.Setups)
	} else if !t.Adopted && !diff {
		p.line("%s mortise %strust --yes adopts what is shown.", p.yellow("Not adopted:"), c.nextFlag(t.Workspace))
	}
	switch {
	case !t.Adopted:
		return errNo
	case t.Errors > 0 && !c.json:
		p.line("%s found in it; what they are about stays refused. mortise %slist shows them.", count(t.Errors, "error"), c.nextFlag(t.Workspace))
		return errNo
	case t.Errors > 0:
		return errNo
	case t.Changed:
		return failedSetup(t.Setups)
	}
	return nil
}
