package bridge

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

// A manifest of a megabyte names one directory, one file or one name a hundred
// thousand times. Whatever is laid goes through laying, which bounds it, and no
// step looks through what was laid before.

// laying is how far the tree's laying out has come.
func (l *layer) laying() *source.Laying { return source.LayingOf(l.t, l.env.Limits) }

// kept is what the formats keep of a tree while it is laid out.
type kept struct {
	numbers map[string]int    // the last that nodes were given, by the path of the first of the name
	named   map[string]naming // files of the manifest, by key and path
	paths   map[string]naming // the same by path
}

// naming is a node of the manifest that names a file.
type naming struct {
	doc   *ext.Doc
	key   string
	again bool // it was said that another names the same
}

func (l *layer) kept() *kept {
	g := l.laying()
	k, ok := g.Own.(*kept)
	if !ok {
		k = &kept{numbers: map[string]int{}, named: map[string]naming{}, paths: map[string]naming{}}
		g.Own = k
	}
	return k
}

// entry lays a node that was read already as the document of an entry that goes
// by the name, made into one that a path can hold; a second of the same gets a
// number.
func (l *layer) entry(surfaceName, name string, d ext.Doc) {
	o := l.of(&d)
	spec := l.spec(surfaceName, o)
	if spec == nil || !l.laying().Room(1, o) {
		return
	}
	p := l.unused(spec, safeName(name))
	if spec.EntryName(p) != name && d.Kind == ext.Map && d.Get("name") == nil {
		d = d.With("name", ext.Doc{Kind: ext.String, Text: name, File: d.File, Line: d.Line})
	}
	l.laying().Add(ext.Place{Surface: spec.Name, Path: p, File: cmp.Or(d.File, l.m.Path), Doc: &d})
}

// unused is a canonical path for a name that no node has yet. Each number is
// tried once.
func (l *layer) unused(spec *surface.Spec, name string) string {
	numbers := l.kept().numbers
	base := surface.Fold(path.Join(spec.Dir, name+path.Ext(spec.Files)))
	for {
		numbers[base]++
		p := path.Join(spec.Dir, name+path.Ext(spec.Files))
		if n := numbers[base]; n > 1 {
			p = path.Join(spec.Dir, fmt.Sprintf("%s-%d%s", name, n, path.Ext(spec.Files)))
		}
		if key := surface.Fold(p); !l.taken[key] {
			l.taken[key] = true
			return p
		}
	}
}

// refuse lays a place that stands for one entry that is not what it must be, so
// that it is refused alone.
func (l *layer) refuse(surfaceName, name string, f ext.Finding) {
	spec := l.spec(surfaceName, f.Origin)
	if spec == nil {
		l.t.Findings.Add(f)
		return
	}
	l.laying().Add(ext.Place{Surface: spec.Name, Path: path.Join(spec.Dir, safeName(name)), File: cmp.Or(f.Origin.Path, l.m.Path), Fault: &f})
}

// lost lays a place that stands for what a file would have declared, at the line
// that the fault is at.
func (l *layer) lost(surfaceName, file string, fault *ext.Finding) {
	spec := l.spec(surfaceName, fault.Origin)
	if spec == nil {
		l.t.Findings.Add(*fault)
		return
	}
	p := file
	if strings.Contains(spec.Files, "*") {
		p = l.unused(spec, safeName(file))
	}
	l.laying().Add(ext.Place{Surface: spec.Name, Path: p, File: cmp.Or(fault.Origin.Path, file), Fault: fault})
}
