package pysrc

import (
	"slices"

	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
)

// mostValues is how many values a name may have that depends on conditions. One that has
// more is unknown.
const mostValues = 8

// held is what a name holds at a place in the file.
type held struct {
	Value
	at   int         // the line of the statement that bound it
	node syntax.Node // the expression, or the definition
}

// scope is the names of the module, or of the body of a class. What the arms of a
// statement change is noted, so that an arm costs what it changes, however many names
// there are.
type scope struct {
	names  map[string]held
	typing map[string]int // bound for type checking only, and where
	noted  map[string]held
}

func newScope() *scope {
	return &scope{names: map[string]held{}, typing: map[string]int{}}
}

func (s *scope) set(name string, h held) {
	if s.noted != nil {
		if _, ok := s.noted[name]; !ok {
			s.noted[name] = s.get(name)
		}
	}
	s.names[name] = h
}

func (s *scope) get(name string) held {
	if h, ok := s.names[name]; ok {
		return h
	}
	return held{Value: Value{Kind: Absent}}
}

// arm is one way through a statement: what it changes, and whether it ends the file.
type arm struct {
	changed map[string]held
	ends    bool
}

// try runs an arm and takes back what it changed.
func (s *scope) try(run func() bool) arm {
	outer := s.noted
	s.noted = map[string]held{}
	a := arm{changed: map[string]held{}, ends: run()}
	before := s.noted
	s.noted = outer
	for name, h := range before {
		a.changed[name] = s.get(name)
		s.restore(name, h)
	}
	return a
}

func (s *scope) restore(name string, h held) {
	if h.Kind == Absent && h.at == 0 {
		delete(s.names, name)
		return
	}
	s.names[name] = h
}

// merge makes the names what they are after one of several arms. Where the arms are not
// all there is, none of them may have been taken. It reports whether every way ends.
func (s *scope) merge(arms []arm, all bool, why string) bool {
	ways := 0
	after := map[string][]held{}
	for _, a := range arms {
		if a.ends {
			continue
		}
		ways++
		for name, h := range a.changed {
			after[name] = append(after[name], h)
		}
	}
	if !all {
		ways++
	}
	for name, hs := range after {
		if len(hs) < ways {
			hs = append(hs, s.get(name))
		}
		s.set(name, join(hs, why))
	}
	return ways == 0
}

// join is what a name holds that holds one of several values.
func join(hs []held, why string) held {
	out := hs[0]
	for _, h := range hs[1:] {
		if h.at > out.at {
			out.at, out.node = h.at, h.node
		}
	}
	values := make([]Value, len(hs))
	for i, h := range hs {
		values[i] = h.Value
	}
	out.Value = oneOf(values, why)
	return out
}

// oneOf is one of several values; the value itself where they are the same.
func oneOf(values []Value, why string) Value {
	var flat []Value
	add := func(v Value) {
		if len(flat) <= mostValues && !slices.ContainsFunc(flat, v.same) {
			flat = append(flat, v)
		}
	}
	for _, v := range values {
		if v.Kind == OneOf {
			for _, part := range v.Of {
				add(part)
			}
			why = firstOf(v.Why, why)
		} else {
			add(v)
		}
	}
	switch {
	case len(flat) == 1:
		return flat[0]
	case len(flat) > mostValues:
		return Value{Kind: Unknown, Line: flat[0].Line, Why: "one of too many values"}
	}
	return Value{Kind: OneOf, Line: flat[0].Line, Of: flat, Why: why}.bounded()
}

// mostParts is how many values one may be made of.
const mostParts = 64

// bounded is v, or an unknown value where v is made of too many: values are held by value,
// and what uses itself twice, time and again, would grow without end.
func (v Value) bounded() Value {
	if v.weigh(mostParts) < 0 {
		return Value{Kind: Unknown, Line: v.Line, Why: "a value of too many parts"}
	}
	return v
}

// weigh takes the parts of v from what is left, and ends when nothing is.
func (v *Value) weigh(left int) int {
	left--
	for i := 0; i < len(v.Of) && left >= 0; i++ {
		left = v.Of[i].weigh(left)
	}
	return left
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// same reports whether two values need not be told apart.
func (v Value) same(w Value) bool {
	if v.Kind != w.Kind || v.Name != w.Name || v.Class != w.Class || v.Star != w.Star || v.Typing != w.Typing {
		return false
	}
	switch v.Kind {
	case Imported, Builtin, Local, Absent:
		return true
	}
	return v.Line == w.Line && v.Why == w.Why
}
