package cli

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/surface"
)

// entries is the table of one surface's entries, with what each costs where that
// is asked for; nothing when it has none. An entry has a row of its own, or is
// named in the row of the one that stands for it.
func (p *page) entries(l *host.Listing, name string, costs bool) {
	short := shortNames(l, name)
	same := stoodFor(l)
	var t table
	for _, e := range l.Entries {
		if e.Surface != name || same[standsFor{e.Surface, e.ShadowedBy, e.Qualified}] {
			continue
		}
		shown := e.Qualified
		if short[surface.Fold(e.Name)] == 1 {
			shown = e.Name
		}
		status := e.Status
		if status == "active" {
			status = ""
		}
		tokens := ""
		if costs {
			tokens = cost(e.Cost)
		}
		t.row(
			cell{ext.Escape(shown), p.bold}, cell{ext.Escape(e.Extension), p.dim}, cell{status, p.status},
			cell{tokens, p.dim}, cell{lastKnown(e) + bounded(e.Description) + shadow(e) + also(e), nil},
		)
	}
	if len(t.rows) == 0 {
		return
	}
	p.gap()
	unused := ""
	if s := p.call.spec(name); s != nil && s.Inert {
		unused = p.dim("  for other clients; nothing here uses them")
	}
	p.line("%s%s", p.bold(p.call.heading(name)), unused)
	t.write(p)
}

// planned is the table of what answers the hooks of plans: a row for everybody who does,
// with the hooks. There are many hooks, and one mechanism answers several.
func (p *page) planned(l *host.Listing) {
	type answering struct{ name, extension, status string }
	var order []answering
	hooks := map[answering][]string{}
	for _, e := range l.Entries {
		if s := p.call.spec(e.Surface); s == nil || s.Answers == nil {
			continue
		}
		one := answering{e.Name, e.Extension, e.Status}
		if hooks[one] == nil {
			order = append(order, one)
		}
		hooks[one] = append(hooks[one], e.Surface)
	}
	if len(order) == 0 {
		return
	}
	p.gap()
	p.line("%s", p.bold("Hooks"))
	var t table
	for _, one := range order {
		status := one.status
		if status == "active" {
			status = ""
		}
		t.row(cell{ext.Escape(one.name), p.bold}, cell{ext.Escape(one.extension), p.dim}, cell{status, p.status}, cell{strings.Join(hooks[one], ", "), nil})
	}
	t.folded(p)
}

// lastKnown marks what a server described that does not run.
func lastKnown(e host.EntryRow) string {
	if !e.LastKnown {
		return ""
	}
	return "(last known) "
}

// shadow names what an entry lost its name to.
func shadow(e host.EntryRow) string {
	if e.ShadowedBy == "" {
		return ""
	}
	return " (shadowed by " + ext.Escape(e.ShadowedBy) + ")"
}

// standsFor is that one entry of a surface stands for another, by their qualified
// names.
type standsFor struct{ surface, one, other string }

// stoodFor are the entries that the row of another one names.
func stoodFor(l *host.Listing) map[standsFor]bool {
	out := map[standsFor]bool{}
	for i := range l.Entries {
		e := &l.Entries[i]
		for _, name := range e.Also {
			out[standsFor{e.Surface, e.Qualified, name}] = true
		}
	}
	return out
}

// also says who else declares the same as an entry; "" when nobody does.
func also(e host.EntryRow) string {
	if len(e.Also) == 0 {
		return ""
	}
	return " (declared by " + declarers(e) + ")"
}

// declarers are the extensions that declare the same as an entry, its own first.
func declarers(e host.EntryRow) string {
	names := []string{ext.Escape(e.Extension)}
	for _, q := range e.Also {
		x, _, _ := ext.SplitQualified(q)
		names = append(names, ext.Escape(string(x)))
	}
	return count(len(names), "extension") + ": " + join(names)
}

// shortNames counts the entries of a surface that each short name could mean.
func shortNames(l *host.Listing, name string) map[string]int {
	n := map[string]int{}
	for _, e := range l.Entries {
		if e.Surface == name {
			n[surface.Fold(e.Name)]++
		}
	}
	return n
}

// heading is what a table of a surface's entries is called.
func (c *call) heading(name string) string {
	if s := c.spec(name); s != nil && s.Hook {
		return "Hook " + name
	}
	name = strings.ReplaceAll(name, "-", " ")
	return strings.ToUpper(name[:1]) + plural(name[1:])
}

// spec is the extension point of a name; nil for none.
func (c *call) spec(name string) *surface.Spec {
	for _, s := range c.Specs {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// entriesOf counts the entries of a surface.
func entriesOf(l *host.Listing, name string) string {
	n := len(l.Of(name).Entries)
	if n == 1 {
		return "1 " + name
	}
	return decimal(uint64(n)) + " " + plural(name)
}
