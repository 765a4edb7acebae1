// Package executable is the surface for programs that another client puts on the
// path of its shell.
package executable

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Executable is one program. Nothing here puts it on a path or runs it.
type Executable struct {
	File string // path below the root
	Raw  ext.Doc
}

// Surface is the executable surface.
var Surface = surface.Define(surface.Def[Executable]{
	Name:   "executable",
	Doc:    "Programs that another client puts on the path of its shell (Claude Code).",
	Dir:    "executables",
	Files:  "*.json",
	Needs:  ext.Project,
	Merge:  surface.Namespaced,
	Inert:  true,
	Fields: fields,
	Read:   read,
})

var fields = []surface.Field{
	{Name: "name", Type: surface.Text, Doc: "A label; the file's name is what the program goes by."},
	{Name: "file", Type: surface.Text, Required: true, Doc: "The program, as a path below the root."},
}

func read(d surface.Document, e *surface.Entry[Executable]) {
	v := surface.ReadObject(d, fields, e)
	e.Value = Executable{File: v.Text("file"), Raw: d.Doc}
	e.Description = e.Value.File
}
