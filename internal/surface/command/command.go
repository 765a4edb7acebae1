// Package command is the surface for prompts that a person starts by name: text
// in files, and the prompts that servers describe.
package command

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Command is one prompt with what its author says of it.
type Command struct {
	ArgumentHint string // what to type after the name; "" when it takes nothing in particular
	Model        string
	AllowedTools []string // what the author suggests; it grants nothing
	Front        ext.Doc  // the whole front matter, unknown keys included; Kind Null where there is none
	Body         string
	Dialect      string // whose places Body holds: "" is Claude Code's, surface.DialectTOML Gemini CLI's
	// Definition is the whole definition of a prompt as a server sent it, and Ref
	// what answers it; nil and zero for a command that is text.
	Definition *ext.Doc
	Ref        ext.Ref
}

// Refers is what answers c; zero for one that is text.
func (c Command) Refers() ext.Ref { return c.Ref }

// Surface is the command surface.
var Surface = surface.Define(surface.Def[Command]{
	Name:   "command",
	Doc:    "Prompts that a person starts by name.",
	Dir:    "commands",
	Files:  "**/*.md",
	Needs:  ext.Project,
	Merge:  surface.Namespaced,
	Fields: fields,
	Checks: []*ext.Check{Empty, Expansion, surface.EntryHooks, surface.EntryGuard},
	Read:   read,
})

var fields = []surface.Field{
	{Name: "name", Type: surface.Text, Doc: "A label; the file's name is what the command goes by."},
	{Name: "description", Type: surface.Text, Max: 1024, Doc: "What it does; the first paragraph of the text where it is missing."},
	{Name: "argument-hint", Type: surface.Any, Doc: "What to type after the name."},
	{Name: "arguments", Type: surface.Any, Doc: "Declared arguments (Claude Code)."},
	{Name: "allowed-tools", Type: surface.Words, Doc: "Tools the author suggests. It grants nothing."},
	{Name: "disallowed-tools", Type: surface.Words, Doc: "Tools it must not use (Claude Code)."},
	{Name: "tools", Type: surface.Words, Doc: "Tools the author suggests, where allowed-tools is missing (GitHub Copilot). It grants nothing."},
	{Name: "model", Type: surface.Text, Doc: "The model it wants."},
	{Name: "effort", Type: surface.Text, Doc: "The effort it wants (Claude Code)."},
	{Name: "agent", Type: surface.Text, Doc: "The agent it runs in."},
	{Name: "mode", Type: surface.Text, Doc: "ask, edit or agent (GitHub Copilot)."},
	{Name: "subtask", Type: surface.Flag, Doc: "It runs in an agent of its own (OpenCode)."},
	{Name: "context", Type: surface.Text, Doc: "\"fork\" runs it in a context of its own (Claude Code)."},
	{Name: "disable-model-invocation", Type: surface.Flag, Doc: "Only a person may start it."},
	{Name: "user-invocable", Type: surface.Flag, Doc: "A person may start it by name."},
	{Name: "when_to_use", Type: surface.Text, Doc: "Further text for the catalogue (Claude Code)."},
	{Name: "hooks", Type: surface.Any, Doc: "Not asked here: hooks belong in hook files. An entry with one that may deny is refused."},
}

// Empty is a command without text.
var Empty = &ext.Check{
	Code: "command-empty", Severity: ext.Error,
	Doc: "A command holds no text, so starting it would say nothing.",
	Fix: "Write the prompt below the front matter, or remove the file.",
}

func read(d surface.Document, e *surface.Entry[Command]) {
	if d.Dialect == surface.DialectMCP {
		e.Name, e.Description = d.Path, d.Doc.Word("description")
		e.Value = Command{Definition: &d.Doc, Ref: d.Ref}
		e.Value.Ref.Name = d.Doc.Word("name")
		e.Digest = surface.Served(d)
		return
	}
	if d.Dialect == surface.DialectTOML {
		readTOML(d, e)
		return
	}
	d = d.Unfolded()
	v := surface.ReadFields(d, fields, e)
	surface.ReadHooks(v, e)
	c := Command{Model: v.Text("model"), AllowedTools: v.Words("allowed-tools"), Front: d.Doc, Body: d.Body}
	if v.Doc("allowed-tools") == nil {
		c.AllowedTools = v.Words("tools")
	}
	if hint := v.Doc("argument-hint"); hint.Scalar() {
		c.ArgumentHint = hint.Text
	} else if hint != nil && hint.Kind == ext.List {
		c.ArgumentHint = bracketed(hint.List)
	}
	e.Description = v.Description(d.Body)
	if blank(d.Body) {
		e.Report(Empty, 0, "there is no text")
	}
	e.Value = c
}

// bracketed spells a hint as its author meant it: argument-hint: [a, b] is a
// list to YAML and was written as text.
func bracketed(items []ext.Doc) string {
	s := "["
	for i := range items {
		if i > 0 {
			s += ", "
		}
		s += items[i].Text
	}
	return s + "]"
}

func blank(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}
