package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/instance"
)

func (c *call) serverRestart() *cobra.Command {
	return &cobra.Command{
		Use:               "restart NAME",
		Short:             "End a running server and start it anew",
		Args:              one("NAME"),
		ValidArgsFunction: c.completes(serverNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.runRestart(cmd.Context(), args[0])
		},
	}
}

func (c *call) runRestart(ctx context.Context, given string) error {
	p, g, name, err := c.serverMeant(ctx, given)
	if err != nil {
		return err
	}
	records, err := instance.Find(c.running(p), p.Workspace.Dir)
	if err != nil {
		return fmt.Errorf("look for running hosts: %w", err)
	}
	restarted := []int{}
	for _, r := range records {
		var got struct{}
		err := request(ctx, r, http.MethodPost, "/api/servers/restart", url.Values{"name": {name}}, &got)
		if ext.KindOf(err) == ext.Usage {
			continue // it does not run there
		} else if err != nil {
			return fmt.Errorf("restart %s: %w", ext.Escape(name), err)
		}
		restarted = append(restarted, r.Process.Pid)
	}
	if len(restarted) == 0 {
		return refuse("%s does not run in any mortise serve of this workspace; mortise %sserver show %s says why", ext.Escape(name), c.nextFlag(p.Workspace.Dir), word(name))
	}
	if c.json {
		return c.document(struct {
			Name  string `json:"name"`
			Hosts []int  `json:"hosts"`
		}{name, restarted})
	}
	c.page(g.Config).line("Restarted %s.", ext.Escape(name))
	return nil
}
