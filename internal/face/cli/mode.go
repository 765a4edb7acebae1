package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/hook/axis"
	"github.com/mortise-dev/mortise/internal/hook/daemon"
	"github.com/mortise-dev/mortise/internal/hook/proxy"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/plan"
)

func (c *call) mode() *cobra.Command {
	var ttl string
	var dry bool
	cmd := &cobra.Command{
		Use:   "mode [AXIS=LEVEL…]",
		Short: "Show at which levels this worktree is, or set them",
		Long: `Show the axes of this worktree: at which level each is, what that means, how long it
still holds, and what is wrong. With AXIS=LEVEL it sets axes, all of them at once or none:
a mode in which a level lacks what it needs is refused, and the command that would succeed
is shown.

Axes come from [[axis]] and [[inject]] of the configuration and from extensions. The first
level of an axis is its default. An emergency level ends after an hour, or as --ttl says,
at most after eight hours; then its axis is at its default again, and with it what needs
the level, whether or not anything of Mortise runs. The mode belongs to this worktree alone.

--dry-run shows what a mode would mean and sets nothing: mortise plan show --mode has all
of it.`,
		Example: "mortise mode\nmortise mode data=real net=on\nmortise mode gcp=user --ttl 30m",
		RunE: func(cmd *cobra.Command, args []string) error {
			change, err := changeOf(args, ttl, cmd.Flags().Changed("ttl"))
			if err != nil {
				return err
			}
			if len(args) == 0 {
				if change.Limited || dry {
					return usage("say what is to be set, as AXIS=LEVEL")
				}
				return c.showMode(cmd.Context())
			}
			return c.setMode(cmd.Context(), change, dry)
		},
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			g, err := c.look(cmd.Context())
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			var out []string
			for _, a := range g.Quiet(cmd.Context()).Axes() {
				for _, l := range a.Value.Levels {
					out = append(out, a.Value.Name+"="+l)
				}
			}
			return typeable(out), cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringVar(&ttl, "ttl", "", "how `LONG` emergency levels hold: 90s, 30m, 2h, or seconds; at most 8h")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "show what would be set, and set nothing")
	return cmd
}

// changeOf reads what is to be set.
func changeOf(args []string, ttl string, limited bool) (plan.Change, error) {
	c := plan.Change{Limited: limited}
	for _, a := range args {
		axis, level, ok := strings.Cut(a, "=")
		if !ok || axis == "" || level == "" {
			return c, usage("%s is no setting; it is AXIS=LEVEL, such as data=real, and mortise mode shows what there is", quote(a))
		}
		c.Updates = append(c.Updates, plan.Update{Axis: axis, Level: level})
	}
	if limited {
		var err error
		if c.TTL, err = duration(ttl); err != nil {
			return c, err
		}
	}
	return c, nil
}

// duration reads 90s, 30m, 2h or seconds.
func duration(text string) (time.Duration, error) {
	if n, err := strconv.Atoi(text); err == nil && n < 1<<31 {
		text = strconv.Itoa(n) + "s"
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, usage("--ttl takes a time of more than none, such as 90s, 30m or 2h, not %s", quote(text))
	}
	return d, nil
}

// modeDoc is the JSON document of mode.
type modeDoc struct {
	Worktree string      `json:"worktree"`
	Adopted  bool        `json:"adopted"`
	Changed  bool        `json:"changed"` // by this command
	Axes     []axisRow   `json:"axes"`
	Lapsed   []string    `json:"lapsed"`  // axes whose level has ended
	Lowered  []string    `json:"lowered"` // axes that rest because what they need has ended
	Issues   []issueRow  `json:"issues"`
	Command  string      `json:"command"` // that would succeed where the change was refused; else ""
	Daemons  []daemonRow `json:"daemons"`
	Findings []planFault `json:"findings"`
}

type axisRow struct {
	Name      string     `json:"name"`
	Level     string     `json:"level"`
	Default   string     `json:"default"`
	Levels    []levelRow `json:"levels"`
	Until     *time.Time `json:"until"` // null: it does not end
	Left      int        `json:"left_s"`
	Daemon    string     `json:"daemon"`
	Extension string     `json:"extension"` // "": the configuration
	Path      string     `json:"path"`
	Line      int        `json:"line"`
}

type levelRow struct {
	Name      string `json:"name"`
	Meaning   string `json:"meaning"`
	Emergency bool   `json:"emergency"`
}

type issueRow struct {
	Severity string   `json:"severity"`
	Message  string   `json:"message"`
	Axes     []string `json:"axes"`
	Path     string   `json:"path"`
	Line     int      `json:"line"`
}

type daemonRow struct {
	Name    string   `json:"name"`
	Label   string   `json:"label"`
	Port    int      `json:"port"`
	State   string   `json:"state"` // wanted, or blocked: something that it needs is missing
	Missing []string `json:"missing"`
}

type planFault struct {
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Message  string `json:"message"`
	Path     string `json:"path"`
	Line     int    `json:"line"`
	Fix      string `json:"fix"`
}

