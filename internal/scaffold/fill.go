package scaffold

import (
	"fmt"
	"strings"
)

// value is something that can stand in a file, in the forms that it knows.
type value interface {
	// as is the value in a form; false where it has no such form.
	as(form string) (string, bool)
}

// values are what the places of a template are filled with.
type values map[string]value

// fill is a text with its places filled. A place is ${NAME:FORM}. What a value holds is not
// looked at again.
func fill(text string, with values) (string, error) {
	var b strings.Builder
	for {
		before, rest, more := strings.Cut(text, "${")
		b.WriteString(before)
		if !more {
			return b.String(), nil
		}
		place, after, closed := strings.Cut(rest, "}")
		name, form, named := strings.Cut(place, ":")
		v, known := with[name]
		if !closed || !named || !known {
			return "", fmt.Errorf("nothing is known to stand at ${%s}", place)
		}
		written, ok := v.as(form)
		if !ok {
			return "", fmt.Errorf("what stands at ${%s} has no such form", place)
		}
		b.WriteString(written)
		text = after
	}
}

// slug is a name that may stand anywhere: letters, digits, - and _.
type slug string

func (s slug) as(form string) (string, bool) {
	switch form {
	case "slug":
		return string(s), true
	case "python":
		return quoted(string(s)), true
	}
	return "", false
}

// identifier is a name of Python.
type identifier string

func (i identifier) as(form string) (string, bool) { return string(i), form == "ident" }

// dotted is module.Class; "" is none.
type dotted string

func (d dotted) as(form string) (string, bool) {
	at := max(strings.LastIndexByte(string(d), '.'), 0)
	switch form {
	case "module":
		return string(d[:at]), true
	case "class":
		return d.last(), true
	case "python":
		return quoted(string(d)), true
	}
	return "", false
}

// last is the class's own name.
func (d dotted) last() string { return string(d[strings.LastIndexByte(string(d), '.')+1:]) }

// text is any text.
type text string

func (t text) as(form string) (string, bool) {
	switch form {
	case "python":
		return quoted(string(t)), true
	case "docstring":
		return docstring(string(t)), true
	case "yaml":
		return quoted(string(t)), true
	}
	return "", false
}

// texts are any texts.
type texts []string

func (t texts) as(form string) (string, bool) {
	one, ok := map[string]func(string) string{"pythons": quoted, "yamls": quoted}[form]
	if !ok {
		return "", false
	}
	all := make([]string, len(t))
	for i, s := range t {
		all[i] = one(s)
	}
	return "[" + strings.Join(all, ", ") + "]", true
}
