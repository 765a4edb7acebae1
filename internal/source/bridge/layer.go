package bridge

import (
	"cmp"
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
	events map[string]int  // handlers laid so far, by what they are called for their event
	told   map[string]bool // surfaces that this build has not, and events that nobody knows, as was said
	opened map[string]bool // files that were read for what they declare, by where they really lie
	off    map[string]bool // names of handlers that the settings at hand switch off
	hooked map[string]bool // files that were read as hooks, or that are told as not read
	// pointers lead to the strings of the manifest, by their first byte; nil until
	// one is asked for.
	pointers map[*byte]string
}

func newLayer(t *ext.Tree, m source.Manifest, env source.Env, client string) *layer {
	return &layer{
		t: t, m: m, env: env, client: client, noun: "plugin", base: ".",
		taken: map[string]bool{}, events: map[string]int{}, told: map[string]bool{}, opened: map[string]bool{}, hooked: map[string]bool{},
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

// there reports whether anything stands at a path, be it a link to nothing, or
// whether that cannot be looked at: who reads it then says so.
func (l *layer) there(name string) bool {
	_, err := fs.Lstat(l.t.FS, name)
	return err == nil || !source.Absent(l.t.FS, name, err)
}

// stands reports whether something stands at a path, be it a link to nothing. It
// is for what is only told: what keeps anybody from looking is told elsewhere.
func (l *layer) stands(name string) bool {
	_, err := fs.Lstat(l.t.FS, name)
	return err == nil
}

// read reads a file that a format names. Not ok: it could not be read, which
// the fault says.
func (l *layer) read(file string) (d *ext.Doc, fault *ext.Finding) {
	l.opened[l.real(file)] = true
	c := l.content(file)
	if c.Lost || c.Findings.Failed() {
		f := source.Worst(c.Findings)
		return nil, &f
	}
	l.t.Findings.Add(c.Findings...)
	return &c.Doc, nil
}

// list lists a directory. One that is not there is empty; one that cannot be
// looked into counts as an entry of the surface that cannot be read.
func (l *layer) list(surfaceName, dir string) []fs.DirEntry {
	entries, err := fs.ReadDir(l.t.FS, dir)
	if err != nil && !source.Absent(l.t.FS, dir, err) {
		fault := source.FaultOf(err, l.at(dir, 0))
		l.lost(surfaceName, dir, &fault)
	}
	return entries
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
