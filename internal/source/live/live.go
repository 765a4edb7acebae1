// Package live is the source for what running servers said of themselves. Each
// description is laid out as a tree whose documents are the definitions as they
// were sent. It starts nothing and asks nobody: what it lays out was remembered.
package live

import (
	"context"
	"io/fs"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
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
	{"prompts", "command", "name"},
	{"tools", "tool", "name"},
	{"resources", "resource", "uri"},
	{"resourceTemplates", "resource", "uriTemplate"},
}

func (s *Source) tree(d *Description) ext.Tree {
	t := ext.Tree{
		Extension: d.Extension,
		Label:     d.Server,
		Format:    surface.DialectMCP,
		Origin:    ext.Origin{Extension: d.Extension, Source: s.Name(), Trust: ext.Project},
		FS:        nothing{},
		Describes: &ext.Described{Surface: s.Surface, Entry: d.Server, Declaration: d.Declaration, Ref: d.Ref},
	}
	parts, ok := members([]byte(d.Content))
	if !ok {
		t.Findings.Add(Malformed.At(t.Origin, "what %s says of itself is no object", ext.Quote(d.Server)))
		return t
	}
	l := layout{tree: &t, server: d.Server, most: s.Files}
	if text, ok := l.node(parts["instructions"]); ok && text.Kind == ext.String && strings.TrimSpace(text.Text) != "" {
		l.place("prompt", d.Server, text)
	}
	for _, k := range kinds {
		for _, raw := range elements(parts[k.member]) {
			l.definition(k.surface, k.member, k.name, raw)
		}
	}
	for _, raw := range elements(parts["notes"]) {
		if note, ok := l.node(raw); ok && note.Kind == ext.String {
			t.Findings.Add(Odd.At(t.Origin, "%s: %s", ext.Quote(d.Server), ext.Escape(note.Text)))
		}
	}
	return t
}

// layout fills one tree.
type layout struct {
	tree   *ext.Tree
	server string
	most   int
	over   bool
}

// definition adds a place for one definition. A broken one is a place with a
// fault, so that it counts and costs no other.
func (l *layout) definition(surface, member, key string, raw []byte) {
	if l.most > 0 && len(l.tree.Places) >= l.most {
		if !l.over {
			l.over = true
			l.tree.Findings.Add(Odd.At(l.tree.Origin, "%s describes more than %d things; the rest is left out", ext.Quote(l.server), l.most))
		}
		return
	}
	node, ok := l.node(raw)
	name := node.Word(key)
	if ok && name != "" {
		l.place(surface, l.name(surface, name), node)
		return
	}
	fault := Malformed.At(l.tree.Origin, "%s has a definition in its %s without %q, or one that is no object without repeated members", ext.Quote(l.server), member, key)
	l.tree.Places = append(l.tree.Places, ext.Place{Surface: surface, Path: l.name(surface, member), Dialect: l.tree.Format, Fault: &fault})
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
func (l *layout) node(raw []byte) (ext.Doc, bool) {
	if raw == nil {
		return ext.Doc{}, false
	}
	node, findings := doc.JSON(l.tree.Origin, raw)
	return node, !findings.Failed()
}

// members are the members of a JSON object, each as it is written; of several
// with one name the last.
func members(object []byte) (map[string][]byte, bool) {
	out := map[string][]byte{}
	ok := walk(object, '{', func(d *jsontext.Decoder) error {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		value, err := d.ReadValue()
		if err == nil {
			out[key] = value.Clone()
		}
		return err
	})
	return out, ok
}

// elements are the elements of a JSON list, each as it is written; none where
// it is anything else.
func elements(list []byte) [][]byte {
	var out [][]byte
	ok := walk(list, '[', func(d *jsontext.Decoder) error {
		value, err := d.ReadValue()
		if err == nil {
			out = append(out, value.Clone())
		}
		return err
	})
	if !ok {
		return nil
	}
	return out
}

// walk calls each for every member or element of what begins with open. ok is
// false when the text is anything else.
func walk(text []byte, open jsontext.Kind, each func(*jsontext.Decoder) error) bool {
	// Repeated members are looked for in each definition, where they cost no other.
	d := jsontext.NewDecoder(strings.NewReader(string(text)), jsontext.AllowDuplicateNames(true))
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
	return true
}

// nothing is a file system without files: all documents come with their places.
type nothing struct{}

func (nothing) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
