package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/state"
)

func (c *call) grant() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "grant",
		Short: "Show and take back what was consented to, and answer guards for good",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("grant command", args[0], commandNames(cmd), "there are "+enumerate(commandNames(cmd)))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(c.grantCall(), c.grantObserver(), c.grantList(), c.grantShow(), c.grantRevoke())
	return cmd
}

func (c *call) grantCall() *cobra.Command {
	var guard string
	var until time.Duration
	cmd := &cobra.Command{
		Use:   "call TOOL --for GUARD",
		Short: "Allow calls of a tool before which a guard asks",
		Long: `Allow calls of a tool before which a guard asks, in this workspace and until the tool or the guard changes,
or for as long as --until says. A guard that denies is not overruled: nothing does that but disabling it.

mortise explain TOOL names the guards that are asked.`,
		Example: "mortise grant call acme:search/find --for owner:confirm\nmortise grant call acme:deploy --for owner:confirm --until 8h",
		Args:    one("TOOL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if guard == "" {
				return usage("say which guard's question it answers: mortise %sgrant call %s --for GUARD", c.placeFlag(), word(args[0]))
			}
			if until < 0 {
				return usage("--until is a time from now, such as 8h, and was %v", until)
			}
			consent := host.Consent{Tool: args[0], Guard: guard, By: c.Person()}
			if until > 0 {
				consent.Until = time.Now().Add(until).UTC()
			}
			return c.runGrant(cmd.Context(), consent)
		},
	}
	cmd.Flags().StringVar(&guard, "for", "", "the `GUARD` whose question it answers: EXTENSION:NAME")
	cmd.Flags().DurationVar(&until, "until", 0, "how `LONG` it holds, such as 8h; without it until the tool or the guard changes")
	return cmd
}

func (c *call) runGrant(ctx context.Context, consent host.Consent) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	var g state.Grant
	var now *host.Generation
	err = c.with(ctx, p, host.Changing, func(h *host.Host) (err error) {
		g, err = h.GrantCall(ctx, consent)
		now = h.Now()
		return err
	})
	if err != nil {
		return err
	}
	row := grantedOf(&host.Consented{Kind: g.Kind, Subject: g.Subject, Digest: g.Digest, By: g.By, At: g.At, Until: g.Until})
	if c.json {
		return c.document(row)
	}
	view := c.page(now.Config)
	view.line("Granted %s.", view.bold(ext.Escape(g.Subject)))
	view.line("  %s %s", view.dim("it holds"), lasts(row))
	view.line("  %s mortise %sgrant revoke %s", view.dim("to take it back:"), c.nextFlag(p.Workspace.Dir), word(g.Subject))
	return nil
}
