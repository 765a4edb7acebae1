package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/surface"
)

func (c *call) plan() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Show everything that a mode means",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("plan command", args[0], commandNames(cmd), "there are "+enumerate(commandNames(cmd)))
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(c.planShow())
	return cmd
}

func (c *call) planShow() *cobra.Command {
	var levels []string
	cmd := &cobra.Command{
		Use:   "show [HOOK]",
		Short: "Show what should run and be so in a mode, with where each part is from",
		Long: `Show the answers to every hook in the mode of this worktree: variables, daemons, compose
files, staged files, what the box is made with, rules of the proxy, secrets that are wanted,
checks and panels, each with the extension, file and line it is from, and what lost to it.
HOOK is one hook, such as derive_env. --mode shows another mode, which nobody has to have
set: showing it changes nothing.

Secrets are named and never shown.`,
		Example: "mortise plan show\nmortise plan show derive_env --mode data=real\nmortise plan show --json",
		Args:    upTo(1, "hook"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.showPlan(cmd.Context(), levels, args)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return c.planHooks(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringArrayVar(&levels, "mode", nil, "with an axis at another level: `AXIS=LEVEL`; may be given several times")
	return cmd
}

// planHooks are the names of the hooks that plans ask.
func (c *call) planHooks() []string {
	var out []string
	for _, s := range c.Specs {
		if s.Answers != nil {
			out = append(out, s.Name)
		}
	}
	return out
}

// planDoc is the JSON document of plan show.
type planDoc struct {
	Worktree string      `json:"worktree"`
	Adopted  bool        `json:"adopted"`
	Mode     ext.Mode    `json:"mode"`
	Digest   string      `json:"digest"`
	Issues   []issueRow  `json:"issues"`
	Hooks    []hookRow   `json:"hooks"`
	Findings []planFault `json:"findings"`
}

type hookRow struct {
	Hook     string      `json:"hook"`
	Merge    string      `json:"merge"`
	Answers  []answerRow `json:"answers"`
	Shadowed []lostRow   `json:"shadowed"`
}

type answerRow struct {
	Key       string          `json:"key"`
	Value     json.RawMessage `json:"value"`
	Extension string          `json:"extension"` // "": the configuration
	Entry     string          `json:"entry"`
	Path      string          `json:"path"`
	Line      int             `json:"line"`
}

type lostRow struct {
	answerRow
	By string `json:"by"` // who has the key: an entry, or "" for the configuration
}

func answerRowOf(a *plan.Given) (answerRow, error) {
	value, err := ext.EncodeJSON(a.Value)
	return answerRow{a.Key, value, string(a.Extension), a.Entry, a.Origin.Path, a.Origin.Line}, err
}

func (c *call) showPlan(ctx context.Context, levels, only []string) error {
	change, err := changeOf(levels, "", false)
	if err != nil {
		return err
	}
	if len(only) > 0 && !slices.Contains(c.planHooks(), only[0]) {
		return unknown("hook", only[0], c.planHooks(), "there are "+strings.Join(c.planHooks(), ", "))
	}
	p, err := c.place()
	if err != nil {
		return err
	}
	return c.with(ctx, p, host.Looking, func(h *host.Host) error {
		g, err := h.Refresh(ctx)
		if err != nil {
			return err
		}
		r, mode := g.Registry(ctx), h.Mode(ctx, g).Mode
		for _, u := range change.Updates {
			a := r.Axis(u.Axis)
			if a == nil || !slices.Contains(a.Value.Levels, u.Level) {
				return usage("there is no level %s of an axis %s; mortise mode shows what there is", quote(u.Level), quote(u.Axis))
			}
			mode[u.Axis] = u.Level
		}
		doc, err := planDocOf(ctx, g, mode, only)
		if err != nil {
			return err
		}
		if c.json {
			return c.document(doc)
		}
		c.page(g.Config).plan(g, doc)
		return nil
	})
}

// planDocOf is everything that a mode means, or what one hook says of it.
func planDocOf(ctx context.Context, g *host.Generation, mode ext.Mode, only []string) (*planDoc, error) {
	r := g.Registry(ctx)
	p := r.Plan(mode)
	out := &planDoc{
		Worktree: p.Worktree, Adopted: g.Adopted, Mode: p.Mode, Digest: p.Digest.String(), Issues: issueRows(r.Issues(ctx, p.Mode)),
		Hooks: []hookRow{}, Findings: append(stateFaults(g), planFaults(r.Findings())...),
	}
	for _, s := range r.Hooks() {
		if len(only) > 0 && only[0] != s.Name {
			continue
		}
		gathered := p.Gather(ctx, s)
		row, err := hookRowOf(s, gathered)
		if err != nil {
			return nil, err
		}
		out.Hooks = append(out.Hooks, row)
		if s.Name != "axes" { // those are the registry's
			out.Findings = append(out.Findings, planFaults(gathered.Findings)...)
		}
	}
	return out, nil
}

func hookRowOf(s *surface.Spec, g *plan.Gathered) (hookRow, error) {
	row := hookRow{Hook: s.Name, Merge: s.Answers.Merge.String(), Answers: []answerRow{}, Shadowed: []lostRow{}}
	for i := range g.Answers {
		a, err := answerRowOf(&g.Answers[i])
		if err != nil {
			return row, err
		}
		row.Answers = append(row.Answers, a)
	}
	for i := range g.Shadowed {
		a, err := answerRowOf(&g.Shadowed[i].Lost)
		if err != nil {
			return row, err
		}
		row.Shadowed = append(row.Shadowed, lostRow{a, g.Shadowed[i].Kept.Entry})
	}
	return row, nil
}

// plan shows everything that a mode means. Hooks that say nothing are counted.
func (p *page) plan(g *host.Generation, d *planDoc) {
	if !d.Adopted {
		p.line("%s the workspace has no mode until it is adopted: mortise %strust", p.yellow("Not adopted:"), p.call.nextFlag(g.Config.Workspace().Dir))
	}
	p.levels(g, d.Mode, d.Issues)
	silent := 0
	for i := range d.Hooks {
		h := &d.Hooks[i]
		if len(h.Answers)+len(h.Shadowed) == 0 {
			silent++
			continue
		}
		p.gap()
		p.line("%s  %s", p.bold(h.Hook), p.dim(h.Merge))
		for j := range h.Answers {
			p.answer(&h.Answers[j], "")
		}
		for j := range h.Shadowed {
			p.answer(&h.Shadowed[j].answerRow, "lost to "+whose(h.Shadowed[j].By))
		}
	}
	p.gap()
	p.line("%s without an answer", count(silent, "hook"))
	p.faults(d.Findings)
}

// levels is a mode in one line, in the order of its axes, and what is wrong with it.
func (p *page) levels(g *host.Generation, mode ext.Mode, issues []issueRow) {
	var all []string
	for _, a := range g.Registry(context.Background()).Axes() {
		all = append(all, a.Value.Name+"="+mode[a.Value.Name])
	}
	if len(all) > 0 {
		p.line("Mode  %s", ext.Escape(strings.Join(all, " ")))
	}
	for _, i := range issues {
		p.line("%s %s", p.yellow(i.Severity+":"), safe(i.Message))
	}
}

// answer shows one answer and where it is from.
func (p *page) answer(a *answerRow, lost string) {
	at := ext.Escape(a.Path)
	if a.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, a.Line)
	}
	from := whose(a.Entry) + "  " + at
	if lost != "" {
		from += "  " + lost
	}
	p.line("  %s", cut(string(a.Value), safe))
	p.line("    %s", p.dim(from))
}

func whose(entry string) string {
	if entry == "" {
		return "the configuration"
	}
	return ext.Escape(entry)
}
