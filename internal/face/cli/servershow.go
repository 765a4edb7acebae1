package cli

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
)

func (c *call) serverShow() *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME",
		Short:             "Show one server: what it is, how it is doing, what it offers",
		Args:              one("NAME"),
		ValidArgsFunction: c.completes(serverNames),
		RunE: func(cmd *cobra.Command, args []string) error {
			g, rows, err := c.servers(cmd.Context())
			if err != nil {
				return err
			}
			name, err := c.serverName(g, args[0])
			if err != nil {
				return err
			}
			i := slices.IndexFunc(rows, func(r serverRow) bool { return r.Name == name })
			if i < 0 {
				return refuse("%s is declared, and the running host does not know it yet; mortise %srefresh has it look", ext.Escape(name), c.placeFlag())
			}
			row := rows[i]
			if c.json {
				return c.document(row)
			}
			c.page(g.Config).serverPage(g, row)
			return nil
		},
	}
}

func (p *page) serverPage(g *host.Generation, r serverRow) {
	p.line("%s  %s", p.bold(ext.Escape(r.Name)), p.status(r.Status))
	var t table
	row := func(name, text string) {
		if text != "" {
			t.row(cell{name, p.dim}, cell{text, nil})
		}
	}
	row("declared", rootsOf(g.Listing(), p.call).at(p.call, r.Extension, "", r.Path, r.Line))
	row("runs", bounded(r.Declaration))
	row("why not", cut(r.Reason, safe))
	if s := r.Running; s != nil {
		row("state", string(s.State)+" since "+s.Since.Local().Format(time.DateTime))
		if s.Pid > 0 {
			row("process", fmt.Sprintf("%d, started %s by the host of process %d", s.Pid, times(s.Starts), s.Host))
		}
		if s.Sessions > 1 {
			row("sessions", fmt.Sprintf("%d: clients that can be asked something have their own", s.Sessions))
		}
		row("last error", cut(s.Error, safe))
		row("last end", cut(s.Exit, safe))
		if s.Noise > 0 {
			row("noise", count(s.Noise, "line")+" on standard output that were no messages")
		}
		for _, text := range s.Stderr {
			row("it said", cut(text, safe))
		}
		row("log", p.call.shown(s.Log))
	} else if r.Status == "active" {
		row("state", "not running: no mortise serve of this workspace runs")
	}
	t.full(p)
	p.gap()
	said := "Tools"
	if r.LastKnown {
		said += p.dim(", as it last described them")
	}
	if len(r.Tools) == 0 {
		p.line("It has not described any tools yet.")
		return
	}
	p.line("%s", p.bold(said))
	var tools table
	for _, t := range r.Tools {
		status := t.Status
		if status == "active" {
			status = ""
		}
		tools.row(cell{ext.Escape(t.Name), p.bold}, cell{status, p.status}, cell{bounded(t.Description), nil})
	}
	tools.write(p)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return decimal(uint64(n)) + " times"
}
