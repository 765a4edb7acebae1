package host

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/session"
)

// OverBudget is a context that carries more than its budget.
var OverBudget = &ext.Check{
	Code: "context-budget", Severity: ext.Warning,
	Doc: "What an agent carries of the extensions before it uses any, or of one of them, is estimated at more tokens than the budget allows.",
	Fix: "Disable what is not needed here, shorten descriptions, or raise the budget under [context].",
}

// costs are what each entry of a decision takes of an agent's context.
func costs(d *admit.Decision) []session.Cost {
	out := make([]session.Cost, len(d.Contributions()))
	for i := range out {
		if c := &d.Contributions()[i]; c.Value != nil { // else it could not be read
			out[i] = session.CostOf(d.Tree().Extension, c)
		}
	}
	return out
}

// costsOf are the costs of all decisions; they are counted once.
func (g *Generation) costsOf(d *admit.Decision) []session.Cost {
	g.costing.Do(func() {
		g.costed = make(map[*admit.Decision][]session.Cost, len(g.decisions))
		for i := range g.decisions {
			g.costed[&g.decisions[i]] = costs(&g.decisions[i])
		}
	})
	return g.costed[d]
}

// carries reports whether an entry is among those that a context carries, or
// would carry once its person consents. What each then takes is session.CostOf's
// to say, for listings, checks and sessions alike.
func (e *EntryRow) carries() bool {
	return !e.Idle && (e.Status == admit.Active.String() || e.Status == admit.EntryPending.String())
}

// leave marks the entries that wait and would lose their names, or be stood for,
// once their person consents.
func (l *Listing) leave(shadowed []compose.Shadow) {
	lost := make(map[rowKey]bool, len(shadowed))
	for i := range shadowed {
		lost[rowOf(&shadowed[i].Lost)] = true
	}
	for i := range l.Entries {
		e := &l.Entries[i]
		e.Idle = e.Status == admit.EntryPending.String() && lost[e.key()]
	}
}

// addUp sums up the costs of what an agent carries, for each extension and in
// total. It is done last, when every entry has its status.
func (l *Listing) addUp() {
	type key struct{ name, root string }
	at := make(map[key]int, len(l.Extensions))
	for i := range l.Extensions {
		x := &l.Extensions[i]
		x.Cost = session.Cost{}
		at[key{x.Name, ""}], at[key{x.Name, x.Root}] = i, i
	}
	l.Cost = session.Cost{}
	for i := range l.Entries {
		e := &l.Entries[i]
		if !e.carries() {
			continue
		}
		l.Cost = l.Cost.Add(e.Cost)
		if n, ok := at[key{e.Extension, e.Root}]; ok {
			l.Extensions[n].Cost = l.Extensions[n].Cost.Add(e.Cost)
		}
	}
}

// Budget adds a finding for each budget that what an agent carries exceeds: of
// what the listing holds, but for what the configuration switches off, and of what
// is carried besides.
func (l *Listing) Budget(c *config.Config, besides ...EntryRow) {
	b := budgeting{config: c, rows: l.carried(c, besides)}
	if f, over := b.exceeds("context.budget", c.Context.Budget, nil); over {
		l.addFindings(ext.Findings{f}, "")
	}
	for i := range l.Extensions {
		x := &l.Extensions[i]
		if x.Trust == ext.Builtin.String() {
			continue
		}
		if f, over := b.exceeds("context.extension_budget", c.Context.ExtensionBudget, x); over {
			l.addFindings(ext.Findings{f}, x.Root)
		}
	}
	l.settle()
}

// carried are the rows of what an agent carries, here and besides.
func (l *Listing) carried(c *config.Config, besides []EntryRow) (rows []*EntryRow) {
	off := map[string]bool{}
	for i := range c.Plugins {
		off[string(c.Plugins[i].Name)] = !c.Plugins[i].Enabled
	}
	for _, list := range [][]EntryRow{besides, l.Entries} {
		for i := range list {
			if e := &list[i]; e.carries() && !off[e.Extension] {
				rows = append(rows, e)
			}
		}
	}
	return rows
}

