// Package dependency is the surface for other extensions that one needs.
package dependency

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Dependency is one extension that is needed. Where it is not in use, its dependant is
// not either; nothing fetches it unasked.
type Dependency struct {
	Wants       string // its name; the file's where the document does not say
	Version     string // which versions, in the author's own grammar; "" is any
	Marketplace string // where it is offered; "" is where the extension itself is
	Raw         ext.Doc
}

// Requires is what the extension needs, by the name that it would have here.
func (d Dependency) Requires() surface.Need {
	return surface.Need{Extension: ext.Name(strings.ToLower(d.Wants)), Versions: d.Version, Market: d.Marketplace}
}

// Surface is the dependency surface.
var Surface = surface.Define(surface.Def[Dependency]{
	Name:   "dependency",
	Doc:    "Other extensions that one needs. One whose needs are not in use, in a version that fits, is refused, and so is what needs it; mortise plugin add installs them when its person agrees.",
	Dir:    "dependencies",
	Files:  "*.json",
	Needs:  ext.Project,
	Merge:  surface.Namespaced,
	Nested: true,
	Fields: fields,
	Read:   read,
})

var fields = []surface.Field{
	{Name: "name", Type: surface.Text, Doc: "What is needed; the file's name where it is missing."},
	{Name: "version", Type: surface.Text, Doc: "Which versions."},
	{Name: "marketplace", Type: surface.Text, Doc: "Where it is offered."},
}

func read(d surface.Document, e *surface.Entry[Dependency]) {
	v := surface.ReadObject(d, fields, e)
	e.Value = Dependency{Wants: v.Or("name", e.Name), Version: v.Text("version"), Marketplace: v.Text("marketplace"), Raw: d.Doc}
	e.Description = strings.TrimSpace(e.Value.Wants + " " + e.Value.Version)
}
