// Package agent is the surface for agents that another agent may hand work to.
package agent

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Agent is one agent's definition.
type Agent struct {
	Label           string // the front matter's name; the file's where it has none
	Model           string
	Tools           []string // what it asks to use; nil: whatever its caller may use. It grants nothing
	DisallowedTools []string
	Skills          []string
	Front           ext.Doc // the whole front matter, unknown keys included
	Prompt          string
}

// Surface is the agent surface.
var Surface = surface.Define(surface.Def[Agent]{
	Name:   "agent",
	Doc:    "Agents that another agent may hand work to.",
	Dir:    "agents",
	Files:  "**/*.md",
	Needs:  ext.Project,
	Merge:  surface.Namespaced,
	Fields: fields,
	Checks: []*ext.Check{surface.NoFrontMatter, surface.EntryHooks, surface.EntryGuard, Widens, ToolsForm, NameDiffers},
	Read:   read,
})

var fields = []surface.Field{
	{Name: "name", Type: surface.Text, Doc: "Should equal the file's name, which is what the agent goes by."},
	{Name: "description", Type: surface.Text, Required: true, Doc: "When to hand work to this agent; shown in the catalogue."},
	{Name: "model", Type: surface.Any, Doc: "The model it wants."},
	{Name: "tools", Type: surface.Any, Doc: "Tools it may use, as a list or separated by commas; a narrower set than its caller's."},
	{Name: "disallowedTools", Type: surface.Any, Doc: "Tools it must not use."},
	{Name: "skills", Type: surface.Words, Doc: "Skills it begins with."},
	{Name: "color", Type: surface.Text, Doc: "A colour for its listing."},
	{Name: "effort", Type: surface.Text, Doc: "The effort it wants."},
	{Name: "maxTurns", Type: surface.Integer, Doc: "The most turns it may take."},
	{Name: "memory", Type: surface.Any, Doc: "Where it keeps notes."},
	{Name: "background", Type: surface.Flag, Doc: "It runs in the background."},
	{Name: "isolation", Type: surface.Any, Doc: "How it is kept apart."},
	{Name: "argument-hint", Type: surface.Any, Doc: "What to tell it when it is started (GitHub Copilot)."},
	{Name: "handoffs", Type: surface.Any, Doc: "Agents that a person may go on with (GitHub Copilot)."},
	{Name: "target", Type: surface.Text, Doc: "Where it may be used (GitHub Copilot)."},
	{Name: "kind", Type: surface.Text, Doc: "local or remote (Gemini CLI)."},
	{Name: "max_turns", Type: surface.Integer, Doc: "The most turns it may take (Gemini CLI)."},
	{Name: "timeout_mins", Type: surface.Text, Doc: "The most minutes it may take (Gemini CLI)."},
	{Name: "temperature", Type: surface.Text, Doc: "The temperature it wants (Gemini CLI)."},
	{Name: "hooks", Type: surface.Any, Doc: "Not asked here: hooks belong in hook files. An entry with one that may deny is refused."},
	{Name: "mcpServers", Type: surface.Any, Doc: "Ignored: an agent's file cannot add servers."},
	{Name: "mcp-servers", Type: surface.Any, Doc: "Ignored, likewise (GitHub Copilot)."},
	{Name: "permissionMode", Type: surface.Any, Doc: "Ignored: an agent's file cannot widen what its caller may do."},
}

// widening fields would give an agent more than its caller has.
var widening = []string{"mcpServers", "mcp-servers", "permissionMode"}

// Checks on agents.
var (
	Widens = &ext.Check{
		Code: "agent-widens", Severity: ext.Warning,
		Doc: "An agent asks for more than its caller has. The field is ignored: extensions only narrow (law 7).",
		Fix: "Remove the field; declare servers in a file of their own.",
	}
	ToolsForm = &ext.Check{
		Code: "agent-tools", Severity: ext.Warning,
		Doc: "An agent's list of tools is in a form that is not read. The agent is not held to it: it may use what its caller may.",
		Fix: "Write the tools as a list, or as text with commas between them.",
	}
	NameDiffers = &ext.Check{
		Code: "agent-name-differs", Severity: ext.Info,
		Doc: "An agent's name is not its file's. The file's name is what it goes by.",
		Fix: "Rename the file or the agent so that both agree.",
	}
)

func read(d surface.Document, e *surface.Entry[Agent]) {
	d = d.Unfolded()
	if d.Doc.Kind != ext.Map {
		e.Report(surface.NoFrontMatter, 1, "an agent begins with front matter between two lines of ---, found none")
		return
	}
	v := surface.ReadFields(d, fields, e)
	surface.ReadHooks(v, e)
	e.Description = v.Text("description")
	a := Agent{
		Label:           v.Text("name"),
		Model:           v.Text("model"),
		Tools:           tools(v, "tools", e),
		DisallowedTools: tools(v, "disallowedTools", e),
		Skills:          v.Words("skills"),
		Front:           d.Doc,
		Prompt:          d.Body,
	}
	for _, name := range widening {
		if f := v.Doc(name); f != nil {
			e.Report(Widens, f.Line, "field %s is ignored", name)
		}
	}
	if a.Label == "" {
		a.Label = e.Name
	} else if a.Label != lastPart(e.Name) {
		e.Report(NameDiffers, v.Doc("name").Line, "the agent calls itself %s and its file %s", ext.Quote(a.Label), ext.Quote(e.Name))
	}
	e.Value = a
}

// tools is a list of tools: nil where there is none, and where it cannot be
// read, which is said; not nil where it is empty.
func tools(v surface.Values, field string, e *surface.Entry[Agent]) []string {
	d := v.Doc(field)
	switch {
	case d == nil:
		return nil
	case !surface.Words.Accepts(d):
		e.Report(ToolsForm, d.Line, "field %s must be %s, found %s", field, surface.Words, d.Kind)
		return nil
	}
	return append([]string{}, v.Words(field)...)
}

func lastPart(name string) string {
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == ':' {
			return name[i+1:]
		}
	}
	return name
}
