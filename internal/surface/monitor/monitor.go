// Package monitor is the surface for commands that another client keeps running
// in the background and listens to.
package monitor

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Monitor is one command. Nothing in it has been expanded, and nothing here
// runs it.
type Monitor struct {
	Label   string // the document's name; the file's where it has none
	Command string
	When    string // when the client starts it; "" is its own default
	Raw     ext.Doc
}

// Surface is the monitor surface.
var Surface = surface.Define(surface.Def[Monitor]{
	Name:   "monitor",
	Doc:    "Commands that another client keeps running in the background (Claude Code).",
	Dir:    "monitors",
	Files:  "*.json",
	Needs:  ext.Project,
	Merge:  surface.Namespaced,
	Inert:  true,
	Fields: fields,
	Read:   read,
})

var fields = []surface.Field{
	{Name: "name", Type: surface.Text, Doc: "A label; the file's name is what the monitor goes by."},
	{Name: "command", Type: surface.Text, Required: true, Doc: "The command that is kept running."},
	{Name: "description", Type: surface.Text, Doc: "What it watches."},
	{Name: "when", Type: surface.Text, Doc: "When it is started."},
}

func read(d surface.Document, e *surface.Entry[Monitor]) {
	v := surface.ReadObject(d, fields, e)
	e.Description = v.Text("description")
	e.Value = Monitor{Label: v.Or("name", e.Name), Command: v.Text("command"), When: v.Text("when"), Raw: d.Doc}
}
