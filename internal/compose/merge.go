package compose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/surface"
)

// merger builds one composition.
type merger struct {
	c       *Composition
	entries map[*surface.Spec][]Entry // all that is active, in load order
}

func newMerger(specs []*surface.Spec, exts []admit.Extension) *merger {
	m := &merger{
		c: &Composition{
			specs:   specs,
			entries: make(map[*surface.Spec][]Entry, len(specs)),
			short:   make(map[*surface.Spec]map[string][]int, len(specs)),
		},
		entries: make(map[*surface.Spec][]Entry, len(specs)),
	}
	for i, x := range exts {
		precedes := precedence(x.Trust())*len(exts) + i
		for _, c := range x.Active() {
			m.entries[c.Spec] = append(m.entries[c.Spec], Entry{
				Contribution: c, Extension: x.Name(), Qualified: ext.Qualified(x.Name(), c.Name), precedes: precedes, describes: x.Describes(),
			})
		}
	}
	return m
}

// precedence ranks whose entry wins a name: the owner's, then plugins', then
// projects', then what is built in.
func precedence(t ext.Trust) int {
	switch t {
	case ext.Owner:
		return 0
	case ext.Plugin:
		return 1
	case ext.Project:
		return 2
	}
	return 3
}

// exclude refuses every extension that shares an exclusive name with another.
// All owners of such a name go, whatever else refuses one of them, so that the
// outcome does not depend on any order.
func (m *merger) exclude() {
	refused := map[ext.Name]ext.Findings{}
	for _, s := range m.c.specs {
		if s.Merge != surface.Exclusive {
			continue
		}
		for _, owners := range byName(m.entries[s]) {
			if len(owners) < 2 {
				continue
			}
			names := make([]string, len(owners))
			for i := range owners {
				names[i] = ext.Escape(owners[i].Origin.String())
			}
			for i := range owners {
				f := Exclusive.At(owners[i].Origin, "%s %s is declared by %s", s.Name, ext.Quote(owners[i].Name), strings.Join(names, " and "))
				refused[owners[i].Extension] = append(refused[owners[i].Extension], f)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		fs := refused[name]
		fs.Sort()
		m.c.refused = append(m.c.refused, Refusal{name, fs})
	}
	for s, entries := range m.entries {
		m.entries[s] = slices.DeleteFunc(entries, func(e Entry) bool { return refused[e.Extension] != nil })
	}
}

func byName(entries []Entry) map[string][]Entry {
	groups := make(map[string][]Entry, len(entries))
	for _, e := range entries {
		k := surface.Fold(e.Name)
		groups[k] = append(groups[k], e)
	}
	return groups
}

// merge applies the surface's rule.
func (m *merger) merge(s *surface.Spec) {
	entries := m.entries[s]
	if len(entries) == 0 {
		return
	}
	switch s.Merge {
	case surface.Unique, surface.Exclusive:
		m.keep(s, entries, func(e *Entry) string { return surface.Fold(e.Name) }, Taken)
	case surface.Overlay:
		m.keep(s, entries, func(e *Entry) string { return e.Name }, Conflict)
		slices.SortStableFunc(m.c.entries[s], func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	case surface.Namespaced:
		m.keep(s, entries, func(e *Entry) string { return string(e.Extension) + ":" + surface.Fold(e.Name) }, Taken)
	case surface.Append:
		m.c.entries[s] = entries
	}
	m.index(s)
}

// keep keeps, of the entries that share a key, the first in precedence.
func (m *merger) keep(s *surface.Spec, entries []Entry, key func(*Entry) string, lost *ext.Check) {
	winner := make(map[string]int, len(entries))
	keys := make([]string, len(entries))
	for i := range entries {
		keys[i] = key(&entries[i])
		if w, ok := winner[keys[i]]; !ok || entries[i].precedes < entries[w].precedes {
			winner[keys[i]] = i
		}
	}
	if len(winner) == len(entries) {
		m.c.entries[s] = entries
		return
	}
	kept := make([]Entry, 0, len(winner))
	for i, e := range entries {
		w := winner[keys[i]]
		if w == i {
			kept = append(kept, e)
			continue
		}
		k := entries[w]
		m.c.shadowed = append(m.c.shadowed, Shadow{Lost: e, Kept: k, Rule: s.Merge})
		m.c.findings.Add(lost.At(e.Origin, "%s %s is shadowed by %s", s.Name, ext.Escape(e.Qualified), ext.Escape(k.Origin.String())))
	}
	m.c.entries[s] = kept
}

// index makes short names resolvable, and says which of them are ambiguous.
func (m *merger) index(s *surface.Spec) {
	entries := m.c.entries[s]
	short := make(map[string][]int, len(entries))
	for i := range entries {
		k := surface.Fold(entries[i].Name)
		short[k] = append(short[k], i)
	}
	m.c.short[s] = short
	if s.Merge != surface.Namespaced || len(short) == len(entries) {
		return
	}
	for i := range entries {
		same := short[surface.Fold(entries[i].Name)]
		if len(same) < 2 || same[0] != i {
			continue
		}
		const few = 10
		names := make([]string, 0, few)
		for _, at := range same[:min(few, len(same))] {
			names = append(names, ext.Escape(entries[at].Qualified))
		}
		more := ""
		if len(same) > few {
			more = fmt.Sprintf(" and %d more", len(same)-few)
		}
		m.c.findings.Add(Ambiguous.At(entries[i].Origin, "%s %s stands for %s%s", s.Name, ext.Quote(entries[i].Name), strings.Join(names, " and "), more))
	}
}
