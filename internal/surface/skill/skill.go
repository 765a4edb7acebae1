// Package skill is the surface for instructions an agent loads on demand.
package skill

import (
	"path"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Skill is one set of instructions (Agent Skills).
type Skill struct {
	Label        string // the front matter's name; the directory's where it has none
	License      string
	AllowedTools []string // what the author suggests; it grants nothing
	Front        ext.Doc  // the whole front matter, unknown keys included
	Body         string
	Run          *Run // how its script is run, in a design monorepo; nil elsewhere
}

// Surface is the skill surface.
var Surface = surface.Define(surface.Def[Skill]{
	Name:   "skill",
	Doc:    "Instructions an agent loads on demand.",
	Dir:    "skills",
	Files:  "*/SKILL.md",
	Needs:  ext.Project,
	Merge:  surface.Namespaced,
	Fields: runFields,
	Checks: []*ext.Check{surface.NoFrontMatter, surface.EntryHooks, surface.EntryGuard, NameDiffers, NamePattern, RunForm},
	Read:   read,
	Check:  check,
})

// fields are those of Agent Skills, then those that Claude Code adds.
var fields = []surface.Field{
	{Name: "name", Type: surface.Text, Max: 64, Doc: "Should equal the directory's name, which is what the skill goes by."},
	{Name: "description", Type: surface.Text, Required: true, Max: 1024, Doc: "What the skill does and when to use it; shown in the catalogue."},
	{Name: "license", Type: surface.Text, Doc: "Name of, or pointer to, a licence."},
	{Name: "compatibility", Type: surface.Text, Max: 500, Doc: "What the skill needs of its environment."},
	{Name: "metadata", Type: surface.Object, Doc: "Keys of the author's own."},
	{Name: "allowed-tools", Type: surface.Words, Doc: "Tools the author suggests, as a list or separated by commas or blanks. It grants nothing."},
	{Name: "when_to_use", Type: surface.Text, Doc: "Further text for the catalogue (Claude Code)."},
	{Name: "argument-hint", Type: surface.Any, Doc: "What to type after the name (Claude Code)."},
	{Name: "arguments", Type: surface.Any, Doc: "Declared arguments (Claude Code)."},
	{Name: "disable-model-invocation", Type: surface.Flag, Doc: "Only a person may start it (Claude Code)."},
	{Name: "user-invocable", Type: surface.Flag, Doc: "A person may start it by name (Claude Code)."},
	{Name: "disallowed-tools", Type: surface.Words, Doc: "Tools it must not use (Claude Code)."},
	{Name: "model", Type: surface.Text, Doc: "The model it wants (Claude Code)."},
	{Name: "effort", Type: surface.Text, Doc: "The effort it wants (Claude Code)."},
	{Name: "context", Type: surface.Text, Doc: "\"fork\" runs it in a context of its own (Claude Code)."},
	{Name: "agent", Type: surface.Text, Doc: "The agent it runs in (Claude Code)."},
	{Name: "background", Type: surface.Flag, Doc: "It runs in the background (Claude Code)."},
	{Name: "hooks", Type: surface.Any, Doc: "Not asked here: hooks belong in hook files. An entry with one that may deny is refused (Claude Code)."},
	{Name: "paths", Type: surface.Any, Doc: "Files it applies to (Claude Code)."},
	{Name: "shell", Type: surface.Text, Doc: "The shell it wants (Claude Code)."},
}

// Checks on skills.
var (
	NameDiffers = &ext.Check{
		Code: "skill-name-differs", Severity: ext.Warning,
		Doc: "A skill's name is not its directory's. The directory's name is what it goes by.",
		Fix: "Rename the directory or the skill so that both agree.",
	}
	NamePattern = &ext.Check{
		Code: "skill-name-pattern", Severity: ext.Warning,
		Doc: "A skill's name is not made of lower-case letters, digits and single hyphens, as Agent Skills asks.",
		Fix: "Rename the skill; other hosts may refuse it.",
	}
)

func read(d surface.Document, e *surface.Entry[Skill]) {
	if d.Doc.Kind != ext.Map {
		e.Report(surface.NoFrontMatter, 1, "a skill begins with front matter between two lines of ---, found none")
		return
	}
	if d.Dialect == surface.DialectColony {
		readColony(d, e)
		return
	}
	v := surface.ReadFields(d, fields, e)
	surface.ReadHooks(v, e)
	e.Description = v.Text("description")
	e.Value = Skill{
		Label:        v.Text("name"),
		License:      v.Text("license"),
		AllowedTools: v.Words("allowed-tools"),
		Front:        d.Doc,
		Body:         d.Body,
	}
}

func check(e *surface.Entry[Skill]) {
	s := &e.Value
	if s.Label == "" {
		s.Label = e.Name
	}
	line := 0
	if n := s.Front.Get("name"); n != nil {
		line = n.Line
	}
	if s.Label != e.Name {
		e.Report(NameDiffers, line, "the skill calls itself %s and %s", ext.Quote(s.Label), whereabouts(e))
		f := &e.Findings[len(e.Findings)-1]
		*f = f.Of("name").Wanting(Wanted(e.Name))
	}
	if !conforms(e.Name) {
		e.Report(NamePattern, line, "the name %s is not of a-z, 0-9 and single hyphens within", ext.Quote(e.Name))
	}
}

// whereabouts says in which directory the skill lies, and what it goes by where
// that is not the directory's name: another skill has that, or it lies at the
// root of its extension.
func whereabouts(e *surface.Entry[Skill]) string {
	switch dir := path.Dir(e.Origin.Path); {
	case path.Base(dir) == e.Name:
		return "lies in the directory " + ext.Quote(e.Name)
	case dir == ".":
		return "goes by " + ext.Quote(e.Name) + ", since it lies at the root of its extension"
	default:
		return "lies in the directory " + ext.Quote(dir) + ", where it goes by " + ext.Quote(e.Name)
	}
}

// Wanted is the name that a skill should give itself that goes by name; "" where
// Agent Skills would not take it.
func Wanted(name string) string {
	if !conforms(name) {
		return ""
	}
	return name
}

// conforms reports whether a name keeps the rule of Agent Skills.
func conforms(name string) bool {
	last := byte('-')
	for i := range len(name) {
		c := name[i]
		if c != '-' && (c < 'a' || c > 'z') && (c < '0' || c > '9') || c == '-' && last == '-' {
			return false
		}
		last = c
	}
	return last != '-' && len(name) <= 64
}
