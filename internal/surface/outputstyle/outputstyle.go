// Package outputstyle is the surface for ways of answering that another client
// lets its person choose from.
package outputstyle

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Style is one way of answering.
type Style struct {
	Label string // the front matter's name; the file's where it has none
	Keeps bool   // the client's own instructions for coding stay
	Force bool   // it is chosen wherever the extension is in use
	Front ext.Doc
	Body  string
}

// Surface is the output style surface.
var Surface = surface.Define(surface.Def[Style]{
	Name:   "output-style",
	Doc:    "Ways of answering that a person may choose from (Claude Code).",
	Dir:    "output-styles",
	Files:  "*.md",
	Needs:  ext.Project,
	Merge:  surface.Namespaced,
	Inert:  true,
	Fields: fields,
	Checks: []*ext.Check{Empty},
	Read:   read,
})

var fields = []surface.Field{
	{Name: "name", Type: surface.Text, Doc: "A label; the file's name is what the style goes by."},
	{Name: "description", Type: surface.Text, Doc: "What it is like; the first paragraph of the text where it is missing."},
	{Name: "keep-coding-instructions", Type: surface.Flag, Doc: "The client's own instructions for coding stay."},
	{Name: "force-for-plugin", Type: surface.Flag, Doc: "It is chosen wherever the extension is in use."},
}

// Empty is a style without text.
var Empty = &ext.Check{
	Code: "output-style-empty", Severity: ext.Error,
	Doc: "An output style holds no text.",
	Fix: "Write the style below the front matter, or remove the file.",
}

func read(d surface.Document, e *surface.Entry[Style]) {
	v := surface.ReadFields(d, fields, e)
	e.Value = Style{
		Label: v.Or("name", e.Name),
		Keeps: v.Flag("keep-coding-instructions", false),
		Force: v.Flag("force-for-plugin", false),
		Front: d.Doc,
		Body:  d.Body,
	}
	e.Description = v.Description(d.Body)
	if strings.TrimSpace(d.Body) == "" {
		e.Report(Empty, 0, "there is no text")
	}
}
