package cli

import (
	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/state"
)

func (c *call) grantObserver() *cobra.Command {
	return &cobra.Command{
		Use:   "observer NAME",
		Short: "Declare that a hook of a plugin only watches",
		Long: `Declare of a handler of a client's hook file that it only watches: what it answers, or
that it does not, denies nothing any more. Without that it counts as a guard, since
it may be one. It holds until the handler changes.`,
		Example: "mortise grant observer acme:PreToolUse-1",
		Args:    one("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := c.place()
			if err != nil {
				return err
			}
			var g state.Grant
			err = c.with(cmd.Context(), p, host.Changing, func(h *host.Host) (err error) {
				g, err = h.DeclareObserver(cmd.Context(), args[0], c.Person())
				return err
			})
			if err != nil {
				return err
			}
			if c.json {
				return c.document(grantedOf(&host.Consented{Kind: g.Kind, Subject: g.Subject, Digest: g.Digest, By: g.By, At: g.At}))
			}
			view := c.page(nil)
			view.line("%s only watches from now on, until it changes.", view.bold(ext.Escape(g.Subject)))
			view.line("  %s mortise %sgrant revoke %s", view.dim("to take it back:"), c.nextFlag(p.Workspace.Dir), word(g.Subject))
			return nil
		},
	}
}
