// Package live is the source for what running servers said of themselves. Each
// description is laid out as a tree whose documents are the definitions as they
// were sent. It starts nothing and asks nobody: what it lays out was remembered.
package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Description is what one server said of itself. Content is one JSON document:
// "instructions" is text, "tools", "prompts", "resources" and
// "resourceTemplates" are lists of definitions as MCP has them, and "notes" are
// a driver's words about what was odd. Other members mean nothing here.
type Description struct {
	Extension   ext.Name
	Server      string     // the entry's name
	Declaration ext.Digest // of the entry that was running
	Content     string
	Ref         ext.Ref // what reaches the server
}

// Source yields a tree for each description, in the order given.
type Source struct {
	Descriptions []Description
	Surface      string // the surface that the described entries are of
	Files        int    // the most definitions of one tree; 0: no limit
}

var _ ext.Source = (*Source)(nil)

// Checks on descriptions.
var (
	Malformed = &ext.Check{
		Code: "description-malformed", Severity: ext.Error,
		Doc: "What a server says of itself, or one definition in it, is not what the protocol asks for. It is not used.",
		Fix: "Update the server, or tell its authors.",
	}
	Odd = &ext.Check{
		Code: "description-odd", Severity: ext.Warning,
		Doc: "Something was odd about how a server described itself, and was left out or mended.",
		Fix: "Update the server, or tell its authors.",
	}
)

// Checks lists what laying out a description can find.
var Checks = []*ext.Check{Malformed, Odd}

// Name is "live".
func (s *Source) Name() string { return "live" }

// Key covers all that the trees depend on.
func (s *Source) Key() ext.Digest {
	h := ext.NewHash("live").Text(s.Surface).Int(s.Files).Int(len(s.Descriptions))
	for _, d := range s.Descriptions {
		h.Text(string(d.Extension), d.Server, d.Ref.Driver, d.Ref.Target, d.Content).Digest(d.Declaration)
	}
	return h.Sum()
}

// Trees yields the descriptions.
func (s *Source) Trees(ctx context.Context) iter.Seq2[ext.Tree, error] {
	return func(yield func(ext.Tree, error) bool) {
		for i := range s.Descriptions {
			if ctx.Err() != nil || !yield(s.tree(&s.Descriptions[i]), nil) {
				return
			}
		}
	}
}

// kinds are the lists of a description: the surface that their definitions are
// of, and the member that names one.
var kinds = []struct{ member, surface, name string }{
	{"tools", "tool", "name"},
	{"prompts", "command", "name"},
	{"resources", "resource", "uri"},
	{"resourceTemplates", "resource", "uriTemplate"},
}

func (s *Source) tree(d *Description) ext.Tree {
	t := ext.Tree{
		Extension: d.Extension,
		Label:     d.Server,
		Format:    surface.DialectMCP,
		Origin:    ext.Origin{Extension: d.Extension, Source: s.Name(), Trust: ext.Project},
		FS:        source.Nothing{},
		Describes: &ext.Described{Surface: s.Surface, Entry: d.Server, Declaration: d.Declaration, Ref: d.Ref},
	}
	parts, ok := members(said{[]byte(d.Content), d.Content})
	if !ok {
		t.Findings.Add(Malformed.At(t.Origin, "what %s says of itself is no object", ext.Quote(d.Server)))
		return t
	}
	l := layout{tree: &t, server: d.Server, most: s.Files}
	l.instructions(parts["instructions"])
	for _, k := range kinds {
		for i, of := range l.list(parts, k.member) {
			l.definition(k.surface, k.member, k.name, i, of)
		}
	}
	if l.over > 0 {
		l.odd("it describes %d things more than the %d that one extension may have; they are left out", l.over, l.most)
	}
	for _, of := range l.list(parts, "notes") {
		if note, ok := l.node(of); ok && note.Kind == ext.String {
			l.odd("%s", ext.Escape(ext.Shorten(note.Text, 500)))
		}
	}
	return t
}

// layout fills one tree.
type layout struct {
	tree   *ext.Tree
	server string
	most   int
	over   int // definitions for which there is no room
	reader doc.JSONReader
}

