package cli

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
)

func (c *call) trust() *cobra.Command {
	var yes, diff bool
	cmd := &cobra.Command{
		Use:   "trust [DIR]",
		Short: "Adopt the workspace, and let what it declares run",
		Long: `Show what adopting the workspace means, and adopt it: what its configuration decides,
every server, tool and hook that would run or connect, where links lead, and the
plugins whose code would be granted, each at the digest of its whole directory.

Editing text later changes nothing about it. When something that runs changes, or
the configuration does, what was adopted goes on as it was, and what is new or
changed waits until mortise trust showed it. --diff shows it and adopts nothing.

On a terminal it asks. Without one it adopts with --yes alone; otherwise it shows
what it would adopt, and the exit code is 1. It is 1 as well when something in the
workspace is at fault and was refused.`,
		Example: "mortise trust\nmortise trust --diff\nmortise trust ./workshop --yes",
		Args:    upTo(1, "DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if yes && diff {
				return usage("--yes and --diff exclude each other; --diff adopts nothing")
			}
			if err := c.takeDir(args); err != nil {
				return err
			}
			return c.runTrust(cmd.Context(), yes, diff)
		},
		ValidArgsFunction: directories,
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "adopt what is shown without asking")
	cmd.Flags().BoolVar(&diff, "diff", false, "show what changed since it was adopted, and adopt nothing")
	return cmd
}

// trusted is the JSON document of trust.
type trusted struct {
	Workspace string            `json:"workspace"`
	Adopted   bool              `json:"adopted"` // exactly what is here now is adopted
	Changed   bool              `json:"changed"` // it was adopted by this command
	Effects   []host.Effect     `json:"effects"` // what adopting it consents to
	Changes   []host.Difference `json:"changes"` // against what was adopted here last
	Plugins   []host.Plugin     `json:"plugins"` // whose code it grants
	Errors    int               `json:"errors"`  // findings; what they refuse stays refused
}

func (c *call) runTrust(ctx context.Context, yes, diff bool) error {
	p, err := c.place()
	if err != nil {
		return err
	}
	purpose := host.Changing
	if diff {
		purpose = host.Looking
	}
	return c.with(ctx, p, purpose, func(h *host.Host) error {
		shown, g, err := h.Propose(ctx)
		if err != nil {
			return err
		}
		if err := shown.Possible(); err != nil {
			return err
		}
		t := trustOf(shown, g)
		view := c.page(g.Config)
		if !c.json {
			view.proposal(shown, diff)
		}
		given := yes
		if !shown.Adopted && !yes && !diff && !c.json && c.Asked {
			if given, err = c.asks(ctx, view, "Adopt it? [y/N] ", "y"); err != nil {
				return err
			}
		}
		if given && !shown.Adopted {
			if err := h.Adopt(ctx, c.Person(), shown); err != nil {
				return err
			}
			t.Adopted, t.Changed = true, true
		}
		return c.trustDone(view, t, diff)
	})
}

func trustOf(shown *host.Proposal, g *host.Generation) trusted {
	t := trusted{
		Workspace: shown.Workspace.Dir, Adopted: shown.Adopted, Effects: shown.Effects, Changes: shown.Changes, Plugins: shown.Plugins,
	}
	if t.Changes == nil {
		t.Changes = []host.Difference{}
	}
	if t.Plugins == nil {
		t.Plugins = []host.Plugin{}
	}
	t.Errors = tally(g.Listing().Findings).errors
	return t
}

// trustDone says how it ended.
func (c *call) trustDone(p *page, t trusted, diff bool) error {
	if c.json {
		if err := c.document(t); err != nil {
			return err
		}
	} else if t.Changed {
		p.line("%s agents get what is here, and what it declares may run.", p.green("Adopted:"))
	} else if !t.Adopted && !diff {
		p.line("%s mortise %strust --yes adopts what is shown.", p.yellow("Not adopted:"), c.nextFlag(t.Workspace))
	}
	switch {
	case !t.Adopted:
		return errNo
	case t.Errors > 0 && !c.json:
		p.line("%s found in it; what they are about stays refused. mortise %slist shows them.", count(t.Errors, "error"), c.nextFlag(t.Workspace))
		return errNo
	case t.Errors > 0:
		return errNo
	}
	return nil
}

// asks asks a person once. What was shown so far is written first; the answer is
// yes when it begins with one of the letters of yes.
func (c *call) asks(ctx context.Context, _ *page, question, yes string) (bool, error) {
	answer, err := c.answer(ctx, question)
	return answer != "" && strings.Contains(yes, answer), err
}

// answer is the first letter of what a person answers, in lower case; "" for
// nothing.
func (c *call) answer(ctx context.Context, question string) (string, error) {
	if err := c.flush(); err != nil {
		return "", err
	}
	fmt.Fprint(c.Err, question)
	type line struct {
		text string
		err  error
	}
	lines := make(chan line, 1)
	go func() { // it ends with the program: nothing else reads from a terminal
		text, err := bufio.NewReader(c.In).ReadString('\n')
		lines <- line{text, err}
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(c.Err)
		return "", ctx.Err()
	case l := <-lines:
		text := strings.ToLower(strings.TrimSpace(l.text))
		if text == "" {
			return "", nil
		}
		return text[:1], nil
	}
}

