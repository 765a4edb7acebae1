// Package theme is the surface for colours and looks of another client.
package theme

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Theme is one look. What it holds is the business of the client it is made for.
type Theme struct {
	Label string // the document's name; the file's where it has none
	Raw   ext.Doc
}

// Surface is the theme surface.
var Surface = surface.Define(surface.Def[Theme]{
	Name:   "theme",
	Doc:    "Colours and looks of another client.",
	Dir:    "themes",
	Files:  "*.json",
	Needs:  ext.Project,
	Merge:  surface.Namespaced,
	Inert:  true,
	Fields: fields,
	Read:   read,
})

var fields = []surface.Field{
	{Name: "name", Type: surface.Text, Doc: "A label; the file's name is what the theme goes by."},
	{Name: "description", Type: surface.Text, Doc: "What it looks like."},
	{Name: surface.Rest, Type: surface.Any, Doc: "Whatever the client reads that the theme is made for."},
}

func read(d surface.Document, e *surface.Entry[Theme]) {
	v := surface.ReadObject(d, fields, e)
	e.Description = v.Text("description")
	e.Value = Theme{Label: v.Or("name", e.Name), Raw: d.Doc}
}