func (c *call) showMode(ctx context.Context) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	return c.with(ctx, p, host.Looking, func(h *host.Host) error {
		g, err := h.Refresh(ctx)
		if err != nil {
			return err
		}
		doc := c.modeDocOf(ctx, g, h.Mode(ctx, g))
		if c.json {
			return c.document(doc)
		}
		c.page(g.Config).mode(g, &doc)
		return nil
	})
}

// modeDocOf is what there is to say of a mode.
func (c *call) modeDocOf(ctx context.Context, g *host.Generation, now *plan.Current) modeDoc {
	r := g.Registry(ctx)
	out := modeDoc{
		Worktree: g.Config.Workspace().Dir, Adopted: g.Adopted, Axes: []axisRow{}, Lapsed: notNil(now.Lapsed), Lowered: notNil(now.Lowered),
		Issues: []issueRow{}, Daemons: []daemonRow{}, Findings: []planFault{},
	}
	for _, a := range r.Axes() {
		out.Axes = append(out.Axes, axisRowOf(&a, now))
	}
	out.Issues = issueRows(r.Issues(ctx, now.Mode))
	p := r.Plan(now.Mode)
	daemons := p.Gather(ctx, daemon.Daemons.Spec)
	for _, d := range plan.Of(ctx, p, daemon.Daemons) {
		row := daemonRow{Name: d.Value.Name, Label: d.Value.Label, Port: d.Value.Port, State: "wanted", Missing: []string{}}
		for _, v := range d.Value.Requires {
			if variable(c.Env, v) == "" {
				row.State, row.Missing = "blocked", append(row.Missing, v)
			}
		}
		out.Daemons = append(out.Daemons, row)
	}
	// What cannot say what is wrong with a mode is told: nobody else would.
	issues, rules := p.Gather(ctx, axis.Issues.Spec), p.Gather(ctx, proxy.Rules.Spec)
	out.Findings = append(out.Findings, stateFaults(g)...)
	for _, fs := range []ext.Findings{r.Findings(), now.Findings, issues.Findings, rules.Findings, daemons.Findings} {
		out.Findings = append(out.Findings, planFaults(fs)...)
	}
	return out
}

func axisRowOf(a *plan.Typed[axis.Axis], now *plan.Current) axisRow {
	v := &a.Value
	row := axisRow{
		Name: v.Name, Level: now.Mode[v.Name], Default: v.Default(), Daemon: v.Daemon,
		Extension: string(a.Extension), Path: a.Origin.Path, Line: a.Origin.Line,
	}
	for _, l := range v.Levels {
		one := levelRow{Name: l, Meaning: v.Blurb[l]}
		for _, e := range v.Emergency {
			one.Emergency = one.Emergency || e == l
		}
		row.Levels = append(row.Levels, one)
	}
	if until, ok := now.Until[v.Name]; ok {
		row.Until, row.Left = &until, int(time.Until(until).Seconds())
	}
	return row
}

func issueRows(all []plan.Issue) []issueRow {
	out := []issueRow{}
	for _, i := range all {
		severity := "warn"
		if i.Fatal {
			severity = "error"
		}
		out = append(out, issueRow{Severity: severity, Message: i.Message, Axes: notNil(i.Axes), Path: i.Origin.Path, Line: i.Origin.Line})
	}
	return out
}

// stateFaults say that what is remembered cannot be read: then every axis is at its default.
func stateFaults(g *host.Generation) []planFault {
	out := []planFault{}
	for _, f := range unreadable(g.Listing()) {
		out = append(out, planFault{Severity: f.Severity, Code: f.Code, Message: f.Message, Path: f.Path, Line: f.Line, Fix: f.Fix})
	}
	return out
}

func planFaults(all ext.Findings) []planFault {
	var out []planFault
	for _, f := range all {
		out = append(out, planFault{Severity: f.Check.Severity.String(), Code: f.Check.Code, Message: f.Message, Path: f.Origin.Path, Line: f.Origin.Line, Fix: f.Fix()})
	}
	return out
}

func notNil(all []string) []string {
	if all == nil {
		return []string{}
	}
	return all
}

// variable is the value of a variable of an environment; "" where it is not set.
func variable(env []string, name string) string {
	value, _ := lookup(env, name)
	return value
}

// lookup is the value of a variable of an environment; the last of several counts.
func lookup(env []string, name string) (value string, given bool) {
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			value, given = v, true
		}
	}
	return value, given
}

