package source

import (
	"io/fs"

	"github.com/mortise-dev/mortise/ext"
)

// Laying is how far the laying out of one tree has come. It holds the bounds
// that no single step can hold: a manifest of a megabyte names a directory, a
// file or a pattern as often as it likes, and links make a few directories look
// like many.
type Laying struct {
	tree   *ext.Tree
	limits ext.Limits

	further int  // entries beside the first of each place
	looked  int  // names that were looked at
	crowded bool // it was said that there are too many entries
	wide    bool // it was said that there is too much to look at

	files   map[placed]bool // of the places up to indexed
	indexed int

	// Own is what the format keeps that lays the tree out.
	Own any
}

type placed struct{ surface, file string }

const (
	// looks is how many names are looked at for each document that there may be:
	// far more than anybody keeps beside documents.
	looks = 20
	// linkLooks is how many a link counts for, since it takes that much longer and
	// leads to names that are counted again.
	linkLooks = 20
)

// LayingOf is the laying out of a tree. It is one for as long as the tree is laid
// out by Lay, and new each time otherwise.
func LayingOf(t *ext.Tree, limits ext.Limits) *Laying {
	f, ok := t.FS.(*once)
	if !ok {
		return newLaying(t, limits)
	}
	g, ok := f.layings[t]
	if !ok {
		g = newLaying(t, limits)
		f.layings[t] = g
	}
	return g
}

func newLaying(t *ext.Tree, limits ext.Limits) *Laying {
	return &Laying{tree: t, limits: limits, files: map[placed]bool{}}
}

// Room reports whether so many entries more may be laid, and says once where
// they may not.
func (g *Laying) Room(entries int, o ext.Origin) bool {
	if len(g.tree.Places)+g.further+entries <= g.limits.Files {
		return true
	}
	if !g.crowded {
		g.crowded = true
		g.tree.Findings.Add(TooMany.At(o, "more than %d documents", g.limits.Files))
	}
	return false
}

// Over reports whether a bound was passed, so that nothing more needs to be
// looked for: the tree is refused.
func (g *Laying) Over() bool { return g.crowded || g.wide }

// Add adds a place, unless there is no room for it.
func (g *Laying) Add(p ext.Place) { g.AddSeveral(p, 1) }

// AddSeveral adds a place whose document holds so many entries, unless there is
// no room for them.
func (g *Laying) AddSeveral(p ext.Place, entries int) {
	o := g.tree.Origin.At(p.File, 0)
	if p.Doc != nil {
		o.Line = p.Doc.Line
	}
	if !g.Room(entries, o) {
		return
	}
	g.tree.Places = append(g.tree.Places, p)
	g.further += max(entries, 1) - 1
}

// Skip counts an entry that is declared and laid nowhere.
func (g *Laying) Skip() { g.further++ }

// List lists a directory, so that its names can be looked at. Where that would be
// too many it says so once, and lists nothing from then on.
func (g *Laying) List(dir string, o ext.Origin) ([]fs.DirEntry, error) {
	if g.wide {
		return nil, nil
	}
	entries, err := fs.ReadDir(g.tree.FS, dir)
	for _, e := range entries {
		g.looked++
		if e.Type()&fs.ModeSymlink != 0 {
			g.looked += linkLooks - 1
		}
	}
	if most := looks * max(g.limits.Files, 100); g.looked > most {
		g.wide = true
		g.tree.Findings.Add(TooMany.At(o, "more than %d names to look for documents at, a link counted as %d", most, linkLooks))
		return nil, nil
	}
	return entries, err
}

// Laid reports whether a place of a surface leads to a file as a whole.
func (g *Laying) Laid(surface, file string) bool {
	g.index()
	return g.files[placed{surface, file}]
}

// Distinct drops what was laid from the place before on and had been laid
// already: two paths of a manifest may lead to the same files.
func (g *Laying) Distinct(before int) {
	all, n := g.tree.Places, before
	g.tree.Places = all[:before]
	g.index()
	for _, p := range all[before:] {
		if p.Doc == nil && g.files[placed{p.Surface, p.File}] {
			continue
		}
		all[n] = p
		n++
	}
	g.tree.Places = all[:n]
}

// index takes up what was laid since it was last asked.
func (g *Laying) index() {
	for ; g.indexed < len(g.tree.Places); g.indexed++ {
		if p := &g.tree.Places[g.indexed]; p.Doc == nil {
			g.files[placed{p.Surface, p.File}] = true
		}
	}
}
