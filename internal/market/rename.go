package market

import (
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// renamed takes the renames of one file.
func (d *reader) renamed(f *File, v *ext.Doc) {
	if v == nil {
		return
	}
	for _, p := range v.Map {
		r := Rename{From: p.Key, Origin: d.at(f.Path, p.Line)}
		switch {
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
	next := map[string]Rename{}
	var all []Rename
	for _, r := range d.moved {
		if key := surface.Fold(r.From); next[key].From == "" {
			next[key] = r
			all = append(all, r)
		}
	}
	m := d.market
	for _, r := range all {
		way, end := follow(r, next)
		switch {
		case d.declared(surface.Fold(r.From), len(m.Entries)) != nil:
			m.Findings.Add(Renamed.At(r.Origin, "%s is renamed, and an entry has that name", quoted(r.From)))
		case slices.Contains(way[:len(way)-1], end):
			m.Findings.Add(RenameCircle.At(r.Origin, "renames lead in a circle: %s", quoted(strings.Join(way, " → "))))
		case end != "" && d.declared(end, len(m.Entries)) == nil:
			m.Findings.Add(Renamed.At(r.Origin, "%s is renamed to %s, and no entry has that name", quoted(r.From), quoted(r.To)))
		default:
			m.Renames = append(m.Renames, r)
		}
	}
}

// follow is the way that a rename leads, by folded names, and its end: a name
// that is not renamed or that the way came through, or "" for what is gone.
func follow(r Rename, next map[string]Rename) (way []string, end string) {
	way = []string{surface.Fold(r.From)}
	for {
		end = surface.Fold(r.To)
		again := slices.Contains(way, end)
		way = append(way, end)
		following, ok := next[end]
		if end == "" || again || !ok {
			return way, end
		}
		r = following
	}
}
