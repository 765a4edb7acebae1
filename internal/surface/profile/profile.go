// Package profile is the surface for profiles: mappings that the system of a design
// monorepo is set up by. What they mean is that system's business.
package profile

import (
	"math"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Profile is one mapping.
type Profile struct {
	Raw ext.Doc // as written: scalars keep their spelling
}

// Values are the values of the profile as YAML 1.1 types them: nil, bool, int64 or
// *big.Int, float64, string, []any and map[string]any. A date is a string, and so is every
// key. The map is the caller's.
func (p *Profile) Values() map[string]any {
	v, _ := value(&p.Raw).(map[string]any)
	return v
}

func value(d *ext.Doc) any {
	switch d.Kind {
	case ext.Null:
		return nil
	case ext.Bool:
		return doc.Bool11(d.Text)
	case ext.Number:
		if n, ok := doc.Number11(d.Text); ok {
			return n
		}
	case ext.List:
		out := make([]any, len(d.List))
		for i := range d.List {
			out[i] = value(&d.List[i])
		}
		return out
	case ext.Map:
		out := make(map[string]any, len(d.Map))
		for i := range d.Map {
			out[d.Map[i].Key] = value(&d.Map[i].Value)
		}
		return out
	}
	return d.Text
}

// Text is the profile as an agent is shown it: JSON, with numbers that JSON does not
// have as texts.
func (p *Profile) Text() string {
	raw, err := ext.EncodeJSON(finite(value(&p.Raw)))
	if err != nil {
		return "{}"
	}
	return string(raw)
}

// finite is v without numbers that JSON does not have.
func finite(v any) any {
	switch v := v.(type) {
	case float64:
		switch {
		case math.IsNaN(v):
			return ".nan"
		case math.IsInf(v, 1):
			return ".inf"
		case math.IsInf(v, -1):
			return "-.inf"
		}
	case []any:
		for i := range v {
			v[i] = finite(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = finite(v[k])
		}
	}
	return v
}

// Surface is the profile surface.
var Surface = surface.Define(surface.Def[Profile]{
	Name:     "profile",
	Doc:      "Mappings that the system of a design monorepo is set up by.",
	Consumer: "Nothing here uses one: they are listed, explained and served as resources. A design monorepo's are read with the types of YAML 1.1, in which yes is true and 1:30 is 90.",
	Dir:      "profiles",
	Files:    "*.yaml",
	Needs:    ext.Project,
	Merge:    surface.Namespaced,
	Nested:   true,
	Fields:   fields,
	Read:     read,
})

var fields = []surface.Field{
	{Name: "description", Type: surface.Any, Doc: "What it is for; shown in listings where it is a text."},
	{Name: surface.Rest, Type: surface.Any, Doc: "Whatever the system reads that the profile is made for."},
}

func read(d surface.Document, e *surface.Entry[Profile]) {
	_ = surface.ReadObject(d, fields, e)
	e.Description = d.Doc.Word("description")
	e.Value = Profile{Raw: d.Doc}
}
