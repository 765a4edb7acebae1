// Package prompt is the surface for fragments of the text that every session
// begins with.
package prompt

import (
	"strings"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// MaxCharacters is the longest fragment, in characters.
const MaxCharacters = 20_000

// Tier is the kind of a fragment within its layer. Lower comes first.
type Tier uint8

const (
	// Rule is what an agent must keep to.
	Rule Tier = iota + 1
	// Guidance is how the work is best done. It is the default.
	Guidance
	// Reference is what is good to know.
	Reference
)

var tierWords = map[string]Tier{"rule": Rule, "guidance": Guidance, "reference": Reference}

// String is the word for t.
func (t Tier) String() string {
	for word, tier := range tierWords {
		if tier == t {
			return word
		}
	}
	return ""
}

// Fragment is one piece of text. Whose layer it stands in follows from whose
// extension it is; a fragment chooses only its tier and its order within that.
type Fragment struct {
	Tier  Tier
	Order int
	Front ext.Doc // the whole front matter, unknown keys included; Kind Null where there is none
	Text  string
	Line  int // the line of its file on which Text begins; 0 where no line of a file is one of Text
}

// Surface is the prompt surface.
var Surface = surface.Define(surface.Def[Fragment]{
	Name:   "prompt",
	Doc:    "Fragments of the text that every session begins with.",
	Dir:    "prompts",
	Files:  "*.md",
	Needs:  ext.Project,
	Merge:  surface.Append,
	Fields: fields,
	Checks: []*ext.Check{BadTier, Size},
	Read:   read,
})

var fields = []surface.Field{
	{Name: "description", Type: surface.Text, Max: 1024, Doc: "What the fragment is for; never part of the text."},
	{Name: "tier", Type: surface.Text, Doc: "rule, guidance (the default) or reference: its place within its layer."},
	{Name: "order", Type: surface.Integer, Doc: "Its place within its tier, lowest first; 0 by default."},
}

// Checks on fragments.
var (
	BadTier = &ext.Check{
		Code: "prompt-tier", Severity: ext.Error,
		Doc: "A fragment's tier is not one of the three.",
		Fix: "Use rule, guidance or reference.",
	}
	Size = &ext.Check{
		Code: "prompt-size", Severity: ext.Error,
		Doc: "A fragment is empty or longer than a fragment may be (20,000 characters).",
		Fix: "Write a shorter text; what is only sometimes needed is better a skill.",
	}
)

func read(d surface.Document, e *surface.Entry[Fragment]) {
	if d.Dialect == surface.DialectMCP { // a server's instructions
		e.Name, e.Description, e.Digest = d.Path, "What the server says of itself.", surface.Served(d)
		e.Value = Fragment{Tier: Reference, Text: strings.TrimSpace(d.Doc.Text)}
		bound(e)
		return
	}
	v := surface.ReadFields(d, fields, e)
	f := Fragment{Tier: Guidance, Order: v.Integer("order", 0), Front: d.Doc, Text: strings.TrimSpace(d.Body)}
	if word := v.Text("tier"); word != "" {
		if f.Tier = tierWords[word]; f.Tier == 0 {
			e.Report(BadTier, v.Doc("tier").Line, "tier %s is not rule, guidance or reference", ext.Quote(word))
		}
	}
	e.Description = v.Description(f.Text)
	if f.Text != "" {
		f.Line = d.BodyLine + strings.Count(d.Body[:strings.Index(d.Body, f.Text)], "\n")
	}
	e.Value = f
	bound(e)
}

func bound(e *surface.Entry[Fragment]) {
	if n := utf8.RuneCountInString(e.Value.Text); n == 0 {
		e.Report(Size, 0, "the fragment is empty")
	} else if n > MaxCharacters {
		e.Report(Size, 0, "the fragment is %d characters long, at most %d are allowed", n, MaxCharacters)
	}
}
