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
		Short: "Answer guards that ask before a call, for good",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("grant command", args[0], commandNames(cmd), "there are "+enumerate(commandNames(cmd)))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(c.grantCall(), c.grantList(), c.grantRevoke())
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

// granted is the JSON document of one standing answer.
type granted struct {
	Subject string     `json:"subject"`
	Digest  ext.Digest `json:"digest"` // of the guard and the tool
	By      string     `json:"by"`
	At      time.Time  `json:"at"`
	Until   *time.Time `json:"until"` // null: until the tool or the guard changes
	Lapsed  bool       `json:"lapsed"`
}

func grantedOf(g state.Grant) granted {
	out := granted{Subject: g.Subject, Digest: g.Digest, By: g.By, At: g.At}
	if !g.Until.IsZero() {
		out.Until, out.Lapsed = &g.Until, !time.Now().Before(g.Until)
	}
	return out
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
	if c.json {
		return c.document(grantedOf(g))
	}
	view := c.page(now.Config)
	view.line("Granted %s.", view.bold(ext.Escape(g.Subject)))
	view.line("  %s %s", view.dim("it holds"), lasts(grantedOf(g)))
	view.line("  %s mortise %sgrant revoke %s", view.dim("to take it back:"), c.nextFlag(p.Workspace.Dir), word(g.Subject))
	return nil
}

// lasts says how long a standing answer holds.
func lasts(g granted) string {
	switch {
	case g.Lapsed:
		return "no more: it ended on " + g.Until.Local().Format("2 Jan 2006 15:04")
	case g.Until != nil:
		return "until " + g.Until.Local().Format("2 Jan 2006 15:04") + ", or until the tool or the guard changes"
	}
	return "until the tool or the guard changes"
}

func (c *call) grantList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the answers that are remembered",
		Args:  upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := c.place()
			if err != nil {
				return err
			}
			rows := []granted{}
			err = c.with(cmd.Context(), p, host.Looking, func(h *host.Host) error {
				all, err := h.Answers(cmd.Context())
				for _, g := range all {
					rows = append(rows, grantedOf(g))
				}
				return err
			})
			if err != nil {
				return err
			}
			if c.json {
				return c.document(struct {
					Grants []granted `json:"grants"`
				}{rows})
			}
			view := c.page(nil)
			if len(rows) == 0 {
				view.line("No answer is remembered. A guard that asks is answered by mortise grant call TOOL --for GUARD.")
				return nil
			}
			var t table
			for _, g := range rows {
				t.row(cell{ext.Escape(g.Subject), view.bold}, cell{lasts(g), nil}, cell{ext.Escape(g.By), view.dim})
			}
			t.full(view)
			return nil
		},
	}
}

func (c *call) grantRevoke() *cobra.Command {
	return &cobra.Command{
		Use:     "revoke SUBJECT",
		Short:   "Take back an answer that is remembered",
		Long:    "Take back an answer that is remembered, as grant list names it. It holds for the very next call.",
		Example: "mortise grant revoke \"owner:confirm for acme:deploy\"",
		Args:    one("SUBJECT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := c.place()
			if err != nil {
				return err
			}
			n := 0
			err = c.with(cmd.Context(), p, host.Changing, func(h *host.Host) (err error) {
				n, err = h.Revoke(cmd.Context(), args[0], c.Person())
				return err
			})
			if err != nil {
				return err
			}
			if c.json {
				return c.document(struct {
					Subject string `json:"subject"`
					Revoked int    `json:"revoked"`
				}{args[0], n})
			}
			c.page(nil).line("Revoked %s.", ext.Escape(args[0]))
			return nil
		},
	}
}
