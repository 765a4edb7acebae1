package command

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// tomlFields are those of a command that is kept whole in TOML.
var tomlFields = []surface.Field{
	{Name: "description", Type: surface.Text, Max: 1024, Doc: "What it does; the first paragraph of the text where it is missing."},
	{Name: "prompt", Type: surface.Text, Required: true, Doc: "The text."},
}

// Expansion is a place of a command's text that its own client would fill in by
// itself.
var Expansion = &ext.Check{
	Code: "command-expansion", Severity: ext.Info,
	Doc: "A command's text has places that its own client replaces: !{…} by what a shell command prints, @{…} by what a file holds. Here nothing is run or read for it, and they stay as they are.",
	Fix: "Nothing, or write what the agent should run or read in words.",
}

// readTOML reads a command as Gemini CLI keeps it: {description, prompt}.
func readTOML(d surface.Document, e *surface.Entry[Command]) {
	v := surface.ReadObject(d, tomlFields, e)
	c := Command{Front: d.Doc, Dialect: surface.DialectTOML}
	if prompt := v.Doc("prompt"); prompt != nil {
		c.Body = prompt.Text
		for _, opening := range []string{"!{", "@{"} {
			if n := strings.Count(c.Body, opening); n > 0 {
				e.Report(Expansion, prompt.Line, "its text has %s…} %d times", opening, n)
			}
		}
	}
	e.Description = v.Description(c.Body)
	e.Value = c
}
