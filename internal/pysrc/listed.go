package pysrc

import (
	"cmp"
	"fmt"
	"slices"
)

// listed are the classes of a module that its names lead to in the end.
func (l *linker) listed(m *Module) (out []Class) {
	for _, kind := range []Kind{Agent, Deployment} {
		found := map[string]int{}      // by the name of the class
		for _, b := range m.Bindings { // sorted: of two classes of one name the later binding counts
			for _, c := range l.reached(m, b, b.Value, kind, nil) {
				key := c.Name
				if key == "" {
					key = "=" + b.Name
				}
				if at, ok := found[key]; ok {
					out[at] = l.one(out[at], c)
					continue
				}
				found[key] = len(out)
				out = append(out, c)
			}
		}
	}
	slices.SortFunc(out, func(a, b Class) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// one is what counts of two classes of one name: the later binding, unless it is less
// sure. The other is noted where it is another class.
func (l *linker) one(a, b Class) Class {
	if b.Certainty > a.Certainty {
		a, b = b, a
	}
	if a.Line != b.Line {
		b.Notes = append(b.Notes, Step{a.File, a.Line, "another class of this name is bound to " + a.Bound})
	}
	return b
}

// reached are the classes that a binding leads to.
func (l *linker) reached(m *Module, b Binding, v Value, kind Kind, by []Base) (out []Class) {
	switch v.Kind {
	case Local:
		if c, ok := l.listing(m, b, v.Class, kind, by); ok {
			out = append(out, c)
		}
	case OneOf:
		for _, part := range v.Of {
			for _, c := range l.reached(m, b, part, kind, by) {
				if c.Certainty == Certain {
					c.Certainty, c.Reason = Maybe, "it depends on "+firstOf(v.Why, "a condition")
				}
				out = append(out, c)
			}
		}
	case Called:
		return l.reachedByCall(m, b, v, kind, by)
	}
	return out
}

// reachedByCall are the classes that a call leads to: that which it is given, or those
// that it makes.
func (l *linker) reachedByCall(m *Module, b Binding, v Value, kind Kind, by []Base) (out []Class) {
	made := func(name string, line, column int) {
		d := l.calledValue(m, v, kind)
		out = append(out, Class{Kind: kind, Name: name, Bound: b.Name, File: m.Path, Line: line, Column: column,
			Certainty: Unresolved, Reason: d.reason, Evidence: d.steps()})
	}
	switch {
	case v.Name != "":
		if l.madeByType(m, v, kind).state != no {
			made(v.Name, v.Line, 1)
		}
	case len(v.Of) == 2 && v.Of[1].Kind != Function:
		return l.reached(m, b, v.Of[1], kind, append(slices.Clip(by), Base{v.Why, v.Line, v.Of[0]}))
	default:
		for _, c := range l.made(m, v.Of[0], kind) {
			made(c.Name, c.Line, c.Column)
		}
	}
	return out
}

// listing is a class statement as it is told, with what it was passed through; false
// where it is not of the kind.
func (l *linker) listing(m *Module, b Binding, at int, kind Kind, by []Base) (Class, bool) {
	stmt := &m.Classes[at]
	v := l.class(m, at, kind)
	decorators := slices.Concat(stmt.Decorators, by)
	if kind == Deployment {
		for _, d := range by {
			made := l.decorator(m, d.Value).on(Step{m.Path, d.Line, fmt.Sprintf("%s is %s, called with the class %s", b.Name, d.Text, stmt.Name)})
			v = better(v, made)
		}
	}
	if v.state == no || stmt.Foreign > 0 {
		return Class{}, false
	}
	for _, d := range decorators {
		if v.state == yes && l.decorator(m, d.Value).state != yes {
			v = l.through(m, d, v)
		}
	}
	c := Class{Kind: kind, Name: stmt.Name, Bound: b.Name, File: m.Path, Line: stmt.Line, Column: stmt.Column,
		Certainty: Certain, Reason: v.reason, Evidence: v.steps(), Notes: slices.Clone(v.beside)}
	switch {
	case v.state == unknown:
		c.Certainty = Unresolved
	case v.maybe:
		c.Certainty = Maybe
	}
	l.doubts(m, b, &c)
	if kind == Deployment {
		l.arguments(m, decorators, &c)
	}
	return c, true
}

// doubts adds what the rest of the file says against a listing.
func (l *linker) doubts(m *Module, b Binding, c *Class) {
	lower := func(to Certainty, reason string) {
		if c.Certainty < to {
			c.Certainty, c.Reason = to, reason
		}
	}
	if b.Global > 0 {
		lower(Maybe, fmt.Sprintf("the function at line %d may bind %s anew", b.Global, b.Name))
	}
	if m.Dynamic > 0 {
		lower(Maybe, fmt.Sprintf("line %d may bind names in ways that reading does not see", m.Dynamic))
	}
	if m.Ends > 0 {
		lower(Unresolved, fmt.Sprintf("the file ends with an exception at line %d whatever happens", m.Ends))
	}
}

// arguments tells what the decorator of a deployment was given.
func (l *linker) arguments(m *Module, decorators []Base, c *Class) {
	for _, d := range decorators {
		v := d.Value
		if v.Kind != Called || l.decorator(m, v).state != yes {
			continue
		}
		c.Arguments = v.Arguments
		for _, a := range v.Arguments {
			if len(l.x.Keywords) > 0 && a.Name[0] != '*' && !slices.Contains(l.x.Keywords, a.Name) {
				c.Notes = append(c.Notes, Step{m.Path, a.Line, fmt.Sprintf("%s is no argument of the decorator", a.Name)})
			}
		}
	}
}

// notes are remarks on a module that are about no class.
func (l *linker) notes(m *Module) []Step {
	out := slices.Clone(m.Notes)
	for i := range m.Classes {
		c := &m.Classes[i]
		if c.Foreign > 0 && (l.class(m, i, Agent).state != no || l.class(m, i, Deployment).state != no) {
			out = append(out, Step{m.Path, c.Foreign, fmt.Sprintf("class %s says that it is of another module, and is not listed", c.Name)})
		}
	}
	for _, f := range m.Functions {
		for _, d := range f.Decorators {
			if l.decorator(m, d.Value).state == yes {
				out = append(out, Step{m.Path, f.Line, fmt.Sprintf("%s has the decorator %s and is a function: no class, no deployment", f.Name, d.Text)})
			}
		}
	}
	return out
}
