package cli

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
)

// check shows what there is to say about each extension, then the totals.
func (p *page) check(l *host.Listing, r roots, verbose bool) {
	said, has := false, holdingsOf(l)
	for _, g := range grouping(l) {
		said = p.group(g, has, r, verbose) || said
	}
	if said || p.call.out.Len() > 0 {
		p.gap()
	}
	p.codes(l.Findings, verbose)
	p.totals(l)
	p.line("%s", tally(l.Findings).text(verbose))
}

// group is the findings of one extension, or of none.
type group struct {
	extension *host.ExtensionRow // nil: of none
	findings  []host.FindingRow
}

// grouping sorts findings by extension, in the order of the extensions; those
// of none come first.
func grouping(l *host.Listing) []group {
	type key struct{ name, root string }
	groups := []group{{}}
	at := map[key]int{}
	for i := range l.Extensions {
		x := &l.Extensions[i]
		if _, again := at[key{x.Name, x.Root}]; again {
			continue
		}
		at[key{x.Name, x.Root}] = len(groups)
		at[key{x.Name, ""}] = len(groups)
		groups = append(groups, group{extension: x})
	}
	for _, f := range l.Findings {
		g := &groups[at[key{f.Extension, f.Root}]]
		g.findings = append(g.findings, f)
	}
	return groups
}

// group shows the findings of one extension, and reports whether there was
// anything to show.
func (p *page) group(g group, has holdings, r roots, verbose bool) bool {
	shown := g.findings
	if !verbose {
		shown = slices.DeleteFunc(slices.Clone(shown), func(f host.FindingRow) bool { return f.Severity == ext.Info.String() })
	}
	if len(shown) == 0 {
		return false
	}
	if p.call.out.Len() > 0 {
		p.gap()
	}
	if x := g.extension; x != nil {
		about := format(*x) + ", " + has.of(x, p.call)
		if bad := incomplete(x); bad != "" {
			about += ", " + bad
		}
		p.line("%s  %s  %s", p.bold(r.at(p.call, x.Name, x.Root, "", 0)), p.status(x.Status), p.dim(about))
	} else {
		p.line("%s", p.bold("Of no extension"))
		if !verbose {
			shown = p.fold(shown)
		}
	}
	for _, f := range shown {
		p.finding(f, r)
	}
	return true
}

// many is how many findings of one kind, of no extension, are shown one by one.
const many = 5

// fold shows a line for each kind of finding that there are many of, and
// returns the others.
func (p *page) fold(rows []host.FindingRow) []host.FindingRow {
	n := map[string]int{}
	for _, f := range rows {
		n[f.Code]++
	}
	var rest []host.FindingRow
	for _, f := range rows {
		switch {
		case n[f.Code] > many:
			p.line("  %s  %s times  %s (--verbose shows each)", p.severity(f.Severity), decimal(uint64(n[f.Code])), p.dim(f.Code))
			n[f.Code] = -1
		case n[f.Code] > 0:
			rest = append(rest, f)
		}
	}
	return rest
}

// codes counts findings by what they are, the worst and most frequent first.
func (p *page) codes(rows []host.FindingRow, verbose bool) {
	type code struct{ severity, code string }
	n := map[code]int{}
	for _, f := range rows {
		if verbose || f.Severity != ext.Info.String() {
			n[code{f.Severity, f.Code}]++
		}
	}
	sorted := slices.SortedFunc(maps.Keys(n), func(a, b code) int {
		return cmp.Or(cmp.Compare(rank(a.severity), rank(b.severity)), cmp.Compare(n[b], n[a]), cmp.Compare(a.code, b.code))
	})
	if len(sorted) == 0 {
		return
	}
	var t table
	for _, k := range sorted {
		t.row(cell{fmt.Sprintf("%6d", n[k]), nil}, cell{k.severity, p.severity}, cell{k.code, nil})
	}
	t.write(p)
	p.gap()
}

// rank is the place of a severity, the worst first.
func rank(severity string) int {
	return slices.Index([]string{ext.Error.String(), ext.Warning.String(), ext.Info.String()}, severity)
}
