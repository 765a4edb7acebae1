package compose

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Again is one thing that several extensions declare.
var Again = &ext.Check{
	Code: "declared-again", Severity: ext.Info,
	Doc: "An extension declares, by the same name, the same server as another one. One of them runs and stands for both; when it is disabled, the next one does.",
	Fix: "Nothing.",
}

// stands is a value that may stand for what other extensions declare: equal
// digests are the same thing by another extension. ok is false where it depends
// on the extension that declares it.
type stands interface {
	Stands() (d ext.Digest, ok bool)
}

// United is the word for the rule by which one entry stands for several, beside
// those of the merge rules; UnitedDoc is what it does.
const (
	United    = "united"
	UnitedDoc = "what several extensions declare word for word is one entry: the first in precedence stands for the others, with all that it offers"
)

// Decided names the rule by which Kept won, and says what it does.
func (s *Shadow) Decided() (word, doc string) {
	if s.Same {
		return United, UnitedDoc
	}
	return s.Rule.String(), s.Rule.Doc()
}

// united is what an entry is united by.
type united struct {
	name string
	what ext.Digest
}

// declaring is how descriptions name what they describe.
type declaring struct {
	surface     string
	extension   ext.Name
	name        string
	declaration ext.Digest
}

// unite keeps, of entries that are one thing declared by several extensions, the
// first in precedence. What was described of the others goes with them: nothing
// of them runs.
func (m *merger) unite() {
	kept := map[declaring]Entry{} // by what lost
	for _, s := range m.c.specs {
		if s.Merge == surface.Namespaced {
			m.uniteOn(s, kept)
		}
	}
	if len(kept) == 0 {
		return
	}
	for _, s := range m.c.specs {
		m.entries[s] = m.without(m.entries[s], func(e *Entry) (Entry, bool) {
			if e.describes == nil {
				return Entry{}, false
			}
			k, lost := kept[declaring{e.describes.Surface, e.Extension, e.describes.Entry, e.describes.Declaration}]
			if lost {
				k = m.described(e, k)
			}
			return k, lost
		})
	}
}

// uniteOn unites the entries of one surface, and adds what lost to kept.
func (m *merger) uniteOn(s *surface.Spec, kept map[declaring]Entry) {
	first, standing := map[united]Entry{}, 0
	is := func(e *Entry) (united, bool) {
		v, ok := e.Value.(stands)
		if !ok {
			return united{}, false
		}
		d, ok := v.Stands()
		return united{surface.Fold(e.Name), d}, ok
	}
	for _, e := range m.entries[s] {
		if u, ok := is(&e); ok {
			standing++
			if was, there := first[u]; !there || e.precedes < was.precedes {
				first[u] = e
			}
		}
	}
	if len(first) == standing {
		return // as nearly always
	}
	m.entries[s] = m.without(m.entries[s], func(e *Entry) (Entry, bool) {
		u, ok := is(e)
		k := first[u]
		if !ok || k.Extension == e.Extension {
			return Entry{}, false
		}
		kept[declaring{s.Name, e.Extension, e.Name, e.Digest}] = k
		m.c.findings.Add(Again.At(e.Origin, "%s %s is the same as %s, which stands for it", s.Name, ext.Escape(e.Qualified), ext.Escape(k.Qualified)))
		return k, true
	})
}

// without leaves out the entries for which another one is kept.
func (m *merger) without(entries []Entry, instead func(*Entry) (Entry, bool)) []Entry {
	var left []Entry
	for i := range entries {
		k, lost := instead(&entries[i])
		if !lost {
			left = append(left, entries[i])
			continue
		}
		m.c.shadowed = append(m.c.shadowed, Shadow{Lost: entries[i], Kept: k, Rule: entries[i].Spec.Merge, Same: true})
	}
	return left
}

// described is what stands for something that was described of what lost: the
// same thing of what is kept, else that itself.
func (m *merger) described(e *Entry, kept Entry) Entry {
	for _, o := range m.entries[e.Spec] {
		if o.Extension == kept.Extension && o.describes != nil && o.describes.Entry == kept.Name && surface.Fold(o.Name) == surface.Fold(e.Name) {
			return o
		}
	}
	return kept
}
