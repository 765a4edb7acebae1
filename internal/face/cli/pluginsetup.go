package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/file"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/prepare"
)

func (c *call) pluginSetup() *cobra.Command {
	var o settingUp
	cmd := &cobra.Command{
		Use:   "setup NAME",
		Short: "Run what a plugin declares to prepare what it depends on",
		Long: `Run the set-up steps of a plugin that are due: those that never ran for what the plugin
is now, or failed. They are shown first, and you are asked; --yes answers that, and
without a terminal it is needed. What a plugin may run waits for mortise trust, which runs
its set-up steps as well.

A step runs in the plugin's data directory, never in its checkout. What it wrote is shown
where it fails; the exit code is 1 then, and the plugin stays installed.`,
		Example: "mortise plugin setup acme\nmortise plugin setup acme --again --yes",
		Args:    one("NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := c.place()
			if err != nil {
				return err
			}
			purpose := host.Looking
			if o.yes || c.Asked && !c.json {
				purpose = host.Changing
			}
			return c.with(cmd.Context(), p, purpose, func(h *host.Host) error {
				g, err := h.Refresh(cmd.Context())
				if err != nil {
					return err
				}
				return c.setUpPlugin(cmd.Context(), p, h, g, args[0], o)
			})
		},
		ValidArgsFunction: c.completesPlugin(),
	}
	cmd.Flags().BoolVar(&o.again, "again", false, "run those as well that are done")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "run what is due without asking")
	return cmd
}

type settingUp struct{ again, yes bool }

// setupRow is one set-up step as a document.
type setupRow struct {
	Plugin    string   `json:"plugin"`
	Name      string   `json:"name"`
	Command   []string `json:"command"`   // the program, and its arguments
	Directory string   `json:"directory"` // where it runs
	State     string   `json:"state"`     // done, failed, due; waits, for its person's consent
	Ran       bool     `json:"ran"`       // this command ran it
	Exit      int      `json:"exit"`
	Error     string   `json:"error"`  // why it failed; "" when it did not
	Output    []string `json:"output"` // the last lines that it wrote, where it failed
	Log       string   `json:"log"`    // the file with what it wrote; "" where it never ran

	took time.Duration
}

func rowOf(p host.Place, s *host.Setup) setupRow {
	step := s.Expanded()
	r := setupRow{
		Plugin: string(s.Extension), Name: s.Name, Command: append([]string{step.Command}, step.Args...), Directory: s.Data, Output: []string{},
		State: string(s.State),
	}
	if s.Waits {
		r.State = "waits"
	}
	r.ended(p, s, &s.Outcome)
	return r
}

// ended takes in how a step ended.
func (r *setupRow) ended(p host.Place, s *host.Setup, o *prepare.Outcome) {
	const few = 15
	if o.Ended.IsZero() {
		return
	}
	r.Exit, r.Error, r.Log, r.took = o.Exit, o.Why, p.Prepared().Log(s.Data, s.Name), o.Ended.Sub(o.Begun)
	if o.State == prepare.Failed {
		if text, err := file.ReadAtMost(r.Log, 1<<20); err == nil {
			r.Output = append(r.Output, prepare.Last(text, few)...)
		}
	}
}

// setUpPlugin runs what is due of one plugin, once its person agreed.
func (c *call) setUpPlugin(ctx context.Context, p host.Place, h *host.Host, g *host.Generation, name string, o settingUp) error {
	all, err := setupsOf(g, name, c.nextFlag(p.Workspace.Dir))
	if err != nil {
		return err
	}
	due := slices.DeleteFunc(slices.Clone(all), func(s host.Setup) bool { return s.State == prepare.Done && !o.again })
	view := c.page(g.Config)
	if len(due) == 0 {
		rows := make([]setupRow, len(all))
		for i := range all {
			rows[i] = rowOf(p, &all[i])
		}
		if c.json {
			return c.document(map[string]any{"plugin": name, "setups": rows})
		}
		view.nothingDue(name, all, g.Listing())
		return nil
	}
	if !c.json {
		view.toRun(due)
	}
	if !o.yes {
		if !c.Asked || c.json {
			return errors.Join(c.flush(), refuse("nobody can be asked here; give --yes once you have seen what would run"))
		}
		if err := c.agree(ctx, false, fmt.Sprintf("Run %s? [y/N] ", count(len(due), "set-up step"))); err != nil {
			return err
		}
	}
	rows, err := c.runSetups(ctx, p, h, due, o.again)
	if c.json {
		if e := c.document(map[string]any{"plugin": name, "setups": rows}); e != nil {
			return e
		}
	} else {
		view.setUp(rows)
	}
	if err != nil {
		return err
	}
	return failedSetup(rows)
}

