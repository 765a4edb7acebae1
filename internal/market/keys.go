package market

import (
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/spelling"
	"github.com/mortise-dev/mortise/internal/unseen"
)

// keys reads the keys of one object. What has the wrong type is told and taken
// for missing.
type keys struct {
	doc      *ext.Doc
	at       ext.Origin
	findings *ext.Findings
}

// line is the place of a key, or of the object where it has none.
func (k keys) line(key string) ext.Origin {
	o := k.at
	if k.doc != nil {
		o.Line = k.doc.Line
		for _, p := range k.doc.Map {
			if p.Key == key {
				o.Line = p.Line
			}
		}
	}
	return o
}

// value is the value of a key if it is of one of the kinds.
func (k keys) value(key string, kinds ...ext.Kind) *ext.Doc {
	v := k.doc.Get(key)
	if v == nil || v.Kind == ext.Null {
		return nil
	}
	if !slices.Contains(kinds, v.Kind) {
		k.findings.Add(FieldType.At(k.line(key), "key %q must be %s, found %s; it is ignored", key, kinds[0], v.Kind))
		return nil
	}
	return v
}

// text is a string that can be shown. One that hides something is told with all
// that holds it, and is "" here.
func (k keys) text(key string) string {
	if v := k.value(key, ext.String); v != nil {
		return shown(v.Text)
	}
	return ""
}

func shown(text string) string {
	if unseen.Hides(text) {
		return ""
	}
	return text
}

// texts are the strings of a list that can be shown, or the one in its place.
func (k keys) texts(key string) []string {
	return slices.DeleteFunc(k.strings(key), unseen.Hides)
}

// strings are the strings of a list, or the one string in its place.
func (k keys) strings(key string) []string {
	v := k.value(key, ext.List, ext.String)
	switch {
	case v == nil:
		return nil
	case v.Kind == ext.String:
		return []string{v.Text}
	}
	var out []string
	for i := range v.List {
		if s := &v.List[i]; s.Kind == ext.String {
			out = append(out, s.Text)
		} else {
			k.findings.Add(FieldType.At(k.at.At(k.at.Path, s.Line), "key %q must hold strings, found %s; it is ignored", key, s.Kind))
		}
	}
	return out
}

// flag is a boolean, or what holds without one.
func (k keys) flag(key string, otherwise bool) bool {
	if v := k.value(key, ext.Bool); v != nil {
		return v.Text == "true"
	}
	return otherwise
}

// under reads the keys of an object at a key. Without one there are none.
func (k keys) under(key string) keys {
	k.doc = k.value(key, ext.Map)
	return k
}

// owner reads who somebody is: an object, or a name alone.
func (k keys) owner(key string) Owner {
	if v := k.doc.Get(key); v != nil && v.Kind == ext.String {
		return Owner{Name: shown(v.Text)}
	}
	in := k.under(key)
	return Owner{Name: in.text("name"), Email: in.text("email"), URL: in.text("url")}
}

// strangers tells of the keys that are not known in what this is.
func (k keys) strangers(known []string, what string) {
	for _, p := range k.doc.Map {
		if slices.Contains(known, p.Key) {
			continue
		}
		meant := ""
		if near := spelling.Nearest(p.Key, known); near != "" {
			meant = "; did you mean " + near + "?"
		}
		k.findings.Add(Ignored.At(k.at.At(k.at.Path, p.Line), "key %s has no meaning in %s%s", quoted(p.Key), what, meant))
	}
}
