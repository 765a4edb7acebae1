package skill

import (
	"math"
	"strconv"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Run is how a skill's script is run by the system of a design monorepo. Nothing here
// runs it.
type Run struct {
	Script    string // as written; "" where there is none
	ImageRole string // of the container that it wants; "" where it says none
	Timeout   int    // in seconds
	Params    []Param
	Paths     []string // patterns of files that it is for
	WhenToUse string
	Manual    bool // a model may not start it
}

// Param is one thing that the script is given.
type Param struct {
	Name, Type  string // the type is "string" where it is not said; any word is kept
	Required    bool
	Description string
	Items       *ext.Doc // what a list holds; nil where it is not said
}

// DefaultTimeout is for how many seconds a script may run that does not say.
const DefaultTimeout = 600

// RunForm is a field of a design monorepo's skill that cannot be read.
var RunForm = &ext.Check{
	Code: "skill-run-form", Severity: ext.Error,
	Doc: "A field of a design monorepo's skill holds something else than it must, so that how its script is run is not known.",
	Fix: "Write a value as the message says.",
}

// runFields are the fields that the reference system adds, in its own spelling.
var runFields = append([]surface.Field{
	{Name: "script", Type: surface.Text, Doc: "The script that it runs, below its directory (design monorepos)."},
	{Name: "sandbox_image_role", Type: surface.Text, Doc: "The container that the script wants (design monorepos)."},
	{Name: "timeout_seconds", Type: surface.Any, Doc: "For how long the script may run; 600 where it is not said (design monorepos)."},
	{Name: "params", Type: surface.Any, Doc: "What the script is given: a list of objects with name, an object of such by name, or of types by name (design monorepos)."},
}, fields...)

// colonyFields are the fields of the dialect: a name must be there, and a description need not.
var colonyFields = func() []surface.Field {
	out := append([]surface.Field(nil), runFields...)
	for i := range out {
		switch out[i].Name {
		case "name":
			out[i].Type, out[i].Max = surface.Any, 0
		case "description":
			out[i].Type, out[i].Required, out[i].Max = surface.Any, false, 0
		case "paths", "when_to_use":
			out[i].Type = surface.Any
		}
	}
	return out
}()

// readColony reads a skill of a design monorepo.
func readColony(d surface.Document, e *surface.Entry[Skill]) {
	v := surface.ReadFields(d, colonyFields, e)
	surface.ReadHooks(v, e)
	s := Skill{License: v.Text("license"), AllowedTools: v.Words("allowed-tools"), Front: d.Doc, Body: strings.TrimLeft(d.Body, "\n")}
	switch n := v.Doc("name"); {
	case n == nil:
		e.ReportField("name", surface.FieldMissing, 0, "field name is missing")
	case n.Kind != ext.String || strings.TrimSpace(n.Text) == "" || boolean11(n.Text):
		e.ReportField("name", RunForm, n.Line, "field name must be text that is not empty and no other type in YAML, found %s", ext.Quote(ext.Shorten(n.Text, 40)))
	default:
		s.Label = strings.TrimSpace(n.Text)
	}
	run := &Run{
		Script: v.Text("script"), ImageRole: v.Text("sandbox_image_role"), WhenToUse: printed(v.Doc("when_to_use")),
		Timeout: timeout(d.Doc.Get("timeout_seconds"), e), Manual: v.Flag("disable-model-invocation", false),
	}
	run.Params, run.Paths = params(v.Doc("params"), e), paths(v.Doc("paths"), e)
	s.Run = run
	e.Description = printed(v.Doc("description"))
	e.Value = s
}

// boolean11 reports whether a word is a boolean to the reference system, which reads
// YAML 1.1: a name that is one is none there.
func boolean11(s string) bool {
	switch strings.ToLower(s) {
	case "yes", "no", "on", "off", "true", "false":
		return true
	}
	return false
}

// printed is the text of a value; nothing for null.
func printed(d *ext.Doc) string {
	switch {
	case d == nil:
		return ""
	case d.Scalar():
		return strings.TrimSpace(d.Text)
	}
	return string(d.JSON())
}

func isTrue(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

func timeout(d *ext.Doc, e *surface.Entry[Skill]) int {
	if d == nil {
		return DefaultTimeout
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(d.Text), 64)
	if !d.Scalar() || d.Kind == ext.Bool || err != nil || math.Trunc(n) != n || n < 0 || n > math.MaxInt32 {
		e.ReportField("timeout_seconds", RunForm, d.Line, "field timeout_seconds must be a whole number of seconds, found %s", shown(d))
		return DefaultTimeout
	}
	return int(n)
}

func shown(d *ext.Doc) string {
	if d.Scalar() {
		return ext.Quote(ext.Shorten(d.Text, 40))
	}
	return d.Kind.String()
}

func paths(d *ext.Doc, e *surface.Entry[Skill]) (out []string) {
	if d == nil {
		return nil
	}
	var all []string
	switch {
	case d.Kind == ext.String:
		all = strings.Split(d.Text, ",")
	case d.Kind == ext.List:
		for i := range d.List {
			if !d.List[i].Scalar() {
				e.ReportField("paths", RunForm, d.List[i].Line, "a pattern of paths is %s, not a text", d.List[i].Kind)
				return nil
			}
			all = append(all, d.List[i].Text)
		}
	default:
		e.ReportField("paths", RunForm, d.Line, "field paths must be a text or a list of texts, found %s", shown(d))
	}
	for _, p := range all {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// params are what the script is given, in one shape however they are written.
func params(d *ext.Doc, e *surface.Entry[Skill]) (out []Param) {
	switch {
	case d == nil:
	case d.Kind == ext.List:
		for i := range d.List {
			out = append(out, param(d.List[i].Word("name"), &d.List[i], e))
		}
	case d.Kind == ext.Map:
		for i := range d.Map {
			p := &d.Map[i]
			if p.Value.Kind == ext.String {
				out = append(out, Param{Name: p.Key, Type: p.Value.Text})
				continue
			}
			out = append(out, param(p.Key, &p.Value, e))
		}
	default:
		e.ReportField("params", RunForm, d.Line, "field params must be a list or an object, found %s", shown(d))
	}
	return out
}

func param(name string, d *ext.Doc, e *surface.Entry[Skill]) Param {
	if d.Kind != ext.Map {
		e.ReportField("params", RunForm, d.Line, "a parameter must be an object with a name, found %s", shown(d))
		return Param{}
	}
	if name == "" {
		e.ReportField("params", RunForm, d.Line, "a parameter has no name")
	}
	p := Param{Name: name, Type: "string", Description: printed(d.Get("description")), Items: d.Get("items")}
	if t := d.Get("type"); t != nil && t.Kind == ext.String && t.Text != "" {
		p.Type = t.Text
	}
	if r := d.Get("required"); r != nil && r.Kind != ext.Null {
		if !surface.Flag.Accepts(r) {
			e.ReportField("params", RunForm, r.Line, "required of a parameter must be true or false, found %s", shown(r))
		}
		p.Required = isTrue(r.Text)
	}
	return p
}