// setupsOf are the set-up steps of a plugin that is in use. That it is not, and that it
// waits, is a refusal.
func setupsOf(g *host.Generation, name, flag string) ([]host.Setup, error) {
	l := g.Listing()
	at := slices.IndexFunc(l.Extensions, func(x host.ExtensionRow) bool { return x.Name == name })
	if at < 0 {
		var known []string
		for _, x := range l.Extensions {
			known = append(known, x.Name)
		}
		return nil, unknown("plugin", name, known, "mortise plugin list shows those that are installed")
	}
	all := slices.DeleteFunc(g.Setups(), func(s host.Setup) bool { return string(s.Extension) != name })
	switch status := l.Extensions[at].Status; {
	case status == "refused" || status == "disabled":
		return nil, refuse("%s is %s, so that nothing of it runs; mortise %sexplain %s says why", ext.Escape(name), status, flag, word(name))
	case slices.ContainsFunc(all, func(s host.Setup) bool { return s.Waits }):
		return nil, refuse("what %s would run waits for your consent: mortise %strust shows it, and runs its set-up steps once you give it", ext.Escape(name), flag)
	}
	return all, nil
}

// setupState is how the set-up steps of a plugin stand; "" where it has none, or that is not
// known.
func setupState(l *host.Listing, name string) string {
	if l == nil {
		return ""
	}
	for _, x := range l.Extensions {
		if x.Name == name {
			return x.Setup
		}
	}
	return ""
}

// runSetups runs set-up steps, those of one plugin until one fails. Whatever fails, the
// rest is told as due.
func (c *call) runSetups(ctx context.Context, p host.Place, h *host.Host, all []host.Setup, again bool) (rows []setupRow, err error) {
	rows = make([]setupRow, len(all))
	stuck := map[ext.Name]bool{}
	for i := range all {
		s := &all[i]
		rows[i] = rowOf(p, s)
		if stuck[s.Extension] || ctx.Err() != nil {
			continue
		}
		progress, clear := c.following(s)
		o, ran, e := c.SetUp(ctx, p, s, host.SettingUp{Again: again, Output: progress, Waits: func() {
			fmt.Fprintf(c.Err, "mortise: %s waits: another process runs a set-up step of that plugin\n", ext.Escape(s.Qualified()))
		}})
		clear()
		if rows[i].Ran = ran; ctx.Err() != nil {
			return rows, ctx.Err()
		}
		if e == nil {
			rows[i].State = string(o.State)
			rows[i].ended(p, s, &o)
		} else {
			rows[i].State, rows[i].Error = string(prepare.Failed), e.Error()
		}
		if stuck[s.Extension] = rows[i].State != string(prepare.Done); ran && e == nil {
			err = errors.Join(err, h.SetUp(ctx, c.Person(), s, &o))
		}
	}
	return rows, err
}

// failedSetup is the answer no where a step did not end well.
func failedSetup(rows []setupRow) error {
	if slices.ContainsFunc(rows, func(r setupRow) bool { return r.State != string(prepare.Done) }) {
		return errNo
	}
	return nil
}

// toRun shows what would run, each with all that it is given.
func (p *page) toRun(all []host.Setup) {
	for i := range all {
		s := &all[i]
		p.line("%s runs %s", p.bold(ext.Escape(s.Qualified())), cut(s.Expanded().String(), line))
		p.line("  %s %s", p.dim("in"), ext.Escape(s.Data))
	}
}

// setUp tells how steps ended.
func (p *page) setUp(rows []setupRow) {
	for i := range rows {
		r := &rows[i]
		name := p.bold(ext.Escape(ext.Qualified(ext.Name(r.Plugin), r.Name)))
		switch {
		case r.State == string(prepare.Done) && r.Ran:
			p.line("%s is done, in %s", name, r.took.Round(100*time.Millisecond))
		case r.State == string(prepare.Done):
			p.line("%s was done meanwhile", name)
		case r.State == string(prepare.Failed):
			p.line("%s %s %s", name, p.red("failed:"), ext.Escape(r.Error))
			for _, l := range r.Output {
				p.line("  %s %s", p.dim("|"), bounded(l))
			}
			if r.Log != "" {
				p.line("  %s %s", p.dim("what it wrote:"), ext.Escape(r.Log))
			}
			p.line("  The plugin stays installed, and may lack what it depends on. mortise plugin setup %s tries again.", word(r.Plugin))
		default:
			p.line("%s was not run", name)
		}
	}
}

