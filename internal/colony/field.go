package colony

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/spelling"
)

// reading collects what is wrong with one manifest.
type reading struct{ faults []Fault }

// object is one object of a manifest.
type object struct {
	doc *ext.Doc
	at  string // a pointer to it
}

func (r *reading) fault(why Reason, d *ext.Doc, at, what, fix string) {
	r.faults = append(r.faults, Fault{Reason: why, Line: d.Line, Field: at, What: what, Fix: fix})
}

// mistyped is the fault of a value of another type.
func (r *reading) mistyped(d *ext.Doc, at string, want string) {
	r.fault(WrongType, d, at, fmt.Sprintf("%s is %s, and not %s", ext.Quote(strings.TrimPrefix(at, "/")), d.Kind, want), "write "+want)
}

// known refuses the keys of an object that are not among names.
func (r *reading) known(o object, of string, names []string) {
	for i := range o.doc.Map {
		p := &o.doc.Map[i]
		if slices.Contains(names, p.Key) {
			continue
		}
		fix := "remove it; there are " + strings.Join(names, ", ")
		if near := spelling.Nearest(p.Key, names); near != "" {
			fix = "write " + near + ", or remove it"
		}
		at := ext.Doc{Line: p.Line}
		r.fault(UnknownKey, &at, ext.PointerTo(o.at, p.Key), fmt.Sprintf("%s is no key %s", ext.Quote(ext.Shorten(p.Key, 80)), of), fix)
	}
}

// must reads a text that must be there, and reports whether it is.
func (r *reading) must(o object, key string, to *string) bool {
	if o.doc.Get(key) == nil {
		at := ext.PointerTo(o.at, key)
		r.fault(Absent, o.doc, at, ext.Quote(strings.TrimPrefix(at, "/"))+" is missing", "write it; it is a text")
		return false
	}
	return r.text(o, key, to)
}

// text reads a text where there is one, and reports whether there is.
func (r *reading) text(o object, key string, to *string) bool {
	v := o.doc.Get(key)
	if v == nil {
		return false
	}
	if v.Kind != ext.String {
		r.mistyped(v, ext.PointerTo(o.at, key), "a text")
		return false
	}
	*to = v.Text
	return true
}

// optional reads a text, or null.
func (r *reading) optional(o object, key string, to **string) {
	if v := o.doc.Get(key); v != nil && v.Kind == ext.Null {
		return
	}
	if s := ""; r.text(o, key, &s) {
		*to = &s
	}
}

func (r *reading) flag(o object, key string, to *bool) {
	v := o.doc.Get(key)
	if v == nil {
		return
	}
	if v.Kind != ext.Bool {
		r.mistyped(v, ext.PointerTo(o.at, key), "true or false")
		return
	}
	*to = v.Text == "true"
}

// oneOf reads a text that is one of few.
func oneOf[T ~string](r *reading, o object, key string, to *T, of ...T) {
	s := string(*to)
	if !r.text(o, key, &s) || slices.Contains(of, T(s)) {
		*to = T(s)
		return
	}
	words := make([]string, len(of))
	for i, w := range of {
		words[i] = string(w)
	}
	at := ext.PointerTo(o.at, key)
	r.fault(WrongValue, o.doc.Get(key), at, fmt.Sprintf("%s is %s, which is none", ext.Quote(strings.TrimPrefix(at, "/")), ext.Quote(ext.Shorten(s, 80))), "write one of "+strings.Join(words, ", "))
}

// block reads an object where there is one.
func (r *reading) block(o object, key string) (object, bool) {
	v := o.doc.Get(key)
	if v == nil {
		return object{}, false
	}
	return r.within(v, ext.PointerTo(o.at, key))
}

func (r *reading) within(v *ext.Doc, at string) (object, bool) {
	if v.Kind != ext.Map {
		r.mistyped(v, at, "an object")
		return object{}, false
	}
	return object{v, at}, true
}

// list reads a list where there is one, nil else.
func (r *reading) list(o object, key string) *ext.Doc {
	v := o.doc.Get(key)
	if v == nil {
		return nil
	}
	at := ext.PointerTo(o.at, key)
	switch {
	case v.Kind != ext.List:
		r.mistyped(v, at, "a list")
		return nil
	case len(v.List) > MaxItems:
		r.fault(OutOfBounds, v, at, fmt.Sprintf("%s has %d items, and at most %d are read", ext.Quote(key), len(v.List), MaxItems), "write fewer")
		return nil
	}
	return v
}

// rest is what an object holds besides known keys, as an object of its own; "" for nothing.
func rest(d *ext.Doc, known []string) string {
	more := ext.Doc{Kind: ext.Map}
	for _, p := range d.Map {
		if !slices.Contains(known, p.Key) {
			more.Map = append(more.Map, p)
		}
	}
	if len(more.Map) == 0 {
		return ""
	}
	return string(encode(&more))
}
