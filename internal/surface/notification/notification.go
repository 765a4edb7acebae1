// Package notification is the surface for messages to people: what they say, with
// places that whoever sends one fills, and how much they matter.
package notification

import (
	"fmt"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Severity is how much a notification matters.
type Severity string

// The severities, the least first.
const (
	Info    Severity = "info" // where a notification says nothing
	Warning Severity = "warning"
	Error   Severity = "error"
)

var severities = []Severity{Info, Warning, Error}

// Notification is one message with its places.
type Notification struct {
	Title    string
	Severity Severity
	Channel  string // a hint of its author where it should go; ""
	Template Template
	Front    ext.Doc // the whole document, unknown keys included
}

// Surface is the notification surface.
var Surface = surface.Define(surface.Def[Notification]{
	Name:     "notification",
	Doc:      "Messages to people, with places for what is known when one is sent.",
	Consumer: fmt.Sprintf("`Host.Notify` of the Go API finds one by its id, fills its template and hands it to the program. A template has at most %d characters and %d places, and what comes of it at most %d characters. A place is `{{name}}`; `{{{{` stands for two braces. Nothing in a template, or in a value, is run or read.", MaxTemplate, MaxPlaces, MaxText),
	Dir:      "notifications",
	Files:    "*.yaml",
	Needs:    ext.Project,
	Merge:    surface.Namespaced,
	Fields:   fields,
	Checks:   []*ext.Check{BadID, BadSeverity, BadTemplate},
	Read:     read,
})

var fields = []surface.Field{
	{Name: "id", Type: surface.Text, Doc: "What it goes by, of 1 to 64 letters, digits, '.', '_' and '-'; the file's name where it is missing."},
	{Name: "title", Type: surface.Text, Required: true, Max: 200, Doc: "Its heading."},
	{Name: "severity", Type: surface.Text, Doc: "info (where it says nothing), warning or error."},
	{Name: "channel", Type: surface.Text, Max: 200, Doc: "A hint where it should go. It obliges nobody."},
	{Name: "template", Type: surface.Text, Required: true, Doc: "What it says; {{name}} is the place of a value."},
}

// Checks on notifications.
var (
	BadID = &ext.Check{
		Code: "notification-id", Severity: ext.Error,
		Doc: "The id of a notification is not of 1 to 64 letters, digits, '.', '_' and '-'.",
		Fix: "Correct the id, or leave it out to have the file's name.",
	}
	BadSeverity = &ext.Check{
		Code: "notification-severity", Severity: ext.Error,
		Doc: "The severity of a notification is not one of the three.",
		Fix: "Use info, warning or error.",
	}
	BadTemplate = &ext.Check{
		Code: "notification-template", Severity: ext.Error,
		Doc: "The template of a notification has a place that does not end or whose name is none, has too many places, or is too long.",
		Fix: "Write places as {{name}}, of letters, digits, '_', '-' and '.'; write {{{{ for two braces.",
	}
)

func read(d surface.Document, e *surface.Entry[Notification]) {
	v := surface.ReadObject(d, fields, e)
	if v == nil {
		return
	}
	n := Notification{Title: v.Text("title"), Severity: Severity(v.Or("severity", string(Info))), Channel: v.Text("channel"), Front: d.Doc}
	e.Description = n.Title
	if id := v.Text("id"); id != "" {
		if !plain(id) {
			e.ReportField("id", BadID, v.Doc("id").Line, "the id is %s", ext.Quote(ext.Shorten(id, 80)))
		} else {
			e.Name = id
		}
	}
	if !slices.Contains(severities, n.Severity) {
		e.ReportField("severity", BadSeverity, v.Doc("severity").Line, "severity %s is not info, warning or error", ext.Quote(ext.Shorten(string(n.Severity), 80)))
	}
	if t := v.Doc("template"); t != nil {
		parsed, err := Parse(t.Text)
		if err != nil {
			e.ReportField("template", BadTemplate, t.Line, "%s", err)
		}
		n.Template = parsed
	}
	e.Value = n
}

func plain(s string) bool {
	for i := range len(s) {
		if !named(s[i]) {
			return false
		}
	}
	return len(s) >= 1 && len(s) <= 64 && s[0] != '.' && s[0] != '-'
}