// odd notes something about the server.
func (l *layout) odd(format string, args ...any) {
	l.tree.Findings.Add(Odd.At(l.tree.Origin, "%s: %s", ext.Quote(l.server), fmt.Sprintf(format, args...)))
}

func (l *layout) instructions(of said) {
	text, ok := l.node(of)
	switch {
	case of.raw == nil || ok && text.Kind == ext.Null:
	case !ok || text.Kind != ext.String:
		l.odd("its instructions are no text, and are left out")
	case strings.TrimSpace(text.Text) != "":
		l.place("prompt", l.server, text)
	}
}

// list is the elements of a list of the description, each as it is written.
func (l *layout) list(parts map[string]said, member string) []said {
	of := parts[member]
	if of.raw == nil || of.text == "null" {
		return nil
	}
	out, ok := elements(of)
	if !ok {
		l.odd("its %s are no list, and are left out", member)
	}
	return out
}

// definition adds a place for the i-th definition of a list. A broken one is a
// place with a fault, so that it counts and costs no other.
func (l *layout) definition(surface, member, key string, i int, of said) {
	if l.most > 0 && len(l.tree.Places) >= l.most {
		l.over++
		return
	}
	node, ok := l.node(of)
	if name := node.Word(key); ok && name != "" {
		l.place(surface, l.name(surface, name), node)
		return
	}
	where := fmt.Sprintf("%s[%d]", member, i)
	fault := Malformed.At(l.tree.Origin, "%s of %s has no %q, or is no object without repeated members", where, ext.Quote(l.server), key)
	l.tree.Places = append(l.tree.Places, ext.Place{Surface: surface, Path: l.server + "/" + where, Dialect: l.tree.Format, Fault: &fault})
}

// name is what an entry goes by: below its server, but for addresses.
func (l *layout) name(surface, name string) string {
	if surface == "resource" {
		return name
	}
	return l.server + "/" + name
}

func (l *layout) place(surface, name string, node ext.Doc) {
	l.tree.Places = append(l.tree.Places, ext.Place{Surface: surface, Path: name, Dialect: l.tree.Format, Doc: &node})
}

// node reads one value with its exact bytes. ok is false where it is absent or
// cannot be read.
func (l *layout) node(of said) (ext.Doc, bool) {
	if of.raw == nil {
		return ext.Doc{}, false
	}
	node, findings := l.reader.Read(l.tree.Origin, of.raw, of.text)
	return node, !findings.Failed()
}

// said is a part of what a server said, twice: definitions are handed on as bytes, and
// texts are cut from the string, which is remembered anyway.
type said struct {
	raw  []byte // nil: there is no such part
	text string
}

// part is what lies between two places.
func (s said) part(start, end int64) said { return said{s.raw[start:end:end], s.text[start:end]} }

// members are the members of a JSON object, each as it is written; of several
// with one name the last.
func members(object said) (map[string]said, bool) {
	out := map[string]said{}
	ok := walk(object.raw, '{', func(d *jsontext.Decoder) error {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		value, err := d.ReadValue()
		if end := d.InputOffset(); err == nil {
			out[key] = object.part(end-int64(len(value)), end)
		}
		return err
	})
	return out, ok
}

// elements are the elements of a JSON list, each as it is written; not ok: it is
// anything else.
func elements(list said) ([]said, bool) {
	var out []said
	ok := walk(list.raw, '[', func(d *jsontext.Decoder) error {
		value, err := d.ReadValue()
		if end := d.InputOffset(); err == nil {
			out = append(out, list.part(end-int64(len(value)), end))
		}
		return err
	})
	return out, ok
}

// walk calls each for every member or element of what begins with open. ok is
// false when the text is anything else.
func walk(text []byte, open jsontext.Kind, each func(*jsontext.Decoder) error) (ok bool) {
	// Repeated members are looked for in each definition, where they cost no other.
	d := jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))
	if d.PeekKind() != open {
		return false
	}
	if _, err := d.ReadToken(); err != nil {
		return false
	}
	for kind := d.PeekKind(); kind != ']' && kind != '}'; kind = d.PeekKind() {
		if each(d) != nil {
			return false
		}
	}
	if _, err := d.ReadToken(); err != nil {
		return false
	}
	_, err := d.ReadToken()
	return errors.Is(err, io.EOF)
}
