// Package setting is the surface for what a person must give an extension before
// it works: addresses, keys, folders.
package setting

import (
	"cmp"
	"strconv"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Setting is one value that is asked for. Nothing here keeps the value.
type Setting struct {
	Label     string   // the title, or the document's name; the file's name where it has neither
	Type      string   // string (the default), number, integer, boolean, directory or file
	Default   *ext.Doc // nil when there is none
	Required  bool
	Sensitive bool   // it is a secret
	Env       string // the variable that carries it; "" when none is named
	Multiple  bool   // several values may be given
	Raw       ext.Doc
}

// Surface is the setting surface.
var Surface = surface.Define(surface.Def[Setting]{
	Name:   "setting",
	Doc:    "Values that a person must give an extension made for another client.",
	Dir:    "settings",
	Files:  "*.json",
	Needs:  ext.Project,
	Merge:  surface.Namespaced,
	Inert:  true,
	Fields: fields,
	Checks: []*ext.Check{BadType, BadDefault, Bounds, Exposed},
	Read:   read,
})

var fields = []surface.Field{
	{Name: "name", Type: surface.Text, Doc: "A label; the file's name is what the setting goes by."},
	{Name: "title", Type: surface.Text, Doc: "What a person is asked for."},
	{Name: "description", Type: surface.Text, Doc: "What it is needed for."},
	{Name: "type", Type: surface.Text, Doc: "string (the default), number, integer, boolean, directory or file."},
	{Name: "default", Type: surface.Any, Doc: "The value where none is given."},
	{Name: "required", Type: surface.Flag, Doc: "The extension does not work without it."},
	{Name: "sensitive", Type: surface.Flag, Doc: "It is a secret."},
	{Name: "env", Type: surface.Text, Doc: "The variable that carries it."},
	{Name: "multiple", Type: surface.Flag, Doc: "Several values may be given."},
	{Name: "min", Type: surface.Text, Doc: "The least number, or the least length."},
	{Name: "max", Type: surface.Text, Doc: "The greatest number, or the greatest length."},
}

// Checks on settings.
var (
	BadType = &ext.Check{
		Code: "setting-type", Severity: ext.Error,
		Doc: "A setting is of a type that no client knows, so nobody can be asked for it.",
		Fix: "Use string, number, integer, boolean, directory or file.",
	}
	BadDefault = &ext.Check{
		Code: "setting-default", Severity: ext.Warning,
		Doc: "A setting's default is not of its type.",
		Fix: "Correct the default or the type.",
	}
	Bounds = &ext.Check{
		Code: "setting-bounds", Severity: ext.Warning,
		Doc: "A setting's bounds are no numbers, or the least is greater than the greatest, so no value fits.",
		Fix: "Correct \"min\" and \"max\".",
	}
	Exposed = &ext.Check{
		Code: "setting-exposed", Severity: ext.Warning,
		Doc: "A secret has a default, which everybody who has the extension can read.",
		Fix: "Remove the default, and change the secret if it is a real one.",
	}
)

// kinds are the types, with what a default of each is.
var kinds = map[string]func(*ext.Doc) bool{
	"string": (*ext.Doc).Scalar, "directory": isText, "file": isText,
	"number": number, "integer": surface.Integer.Accepts, "boolean": surface.Flag.Accepts,
}

func isText(d *ext.Doc) bool { return d.Kind == ext.String }

func number(d *ext.Doc) bool {
	_, err := strconv.ParseFloat(d.Text, 64)
	return d.Scalar() && err == nil
}

func read(d surface.Document, e *surface.Entry[Setting]) {
	v := surface.ReadObject(d, fields, e)
	s := Setting{
		Label: cmp.Or(v.Text("title"), v.Text("name"), e.Name), Type: cmp.Or(v.Text("type"), "string"), Default: v.Doc("default"),
		Required: v.Flag("required", false), Sensitive: v.Flag("sensitive", false), Env: v.Text("env"), Multiple: v.Flag("multiple", false),
		Raw: d.Doc,
	}
	e.Value, e.Description = s, cmp.Or(v.Text("description"), v.Text("title"))
	fits, ok := kinds[s.Type]
	if !ok {
		e.Report(BadType, v.Doc("type").Line, "the type %s is not one of string, number, integer, boolean, directory, file", ext.Quote(ext.Shorten(s.Type, 60)))
		return
	}
	given := s.Default != nil && (s.Default.Kind != ext.String || s.Default.Text != "") // an empty text is no value
	if given && !suits(s.Default, s.Multiple, fits) {
		e.Report(BadDefault, s.Default.Line, "the default is %s and does not suit the type %s", s.Default.Kind, s.Type)
	}
	if given && s.Sensitive {
		e.Report(Exposed, s.Default.Line, "it is a secret with a default")
	}
	bounds(v, e)
}

// suits reports whether a default fits: where several values may be given, each
// of a list.
func suits(d *ext.Doc, several bool, fits func(*ext.Doc) bool) bool {
	if !several || d.Kind != ext.List {
		return fits(d)
	}
	for i := range d.List {
		if !fits(&d.List[i]) {
			return false
		}
	}
	return true
}

func bounds(v surface.Values, e *surface.Entry[Setting]) {
	least, greatest := v.Doc("min"), v.Doc("max")
	for _, d := range []*ext.Doc{least, greatest} {
		if d != nil && !number(d) {
			e.Report(Bounds, d.Line, "%s is no number", ext.Quote(ext.Shorten(d.Text, 60)))
			return
		}
	}
	if least == nil || greatest == nil {
		return
	}
	low, _ := strconv.ParseFloat(least.Text, 64)
	high, _ := strconv.ParseFloat(greatest.Text, 64)
	if low > high {
		e.Report(Bounds, least.Line, "no value is at least %s and at most %s", least.Text, greatest.Text)
	}
}
