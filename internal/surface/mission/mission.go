// Package mission is the surface for missions: work that a system can be given, with the
// agents that do it. They are read and checked; none is started here.
package mission

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Mission is what a mission says, whole and checked.
type Mission struct {
	Label       string
	Description string
	// CoordinatorV1 and CoordinatorV2 are the dotted names of classes; Coordinator says
	// which counts.
	CoordinatorV1, CoordinatorV2 string
	Worker                       string // "" where there is none
	CoordinatorCapabilities      []string
	WorkerCapabilities           []string
	CallerParameters             []Parameter
	SelfConcept                  SelfConcept
	Policy                       *Policy // nil: it says nothing of how it is run
	Raw                          ext.Doc // the mission as written
	Evidence                     []surface.Ground
	Document                     ext.Doc // what it was read from
}

// Coordinator is the class that leads the mission.
func (m *Mission) Coordinator() string {
	if m.CoordinatorV2 != "" {
		return m.CoordinatorV2
	}
	return m.CoordinatorV1
}

// Text is the mission as an agent is shown it: JSON.
func (m *Mission) Text() string { return string(m.Raw.JSON()) }

// SelfConcept is what the coordinator is told that it is.
type SelfConcept struct {
	Description string
	Goals       []string
	Constraints []string
}

// Parameter is one thing that whoever starts the mission says.
type Parameter struct {
	Name, Scope, Description string
	Type                     string   // of its JSON; "string" where it is not said
	Default                  *ext.Doc // nil: there is none
	Factory                  *ext.Doc // what makes a default; nil: nothing does
	ValidatesAgainst         []string
}

// Required reports whether it must be said. A default of null is one.
func (p *Parameter) Required() bool { return p.Default == nil && p.Factory == nil }

// Surface is the mission surface.
var Surface = surface.Define(surface.Def[Mission]{
	Name:     "mission",
	Doc:      "Work that a system can be given, with the agents that do it.",
	Consumer: "Nothing here starts one: they are listed, explained and served as resources. Whether the classes that it names exist is not checked.",
	Dir:      "missions",
	Files:    "*.json",
	Needs:    ext.Project,
	Merge:    surface.Namespaced,
	Nested:   true,
	Fields:   fields,
	Checks:   []*ext.Check{Key, Value, surface.GroundForm},
	Read:     read,
})

var fields = []surface.Field{
	{Name: "mission", Type: surface.Object, Required: true, Doc: "The mission: label, description, coordinator_v1, coordinator_v2, worker, coordinator_capabilities, worker_capabilities, caller_parameters, self_concept and execution_policy."},
	{Name: "evidence", Type: surface.Any, Doc: "Where it was found: a list of objects with file, line and why."},
	{Name: "sources", Type: surface.Object, Doc: "The digest of each file that is evidence, by its path."},
}

// Checks on missions.
var (
	Key = &ext.Check{
		Code: "mission-key", Severity: ext.Error,
		Doc: "A mission has a key that no mission has, or lacks one that it must have.",
		Fix: "Correct the spelling, or add the key; docs/points.md names those that a mission has.",
	}
	Value = &ext.Check{
		Code: "mission-value", Severity: ext.Error,
		Doc: "A value in a mission is of another type than it must be, or not one of those that it may be.",
		Fix: "Write a value as the message says.",
	}
)

func read(d surface.Document, e *surface.Entry[Mission]) {
	v := surface.ReadObject(d, fields, e)
	e.Value.Document, e.Value.Evidence = d.Doc, surface.ReadGrounds(v.Doc("evidence"), "evidence", e)
	raw := v.Doc("mission")
	if raw == nil {
		return
	}
	r := reader{e: e}
	e.Value.Raw = *raw
	m := &e.Value
	r.object(raw, "mission", table{
		"label":                    {must: true, set: r.text(&m.Label)},
		"description":              {must: true, set: r.text(&m.Description)},
		"coordinator_v1":           {must: true, set: r.text(&m.CoordinatorV1)},
		"coordinator_v2":           {must: true, set: r.text(&m.CoordinatorV2)},
		"worker":                   {set: r.text(&m.Worker)},
		"coordinator_capabilities": {set: r.texts(&m.CoordinatorCapabilities)},
		"worker_capabilities":      {set: r.texts(&m.WorkerCapabilities)},
		"caller_parameters":        {set: r.parameters},
		"self_concept":             {must: true, set: r.selfConcept},
		"execution_policy":         {set: r.policy},
	})
	e.Description = m.Description
}
