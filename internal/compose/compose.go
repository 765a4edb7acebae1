// Package compose merges admitted extensions into one composition. It is a
// pure function of its arguments and never fails.
package compose

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Entry is one contribution in its place among all others.
type Entry struct {
	admit.Contribution
	Extension ext.Name
	Qualified string // "extension:name"
	precedes  int    // position in precedence; lower wins
	describes *ext.Described
}

// Precedes is the entry's position in precedence: of two, the lower wins.
func (e *Entry) Precedes() int { return e.precedes }

// Shadow records an entry that lost its name to another.
type Shadow struct {
	Lost, Kept Entry
	Rule       surface.Merge
	// Same: both declare the same, so that Kept stands for Lost; or Lost is what a
	// server said for which another stands.
	Same bool
}

// Refusal is an extension that cannot be composed with the others.
type Refusal struct {
	Extension ext.Name
	Findings  ext.Findings
}

// Composition is what all extensions together contribute. It is immutable.
type Composition struct {
	specs    []*surface.Spec // in catalogue order
	entries  map[*surface.Spec][]Entry
	short    map[*surface.Spec]map[string][]int // folded short name → positions
	shadowed []Shadow
	refused  []Refusal
	findings ext.Findings
	digest   ext.Digest
}

// Checks on compositions.
var (
	Exclusive = &ext.Check{
		Code: "exclusive-taken", Severity: ext.Error,
		Doc: "Two extensions declare an entry of one name on a surface where a name has one owner. Both are refused.",
		Fix: "Disable one of them.",
	}
	Conflict = &ext.Check{
		Code: "overlay-conflict", Severity: ext.Warning,
		Doc: "Two extensions set one key. Precedence decides which value holds.",
		Fix: "Disable one of the entries, or move its extension in the order.",
	}
	Taken = &ext.Check{
		Code: "name-shadowed", Severity: ext.Warning,
		Doc: "An entry lost its name to one that precedes it.",
		Fix: "Rename one of them, or disable the one that wins.",
	}
	Ambiguous = &ext.Check{
		Code: "name-ambiguous", Severity: ext.Info,
		Doc: "A short name stands for entries of several extensions. Each is reached by its qualified name, none by the short one.",
		Fix: "Use the qualified name, or rename one of them.",
	}
)

// Checks lists what composing can find, for the docs.
var Checks = []*ext.Check{Exclusive, Conflict, Taken, Ambiguous, Again}

// Order sorts extensions into the load order: built-ins, the owner's, plugins
// by the roster, projects. Trees of one extension follow each other by path.
// Plugins that the roster does not name come after those it does, by name.
func Order(exts []admit.Extension, roster []ext.Name) []admit.Extension {
	place := make(map[ext.Name]int, len(roster))
	for i, n := range roster {
		place[n] = i
	}
	at := func(n ext.Name) int {
		if i, ok := place[n]; ok {
			return i
		}
		return len(roster)
	}
	out := slices.Clone(exts)
	slices.SortStableFunc(out, func(a, b admit.Extension) int {
		return cmp.Or(
			cmp.Compare(b.Trust(), a.Trust()),
			cmp.Compare(at(a.Name()), at(b.Name())),
			cmp.Compare(a.Name(), b.Name()),
			cmp.Compare(firstPath(a), firstPath(b)),
			bytes.Compare(digest(a), digest(b)),
		)
	})
	return out
}

// digest settles the order of trees that agree in all else, so that it does not
// depend on the order in which they came.
func digest(x admit.Extension) []byte {
	d := x.Digest()
	return d[:]
}

func firstPath(x admit.Extension) string {
	if cs := x.Active(); len(cs) > 0 {
		return cs[0].Origin.Path
	}
	return ""
}

// Merge composes extensions given in the load order.
func Merge(specs []*surface.Spec, exts []admit.Extension) *Composition {
	m := newMerger(specs, exts)
	m.exclude()
	m.unite()
	for _, s := range specs {
		m.merge(s)
	}
	m.c.digest = m.c.sum()
	return m.c
}

// Digest identifies the composition: equal digests, equal behaviour.
func (c *Composition) Digest() ext.Digest { return c.digest }

// Shadowed are the entries that lost their names, in the order they were found.
func (c *Composition) Shadowed() []Shadow { return c.shadowed }

// Refused are the extensions that cannot be composed with the others.
func (c *Composition) Refused() []Refusal { return c.refused }

// Findings are those of composing; refusals have their own.
func (c *Composition) Findings() ext.Findings { return c.findings }

// Entries are the entries of a surface in load order, or for an Overlay by key.
func (c *Composition) Entries(s *surface.Spec) []Entry { return c.entries[s] }

// Typed is an entry with its value's type back.
type Typed[T any] struct {
	Entry
	Value T
}

// Of returns the entries of one surface in load order.
func Of[T any](c *Composition, s surface.Surface[T]) []Typed[T] {
	entries := c.entries[s.Spec]
	out := make([]Typed[T], 0, len(entries))
	for _, e := range entries {
		if v, ok := e.Value.(T); ok {
			out = append(out, Typed[T]{e, v})
		}
	}
	return out
}

// Resolve finds what a name stands for on a surface: the entry with that
// qualified name, else every entry with that short name. One result is the
// answer; several are the candidates of an ambiguous name.
func (c *Composition) Resolve(s *surface.Spec, name string) []Entry {
	if x, short, ok := ext.SplitQualified(name); ok {
		for _, i := range c.short[s][surface.Fold(short)] {
			if e := c.entries[s][i]; e.Extension == x {
				return []Entry{e}
			}
		}
	}
	var out []Entry
	for _, i := range c.short[s][surface.Fold(name)] {
		out = append(out, c.entries[s][i])
	}
	return out
}

func (c *Composition) sum() ext.Digest {
	h := ext.NewHash("composition")
	for _, s := range c.specs {
		h.Text(s.Name, s.Merge.String()).Int(len(c.entries[s]))
		for i := range c.entries[s] {
			e := &c.entries[s][i]
			h.Text(e.Qualified, e.Origin.Path).Int(int(e.Origin.Trust)).Int(e.Origin.Line).Digest(e.Digest)
		}
	}
	h.Int(len(c.shadowed))
	for i := range c.shadowed {
		h.Text(c.shadowed[i].Lost.Spec.Name, c.shadowed[i].Lost.Qualified, c.shadowed[i].Kept.Qualified)
	}
	for i := range c.refused {
		h.Text(string(c.refused[i].Extension))
	}
	return h.Sum()
}
