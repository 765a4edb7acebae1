package cli

import (
	"context"
	"fmt"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/internal/instance"
)

func (c *call) refresh() *cobra.Command {
	return &cobra.Command{
		Use:   "refresh",
		Short: "Have running hosts read the workspace anew",
		Long: `Have every running mortise serve of this workspace read everything anew, now, and say
what came of it. They do it by themselves when files change; this is for changes
that nobody can watch, and for scripts that want to be sure. Where none is running
there is nothing to do: the next one reads everything when it starts.`,
		Args: upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error { return c.runRefresh(cmd.Context()) },
	}
}

// refreshed is what a running host said of its pass.
type refreshed struct {
	Process    int    `json:"process"`
	Address    string `json:"address"`
	Generation uint64 `json:"generation"`
	Digest     string `json:"digest"`
	Found      int    `json:"found"`
	Admitted   int    `json:"admitted"`
	Refused    int    `json:"refused"`
	Disabled   int    `json:"disabled"`
	Pending    int    `json:"pending"`
}

func (c *call) runRefresh(ctx context.Context) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	records, err := instance.Find(c.running(p), p.Workspace.Dir)
	if err != nil {
		return fmt.Errorf("look for running hosts: %w", err)
	}
	done := []refreshed{}
	for _, r := range records {
		n := refreshed{Process: r.Process.Pid, Address: r.Address}
		if err := request(ctx, r, http.MethodPost, "/api/refresh", nil, &n); err != nil {
			return fmt.Errorf("refresh the host of process %d: %w", r.Process.Pid, err)
		}
		done = append(done, n)
	}
	if c.json {
		return c.document(struct {
			Hosts []refreshed `json:"hosts"`
		}{done})
	}
	v := c.page(nil)
	if len(done) == 0 {
		v.line("No host serves this workspace; the next one reads everything when it starts.")
	}
	for _, n := range done {
		v.line("Process %d read everything anew: generation %d, %d found = %d admitted + %d refused + %d disabled + %d pending.",
			n.Process, n.Generation, n.Found, n.Admitted, n.Refused, n.Disabled, n.Pending)
	}
	return nil
}
