// Package rule is the surface for standing instructions that apply to some
// files, in some situations, or always. They are served as resources.
package rule

import (
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Rule is one instruction with what says when it applies.
type Rule struct {
	Label   string   // the front matter's name; the file's where it has none
	Applies []string // patterns of the files it applies to, in the author's own grammar
	Always  bool     // it applies whatever is worked on
	Trigger string   // the author's word for what brings it up; "" when there is none
	Front   ext.Doc  // the whole front matter, unknown keys included; Kind Null where there is none
	Body    string
}

// Surface is the rule surface.
var Surface = surface.Define(surface.Def[Rule]{
	Name:   "rule",
	Doc:    "Standing instructions that apply to some files, in some situations, or always.",
	Dir:    "rules",
	Files:  "**/*.md",
	Needs:  ext.Project,
	Merge:  surface.Namespaced,
	Fields: fields,
	Checks: []*ext.Check{Empty, Unreached},
	Read:   read,
})

var fields = []surface.Field{
	{Name: "name", Type: surface.Text, Doc: "A label; the file's name is what the rule goes by."},
	{Name: "description", Type: surface.Text, Doc: "What it is about; the first paragraph of the text where it is missing."},
	{Name: "globs", Type: surface.Words, Doc: "Files it applies to (Cursor)."},
	{Name: "paths", Type: surface.Words, Doc: "Files it applies to (Claude Code)."},
	{Name: "applyTo", Type: surface.Words, Doc: "Files it applies to (GitHub Copilot)."},
	{Name: "alwaysApply", Type: surface.Flag, Doc: "It always applies (Cursor). Without it: where there is neither a file that it applies to nor a trigger."},
	{Name: "trigger", Type: surface.Text, Doc: "What brings it up (Devin, Windsurf): always_on, glob, model_decision, manual or another word."},
}

// Checks on rules.
var (
	Empty = &ext.Check{
		Code: "rule-empty", Severity: ext.Error,
		Doc: "A rule holds no text.",
		Fix: "Write the rule below the front matter, or remove the file.",
	}
	Unreached = &ext.Check{
		Code: "rule-unreached", Severity: ext.Info,
		Doc: "A rule does not always apply, and says neither to which files, nor when, nor what it is about. It is read by whoever asks for it by name.",
		Fix: "Nothing, or add a description, the files it applies to, or alwaysApply: true.",
	}
)

func read(d surface.Document, e *surface.Entry[Rule]) {
	v := surface.ReadFields(d, fields, e)
	r := Rule{Label: v.Or("name", e.Name), Trigger: v.Text("trigger"), Front: d.Doc, Body: d.Body}
	for _, field := range []string{"globs", "paths", "applyTo"} {
		for _, w := range v.Words(field) {
			if w != "" && !slices.Contains(r.Applies, w) {
				r.Applies = append(r.Applies, w)
			}
		}
	}
	r.Always = r.Trigger == alwaysOn || v.Flag("alwaysApply", len(r.Applies) == 0 && r.Trigger == "")
	e.Description = v.Description(d.Body)
	if !r.Always && len(r.Applies) == 0 && r.Trigger == "" && v.Text("description") == "" {
		e.Report(Unreached, 0, "nothing says when it applies")
	}
	if strings.TrimSpace(d.Body) == "" {
		e.Report(Empty, 0, "there is no text")
	}
	e.Value = r
}
