// Package tool is the surface for functions an agent may call: those of code,
// declared in files, and those that servers describe. A driver reaches them.
package tool

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Tool is one callable function.
type Tool struct {
	Title       string
	Input       *ext.Doc // JSON Schema of the arguments; an object schema
	Output      *ext.Doc // JSON Schema of the structured result; nil when it has none
	Annotations *ext.Doc // hints for clients; nil when there are none
	Ref         ext.Ref
	// Definition is the whole definition as a server sent it; nil for a tool of
	// code. Its schemas, and so Input and Output, are outlines: what they hold is in
	// Raw.
	Definition *ext.Doc
}

// Refers is what answers a call of t.
func (t Tool) Refers() ext.Ref { return t.Ref }

// Annotated are the hints that it gives to clients; nil when it gives none.
func (t Tool) Annotated() *ext.Doc {
	if t.Definition != nil {
		return t.Definition.Get("annotations")
	}
	return t.Annotations
}

// Presents is what a tool that a server defines goes by for agents and people: its
// own name and its titles. A tool of code has none that could be another's.
func (t Tool) Presents() []string {
	if t.Definition == nil {
		return nil
	}
	out := []string{t.Ref.Name}
	for _, title := range []string{t.Title, t.Annotated().Word("title")} {
		if title != "" {
			out = append(out, title)
		}
	}
	return out
}

// Surface is the tool surface.
var Surface = surface.Define(surface.Def[Tool]{
	Name:   "tool",
	Doc:    "Functions an agent may call.",
	Dir:    "tools",
	Files:  "*.json",
	Needs:  ext.Project,
	Merge:  surface.Namespaced,
	Whole:  true,
	Runs:   true,
	Called: true,
	Fields: fields,
	Checks: []*ext.Check{Definition, Name},
	Read:   read,

	Outlined: []string{"inputSchema", "outputSchema"},
	Check:    check,
})

var fields = []surface.Field{
	{Name: "title", Type: surface.Text, Doc: "A name for people."},
	{Name: "description", Type: surface.Text, Required: true, Doc: "What it does; shown to agents."},
	{Name: "inputSchema", Type: surface.Object, Required: true, Doc: "JSON Schema of its arguments, of type object."},
	{Name: "outputSchema", Type: surface.Object, Doc: "JSON Schema of its structured result, of type object."},
	{Name: "annotations", Type: surface.Object, Doc: "Hints for clients, as MCP defines them."},
	{Name: "ref", Type: surface.Object, Required: true, Doc: "What answers a call: driver, target, name."},
}

// Checks on tools.
var (
	Definition = &ext.Check{
		Code: "tool-definition", Severity: ext.Error,
		Doc: "A tool's definition holds a key that is not known, or a value that does not fit.",
		Fix: "Correct the definition: a tool that is read only in part would be another tool.",
	}
	Name = &ext.Check{
		Code: "tool-name", Severity: ext.Error,
		Doc: "A tool's name is not of 1 to 64 letters, digits, '_' and '-'.",
		Fix: "Rename the file.",
	}
)

// validName reports whether a name is one that every client can call.
func validName(name string) bool {
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return len(name) >= 1 && len(name) <= 64
}

func read(d surface.Document, e *surface.Entry[Tool]) {
	if d.Dialect == surface.DialectMCP {
		served(d, e)
		return
	}
	v := surface.ReadStrict(d, fields, e, Definition)
	e.Description = v.Text("description")
	e.Value = Tool{
		Title:       v.Text("title"),
		Input:       v.Doc("inputSchema"),
		Output:      v.Doc("outputSchema"),
		Annotations: v.Doc("annotations"),
	}
	if ref := v.Doc("ref"); ref != nil {
		surface.ReadRef(ref, e, Definition, &e.Value.Ref)
		if e.Value.Ref.Driver == "" {
			e.Report(Definition, ref.Line, "\"ref\" names no driver")
		}
	}
}

// served reads a tool as a server describes it. What the protocol does not know
// is the server's business, and part of the definition.
func served(d surface.Document, e *surface.Entry[Tool]) {
	definition := d.Doc // what is kept of the document
	e.Name, e.Description = d.Path, d.Doc.Word("description")
	e.Value = Tool{
		Title: d.Doc.Word("title"), Input: d.Doc.Get("inputSchema"), Output: d.Doc.Get("outputSchema"), Annotations: d.Doc.Get("annotations"),
		Ref: d.Ref, Definition: &definition,
	}
	e.Value.Ref.Name = d.Doc.Word("name")
	e.Digest = surface.Served(d)
	if in := e.Value.Input; in == nil || in.Kind != ext.Map {
		e.Report(Definition, 0, "\"inputSchema\" is missing or no object")
	}
}

func check(e *surface.Entry[Tool]) {
	if e.Value.Definition == nil && !validName(e.Name) {
		e.Report(Name, 0, "the name is %s", ext.Quote(e.Name))
	}
	schemas := []*ext.Doc{e.Value.Input, e.Value.Output}
	if e.Value.Definition != nil {
		schemas = schemas[:1] // what a server's results look like is between it and its clients
	}
	for _, s := range schemas {
		if s == nil {
			continue
		}
		if t := s.Get("type"); t == nil || t.Text != "object" {
			e.Report(Definition, s.Line, "a tool's schema must have \"type\": \"object\"")
		}
	}
}
