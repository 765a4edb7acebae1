// Package surface says what an extension point is. A surface is a point whose
// contribution is an entry in the tree; a hook is one whose contribution is an
// answer to a question. Each is one value; a build is a list of them.
package surface

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// Document is one document of a surface, read and not yet decoded.
type Document struct {
	Origin   ext.Origin // the file it lies in, and the line it begins at
	Path     string     // canonical path in the tree; names are taken from it
	Dialect  string     // how it is written; "" is the canonical way
	Doc      ext.Doc    // a Markdown file's front matter, else the whole content
	Body     string     // what follows the front matter, line ends as LF; "" for structured files
	BodyLine int        // line of the body's first line
	Digest   ext.Digest // of the content it was read from
	// Refs says, of every path below the root that the document names ("./…" or
	// "${PLUGIN_ROOT}/…"), what stands there. It is filled for surfaces that run;
	// where the extension is in use, with every text as well that has a word in it
	// by which a directory goes, and which may be only a word.
	Refs map[string]Presence
	// Beside says, of every name that the surface asks about (Def.Beside), what
	// stands there in the root. It is filled where Code is.
	Beside map[string]Presence
	// Code says, of every text of the document that names something below the
	// root, the digest of what it names: of the names, of what stands there and
	// of its content. It is filled where Refs is and the extension is in use.
	Code map[string]ext.Digest
	// Enabled: the extension is in use here, so what it names must be there.
	Enabled bool
	// Ref reaches what the document describes, for one that something running
	// said of itself; zero elsewhere.
	Ref      ext.Ref
	Findings ext.Findings // what reading it noticed; an error refuses what it declares
	// Within is what reading it noticed about one of the entries that it holds, by
	// the entry's key: an error refuses that entry alone.
	Within map[string]ext.Findings
}

// DigestOf covers one node of the document, how it is written, and the code
// that this very node names. It is for documents that hold several entries: a
// neighbour that comes, goes or changes leaves it as it is.
func (d *Document) DigestOf(node *ext.Doc) ext.Digest {
	h := ext.NewHash("node").Text(d.Dialect).Digest(node.Digest())
	d.code(h, node)
	return h.Sum()
}

// code adds what the texts of a node name, in the order of the node.
func (d *Document) code(h *ext.Hash, node *ext.Doc) {
	if c, ok := d.Code[node.Text]; ok && node.Kind == ext.String {
		h.Text(node.Text).Digest(c)
	}
	for i := range node.List {
		d.code(h, &node.List[i])
	}
	for i := range node.Map {
		d.code(h, &node.Map[i].Value)
	}
}

// Presence is what stands at a path.
type Presence uint8

const (
	// Missing is nothing.
	Missing Presence = iota
	// File is a regular file.
	File
	// Directory is a directory.
	Directory
	// Outside is a path that leaves the tree once links are followed.
	Outside
	// Unreadable is something else, or something that cannot be looked at.
	Unreadable
)

// Entry is one thing that a document declares.
type Entry[T any] struct {
	Name        string
	Origin      ext.Origin
	Description string // what people and agents are shown in a listing; may be empty
	Value       T
	Digest      ext.Digest // equal digests, equal entries
	// Findings noticed about this entry. An error refuses the entry, or, where
	// the surface says Whole, its extension.
	Findings ext.Findings
}

// Report adds a finding at a line of the entry's file; line 0 is the line the
// entry begins at.
func (e *Entry[T]) Report(c *ext.Check, line int, format string, args ...any) {
	e.Findings.Add(c.At(e.at(line), format, args...))
}

// ReportField is Report of what is about one field.
func (e *Entry[T]) ReportField(field string, c *ext.Check, line int, format string, args ...any) {
	e.Findings.Add(c.At(e.at(line), format, args...).Of(field))
}

func (e *Entry[T]) at(line int) ext.Origin {
	o := e.Origin
	if line > 0 {
		o.Line = line
	}
	return o
}

// Def declares a surface whose entries decode to T.
type Def[T any] struct {
	Name string // manifest key, command noun, URL segment
	Doc  string // one sentence
	// Consumer says for the docs who uses the entries, and within what limits; ""
	// where the fields say it all.
	Consumer string
	Dir      string // directory in the canonical tree; "." is its root
	Files    string // pattern within Dir: "*/SKILL.md", "*.md", "**/*.md", or one file's name
	Needs    ext.Trust
	Merge    Merge
	// Whole: the entries are code or guards, so that a fault in one refuses the
	// extension whole (law 4).
	Whole bool
	// Guards: the entries may deny something, so that who adopts a workspace consents
	// to them, and to their going.
	Guards bool
	// Runs: what an entry declares runs or connects. A plugin's wait for a grant.
	Runs bool
	// Beside are names in the root that bear on what the entries run, whether they
	// name them or not.
	Beside []string
	// Called: agents call the entries, and guards are asked before each call.
	Called bool
	// Inert: nothing in Mortise uses the entries. They are read, checked, counted
	// and listed, and every listing says that they are inert; none is offered to
	// an agent, and none runs here. So Inert goes with neither Whole nor Runs nor
	// Called.
	Inert bool
	// Nested: its directory is one below a namespace of ours; at a root a directory of that
	// name may be anybody's. That holds of all that is inert.
	Nested bool
	Fields []Field      // what a document may hold, for decoding and for the docs
	Checks []*ext.Check // what decoding can find beyond the checks on fields
	// Read reads the one entry of a document; the entry comes with its origin,
	// digest and the name that its path gives it. A surface whose documents hold
	// one entry each has Read and no Decode. Both are pure: they open nothing and
	// expand nothing.
	Read func(Document, *Entry[T])
	// Decode turns all readable documents of this surface in one tree into
	// entries, for a surface whose documents hold several.
	Decode func([]Document) []Entry[T]
	// Holds is the key of the object in which such a document holds its entries, by
	// their names.
	Holds string
	// Outlined are members of what a server defines of which decoding, and whoever
	// uses the value, wants the scalars alone: the rest is handed on as bytes. Most of
	// what servers define lies in them.
	Outlined []string
	// Check looks at a decoded value for what decoding cannot say; may be nil.
	Check func(*Entry[T])
}

