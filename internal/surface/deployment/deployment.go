// Package deployment is the surface for classes of somebody's source that a system
// deploys. They are found by reading; none is deployed here.
package deployment

import (
	"fmt"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Deployment is one class that carries the mark of a deployment.
type Deployment struct {
	surface.Class
	// Arguments are what its own decorator is given, in the order of the source; none for
	// a bare or an inherited one.
	Arguments []Argument
}

// Argument is one keyword argument of the decorator.
type Argument struct {
	Name   string
	Line   int
	Value  *ext.Doc // the literal; nil where it is none
	Reason string   // why there is no value; else ""
}

// Because is why it is one, and what its decorator is given.
func (d Deployment) Because() []string {
	out := d.Class.Because()
	for _, a := range d.Arguments {
		given := a.Reason
		if a.Value != nil {
			given = string(a.Value.JSON())
		}
		out = append(out, fmt.Sprintf("line %d: its decorator is given %s: %s", a.Line, a.Name, given))
	}
	return out
}

// Surface is the surface of deployments.
var Surface = surface.Define(surface.Def[Deployment]{
	Name:     "deployment",
	Doc:      "Classes of a design monorepo's Python that its system deploys, found by reading it.",
	Consumer: "Nothing here deploys one: they are listed, explained and served as resources. They go by the class's name, whatever name the decorator is given.",
	Dir:      "deployments",
	Files:    "*.json",
	Needs:    ext.Project,
	Merge:    surface.Namespaced,
	Nested:   true,
	Fields:   fields,
	Checks:   surface.ClassChecks(),
	Read:     read,
})

var fields = surface.ClassFields(
	surface.Field{Name: "arguments", Type: surface.Any, Doc: "What its decorator is given: a list of objects with name, line, and value, or reason where it is no literal."},
)

func read(d surface.Document, e *surface.Entry[Deployment]) {
	c, v := surface.ReadClass(d, fields, e)
	e.Value = Deployment{Class: c, Arguments: arguments(v.Doc("arguments"), e)}
	e.Description = c.Declared()
}

func arguments(d *ext.Doc, e *surface.Entry[Deployment]) []Argument {
	if d == nil {
		return nil
	}
	if d.Kind != ext.List {
		e.ReportField("arguments", surface.ClassForm, d.Line, "arguments are no list")
	}
	var out []Argument
	for i := range d.List {
		one := &d.List[i]
		a := Argument{Name: one.Word("name"), Line: one.Line, Value: one.Get("value"), Reason: one.Word("reason")}
		if a.Name == "" || (a.Value == nil) == (a.Reason == "") {
			e.ReportField("arguments", surface.ClassForm, one.Line, "an argument has no name, or neither a value nor a reason")
			return nil
		}
		out = append(out, a)
	}
	return out
}