// nothingDue tells that no step is due, and what a plugin without any would need.
func (p *page) nothingDue(name string, all []host.Setup, l *host.Listing) {
	if len(all) > 0 {
		p.line("All set-up steps of %s are done for what it is now; --again runs them once more.", ext.Escape(name))
		return
	}
	p.line("%s declares no set-up step.", ext.Escape(name))
	for _, f := range l.Findings {
		if f.Extension == name && f.Code == host.SetupUndeclared.Code {
			p.line("%s", ext.Escape(f.Fix))
		}
	}
}

// setUpAfter offers to run what is due of plugins that came, or came back, and were
// consented to as they are before. Without somebody to ask it is told. l is what is in use,
// as far as it is known; nil: somebody has to look.
func (c *call) setUpAfter(ctx context.Context, p host.Place, l *host.Listing, names ...string) error {
	about := func(x string) bool { return slices.Contains(names, x) }
	if l != nil && !slices.ContainsFunc(l.Findings, func(f host.FindingRow) bool { return f.Code == host.SetupDue.Code && about(f.Extension) }) {
		return nil
	}
	purpose := host.Looking
	if c.Asked && !c.json {
		purpose = host.Changing
	}
	return c.with(ctx, p, purpose, func(h *host.Host) error {
		g, err := h.Refresh(ctx)
		if err != nil {
			return err
		}
		due := slices.DeleteFunc(g.Setups(), func(s host.Setup) bool { return !about(string(s.Extension)) || s.Waits || s.State == prepare.Done })
		if len(due) == 0 || c.json {
			return nil
		}
		view := c.page(g.Config)
		view.toRun(due)
		answer := ""
		if c.Asked {
			if answer, err = c.answer(ctx, fmt.Sprintf("Run %s now? [y/N] ", count(len(due), "set-up step"))); err != nil {
				return err
			}
		}
		if answer != "y" {
			view.line("That is still to be done: mortise %splugin setup %s.", c.nextFlag(p.Workspace.Dir), word(string(due[0].Extension)))
			return nil
		}
		rows, err := c.runSetups(ctx, p, h, due, false)
		if view.setUp(rows); err != nil {
			return err
		}
		return failedSetup(rows)
	})
}

// setUpShown runs the set-up steps that were shown to who consented, as far as they are
// due.
func (c *call) setUpShown(ctx context.Context, p host.Place, h *host.Host, g *host.Generation, shown []host.Setup) ([]setupRow, error) {
	due := slices.DeleteFunc(g.Setups(), func(s host.Setup) bool {
		return s.Waits || s.State == prepare.Done || !slices.ContainsFunc(shown, func(was host.Setup) bool {
			return was.Extension == s.Extension && was.Name == s.Name && was.Digest == s.Digest && was.Content == s.Content
		})
	})
	return c.runSetups(ctx, p, h, due, false)
}

// following shows on standard error what a step wrote last, where that is a terminal.
// clear takes it away again.
func (c *call) following(s *host.Setup) (w *lastLine, clear func()) {
	w = &lastLine{}
	if c.Watched {
		w.show = func(text string) {
			fmt.Fprintf(c.Err, "\r\x1b[Kmortise: %s: %s", ext.Escape(s.Qualified()), ext.Escape(ext.Shorten(text, 60)))
		}
		w.show("runs")
	}
	return w, func() {
		if c.Watched {
			fmt.Fprint(c.Err, "\r\x1b[K")
		}
	}
}

// lastLine shows the last line of what is written to it, not too often.
type lastLine struct {
	show func(string) // nil: nobody looks
	at   time.Time
}

func (w *lastLine) Write(p []byte) (int, error) {
	const often = 100 * time.Millisecond
	if w.show == nil || time.Since(w.at) < often {
		return len(p), nil
	}
	text := bytes.TrimSpace(p)
	if i := bytes.LastIndexAny(text, "\n\r"); i >= 0 {
		text = text[i+1:]
	}
	if len(text) > 0 {
		w.at = time.Now()
		w.show(string(bytes.ToValidUTF8(text, []byte("\uFFFD"))))
	}
	return len(p), nil
}
