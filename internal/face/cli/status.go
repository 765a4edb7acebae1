package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/hook/panel"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/plan"
)

func (c *call) status() *cobra.Command {
	var panels bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show in a few lines how this worktree is doing",
		Long: `Show in a few lines how this worktree is doing: whether it is adopted, what was found, at
which levels its axes are. --panels adds what extensions show of themselves, tables and
trees.`,
		Example: "mortise status\nmortise status --panels --json",
		Args:    upTo(0, "argument"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.showStatus(cmd.Context(), panels) },
	}
	cmd.Flags().BoolVar(&panels, "panels", false, "show the panels of extensions")
	return cmd
}

// statusDoc is the JSON document of status.
type statusDoc struct {
	Worktree   string      `json:"worktree"`
	Generation uint64      `json:"generation"`
	Digest     string      `json:"digest"`
	Adopted    bool        `json:"adopted"`
	Lapsed     int         `json:"lapsed"` // what changed since it was adopted
	Found      int         `json:"found"`
	Admitted   int         `json:"admitted"`
	Refused    int         `json:"refused"`
	Disabled   int         `json:"disabled"`
	Pending    int         `json:"pending"`
	Errors     int         `json:"errors"`
	Warnings   int         `json:"warnings"`
	Mode       ext.Mode    `json:"mode"`
	Issues     []issueRow  `json:"issues"`
	Panels     []panelRow  `json:"panels"` // with --panels; else empty
	Findings   []planFault `json:"findings"`
}

type panelRow struct {
	panel.Panel
	Extension string `json:"extension"`
}

func (c *call) showStatus(ctx context.Context, panels bool) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	return c.with(ctx, p, host.Looking, func(h *host.Host) error {
		g, err := h.Refresh(ctx)
		if err != nil {
			return err
		}
		now := h.Mode(ctx, g)
		doc := statusDocOf(ctx, g, now)
		if panels {
			plans := g.Plan(ctx, now.Mode)
			gathered := plans.Gather(ctx, panel.Panels.Spec)
			for _, v := range plan.Of(ctx, plans, panel.Panels) {
				doc.Panels = append(doc.Panels, panelRow{v.Value, string(v.Extension)})
			}
			doc.Findings = append(doc.Findings, planFaults(gathered.Findings)...)
		}
		if c.json {
			return c.document(doc)
		}
		c.page(g.Config).statusOf(g, doc)
		return nil
	})
}

func statusDocOf(ctx context.Context, g *host.Generation, now *plan.Current) *statusDoc {
	l := g.Listing()
	out := &statusDoc{
		Worktree: g.Config.Workspace().Dir, Generation: g.Number, Digest: g.Digest().String(), Adopted: g.Adopted, Lapsed: len(g.Lapsed),
		Found: l.Found, Admitted: l.Admitted, Refused: l.Refused, Disabled: l.Disabled, Pending: l.Pending, Mode: now.Mode,
		Issues: issueRows(g.Registry(ctx).Issues(ctx, now.Mode)), Panels: []panelRow{}, Findings: append(stateFaults(g), planFaults(now.Findings)...),
	}
	for _, f := range l.Findings {
		switch f.Severity {
		case ext.Error.String():
			out.Errors++
		case ext.Warning.String():
			out.Warnings++
		}
	}
	return out
}

// statusOf shows how a worktree is doing.
func (p *page) statusOf(g *host.Generation, d *statusDoc) {
	p.head(g)
	if !d.Adopted {
		p.line("%s nothing of this workspace reaches an agent; mortise %strust adopts it", p.yellow("Not adopted:"), p.call.nextFlag(d.Worktree))
	} else if d.Lapsed > 0 {
		p.line("%s since it was adopted; mortise %strust --diff shows what", p.yellow(count(d.Lapsed, "change")), p.call.nextFlag(d.Worktree))
	}
	p.line("%s found, %d admitted, %d refused, %d disabled, %d pending; %s, %s", count(d.Found, "extension"), d.Admitted, d.Refused, d.Disabled, d.Pending, count(d.Errors, "error"), count(d.Warnings, "warning"))
	p.levels(g, d.Mode, d.Issues)
	for i := range d.Panels {
		p.panel(&d.Panels[i])
	}
	p.faults(d.Findings)
}

// panel paints a table or a tree.
func (p *page) panel(d *panelRow) {
	p.gap()
	p.line("%s  %s", p.bold(safe(d.Title)), p.dim(ext.Escape(d.Extension)))
	if d.Summary != "" {
		p.line("  %s", safe(d.Summary))
	}
	if d.Kind == "tree" {
		for _, g := range d.Groups {
			p.line("  %s", safe(g.Label))
			for _, child := range g.Children {
				p.line("    %s", safe(child))
			}
		}
		return
	}
	var t table
	head := make([]cell, len(d.Columns))
	for i, column := range d.Columns {
		head[i] = cell{safe(column), p.dim}
	}
	t.row(head...)
	for _, r := range d.Rows {
		cells := make([]cell, len(r))
		for i, text := range r {
			cells[i] = cell{safe(text), nil}
		}
		t.row(cells...)
	}
	t.write(p)
}
