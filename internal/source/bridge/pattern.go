package bridge

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// longestPattern is longer than any path that a system takes.
const longestPattern = 1024

// pattern lays what a pattern of the manifest fits: "**" stands for any
// directories, the rest is a shell's.
func (l *layer) pattern(c component, p string, d *ext.Doc) {
	if l.laying().Over() {
		return
	}
	if len(p) > longestPattern {
		l.note(ManifestField, l.of(d), "the pattern %s of key %q has more than %d characters", ext.Quote(ext.Shorten(d.Text, 60)), c.key, longestPattern)
		return
	}
	if _, err := path.Match(p, ""); err != nil {
		l.note(ManifestField, l.of(d), "the pattern %s of key %q is malformed", ext.Quote(d.Text), c.key)
		return
	}
	g := glob{layer: l, surface: c.surface, at: l.of(d), been: map[step]bool{}}
	for _, part := range strings.Split(p, "/") {
		if n := len(g.parts); part != "**" || n == 0 || g.parts[n-1] != "**" { // several in a row are one
			g.parts = append(g.parts, part)
		}
	}
	g.visit(step{".", 0}, 0)
	slices.Sort(g.found)
	g.found = slices.Compact(g.found)
	if len(g.found) == 0 {
		l.note(PatternEmpty, l.of(d), "the pattern %s of key %q fits nothing", ext.Quote(d.Text), c.key)
	}
	for _, file := range g.found {
		l.named(c, file, d)
	}
}

// glob is one search for what a pattern fits.
type glob struct {
	*layer
	surface string
	parts   []string
	at      ext.Origin
	been    map[step]bool
	found   []string
}

// step is a directory, and the part of the pattern that names in it are held
// against. The ways to one are many and what is found from there is the same.
type step struct {
	dir  string
	part int
}

// visit finds the names below a directory that fit the rest of a pattern. What
// begins with a dot is not looked into unless the pattern says so.
func (g *glob) visit(s step, depth int) {
	if depth > g.env.Limits.Depth || g.been[s] {
		return
	}
	g.been[s] = true
	part, last := g.parts[s.part], s.part == len(g.parts)-1
	if part == "**" && !last {
		g.visit(step{s.dir, s.part + 1}, depth)
	}
	entries, err := g.laying().List(s.dir, g.at)
	if once := (step{s.dir, -1}); err != nil && !g.been[once] {
		g.been[once] = true
		fault := source.FaultOf(err, g.layer.at(s.dir, 0))
		g.lost(g.surface, s.dir, &fault)
	}
	for _, e := range entries {
		name := path.Join(s.dir, e.Name())
		hidden := strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(part, ".")
		switch ok, _ := path.Match(part, e.Name()); {
		case hidden || !ok && part != "**":
		case part == "**" && g.isDirectory(name, e):
			g.visit(step{name, s.part}, depth+1)
		case last:
			g.found = append(g.found, name)
		case part != "**" && g.isDirectory(name, e):
			g.visit(step{name, s.part + 1}, depth+1)
		}
	}
}

func (g *glob) isDirectory(name string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.IsDir()
	}
	typ, err := source.Type(g.t.FS, name)
	return err == nil && typ.IsDir()
}
