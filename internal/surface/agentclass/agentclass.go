// Package agentclass is the surface for agents that are classes of somebody's source.
// They are found by reading; none is started here.
package agentclass

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// AgentClass is one class that is an agent of the system whose base it derives from.
type AgentClass struct{ surface.Class }

// Surface is the surface of agent classes.
var Surface = surface.Define(surface.Def[AgentClass]{
	Name:     "agentclass",
	Doc:      "Agents that are classes of a design monorepo's Python, found by reading it.",
	Consumer: "Nothing here starts one: they are listed, explained and served as resources. The system that they are written for runs them.",
	Dir:      "agentclasses",
	Files:    "*.json",
	Needs:    ext.Project,
	Merge:    surface.Namespaced,
	Nested:   true,
	Fields:   fields,
	Checks:   surface.ClassChecks(),
	Read:     read,
})

var fields = surface.ClassFields()

func read(d surface.Document, e *surface.Entry[AgentClass]) {
	e.Value.Class, _ = surface.ReadClass(d, fields, e)
	e.Description = e.Value.Declared()
}
