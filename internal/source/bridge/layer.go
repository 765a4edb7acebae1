package bridge

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

// layer lays one directory out: what every step of a format needs.
type layer struct {
	t      *ext.Tree
	m      source.Manifest
	env    source.Env
	client string          // whose format it is, as its hooks are known: "claude-code"
	noun   string          // what people call it: "plugin"
	base   string          // what the format's own directory is, below the tree's root
	taken  map[string]bool // canonical paths of the nodes laid so far, folded
	events map[string]int  // handlers laid so far, by event
	told   map[string]bool // surfaces that this build has not, as was said
	full   bool            // it was said that there are too many places
}

func newLayer(t *ext.Tree, m source.Manifest, env source.Env, client string) *layer {
	return &layer{
		t: t, m: m, env: env, client: client, noun: "plugin", base: ".",
		taken: map[string]bool{}, events: map[string]int{}, told: map[string]bool{},
	}
}

// at is a line of a file; 0 is the file itself.
func (l *layer) at(file string, line int) ext.Origin { return l.t.Origin.At(file, line) }

// of is where a node lies.
func (l *layer) of(d *ext.Doc) ext.Origin {
	return l.at(cmp.Or(d.File, l.m.Path), max(d.Line, 1))
}

// key is what the manifest holds at a key; nil where it has none.
func (l *layer) key(name string) *ext.Doc { return l.m.Doc.Get(name) }

func (l *layer) note(c *ext.Check, o ext.Origin, format string, args ...any) {
	l.t.Findings.Add(c.At(o, format, args...))
}

// below is a path of the format's own directory, as one below the tree's root.
func (l *layer) below(name string) string { return path.Join(l.base, name) }

// is reports whether a file stands at a path below the tree's root.
func (l *layer) is(name string) bool { return isFile(l.t.FS, name) }

// there reports whether anything stands at a path, be it a link to nothing.
func (l *layer) there(name string) bool {
	_, err := fs.Lstat(l.t.FS, name)
	return err == nil
}

// read reads a file that a format names. Not ok: it could not be read, which
// the fault says.
func (l *layer) read(file string) (d *ext.Doc, fault *ext.Finding) {
	c := source.Read(l.t.FS, l.at(file, 0), l.env.Limits)
	if c.Lost || c.Findings.Failed() {
		f := source.Worst(c.Findings)
		return nil, &f
	}
	l.t.Findings.Add(c.Findings...)
	return &c.Doc, nil
}

// spec is the surface of a name. A build without it says so once, at the place
// of the first of what it would have held.
func (l *layer) spec(name string, o ext.Origin) *surface.Spec {
	s := l.env.Spec(name)
	if s == nil && !l.told[name] {
		l.told[name] = true
		l.note(source.NotRead, o, "it is of a kind that this build does not know: %s", name)
	}
	return s
}

// crowded reports, and says once, that the tree holds as many places as it may.
func (l *layer) crowded(o ext.Origin) bool {
	if len(l.t.Places) < l.env.Limits.Files {
		return false
	}
	if !l.full {
		l.full = true
		l.note(source.TooMany, o, "more than %d documents", l.env.Limits.Files)
	}
	return true
}

// node lays a node that was read already as the document of an entry that goes
// by the name, made into one that a path can hold; a second of the same gets a
// number.
func (l *layer) node(surfaceName, name string, d ext.Doc) {
	o := l.of(&d)
	spec := l.spec(surfaceName, o)
	if spec == nil || l.crowded(o) {
		return
	}
	safe := safeName(name)
	p := l.free(spec, safe)
	if spec.EntryName(p) != name && d.Kind == ext.Map && d.Get("name") == nil {
		d = d.With("name", ext.Doc{Kind: ext.String, Text: name, File: d.File, Line: d.Line})
	}
	l.t.Places = append(l.t.Places, ext.Place{Surface: spec.Name, Path: p, File: cmp.Or(d.File, l.m.Path), Doc: &d})
}

// free is a canonical path for a name that no node has yet.
func (l *layer) free(spec *surface.Spec, name string) string {
	for n := 1; ; n++ {
		p := path.Join(spec.Dir, name+path.Ext(spec.Files))
		if n > 1 {
			p = path.Join(spec.Dir, fmt.Sprintf("%s-%d%s", name, n, path.Ext(spec.Files)))
		}
		if key := surface.Fold(p); !l.taken[key] {
			l.taken[key] = true
			return p
		}
	}
}

// safeName is a name as one part of a path: without what separates parts, what
// does not show, and blanks at its ends.
func safeName(name string) string {
	s := strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || ext.Hidden(r) || r == '\uFFFD' {
			return '-'
		}
		return r
	}, strings.ToValidUTF8(name, "-"))
	if s = strings.TrimSpace(s); s == "" || strings.Trim(s, ".") == "" {
		return "-"
	}
	return s
}

// broken lays a place that stands for what a file would have declared.
func (l *layer) broken(surfaceName, file string, fault *ext.Finding) {
	spec := l.spec(surfaceName, fault.Origin)
	if spec == nil {
		l.t.Findings.Add(*fault)
		return
	}
	p := file
	if strings.Contains(spec.Files, "*") {
		p = l.free(spec, safeName(file))
	}
	l.t.Places = append(l.t.Places, ext.Place{Surface: spec.Name, Path: p, File: file, Fault: fault})
}

// pair is a key of a node that a format makes.
func pair(key string, v ext.Doc) ext.Pair { return ext.Pair{Key: key, Line: v.Line, Value: v} }

// textAt is text that a format writes at the place of another node.
func textAt(at *ext.Doc, s string) ext.Doc {
	return ext.Doc{Kind: ext.String, Text: s, File: at.File, Line: at.Line}
}

// mapAt is an object that a format writes at the place of another node.
func mapAt(at *ext.Doc, pairs ...ext.Pair) ext.Doc {
	return ext.Doc{Kind: ext.Map, File: at.File, Line: max(at.Line, 1), Map: pairs}
}

// fileDoc is the document of an entry that is a file of no form that is read.
func fileDoc(file string) ext.Doc {
	at := &ext.Doc{File: file, Line: 1}
	return mapAt(at, pair("file", textAt(at, file)))
}
