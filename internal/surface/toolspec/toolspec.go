// Package toolspec is the surface for entries of a tool catalogue: which tool serves a
// purpose, and where it lies. None of them is called here.
package toolspec

import (
	"cmp"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony/tools"
	"github.com/mortise-dev/mortise/internal/surface"
)

// ToolSpec is one entry of a catalogue.
type ToolSpec struct {
	Name     string
	Purpose  string
	Location string // "subdir:PATH", "remote:NAME:PATH", or anything else, as written
	// Capability is what it can do; "": it does not say.
	Capability string
	Class      string  // "module.Class" behind it; "" for a stub
	Extra      ext.Doc // an object; Kind Null where there is none
	Raw        ext.Doc // the entry as written, unknown keys included
}

// Stub reports whether nobody said which class is behind the entry.
func (t *ToolSpec) Stub() bool { return t.Class == "" }

// Text is the entry as an agent is shown it: JSON.
func (t *ToolSpec) Text() string { return string(t.Raw.JSON()) }

// Surface is the surface of catalogue entries.
var Surface = surface.Define(surface.Def[ToolSpec]{
	Name:     "toolspec",
	Doc:      "Tools of a design monorepo's catalogue: what each is for, where it lies, and which class is behind it.",
	Consumer: "Nothing here calls one: they are listed, searched, explained and served as resources.",
	Dir:      "toolspecs",
	Files:    "*.json",
	Needs:    ext.Project,
	Merge:    surface.Namespaced,
	Nested:   true,
	Fields:   fields,
	Checks:   []*ext.Check{tools.EntryFault},
	Read:     read,
})

var fields = []surface.Field{
	{Name: "name", Type: surface.Any, Doc: "What the tool goes by; a text that must be there."},
	{Name: "purpose", Type: surface.Any, Doc: "What it is for; a text that must be there."},
	{Name: "location", Type: surface.Any, Doc: "Where it lies: subdir:PATH or remote:NAME:PATH; a text that must be there."},
	{Name: "capability", Type: surface.Any, Doc: "What it can do; a text that must be there and may be empty."},
	{Name: "capability_fqn", Type: surface.Any, Doc: "The class behind it, module.Class; without it the entry is a stub."},
	{Name: "extra", Type: surface.Any, Doc: "An object of the author's own; its description is shown."},
}

func read(d surface.Document, e *surface.Entry[ToolSpec]) {
	v := surface.ReadObject(d, fields, e)
	t := ToolSpec{Raw: d.Doc}
	if d.Doc.Kind == ext.Map {
		t.Name, t.Purpose = text(d, e, "name", true), text(d, e, "purpose", true)
		t.Location, t.Capability = text(d, e, "location", true), text(d, e, "capability", true)
		t.Class = text(d, e, "capability_fqn", false)
		if x := d.Doc.Get("extra"); x != nil && x.Kind != ext.Map {
			e.ReportField("extra", tools.EntryFault, x.Line, "extra is %s, not an object", x.Kind)
		}
	}
	if x := v.Doc("extra"); x != nil {
		t.Extra = *x
	}
	e.Name = cmp.Or(t.Name, e.Name)
	e.Description = cmp.Or(t.Extra.Word("description"), t.Purpose)
	e.Value = t
}

// text is a key whose value must be a text.
func text(d surface.Document, e *surface.Entry[ToolSpec], key string, must bool) string {
	v := d.Doc.Get(key)
	switch {
	case v == nil && must:
		e.ReportField(key, tools.EntryFault, 0, "%s is missing", key)
	case v == nil:
	case v.Kind != ext.String:
		e.ReportField(key, tools.EntryFault, v.Line, "%s is %s, not a text", key, v.Kind)
	default:
		return v.Text
	}
	return ""
}