func (c *call) setMode(ctx context.Context, change plan.Change, dry bool) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	purpose := host.Changing
	if dry {
		purpose = host.Looking
	}
	return c.with(ctx, p, purpose, func(h *host.Host) error {
		g, err := h.Refresh(ctx)
		if err != nil {
			return err
		}
		var done *host.ModeChange
		if dry {
			done, err = h.TryMode(ctx, g, change)
		} else {
			done, err = h.SetMode(ctx, g, change, c.Person())
		}
		if refused := new(plan.Refused); errors.As(err, &refused) {
			return c.refusedMode(ctx, h, g, change, refused)
		}
		if err != nil {
			return err
		}
		doc := c.modeDocOf(ctx, g, done.To)
		doc.Changed = !dry
		if c.json {
			return c.document(doc)
		}
		view := c.page(g.Config)
		for _, w := range done.Warnings {
			fmt.Fprintln(c.Err, "mortise: warning: "+safe(w.Message))
		}
		for _, dir := range done.Gone {
			view.line("%s", view.dim("The mode of "+safe(dir)+", which is not there any more, is forgotten."))
		}
		if dry {
			view.line("%s", view.dim("Nothing is set. The mode would be:"))
		}
		view.mode(g, &doc)
		return nil
	})
}

// refusedMode says why a mode is not set, and what would be.
func (c *call) refusedMode(ctx context.Context, h *host.Host, g *host.Generation, change plan.Change, refused *plan.Refused) error {
	command := ""
	if refused.Command != nil {
		command = "mortise " + c.nextFlag(g.Config.Workspace().Dir) + "mode " + plan.Arguments(refused.Command)
		if change.Limited {
			command += " --ttl " + change.TTL.String()
		}
	}
	if c.json {
		doc := c.modeDocOf(ctx, g, h.Mode(ctx, g))
		doc.Issues, doc.Command = issueRows(refused.Issues), command
		if err := c.document(doc); err != nil {
			return err
		}
		return errNo
	}
	view := c.page(g.Config)
	view.line("%s", view.red("The mode is not set:"))
	for _, i := range refused.Issues {
		view.line("  %s", safe(i.Message))
	}
	if command != "" {
		view.line("%s %s", view.dim("this would be set:"), command)
	}
	return errNo
}

// mode shows axes, what is wrong and what should run.
func (p *page) mode(g *host.Generation, d *modeDoc) {
	if !d.Adopted {
		p.line("%s the workspace has no mode until it is adopted: mortise %strust", p.yellow("Not adopted:"), p.call.nextFlag(g.Config.Workspace().Dir))
	}
	if len(d.Axes) == 0 {
		p.line("There are no axes here. [[axis]] and [[inject]] in mortise.toml, and extensions, declare them.")
	}
	var t table
	for i := range d.Axes {
		a := &d.Axes[i]
		paint := p.bold
		meaning := ""
		for _, l := range a.Levels {
			if l.Name == a.Level {
				meaning = l.Meaning
				if l.Emergency {
					paint = p.red
				}
			}
		}
		left := ""
		if a.Until != nil {
			left = "ends in " + span(time.Duration(a.Left)*time.Second)
		}
		t.row(cell{ext.Escape(a.Name), p.bold}, cell{ext.Escape(a.Level), paint}, cell{left, p.yellow}, cell{others(a), p.dim}, cell{bounded(meaning), nil})
	}
	t.write(p)
	for _, name := range d.Lapsed {
		p.line("%s the level of %s has ended; it is at its default", p.yellow("Ended:"), ext.Escape(name))
	}
	for _, name := range d.Lowered {
		p.line("%s %s rests, since what it needs has ended", p.yellow("Lowered:"), ext.Escape(name))
	}
	for _, i := range d.Issues {
		word := p.yellow("Warning:")
		if i.Severity == "error" {
			word = p.red("Error:")
		}
		p.line("%s %s", word, safe(i.Message))
	}
	for _, w := range d.Daemons {
		state := p.dim("wanted; nothing here runs it")
		if w.State == "blocked" {
			state = p.red("blocked: " + ext.Escape(strings.Join(w.Missing, ", ")) + " is not set")
		}
		p.line("Daemon %s  %s", p.bold(ext.Escape(w.Name)), state)
	}
	p.faults(d.Findings)
}

// faults shows what was wrong with what a plan was made of.
func (p *page) faults(all []planFault) {
	for _, f := range all {
		if f.Severity == ext.Info.String() {
			continue
		}
		at := f.Path
		if f.Line > 0 {
			at += ":" + strconv.Itoa(f.Line)
		}
		p.line("%s  %s  %s\n    %s\n    fix: %s", p.severity(f.Severity), ext.Escape(at), p.dim(f.Code), safe(f.Message), safe(f.Fix))
	}
}

// others are the levels that an axis could be set to.
func others(a *axisRow) string {
	var all []string
	for _, l := range a.Levels {
		if l.Name == a.Level {
			continue
		}
		name := l.Name
		if l.Emergency {
			name += "!"
		}
		all = append(all, ext.Escape(name))
	}
	if len(all) == 0 {
		return ""
	}
	return "or " + strings.Join(all, ", ")
}

// span is a time as people say it.
func span(d time.Duration) string {
	switch {
	case d < 0:
		return "0s"
	case d < 10*time.Minute:
		return d.Round(time.Second).String()
	}
	return strings.TrimSuffix(d.Round(time.Minute).String(), "0s")
}
