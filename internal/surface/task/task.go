// Package task is the surface for work that is written down to be done again: a
// directory with the instructions in TASK.md and the task's own files beside it.
package task

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// File is the document of a task within its directory.
const File = "TASK.md"

// MaxCharacters are the most characters of a task's instructions, and MaxInputs
// the most inputs.
const (
	MaxCharacters = 50_000
	MaxInputs     = 50
)

// Task is one piece of work with its instructions.
type Task struct {
	Title    string // for people; the entry's name where it has none
	Inputs   []Input
	Schedule string   // when it should be done, in its author's words; nothing here starts it
	Tools    []string // what the author suggests; it grants nothing
	Front    ext.Doc  // the whole front matter, unknown keys included
	Body     string
}

// Input is something that whoever starts a task is to say.
type Input struct {
	Name        string
	Description string
	Required    bool
	Default     string // "": none
}

// Surface is the task surface.
var Surface = surface.Define(surface.Def[Task]{
	Name:     "task",
	Doc:      "Work that is written down to be done again, with its own files beside it.",
	Consumer: fmt.Sprintf("`mortise task` and the HTTP API list and show tasks, and write those of the owner; clients get each as a prompt with one argument for its inputs, and as a resource. The instructions have at most %d characters, and a task at most %d inputs. A short name that several have means the owner's, then the one of the plugin that comes first. Nothing here starts a task by its schedule.", MaxCharacters, MaxInputs),
	Dir:      "tasks",
	Files:    "*/" + File,
	Needs:    ext.Project,
	Merge:    surface.Namespaced,
	Fields:   fields,
	Checks:   []*ext.Check{surface.NoFrontMatter, BadInputs, Size},
	Read:     read,
})

var fields = []surface.Field{
	{Name: "title", Type: surface.Text, Max: 200, Doc: "What people are shown; the directory's name where it is missing."},
	{Name: "description", Type: surface.Text, Required: true, Max: 1024, Doc: "What the task does; shown in the catalogue."},
	{Name: "inputs", Type: surface.Any, Doc: "What whoever starts it is to say: a list of names, or an object of names with a description each, or with an object of description, required and default."},
	{Name: "schedule", Type: surface.Text, Max: 200, Doc: "When it should be done, in words. Nothing here starts it."},
	{Name: "tools", Type: surface.Words, Doc: "Tools the author suggests. It grants nothing."},
}

// Checks on tasks.
var (
	BadInputs = &ext.Check{
		Code: "task-inputs", Severity: ext.Error,
		Doc: "The inputs of a task are not a list of names, nor an object of names that says what each is.",
		Fix: "Write inputs: [name, other], or inputs: {name: What it is.}, each name of 1 to 64 letters, digits, '_' and '-'.",
	}
	Size = &ext.Check{
		Code: "task-size", Severity: ext.Error,
		Doc: "The instructions of a task are missing, or longer than they may be (50,000 characters).",
		Fix: "Write what is to be done below the front matter; move what is only sometimes needed to a file beside it.",
	}
)

func read(d surface.Document, e *surface.Entry[Task]) {
	if d.Doc.Kind != ext.Map {
		e.Report(surface.NoFrontMatter, 1, "a task begins with front matter between two lines of ---, found none")
		return
	}
	v := surface.ReadFields(d, fields, e)
	e.Description = v.Text("description")
	e.Value = Task{
		Title: v.Or("title", e.Name), Inputs: inputs(v.Doc("inputs"), e),
		Schedule: v.Text("schedule"), Tools: v.Words("tools"), Front: d.Doc, Body: d.Body,
	}
	switch n := utf8.RuneCountInString(d.Body); {
	case strings.TrimSpace(d.Body) == "":
		e.Report(Size, 0, "there are no instructions below the front matter")
	case n > MaxCharacters:
		e.Report(Size, 0, "the instructions are %d characters long, at most %d are allowed", n, MaxCharacters)
	}
}

// inputs reads the inputs in either form.
func inputs(d *ext.Doc, e *surface.Entry[Task]) []Input {
	r := reader{entry: e, seen: map[string]bool{}}
	switch {
	case d == nil:
	case d.Kind == ext.List:
		for i := range d.List {
			if item := &d.List[i]; item.Scalar() {
				r.add(Input{Name: item.Text}, item.Line)
			} else {
				e.ReportField("inputs", BadInputs, item.Line, "an input in a list is %s, expected a name", item.Kind)
			}
		}
	case d.Kind == ext.Map:
		for i := range d.Map {
			p := &d.Map[i]
			r.add(r.input(p.Key, &p.Value), p.Line)
		}
	default:
		e.ReportField("inputs", BadInputs, d.Line, "inputs are %s, expected a list or an object", d.Kind)
	}
	if len(r.inputs) > MaxInputs {
		e.ReportField("inputs", BadInputs, d.Line, "there are %d inputs, at most %d are allowed", len(r.inputs), MaxInputs)
	}
	return r.inputs
}

// reader gathers the inputs of one task.
type reader struct {
	entry  *surface.Entry[Task]
	seen   map[string]bool
	inputs []Input
}

func (r *reader) add(in Input, line int) {
	switch {
	case !plain(in.Name):
		r.entry.ReportField("inputs", BadInputs, line, "the name of an input is %s", ext.Quote(ext.Shorten(in.Name, 80)))
	case r.seen[in.Name]:
		r.entry.ReportField("inputs", BadInputs, line, "two inputs are called %s", ext.Quote(in.Name))
	default:
		r.seen[in.Name] = true
		r.inputs = append(r.inputs, in)
	}
}

// input is one input of an object: what it is in words, or an object of that.
func (r *reader) input(name string, d *ext.Doc) Input {
	in := Input{Name: name}
	switch {
	case d.Kind == ext.Null:
	case d.Scalar():
		in.Description = strings.TrimSpace(d.Text)
	case d.Kind == ext.Map:
		for i := range d.Map {
			p := &d.Map[i]
			known := true
			switch p.Key {
			case "description":
				in.Description = strings.TrimSpace(p.Value.Text)
			case "default":
				in.Default = p.Value.Text
			case "required":
				in.Required = p.Value.Text == "true"
				known = p.Value.Text == "true" || p.Value.Text == "false"
			default:
				known = false
			}
			if !known || !p.Value.Scalar() {
				r.entry.ReportField("inputs", BadInputs, p.Line, "the input %s has %s, which is not one of description, required (true or false) and default as it should be", ext.Quote(ext.Shorten(name, 80)), ext.Quote(ext.Shorten(p.Key, 80)))
			}
		}
	default:
		r.entry.ReportField("inputs", BadInputs, d.Line, "the input %s is %s, expected words or an object", ext.Quote(ext.Shorten(name, 80)), d.Kind)
	}
	return in
}

func plain(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return len(s) >= 1 && len(s) <= 64
}

// Asks is what is to be typed after the name of t: its inputs, in a few words; ""
// where it takes none.
func (t Task) Asks() string {
	var b strings.Builder
	for i, in := range t.Inputs {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(in.Name)
		if !in.Required {
			b.WriteString(" (optional)")
		}
		if in.Description != "" {
			b.WriteString(": " + strings.TrimSuffix(in.Description, "."))
		}
		if in.Default != "" {
			b.WriteString(", " + in.Default + " unless said otherwise")
		}
	}
	return b.String()
}