// Builtin are the entries of what is built in that an agent carries unless its
// person disabled them: every workspace has them, and a look at directories does
// not come by them.
func (l *Listing) Builtin() (rows []EntryRow) {
	for _, e := range l.Entries {
		if e.Status == admit.EntryDisabled.String() {
			e.Status = admit.Active.String()
		}
		if e.Extension == string(ext.BuiltinName) && e.carries() {
			rows = append(rows, e)
		}
	}
	return rows
}

// budgeting holds budgets against what is carried.
type budgeting struct {
	config *config.Config
	rows   []*EntryRow
}

// exceeds is the finding that a budget, which a key of the configuration sets, is
// exceeded: by one extension, or by all for nil. The finding is where the key is
// set, and says so itself where that is no file.
func (b *budgeting) exceeds(key string, budget int, x *ExtensionRow) (f ext.Finding, over bool) {
	rows, of, spent := b.rows, "", 0
	if x != nil {
		rows, of = nil, " of "+ext.Escape(x.Name)
		for _, e := range b.rows {
			if e.Extension == x.Name && (e.Root == "" || e.Root == x.Root) {
				rows = append(rows, e)
			}
		}
	}
	for _, e := range rows {
		spent += e.Cost.Catalogue.Tokens
	}
	if budget == 0 || spent <= budget {
		return f, false
	}
	at, by := b.set(key)
	if x != nil {
		at = b.about(x, at)
	}
	return OverBudget.At(at, "what an agent carries%s is estimated at %d tokens, and %s is %d%s; the most take %s", of, spent, key, budget, by, largest(rows)), true
}

// set is where a key of the configuration is set: a file and a line, or else what
// says so in words.
func (b *budgeting) set(key string) (at ext.Origin, by string) {
	v, _ := b.config.Explain(key)
	switch v.Layer {
	case config.Default:
		return ext.Origin{}, ""
	case config.Environment:
		return ext.Origin{}, " by the variable " + ext.Escape(v.Origin.Path)
	}
	return v.Origin, ""
}

// about is a place of the configuration in what is said of an extension: no path
// below its root.
func (b *budgeting) about(x *ExtensionRow, at ext.Origin) ext.Origin {
	at.Extension = ext.Name(x.Name)
	if name := filepath.FromSlash(at.Path); at.Path != "" && !filepath.IsAbs(name) {
		at.Path = filepath.ToSlash(filepath.Join(b.config.Workspace().Dir, name))
	}
	return at
}

// largest names the three entries that take the most.
func largest(rows []*EntryRow) string {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b *EntryRow) int {
		return cmp.Or(cmp.Compare(b.Cost.Catalogue.Tokens, a.Cost.Catalogue.Tokens), cmp.Compare(a.Qualified, b.Qualified))
	})
	var words []string
	for _, e := range rows[:min(len(rows), 3)] {
		words = append(words, fmt.Sprintf("%s %s (%d)", e.Surface, ext.Escape(e.Qualified), e.Cost.Catalogue.Tokens))
	}
	return strings.Join(words, ", ")
}

// Order is an order of what is listed.
type Order string

const (
	// ByLoad is the order in which extensions are loaded.
	ByLoad Order = "load"
	// ByName is by the names of extensions, and by those of entries.
	ByName Order = "name"
	// ByCost is by what is carried, then by what using it adds, the most first.
	ByCost Order = "cost"
)

// Sort puts the extensions and the entries of the listing in an order. What is
// equal keeps its order.
func (l *Listing) Sort(o Order) {
	by := func(a, b session.Cost) int {
		return cmp.Or(cmp.Compare(b.Catalogue.Tokens, a.Catalogue.Tokens), cmp.Compare(b.Body.Tokens, a.Body.Tokens))
	}
	switch o {
	case ByName:
		slices.SortStableFunc(l.Extensions, func(a, b ExtensionRow) int { return cmp.Compare(a.Name, b.Name) })
		slices.SortStableFunc(l.Entries, func(a, b EntryRow) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Extension, b.Extension))
		})
	case ByCost:
		slices.SortStableFunc(l.Extensions, func(a, b ExtensionRow) int { return by(a.Cost, b.Cost) })
		slices.SortStableFunc(l.Entries, func(a, b EntryRow) int { return by(a.Cost, b.Cost) })
	}
}
