package host

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
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
// would carry once its person consents.
func (e *EntryRow) carries() bool {
	return e.Status == admit.Active.String() || e.Status == admit.EntryPending.String()
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

// Budget adds a finding for each budget that what the listing holds exceeds.
func (l *Listing) Budget(c config.Context) {
	if spent := l.Cost.Catalogue.Tokens; c.Budget > 0 && spent > c.Budget {
		l.addFindings(ext.Findings{OverBudget.At(ext.Origin{}, "what an agent carries is estimated at %d tokens, and context.budget is %d; the most take %s",
			spent, c.Budget, l.largest(func(*EntryRow) bool { return true }))}, "")
	}
	for i := range l.Extensions {
		x := &l.Extensions[i]
		if spent := x.Cost.Catalogue.Tokens; c.ExtensionBudget > 0 && spent > c.ExtensionBudget && x.Trust != ext.Builtin.String() {
			of := func(e *EntryRow) bool { return e.Extension == x.Name && (e.Root == "" || e.Root == x.Root) }
			l.addFindings(ext.Findings{OverBudget.At(ext.Origin{Extension: ext.Name(x.Name)}, "what an agent carries of %s is estimated at %d tokens, and context.extension_budget is %d; the most take %s",
				ext.Escape(x.Name), spent, c.ExtensionBudget, l.largest(of))}, x.Root)
		}
	}
	l.settle()
}

// largest names the three entries that are carried and take the most.
func (l *Listing) largest(of func(*EntryRow) bool) string {
	var rows []*EntryRow
	for i := range l.Entries {
		if e := &l.Entries[i]; e.carries() && of(e) {
			rows = append(rows, e)
		}
	}
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
