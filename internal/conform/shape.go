package conform

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/pattern"
)

// shape is what a client takes as a value: of which kinds, and for each of them
// what more. The zero shape takes nothing.
type shape struct {
	text   word       // how it may be text
	list   *shape     // of what it may be a list
	object *object    // how it may be an object
	plain  []ext.Kind // other kinds that it may be of, whatever it says then
	either bool       // it may be of any other kind as well
}

// word says what a text must be, as it goes on after "must be"; "" where it is.
type word func(s string) string

// object is how a client takes an object.
type object struct {
	keys   map[string]shape
	needed []string                // keys that must be there
	each   *shape                  // of the value of any other key; nil: they are not looked at
	name   word                    // how any other key is called; nil: as you like
	whole  func(d *ext.Doc) string // what is wrong with the keys together; nil: nothing
}

// fault is one thing about a value that its client does not take.
type fault struct {
	line    int
	pointer string // to the value, or to the key that is missing (RFC 6901)
	what    string // as it goes on after the name of the value
}

// field is what the fault is about: a key of the whole, or a pointer.
func (f *fault) field() string {
	if key := strings.TrimPrefix(f.pointer, "/"); !strings.ContainsAny(key, "/~") {
		return key
	}
	return f.pointer
}

// findings are those of a check about the values of a document that do not have
// the shape: of the first so many, and how many more there are.
func (s *shape) findings(c *ext.Check, o ext.Origin, d *ext.Doc) ext.Findings {
	const most = 50
	var fs ext.Findings
	all := s.faults(d, "")
	for _, f := range all[:min(len(all), most)] {
		fs.Add(c.At(o.At(d.File, f.line), "%s %s", ext.Quote(f.field()), f.what).Of(f.field()))
	}
	if more := len(all) - most; more > 0 {
		fs.Add(c.At(o.At(d.File, d.Line), "%d more values are not as they must be", more))
	}
	return fs
}

// faults are those of the value at a pointer.
func (s *shape) faults(d *ext.Doc, pointer string) []fault {
	switch {
	case d.Kind == ext.String && s.text != nil:
		if want := s.text(d.Text); want != "" {
			return []fault{{d.Line, pointer, must(want, ext.Quote(ext.Shorten(d.Text, shown)))}}
		}
	case d.Kind == ext.List && s.list != nil:
		var all []fault
		for i := range d.List {
			all = append(all, s.list.faults(&d.List[i], fmt.Sprintf("%s/%d", pointer, i))...)
		}
		return all
	case d.Kind == ext.Map && s.object != nil:
		return s.object.faults(d, pointer)
	case !s.either && !slices.Contains(s.plain, d.Kind):
		return []fault{{d.Line, pointer, must(s.kinds(), d.Kind.String())}}
	}
	return nil
}

// shown are the characters of a text that a message shows.
const shown = 60

func must(want, found string) string { return "must be " + want + ", found " + found }

// kinds are the kinds that a value may be of, in words. That it may be null is
// not said: it says nothing then.
func (s *shape) kinds() string {
	var all []string
	for _, k := range []struct {
		kind  ext.Kind
		taken bool
	}{{ext.String, s.text != nil}, {ext.List, s.list != nil}, {ext.Map, s.object != nil}} {
		if k.taken {
			all = append(all, k.kind.String())
		}
	}
	for _, k := range s.plain {
		if k != ext.Null {
			all = append(all, k.String())
		}
	}
	return strings.Join(all, " or ")
}

func (o *object) faults(d *ext.Doc, pointer string) []fault {
	var all []fault
	for _, key := range o.needed {
		if d.Get(key) == nil {
			all = append(all, fault{d.Line, ext.PointerTo(pointer, key), "is missing"})
		}
	}
	for i := range d.Map {
		p := &d.Map[i]
		at := ext.PointerTo(pointer, p.Key)
		s, known := o.keys[p.Key]
		if !known && o.name != nil && o.name(p.Key) != "" {
			all = append(all, fault{p.Line, at, "must be called " + o.name(p.Key)})
		}
		if !known && o.each != nil {
			s, known = *o.each, true
		}
		if known {
			all = append(all, s.faults(&p.Value, at)...)
		}
	}
	if o.whole != nil {
		if what := o.whole(d); what != "" {
			all = append(all, fault{d.Line, pointer, what})
		}
	}
	return all
}

// anyText takes every text.
func anyText(string) string { return "" }

// someText takes every text but an empty one.
func someText(s string) string {
	if s == "" {
		return "a text that is not empty"
	}
	return ""
}

// oneOf takes some words.
func oneOf(words ...string) word {
	return func(s string) string {
		if slices.Contains(words, s) {
			return ""
		}
		return strings.Join(words, " or ")
	}
}

// like takes what an expression fits; want says what that is.
func like(expression, want string) word {
	re := pattern.New(expression)
	return func(s string) string {
		if re.MatchString(s) {
			return ""
		}
		return want
	}
}

// address takes what a browser's reader of addresses does: with a scheme, and
// with a host where the scheme has one. Nothing is looked up.
func address(s string) string {
	scheme, rest, _ := strings.Cut(strings.TrimSpace(s), ":")
	hosted := slices.Contains([]string{"http", "https", "ftp", "ws", "wss"}, strings.ToLower(scheme))
	if !schemeForm.MatchString(scheme) || !strings.Contains(s, ":") || hosted && !hostForm.MatchString(rest) {
		return "an address with its scheme, as in https://example.com"
	}
	return ""
}

var (
	schemeForm = pattern.New(`^[A-Za-z][A-Za-z0-9+.-]*$`)
	hostForm   = pattern.New(`^[/\\]*([^/\\?#@]*@)?(\[[0-9A-Fa-f:.]+\]|[^/\\?#@:\[\]\s<>^|]+)(:[0-9]{0,5})?([/\\?#]|$)`)
)
