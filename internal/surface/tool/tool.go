// Package tool is the surface for functions an agent may call that come from
// code: a driver reaches them. The tools of MCP servers come with the server.
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
	Check:  check,
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

func check(e *surface.Entry[Tool]) {
	if !validName(e.Name) {
		e.Report(Name, 0, "the name is %s", ext.Quote(e.Name))
	}
	for _, s := range []*ext.Doc{e.Value.Input, e.Value.Output} {
		if s == nil {
			continue
		}
		if t := s.Get("type"); t == nil || t.Text != "object" {
			e.Report(Definition, s.Line, "a tool's schema must have \"type\": \"object\"")
		}
	}
}
