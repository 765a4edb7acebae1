package cli

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/prepare"
)

// kinds are how the kinds of effects are called, in the order in which they are
// shown; surfaces come between.
var kinds = map[string]string{"setting": "The configuration decides", "directory": "Directories lead elsewhere", "link": "Links are followed out of the workspace"}

// proposal shows what adopting means.
func (p *page) proposal(shown *host.Proposal, at roots, diff bool) {
	p.line("%s", p.bold(p.call.directoryShown(shown.Workspace.Dir)))
	switch {
	case shown.Adopted:
		p.line("%s exactly what is here now.", p.green("Adopted already:"))
	case shown.Changes != nil:
		p.line("Adopted before%s. Since then:", by(shown.By))
		p.changes(shown.Changes, at)
	case diff:
		p.line("It was not adopted here before; all of it is new.")
	}
	if !diff || shown.Changes == nil {
		p.effects(shown, at)
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
func (p *page) changes(ds []host.Difference, at roots) {
	var t table
	for _, d := range ds {
		e := d.About()
		detail := bounded(e.Detail)
		if d.Now != nil && d.Was != nil && d.Now.Detail != d.Was.Detail {
			detail = bounded(d.Was.Detail) + " → " + bounded(d.Now.Detail)
		} else if d.Now != nil && d.Was != nil {
			detail += " (its content, or code that it names)"
		}
		t.row(cell{d.Change, p.change}, cell{e.Kind, nil}, cell{bounded(e.Name), p.bold}, cell{p.where(e, at), p.dim}, cell{detail, nil})
	}
	t.full(p)
}

// bounded is foreign text on one line that leaves room for what is beside it.
// What is cut is said to be, since it may be what matters.
func bounded(s string) string { return cut(s, line) }

// cut is bounded for text that is shown in another way.
func cut(s string, shown func(string) string) string {
	const most = 600
	if n := utf8.RuneCountInString(s); n > most {
		return shown(ext.Shorten(s, most)) + fmt.Sprintf(" (%s more characters; --json shows all)", grouped(n-most+1))
	}
	return shown(s)
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
func (p *page) effects(shown *host.Proposal, at roots) {
	p.gap()
	p.line("%s", p.bold("Adopting it lets agents read its text, and means:"))
	order := []string{"setting"} // of the configuration
	for _, s := range p.call.Specs {
		if !s.Inert { // what is inert has no effect, and one such surface is called setting too
			order = append(order, s.Name)
		}
	}
	for _, kind := range append(order, "directory", "link") {
		var t table
		for _, e := range shown.Effects {
			if e.Kind == kind && !setsUp(shown.Setups, &e) {
				t.row(cell{bounded(e.Name), p.bold}, cell{p.where(&e, at), p.dim}, cell{bounded(e.Detail), nil})
			}
		}
		if len(t.rows) == 0 {
			continue
		}
		name, known := kinds[kind]
		if !known {
			if name = p.call.heading(kind) + " may run or connect"; p.call.spec(kind) != nil && !p.call.spec(kind).Runs {
				name = p.call.heading(kind) + " deny calls, or ask before them"
			}
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
	p.setups(shown.Setups, shown.Adopted)
}

// setsUp reports whether an effect is a set-up step that is shown as it would run.
func setsUp(all []host.Setup, e *host.Effect) bool {
	return slices.ContainsFunc(all, func(s host.Setup) bool {
		return s.Qualified() == e.Name && s.Origin.Path == e.Path && s.Origin.Line == e.Line
	})
}

// setups shows the set-up steps as they would run, each in full.
func (p *page) setups(all []host.Setup, adopted bool) {
	if len(all) == 0 {
		return
	}
	p.line("Set-up steps prepare what plugins depend on, once, in their data directories")
	for i := range all {
		s := &all[i]
		state := "runs then"
		switch {
		case s.State == prepare.Done:
			state = "done"
		case adopted:
			state = "due: mortise plugin setup " + word(string(s.Extension))
		}
		p.line("  %s %s %s", p.bold(bounded(s.Qualified())), p.dim(state), bounded(s.Expanded().String()))
		p.line("    %s %s", p.dim("in"), ext.Escape(s.Data))
	}
}

// where is the file that an effect stands in, "" for one that stands in none.
func (p *page) where(e *host.Effect, at roots) string {
	if e.Path == "" {
		return ""
	}
	extension := ""
	if e.Kind != "setting" {
		x, _, _ := ext.SplitQualified(e.Name)
		extension = string(x)
	}
	return at.at(p.call, extension, "", e.Path, e.Line)
}
