// Package affordance is the surface for what can be done in a place: each says
// what there is to use and when, and all of them stand in one block of the text
// that a session begins with.
package affordance

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// MaxCharacters are the most characters of what an affordance says.
const MaxCharacters = 4_000

// Affordance is one thing that can be done.
type Affordance struct {
	Title string  // the entry's name where it has none
	When  string  // when it is of use; ""
	Front ext.Doc // the whole front matter, unknown keys included
	Body  string  // without blanks around it
}

// Text is the affordance as it stands in the block.
func (a Affordance) Text() string {
	text := "## " + line(a.Title)
	if a.When != "" {
		text += "\n\nWhen: " + line(a.When)
	}
	return text + "\n\n" + a.Body
}

// line is text without line ends.
func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// Surface is the affordance surface.
var Surface = surface.Define(surface.Def[Affordance]{
	Name:     "affordance",
	Doc:      "What can be done here and when, gathered into one block of the text that every session begins with.",
	Consumer: fmt.Sprintf("The text of a session has one block of all affordances: the owner's at the end of the owner's text, then those of extensions, fenced and bounded like their prompt fragments. What one says has at most %d characters.", MaxCharacters),
	Dir:      "affordances",
	Files:    "*/AFFORDANCE.md",
	Needs:    ext.Project,
	Merge:    surface.Append,
	Fields:   fields,
	Checks:   []*ext.Check{surface.NoFrontMatter, Size},
	Read:     read,
})

var fields = []surface.Field{
	{Name: "title", Type: surface.Text, Max: 200, Doc: "Its heading in the block; the directory's name where it is missing."},
	{Name: "description", Type: surface.Text, Max: 1024, Doc: "What listings show; the beginning of the text where it is missing. No part of the block."},
	{Name: "when", Type: surface.Text, Max: 500, Doc: "When it is of use; stands below the heading."},
}

// Size is an affordance that says nothing, or too much.
var Size = &ext.Check{
	Code: "affordance-size", Severity: ext.Error,
	Doc: "An affordance says nothing below its front matter, or more than it may (4,000 characters with its title and when).",
	Fix: "Write in a few words what can be done; what is only sometimes needed is better a skill.",
}

func read(d surface.Document, e *surface.Entry[Affordance]) {
	if d.Doc.Kind != ext.Map {
		e.Report(surface.NoFrontMatter, 1, "an affordance begins with front matter between two lines of ---, found none")
		return
	}
	v := surface.ReadFields(d, fields, e)
	e.Description = v.Description(d.Body)
	e.Value = Affordance{Title: v.Or("title", e.Name), When: v.Text("when"), Front: d.Doc, Body: strings.TrimSpace(d.Body)}
	switch n := utf8.RuneCountInString(e.Value.Text()); {
	case e.Value.Body == "":
		e.Report(Size, 0, "there is no text below the front matter")
	case n > MaxCharacters:
		e.Report(Size, 0, "it says %d characters, at most %d are allowed", n, MaxCharacters)
	}
}
