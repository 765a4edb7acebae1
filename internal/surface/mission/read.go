package mission

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// reader reads one mission. Every fault is told, and reading goes on.
type reader struct{ e *surface.Entry[Mission] }

// field is one key of an object: how its value is taken.
type field struct {
	must bool
	set  func(d *ext.Doc, where string)
}

type table map[string]field

// object takes the keys of a table from d. A key that is not there refuses the mission.
func (r reader) object(d *ext.Doc, where string, keys table) {
	if d.Kind != ext.Map {
		r.wrong(d, where, "an object")
		return
	}
	for i := range d.Map {
		p := &d.Map[i]
		if k, ok := keys[p.Key]; ok {
			k.set(&p.Value, where+"."+p.Key)
			continue
		}
		r.e.ReportField(p.Key, Key, p.Line, "%s has no key %s; it may have %s", where, ext.Quote(ext.Shorten(p.Key, 60)), strings.Join(slices.Sorted(maps.Keys(keys)), ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		if keys[name].must && d.Get(name) == nil {
			r.e.ReportField(name, Key, d.Line, "%s lacks the key %s", where, name)
		}
	}
}

func (r reader) wrong(d *ext.Doc, where, want string) {
	r.e.ReportField(where, Value, d.Line, "%s must be %s, found %s", where, want, d.Kind)
}

func (r reader) text(into *string) func(*ext.Doc, string) {
	return func(d *ext.Doc, where string) {
		if d.Kind != ext.String {
			r.wrong(d, where, "a string")
			return
		}
		*into = d.Text
	}
}

func (r reader) texts(into *[]string) func(*ext.Doc, string) {
	return func(d *ext.Doc, where string) {
		if d.Kind != ext.List {
			r.wrong(d, where, "a list of strings")
			return
		}
		for i := range d.List {
			one := ""
			r.text(&one)(&d.List[i], where)
			*into = append(*into, one)
		}
	}
}

// word takes one of some words.
func (r reader) word(into *string, words ...string) func(*ext.Doc, string) {
	return func(d *ext.Doc, where string) {
		if d.Kind != ext.String || !slices.Contains(words, d.Text) {
			r.e.ReportField(where, Value, d.Line, "%s must be one of %s", where, strings.Join(words, ", "))
			return
		}
		*into = d.Text
	}
}

func (r reader) flag(into *bool) func(*ext.Doc, string) {
	return func(d *ext.Doc, where string) {
		if d.Kind != ext.Bool {
			r.wrong(d, where, "true or false")
			return
		}
		*into = strings.EqualFold(d.Text, "true")
	}
}

// whole takes a whole number of at least least, or null for none.
func (r reader) whole(into **int64, least int64) func(*ext.Doc, string) {
	return func(d *ext.Doc, where string) {
		if d.Kind == ext.Null {
			*into = nil
			return
		}
		n, err := strconv.ParseInt(d.Text, 0, 64)
		if d.Kind != ext.Number || err != nil || n < least {
			r.e.ReportField(where, Value, d.Line, "%s must be a whole number of at least %d, or nothing", where, least)
			return
		}
		*into = &n
	}
}

// number takes a number that is not negative; or null for none, where that is allowed.
func (r reader) number(into **float64, orNone bool) func(*ext.Doc, string) {
	return func(d *ext.Doc, where string) {
		if d.Kind == ext.Null && orNone {
			*into = nil
			return
		}
		n, err := strconv.ParseFloat(strings.ReplaceAll(d.Text, "_", ""), 64)
		if whole, is := strconv.ParseInt(d.Text, 0, 64); is == nil {
			n, err = float64(whole), nil
		}
		if d.Kind != ext.Number || err != nil || !(n >= 0) {
			r.e.ReportField(where, Value, d.Line, "%s must be a number that is not negative", where)
			return
		}
		*into = &n
	}
}

func (r reader) selfConcept(d *ext.Doc, where string) {
	s := &r.e.Value.SelfConcept
	r.object(d, where, table{
		"description": {must: true, set: r.text(&s.Description)},
		"goals":       {set: r.texts(&s.Goals)},
		"constraints": {set: r.texts(&s.Constraints)},
	})
}

func (r reader) parameters(d *ext.Doc, where string) {
	if d.Kind != ext.List {
		r.wrong(d, where, "a list of parameters")
		return
	}
	for i := range d.List {
		at := where + "[" + strconv.Itoa(i) + "]"
		p := Parameter{Type: "string"}
		keep := func(into **ext.Doc) func(*ext.Doc, string) { return func(d *ext.Doc, _ string) { *into = d } }
		r.object(&d.List[i], at, table{
			"name":              {must: true, set: r.text(&p.Name)},
			"scope":             {must: true, set: r.scope(&p.Scope)},
			"description":       {must: true, set: r.text(&p.Description)},
			"json_type":         {set: r.word(&p.Type, "string", "integer", "number", "boolean", "object", "array")},
			"default":           {set: keep(&p.Default)},
			"default_factory":   {set: keep(&p.Factory)},
			"validates_against": {set: r.texts(&p.ValidatesAgainst)},
		})
		if p.Default != nil && p.Factory != nil {
			r.e.ReportField(at, Value, p.Factory.Line, "%s has a default and a default_factory; it may have one of them", at)
		}
		r.e.Value.CallerParameters = append(r.e.Value.CallerParameters, p)
	}
}

// scope takes the scope of a parameter. In a mission every one is its caller's.
func (r reader) scope(into *string) func(*ext.Doc, string) {
	return func(d *ext.Doc, where string) {
		r.word(into, "colony", "session", "caller", "agent")(d, where)
		if *into != "" && *into != "caller" {
			r.e.ReportField(where, Value, d.Line, "%s must be caller in a mission, found %s", where, *into)
		}
	}
}
