package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/hook/check"
	"github.com/mortise-dev/mortise/internal/host"
)

func (c *call) doctor() *cobra.Command {
	var fix, deep, yes bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Look whether all is well, and mend what can be",
		Long: `Look whether all is well: configuration, state, adoption, plugins, servers, what clients
have installed, the mode and its secrets, and whatever extensions that are in use check.
It says where these disagree. The exit code is 1 when a row is a fail; warnings do not
change it. Rows of what is off are left out.

Nothing of a workspace that is not adopted is run. Checks of extensions run commands of
theirs, and servers are started and contacted with --deep alone.

--fix runs the fixes of what is not well, one by one: each is shown with its command
and asked for, or run with --yes. They ask for nothing, have ten minutes each, and what
they write is shown. Then all is looked at again.`,
		Example: "mortise doctor\nmortise doctor --deep\nmortise doctor --fix",
		Args:    upTo(0, "argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if yes && !fix {
				return usage("--yes is about the fixes that --fix runs")
			}
			p, err := c.place()
			if err != nil {
				return err
			}
			return c.examine(cmd.Context(), p, deep, fix, yes)
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "run the fixes of what is not well, each once it is agreed to")
	cmd.Flags().BoolVar(&deep, "deep", false, "also start and contact servers, and make the checks that take their time")
	cmd.Flags().BoolVar(&yes, "yes", false, "with --fix: run them without asking")
	return cmd
}

// doctorDoc is the JSON document of doctor.
type doctorDoc struct {
	Workspace string      `json:"workspace"`
	Deep      bool        `json:"deep"`
	Failed    bool        `json:"failed"`
	Checks    []healthRow `json:"checks"`
	LeftOut   int         `json:"left_out"` // checks that are made with --deep alone
	Fixes     []fixRow    `json:"fixes"`    // that are known; with --fix those of before
}

type healthRow struct {
	Status string `json:"status"` // ok, warn, fail
	Name   string `json:"name"`
	From   string `json:"from"` // the extension; "": Mortise itself
	At     string `json:"at"`   // file and line
	Detail string `json:"detail"`
	Fix    string `json:"fix"`
}

type fixRow struct {
	Check   string   `json:"check"`
	From    string   `json:"from"`
	Label   string   `json:"label"`
	Command []string `json:"command"`
	Outcome string   `json:"outcome"` // "": it was not run; done, declined, failed
	Error   string   `json:"error"`
}

func (c *call) examine(ctx context.Context, p host.Place, deep, fix, yes bool) error {
	h, err := c.health(ctx, p, deep)
	if err != nil {
		return err
	}
	fixes := fixRows(h.Fixes)
	if fix {
		if err := c.fixAll(ctx, p, &h, fixes, yes); err != nil {
			return err
		}
		ran := false
		for i := range fixes {
			ran = ran || fixes[i].Outcome == "done" || fixes[i].Outcome == "failed"
		}
		if ran {
			if h, err = c.health(ctx, p, deep); err != nil {
				return err
			}
		}
	}
	if c.json {
		err = c.document(doctorDocOf(p, &h, deep, fixes))
	} else {
		c.page(nil).health(&h, fix)
	}
	if err == nil && h.Failed() {
		return errNo
	}
	return err
}

// health looks, and says meanwhile what is looked at where somebody watches.
func (c *call) health(ctx context.Context, p host.Place, deep bool) (host.Health, error) {
	begun, clear := c.begun()
	defer clear()
	return c.Doctor(ctx, p, host.Examination{Deep: deep, Begun: begun})
}

// begun says on a terminal what is done now. clear takes that away.
func (c *call) begun() (begun func(name string), clear func()) {
	if !c.Watched {
		return nil, func() {}
	}
	begun = func(name string) { fmt.Fprint(c.Err, "\r\x1b[K"+bounded("… "+name)) }
	return begun, func() { fmt.Fprint(c.Err, "\r\x1b[K") }
}

func fixRows(all []host.Fix) []fixRow {
	out := []fixRow{}
	for i := range all {
		f := &all[i]
		out = append(out, fixRow{Check: f.Check, From: string(f.From), Label: f.Label, Command: f.Command})
	}
	return out
}