// Spec is a surface with its type erased: what the stages work on.
type Spec struct {
	Name, Doc, Dir, Files string
	Consumer              string // who uses the entries, for the docs; may be ""
	Needs                 ext.Trust
	Merge                 Merge
	Whole, Runs, Called   bool
	Guards                bool // entries may deny something
	Inert                 bool // nothing in Mortise uses it; it is listed
	Nested                bool // its directory counts below a namespace alone
	Hook                  bool // defined by DefineHook
	// Questions are what an entry of a hook is asked about: it is asked where a door
	// puts one of them. Nil: the hook's own name.
	Questions func(Implementation) []string
	Answers   *Answers // of a hook that plans gather; nil else
	Beside    []string
	Holds     string
	Outlined  []string
	Fields    []Field
	Checks    []*ext.Check
	decode    func([]Document) []Entry[any]
}

// Surface is the typed handle that consumers hold.
type Surface[T any] struct{ *Spec }

// Define makes a surface. It panics on an incomplete Def, and on one that
// contradicts itself, which are programming mistakes.
func Define[T any](d Def[T]) Surface[T] {
	if d.Name == "" || d.Doc == "" || d.Dir == "" || d.Files == "" || d.Needs == 0 || d.Merge == 0 || (d.Decode == nil) == (d.Read == nil) || (d.Decode == nil) != (d.Holds == "") {
		panic(fmt.Sprintf("surface %q: incomplete definition", d.Name))
	}
	if d.Inert && (d.Whole || d.Runs || d.Called || d.Guards) {
		panic(fmt.Sprintf("surface %q: nothing uses it, and yet it runs or guards", d.Name))
	}
	s := &Spec{
		Name: d.Name, Doc: d.Doc, Consumer: d.Consumer, Dir: d.Dir, Files: d.Files,
		Needs: d.Needs, Merge: d.Merge, Whole: d.Whole, Runs: d.Runs, Called: d.Called, Guards: d.Guards, Inert: d.Inert, Nested: d.Nested || d.Inert, Holds: d.Holds,
		Beside: d.Beside, Outlined: d.Outlined, Fields: d.Fields, Checks: d.Checks,
	}
	decode := d.Decode
	if decode == nil {
		decode = each(s, d.Read)
	}
	s.decode = func(docs []Document) []Entry[any] {
		typed := decode(docs)
		within(docs, typed)
		out := make([]Entry[any], len(typed))
		for i := range typed {
			e := &typed[i]
			if d.Check != nil && !e.Findings.Failed() {
				d.Check(e)
			}
			out[i] = Entry[any]{e.Name, e.Origin, e.Description, e.Value, e.Digest, e.Findings}
		}
		return out
	}
	return Surface[T]{s}
}

// within gives entries what was noticed about them when their documents were
// read. Where an entry is missing, since its document is at fault, that has it.
func within[T any](docs []Document, entries []Entry[T]) {
	if !slices.ContainsFunc(docs, func(d Document) bool { return len(d.Within) > 0 }) {
		return
	}
	type place struct{ path, name string }
	named, first := map[place]int{}, map[string]int{} // the first entry of a name in a file, and of a file
	for i := range slices.Backward(entries) {
		e := &entries[i]
		named[place{e.Origin.Path, e.Name}], first[e.Origin.Path] = i, i
	}
	for i := range docs {
		d := &docs[i]
		for _, name := range slices.Sorted(maps.Keys(d.Within)) {
			at, ok := named[place{d.Origin.Path, name}]
			if !ok {
				at, ok = first[d.Origin.Path]
			}
			if !ok {
				continue
			}
			e := &entries[at]
			if e.Findings = slices.Concat(d.Within[name], e.Findings); d.Within[name].Failed() {
				e.Description = "" // it may hold what nobody sees
			}
		}
	}
}

func each[T any](s *Spec, read func(Document, *Entry[T])) func([]Document) []Entry[T] {
	return func(docs []Document) []Entry[T] {
		out := make([]Entry[T], len(docs))
		for i, d := range docs {
			out[i].Name, out[i].Origin, out[i].Digest = s.EntryName(d.Path), d.Origin, d.Digest
			read(d, &out[i])
		}
		return out
	}
}

// Decode turns all documents of this surface in one tree into entries. Values
// have the surface's type.
func (s *Spec) Decode(docs []Document) []Entry[any] { return s.decode(docs) }

// EntryName is the name that a document at a canonical path of this surface
// goes by: the directory that "*" stands for, or the file without its ending,
// sub-directories joined by ":".
func (s *Spec) EntryName(path string) string {
	rest := path
	if s.Dir != "." {
		rest = strings.TrimPrefix(path, s.Dir+"/")
	}
	if dir, _, ok := strings.Cut(s.Files, "/"); ok && dir == "*" {
		name, _, _ := strings.Cut(rest, "/")
		return name
	}
	if !strings.Contains(s.Files, "*") {
		return rest
	}
	if dot := strings.LastIndexByte(rest, '.'); dot > strings.LastIndexByte(rest, '/')+1 {
		rest = rest[:dot]
	}
	return strings.ReplaceAll(rest, "/", ":")
}

// PerDirectory reports whether each entry is a directory of its own, holding
// one document and the entry's other files.
func (s *Spec) PerDirectory() bool { return strings.HasPrefix(s.Files, "*/") }
