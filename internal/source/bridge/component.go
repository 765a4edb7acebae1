package bridge

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

// component is one kind of content that a format keeps in files, by default in
// a directory, and where its manifest says otherwise.
type component struct {
	surface string
	key     string // of the manifest; "" when it cannot say otherwise
	dir     string // by default
	adds    bool   // what the manifest names adds to dir; else it replaces it
	globs   bool   // what the manifest names may be a pattern
	where   source.Where
}

// lay lays a component.
func (l *layer) lay(c component) {
	var given *ext.Doc
	if c.key != "" {
		given = l.key(c.key)
	}
	if c.dir != "" && (given == nil || c.adds) {
		l.into(c, l.below(c.dir))
	}
	for _, d := range l.paths(given, c.key) {
		if l.laying().Over() {
			break
		}
		p, ok := l.inside(d, c.key)
		switch {
		case !ok || p == l.below(c.dir) && c.adds && given != nil:
		case c.globs && strings.ContainsAny(p, "*?["):
			l.pattern(c, p, d)
		default:
			l.named(c, p, d)
		}
	}
	l.insteadOf(c)
}

// into lays the documents of a directory.
func (l *layer) into(c component, dir string) {
	spec := l.env.Spec(c.surface)
	if spec == nil {
		if l.there(dir) {
			l.spec(c.surface, l.at(dir, 0))
		}
		return
	}
	if l.laying().Over() {
		return
	}
	w := c.where
	w.Dir = dir
	before := len(l.t.Places)
	source.IntoAs(l.t, spec, w, l.env)
	l.laying().Distinct(before)
}

// named lays what a path of the manifest leads to: a file, an entry that is a
// directory, or a directory of entries.
func (l *layer) named(c component, p string, d *ext.Doc) {
	spec := l.spec(c.surface, l.of(d))
	if spec == nil {
		return
	}
	document := path.Join(p, path.Base(spec.Files))
	_, err := source.Type(l.t.FS, p)
	switch {
	case err != nil && p == l.below(c.dir) && !l.there(p):
		l.note(source.NoDocument, l.of(d), "key %q names the usual directory, and there is none", c.key)
	case c.document(spec, p) && (err == nil || l.there(p)):
		l.file(c, spec, p)
	case c.document(spec, p):
		l.missing(c, spec, p, l.pathMissing(d, c.key, err))
	case err != nil:
		l.t.Findings.Add(l.pathMissing(d, c.key, err))
	case spec.PerDirectory() && l.is(document):
		l.file(c, spec, document)
	default:
		l.into(c, p)
	}
}

// document reports whether a path names a file that is called as documents are.
func (c component) document(spec *surface.Spec, p string) bool {
	return strings.HasSuffix(p, path.Ext(spec.Files)) ||
		slices.ContainsFunc(c.where.Endings, func(ending string) bool { return strings.HasSuffix(p, ending) })
}

// file adds one file, unless it lies where a directory already led to.
func (l *layer) file(c component, spec *surface.Spec, file string) {
	if !l.laying().Laid(spec.Name, file) {
		l.laying().Add(ext.Place{Surface: spec.Name, Path: l.canonical(c, spec, file), File: file})
	}
}

// missing lays a place for a file that the manifest names and that is not there,
// so that what it would have declared is refused, at the line that names it.
func (l *layer) missing(c component, spec *surface.Spec, file string, f ext.Finding) {
	l.laying().Add(ext.Place{Surface: spec.Name, Path: l.canonical(c, spec, file), File: f.Origin.Path, Fault: &f})
}

// canonical is the path in the canonical tree of a file that a manifest names.
func (l *layer) canonical(c component, spec *surface.Spec, file string) string {
	if !spec.PerDirectory() {
		return path.Join(spec.Dir, source.Canonical(path.Base(file), c.where.Endings, spec))
	}
	unit := path.Base(path.Dir(file))
	if unit == "." {
		unit = l.self()
	}
	return path.Join(spec.Dir, unit, path.Base(spec.Files))
}

// self is what the tree goes by where an entry has no other name.
func (l *layer) self() string { return selfName(l.t) }

func selfName(t *ext.Tree) string {
	if t.Label != "" {
		return safeName(t.Label)
	}
	return path.Base(path.Clean("/" + strings.ReplaceAll(t.Root, `\`, "/")))
}

// others are the files of a directory that are documents of no form that is
// read, each laid as what names it.
func (l *layer) others(surfaceName string) func(file string) {
	return func(file string) {
		if strings.HasPrefix(path.Base(file), ".") {
			return
		}
		l.entry(surfaceName, path.Base(file), fileDoc(file))
	}
}

// programs lays each file of a directory of programs.
func (l *layer) programs(dir string) {
	entries, err := fs.ReadDir(l.t.FS, l.below(dir))
	if err != nil {
		if l.there(l.below(dir)) {
			l.t.Findings.Add(source.FaultOf(err, l.at(l.below(dir), 0)))
		}
		return
	}
	for _, e := range entries {
		switch name := path.Join(l.below(dir), e.Name()); {
		case e.Name() == ".gitkeep":
		case l.is(name):
			l.entry("executable", e.Name(), fileDoc(name))
		default:
			l.note(source.Stray, l.at(name, 0), "it is no file, so it is no program for the search path")
		}
	}
}

// soleSkill lays a root that is itself one skill: SKILL.md and no skills/.
func soleSkill(t *ext.Tree, env source.Env) {
	spec := env.Spec("skill")
	if spec == nil || !isFile(t.FS, "SKILL.md") {
		return
	}
	if _, err := source.Type(t.FS, spec.Dir); err == nil {
		return
	}
	source.LayingOf(t, env.Limits).Add(ext.Place{Surface: spec.Name, Path: path.Join(spec.Dir, selfName(t), "SKILL.md"), File: "SKILL.md"})
}

func isFile(fsys fs.FS, name string) bool {
	typ, err := source.Type(fsys, name)
	return err == nil && !typ.IsDir()
}