// fixAll runs the fixes that are agreed to, one after the other. What became of each is in
// its row.
func (c *call) fixAll(ctx context.Context, p host.Place, h *host.Health, rows []fixRow, yes bool) error {
	if len(rows) > 0 && !yes && (!c.Asked || c.json) {
		if !c.json {
			c.page(nil).fixes(rows)
		}
		return ext.AsRefused(errors.New("nobody can be asked here; give --yes once you have seen what would be run (mortise doctor shows it)"))
	}
	for i := range rows {
		r := &rows[i]
		c.tell("%s: %s", ext.Escape(r.Check), safe(r.Label))
		c.tell("  %s", argv(r.Command))
		if !yes {
			answer, err := c.answer(ctx, "Run it? [y/N] ")
			if err != nil {
				return err
			}
			if answer != "y" {
				r.Outcome = "declined"
				continue
			}
		}
		err := c.Mend(ctx, p, &h.Fixes[i], c.Person(), func(line string) { c.tell("  | %s", ext.Escape(line)) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.Outcome = "done"; err != nil {
			r.Outcome, r.Error = "failed", err.Error()
			c.tell("  it failed: %s", safe(r.Error))
		}
	}
	return nil
}

// tell says at once how something goes on: where nobody reads a document.
func (c *call) tell(format string, args ...any) {
	to := c.Out
	if c.json {
		to = c.Err
	}
	fmt.Fprintf(to, format+"\n", args...)
}

// argv is a command as it would be typed.
func argv(command []string) string {
	words := make([]string, len(command))
	for i, w := range command {
		words[i] = word(w)
	}
	return strings.Join(words, " ")
}

func doctorDocOf(p host.Place, h *host.Health, deep bool, fixes []fixRow) doctorDoc {
	d := doctorDoc{Workspace: p.Workspace.Dir, Deep: deep, Failed: h.Failed(), Checks: []healthRow{}, LeftOut: h.Left, Fixes: fixes}
	for i := range h.Rows {
		r := &h.Rows[i]
		d.Checks = append(d.Checks, healthRow{string(r.Status), r.Name, string(r.From), r.At, r.Detail, r.Fix})
	}
	return d
}

// health is the table, and what to do about what is not well.
func (p *page) health(h *host.Health, fixed bool) {
	var t table
	n := map[check.Status]int{}
	for i := range h.Rows {
		r := &h.Rows[i]
		n[r.Status]++
		t.row(
			cell{string(r.Status), p.wellness}, cell{ext.Escape(r.Name), p.bold},
			cell{ext.Escape(string(r.From)), p.dim}, cell{safe(r.Detail), nil},
		)
	}
	t.full(p)
	wrong := false
	for i := range h.Rows {
		if r := &h.Rows[i]; r.Status != check.OK && (r.Fix != "" || r.At != "") {
			if !wrong {
				p.gap()
				wrong = true
			}
			p.remedy(r)
		}
	}
	p.gap()
	p.line("%d ok, %s, %s.", n[check.OK], count(n[check.Warn], "warning"), count(n[check.Fail], "failure"))
	if h.Left > 0 {
		p.line("Not made, to save time: %s; --deep makes all.", count(h.Left, "check"))
	}
	switch {
	case fixed:
		p.unmended(h)
	case len(h.Fixes) > 0:
		p.fixes(fixRows(h.Fixes))
	}
}

// remedy says where something is wrong, and what to do.
func (p *page) remedy(r *host.HealthRow) {
	name := ext.Escape(r.Name)
	if r.At != "" {
		name += " " + p.dim("("+ext.Escape(r.At)+")")
	}
	if r.Fix == "" {
		p.line("%s", name)
		return
	}
	p.line("%s: %s", name, safe(r.Fix))
}

func (p *page) wellness(word string) string {
	switch check.Status(word) {
	case check.OK:
		return p.green(word)
	case check.Fail:
		return p.red(word)
	}
	return p.yellow(word)
}

// fixes are the commands that --fix would run.
func (p *page) fixes(rows []fixRow) {
	p.line("mortise %sdoctor --fix would run:", p.call.placeFlag())
	for i := range rows {
		p.line("  %s  %s", argv(rows[i].Command), p.dim(ext.Escape(rows[i].Check)+": "+safe(rows[i].Label)))
	}
}

// unmended says after --fix what is left.
func (p *page) unmended(h *host.Health) {
	if len(h.Fixes) == 0 && len(h.Unmended) == 0 {
		p.line("There is nothing to fix.")
		return
	}
	for i := range h.Fixes {
		p.line("Not mended by its fix: %s.", ext.Escape(h.Fixes[i].Check))
	}
	for i := range h.Unmended {
		p.line("No fix is known that runs by itself: %s.", ext.Escape(h.Unmended[i].Name))
	}
}
