// Package workflow is the surface for courses of work that another client
// carries out: text in Markdown, or a file of another kind.
package workflow

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Workflow is one course of work.
type Workflow struct {
	Label string // the document's name; the file's where it has none
	File  string // path below the root of a workflow that is no Markdown; else ""
	Front ext.Doc
	Body  string
}

// Surface is the workflow surface.
var Surface = surface.Define(surface.Def[Workflow]{
	Name:   "workflow",
	Doc:    "Courses of work that another client carries out (Claude Code).",
	Dir:    "workflows",
	Files:  "**/*.md",
	Needs:  ext.Project,
	Merge:  surface.Namespaced,
	Inert:  true,
	Fields: fields,
	Checks: []*ext.Check{Empty},
	Read:   read,
})

var fields = []surface.Field{
	{Name: "name", Type: surface.Text, Doc: "A label; the file's name is what the workflow goes by."},
	{Name: "description", Type: surface.Text, Doc: "What it does; the first paragraph of the text where it is missing."},
	{Name: "file", Type: surface.Text, Doc: "The file that holds it, where that is no Markdown. A format writes it, not an author."},
}

// Empty is a workflow without text and without a file.
var Empty = &ext.Check{
	Code: "workflow-empty", Severity: ext.Error,
	Doc: "A workflow holds no text.",
	Fix: "Write the workflow below the front matter, or remove the file.",
}

func read(d surface.Document, e *surface.Entry[Workflow]) {
	v := surface.ReadFields(d, fields, e)
	w := Workflow{Label: v.Or("name", e.Name), Front: d.Doc, Body: d.Body}
	if d.BodyLine == 0 { // no Markdown file: a format names what it is
		w.File = v.Text("file")
	}
	e.Description = v.Description(d.Body)
	if w.File == "" && strings.TrimSpace(d.Body) == "" {
		e.Report(Empty, 0, "there is no text")
	}
	e.Value = w
}
