package market

import (
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/unseen"
)

// renamed takes the renames of one file.
func (d *reader) renamed(f *File, v *ext.Doc) {
	if v == nil {
		return
	}
	for _, p := range v.Map {
		r := Rename{From: p.Key, Origin: d.at(f.Path, p.Line)}
		switch {
		case p.Key == "":
			d.market.Findings.Add(Renamed.At(r.Origin, "what is renamed to %s has no name", quoted(p.Value.Text)))
			continue
		case unseen.Hides(p.Key), unseen.Hides(p.Value.Text): // told with the file
			continue
		case p.Value.Kind == ext.String && p.Value.Text != "":
			r.To = p.Value.Text
		case p.Value.Kind != ext.Null:
			d.market.Findings.Add(FieldType.At(r.Origin, "the rename of %s must be a name or null, found %s; it is ignored", quoted(p.Key), p.Value.Kind))
			continue
		}
		d.moved = append(d.moved, r)
	}
}

// renames keeps those that lead somewhere: to an entry, or to nothing by their
// own word.
func (d *reader) renames() {
	w := ways{next: map[string]Rename{}, entries: map[string]bool{}, known: map[string]way{}}
	for i := range d.market.Entries {
		if name := d.market.Entries[i].Name; name != "" {
			w.entries[surface.Fold(name)] = true
		}
	}
	all := d.first(w.next)
	m := d.market
	for _, r := range all {
		switch way := w.of(surface.Fold(r.To)); {
		case w.entries[surface.Fold(r.From)]:
			m.Findings.Add(Renamed.At(r.Origin, "%s is renamed, and an entry has that name", quoted(r.From)))
		case way.circle:
			m.Findings.Add(RenameCircle.At(r.Origin, "renames lead in a circle: %s", quoted(w.told(r))))
		case !way.ends:
			m.Findings.Add(Renamed.At(r.Origin, "%s is renamed to %s, and no entry has that name", quoted(r.From), quoted(r.To)))
		default:
			m.Renames = append(m.Renames, r)
		}
	}
}

// first are the renames of which each name has one, the first. That several
// files say the same is nothing to tell.
func (d *reader) first(by map[string]Rename) (all []Rename) {
	for _, r := range d.moved {
		key := surface.Fold(r.From)
		was, again := by[key]
		switch {
		case !again:
			by[key] = r
			all = append(all, r)
		case was.Origin.Path == r.Origin.Path || surface.Fold(was.To) != surface.Fold(r.To):
			d.market.Findings.Add(Renamed.At(r.Origin, "%s is renamed already, as %s at %s:%d; that counts", quoted(r.From), quoted(was.From), was.Origin.Path, was.Origin.Line))
		}
	}
	return all
}

// ways are where renames lead, by folded names.
type ways struct {
	next    map[string]Rename
	entries map[string]bool // names of entries, at which every way ends
	known   map[string]way
}

// way is how the renames from one name on end.
type way struct {
	ends   bool // at an entry, or in that it is gone
	circle bool // never
}

// of is the way from a name on. All ways together cost no more than there are
// renames.
func (w *ways) of(name string) (end way) {
	var passed []string
	on := map[string]bool{}
	for {
		known, ok := w.known[name]
		next, renamed := w.next[name]
		switch {
		case ok:
			end = known
		case name == "" || w.entries[name]:
			end.ends = true
		case on[name]:
			end.circle = true
		case renamed:
			on[name] = true
			passed = append(passed, name)
			name = surface.Fold(next.To)
			continue
		}
		break
	}
	for _, name := range passed {
		w.known[name] = end
	}
	return end
}

// told is a way that never ends in words: until it comes back, or is long.
func (w *ways) told(r Rename) string {
	const long = 8
	way := []string{surface.Fold(r.From)}
	for {
		to := surface.Fold(r.To)
		again := slices.Contains(way, to)
		way = append(way, to)
		switch {
		case again:
			return strings.Join(way, " → ")
		case len(way) == long:
			return strings.Join(way, " → ") + " → …"
		}
		r = w.next[to]
	}
}
