// Package resource is the surface for what an agent may read by an address:
// what servers describe, and what code offers in files.
package resource

import (
	"net/url"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Resource is one thing that can be read, or a template for the addresses of
// many.
type Resource struct {
	URI        string // the address, or the template
	Template   bool
	Title      string
	MIMEType   string
	Ref        ext.Ref
	Definition *ext.Doc // the whole definition as a server sent it; nil for one of code
}

// Refers is what answers a reading of r.
func (r Resource) Refers() ext.Ref { return r.Ref }

// Momentary reports whether r is one of the addresses that a server has at the
// moment: data that comes and goes, as what calls return does, and no definition of
// how something is used, as a template is.
func (r Resource) Momentary() bool { return !r.Template }

// Surface is the resource surface. An entry goes by its address, which has one
// meaning for an agent, wherever it comes from.
var Surface = surface.Define(surface.Def[Resource]{
	Name:   "resource",
	Doc:    "What an agent may read by an address.",
	Dir:    "resources",
	Files:  "*.json",
	Needs:  ext.Project,
	Merge:  surface.Unique,
	Whole:  true,
	Runs:   true,
	Fields: fields,
	Checks: []*ext.Check{Definition, Address},
	Read:   read,
})

var fields = []surface.Field{
	{Name: "uri", Type: surface.Text, Required: true, Doc: "Its address; what it goes by."},
	{Name: "title", Type: surface.Text, Doc: "A name for people."},
	{Name: "description", Type: surface.Text, Doc: "What it holds; shown to agents."},
	{Name: "mimeType", Type: surface.Text, Doc: "The type of its content."},
	{Name: "ref", Type: surface.Object, Required: true, Doc: "What answers a reading: driver, target, name."},
}

// Checks on resources.
var (
	Definition = &ext.Check{
		Code: "resource-definition", Severity: ext.Error,
		Doc: "A resource's definition holds a key that is not known, or a value that does not fit.",
		Fix: "Correct the definition.",
	}
	Address = &ext.Check{
		Code: "resource-uri", Severity: ext.Error,
		Doc: "A resource's address has no scheme, or one that is the host's own (skill, agent, rule, mortise), so that it could pass for what it is not.",
		Fix: "Give it an absolute address with a scheme of its own.",
	}
)

// own are the schemes under which the host itself offers what extensions hold.
var own = map[string]bool{"skill": true, "agent": true, "rule": true, "mortise": true}

func read(d surface.Document, e *surface.Entry[Resource]) {
	if d.Dialect == surface.DialectMCP {
		served(d, e)
	} else {
		declared(d, e)
	}
	e.Name = e.Value.URI
	scheme, _, found := strings.Cut(e.Value.URI, ":")
	switch _, err := url.Parse(e.Value.URI); {
	case !found || !isScheme(scheme) || !e.Value.Template && err != nil:
		e.Report(Address, 0, "%s is no absolute address", ext.Quote(ext.Shorten(e.Value.URI, 200)))
	case own[strings.ToLower(scheme)]:
		e.Report(Address, 0, "%s has the scheme %s, under which the host offers what extensions hold", ext.Quote(ext.Shorten(e.Value.URI, 200)), ext.Quote(scheme))
	}
}

// isScheme reports whether s is the scheme of an address (RFC 3986). What a
// template could fill in is none: it could become any.
func isScheme(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return s != ""
}

func declared(d surface.Document, e *surface.Entry[Resource]) {
	v := surface.ReadStrict(d, fields, e, Definition)
	e.Description = v.Text("description")
	e.Value = Resource{URI: v.Text("uri"), Title: v.Text("title"), MIMEType: v.Text("mimeType")}
	if ref := v.Doc("ref"); ref != nil {
		surface.ReadRef(ref, e, Definition, &e.Value.Ref)
		if e.Value.Ref.Driver == "" {
			e.Report(Definition, ref.Line, "\"ref\" names no driver")
		}
	}
}

// served reads a resource or a template as a server describes it.
func served(d surface.Document, e *surface.Entry[Resource]) {
	e.Description, e.Digest = d.Doc.Word("description"), surface.Served(d)
	e.Value = Resource{
		URI: d.Doc.Word("uri"), Title: d.Doc.Word("title"), MIMEType: d.Doc.Word("mimeType"), Ref: d.Ref, Definition: &d.Doc,
	}
	if e.Description == "" {
		e.Description = d.Doc.Word("name")
	}
	if e.Value.URI == "" {
		e.Value.URI, e.Value.Template = d.Doc.Word("uriTemplate"), true
	}
}
