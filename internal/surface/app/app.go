// Package app is the surface for what connects another client to a service of
// its vendor: apps, connectors and channels.
package app

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// App is one connection. What it holds is the business of the client it is made
// for.
type App struct {
	Label string // the document's name; the file's where it has none
	Raw   ext.Doc
}

// Surface is the app surface.
var Surface = surface.Define(surface.Def[App]{
	Name:   "app",
	Doc:    "Apps, connectors and channels of another client (Codex, Claude Code).",
	Dir:    "apps",
	Files:  "*.json",
	Needs:  ext.Project,
	Merge:  surface.Namespaced,
	Inert:  true,
	Fields: fields,
	Read:   read,
})

var fields = []surface.Field{
	{Name: "name", Type: surface.Text, Doc: "A label; the file's name is what the app goes by."},
	{Name: "description", Type: surface.Text, Doc: "What it connects to."},
	{Name: surface.Rest, Type: surface.Any, Doc: "Whatever the client reads that the app is made for."},
}

func read(d surface.Document, e *surface.Entry[App]) {
	v := surface.ReadObject(d, fields, e)
	e.Description = v.Text("description")
	e.Value = App{Label: v.Or("name", e.Name), Raw: d.Doc}
}