// consent asks for the adoption of a workspace that is about to be served, where
// a person can be asked, or takes it from --trust.
func (s *serving) consent(ctx context.Context) error {
	shown, g, err := s.host.Propose(ctx)
	if err != nil || shown.Adopted || len(shown.Effects) == 0 {
		return err
	}
	if s.options.trust == "once" {
		if err := shown.Possible(); err != nil {
			return err
		}
		return s.once(ctx, shown)
	}
	if !s.call.Asked || s.options.stdio || s.call.json || shown.Possible() != nil || nothingToAdopt(g) {
		return nil
	}
	view := s.call.page(g.Config)
	view.proposal(shown, false)
	answer, err := s.call.answer(ctx, "Adopt it? y: yes, o: once, for this process alone; anything else: serve without it [y/o/N] ")
	switch {
	case err != nil:
		return err
	case answer == "o":
		return s.once(ctx, shown)
	case answer == "y":
		if err := s.host.Adopt(ctx, s.call.Person(), shown); err != nil {
			return err
		}
	default:
		return nil
	}
	_, err = s.host.Refresh(ctx)
	return err
}

func (s *serving) once(ctx context.Context, shown *host.Proposal) error {
	if err := s.host.AdoptOnce(ctx, s.call.Person(), shown); err != nil {
		return err
	}
	_, err := s.host.Refresh(ctx)
	return err
}

// nothingToAdopt reports whether the workspace holds nothing that waits for an
// adoption or a grant.
func nothingToAdopt(g *host.Generation) bool {
	l := g.Listing()
	return adoptionFinding(l) == "" && l.Pending == 0
}

// kinds are how the kinds of effects are called, in the order in which they are
// shown; surfaces come between.
var kinds = map[string]string{"setting": "The configuration decides", "directory": "Directories lead elsewhere", "link": "Links are followed out of the workspace"}

// proposal shows what adopting means.
func (p *page) proposal(shown *host.Proposal, diff bool) {
	p.line("%s", p.bold(p.call.directoryShown(shown.Workspace.Dir)))
	switch {
	case shown.Adopted:
		p.line("%s exactly what is here now.", p.green("Adopted already:"))
	case shown.Changes != nil:
		p.line("Adopted before%s. Since then:", by(shown.By))
		p.changes(shown.Changes)
	case diff:
		p.line("It was not adopted here before; all of it is new.")
	}
	if !diff || shown.Changes == nil {
		p.effects(shown)
	}
	p.gap()
}

func by(name string) string {
	if name == "" {
		return ""
	}
	return " by " + ext.Escape(name)
}

// changes shows what differs from what was adopted.
func (p *page) changes(ds []host.Difference) {
	var t table
	for _, d := range ds {
		e := d.About()
		detail := line(e.Detail)
		if d.Now != nil && d.Was != nil && d.Now.Detail != d.Was.Detail {
			detail = line(d.Was.Detail) + " → " + line(d.Now.Detail)
		} else if d.Now != nil && d.Was != nil {
			detail += " (its content, or code that it names)"
		}
		t.row(cell{d.Change, p.change}, cell{e.Kind, nil}, cell{ext.Escape(e.Name), p.bold}, cell{detail, nil})
	}
	t.full(p)
}

func (p *page) change(word string) string {
	switch word {
	case "new":
		return p.green(word)
	case "gone":
		return p.red(word)
	}
	return p.yellow(word)
}

// effects shows all that adopting consents to.
func (p *page) effects(shown *host.Proposal) {
	p.gap()
	p.line("%s", p.bold("Adopting it lets agents read its text, and means:"))
	order := append([]string{"setting"}, p.call.surfaces()...)
	for _, kind := range append(order, "directory", "link") {
		var t table
		for _, e := range shown.Effects {
			if e.Kind == kind {
				t.row(cell{ext.Escape(e.Name), p.bold}, cell{line(e.Detail), nil}, cell{where(e), p.dim})
			}
		}
		if len(t.rows) == 0 {
			continue
		}
		name, known := kinds[kind]
		if !known {
			name = p.call.heading(kind) + " may run or connect"
		}
		p.line("%s", name)
		t.full(p)
	}
	if len(shown.Plugins) > 0 {
		p.line("The code of these plugins is granted, as their directories are now")
		var t table
		for _, x := range shown.Plugins {
			state := "waits for a grant"
			if x.Granted {
				state = "granted"
			}
			t.row(cell{ext.Escape(x.Name), p.bold}, cell{"digest " + x.Content.Short(), nil}, cell{state, p.dim})
		}
		t.full(p)
	}
}

func where(e host.Effect) string {
	if e.Path == "" {
		return ""
	}
	s := ext.Escape(e.Path)
	if e.Line > 0 {
		s += ":" + decimal(uint64(e.Line))
	}
	return s
}
