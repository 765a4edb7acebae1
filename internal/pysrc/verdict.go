package pysrc

import (
	"fmt"
	"strings"
)

// state is what is known of a value: whether it is of a kind.
type state uint8

const (
	no state = iota
	unknown
	yes
)

// verdict is the answer for one value, with the way to it. The ways of classes share
// their ends, so that a chain costs no more than its length.
type verdict struct {
	state  state
	maybe  bool
	reason string // why it is maybe or unknown
	step   Step
	next   *verdict
	end    *verdict // of the way
	far    int      // how many steps it has, less one
	beside []Step   // remarks on the way
	open   bool     // is being looked for
}

const (
	// mostSteps is how many steps of a chain are told.
	mostSteps = 16
	// mostDeep is how many names and classes are followed from one; a chain in one file
	// may be longer, since bases stand before what derives from them.
	mostDeep = 20000
	// mostBeside is how many remarks are kept from further on.
	mostBeside = 3
)

var nothing = &verdict{}

// steps are the way of a verdict: where it is long, its beginning and its end.
func (v *verdict) steps() (steps []Step) {
	all := v.far
	for n := v; n != nil; n = n.next {
		if len(steps) == mostSteps-2 && n.far > 2 && n.end != nil {
			more := fmt.Sprintf("and so on, %d steps of %d", n.far-1, all)
			return append(steps, Step{n.step.File, n.step.Line, more}, n.end.step)
		}
		steps = append(steps, n.step)
	}
	return steps
}

// better is the one of two verdicts that says more.
func better(a, b *verdict) *verdict {
	if b.state > a.state || b.state == a.state && a.maybe && !b.maybe {
		return b
	}
	return a
}

// on is v seen from a step before it.
func (v *verdict) on(s Step) *verdict {
	if v.state == no {
		return nothing
	}
	end := v.end
	if end == nil {
		end = v
	}
	return &verdict{state: v.state, maybe: v.maybe, reason: v.reason, step: s, next: v, end: end, far: v.far + 1, beside: v.beside}
}

func doubt(s Step, format string, args ...any) *verdict {
	s.Why = fmt.Sprintf(format, args...)
	return &verdict{state: unknown, reason: s.Why, step: s}
}

// class says whether a class statement is of a kind.
func (l *linker) class(m *Module, at int, kind Kind) *verdict {
	p := place{m, at, kind}
	if v := l.memo[p]; v != nil {
		if v.open {
			c := &m.Classes[at]
			return doubt(Step{File: m.Path, Line: c.Line}, "the bases of %s lead back to it", c.Name)
		}
		return v
	}
	l.memo[p] = &verdict{open: true}
	v := l.decide(m, &m.Classes[at], kind)
	l.memo[p] = v
	return v
}

func (l *linker) decide(m *Module, c *ClassStmt, kind Kind) *verdict {
	best := nothing
	if kind == Deployment {
		if best = l.marked(m, c); best.state == yes && !best.maybe {
			return best
		}
	}
	for _, b := range c.Bases {
		v := l.value(m, b.Value, kind)
		best = better(best, v.on(Step{m.Path, b.Line, fmt.Sprintf("class %s derives from %s", c.Name, b.Text)}))
	}
	return best
}

// value says whether a value of a module is of a kind.
func (l *linker) value(m *Module, v Value, kind Kind) *verdict {
	if l.deep >= mostDeep {
		return doubt(Step{m.Path, v.Line, ""}, "names lead on through more than %d places", mostDeep)
	}
	l.deep++
	defer func() { l.deep-- }()
	at := Step{File: m.Path, Line: v.Line}
	switch v.Kind {
	case Local:
		return l.class(m, v.Class, kind)
	case Imported:
		return l.imported(m, v, kind)
	case Absent:
		if v.Why == "" {
			return nothing
		}
		return doubt(at, "%s", v.Why)
	case Called:
		return l.calledValue(m, v, kind)
	case OneOf:
		return l.oneOf(m, v, kind)
	case Unknown:
		return doubt(at, "%s, which reading does not tell", v.Why)
	}
	return nothing
}

// oneOf says whether one of several values is of a kind: surely where all are.
func (l *linker) oneOf(m *Module, v Value, kind Kind) *verdict {
	best, all := nothing, true
	for _, part := range v.Of {
		if part.Kind == Absent {
			continue // the file would not load
		}
		p := l.value(m, part, kind)
		all = all && p.state == yes && !p.maybe
		best = better(best, p)
	}
	if best.state != yes || all {
		return best
	}
	out := best.on(Step{m.Path, v.Line, "one of several, by " + firstOf(v.Why, "a condition")})
	out.maybe = true
	out.reason = firstOf(best.reason, "it depends on "+firstOf(v.Why, "a condition"))
	return out
}

// keeps are the functions of the standard library that return the class they are given.
var keeps = words(`dataclasses.dataclass functools.total_ordering enum.unique typing.final typing.runtime_checkable
	typing_extensions.final typing_extensions.runtime_checkable typing.no_type_check`)

// calledValue says whether the value of a call is of a kind: a class that passes through
// what is known to keep it is, a class that a function makes may be.
func (l *linker) calledValue(m *Module, v Value, kind Kind) *verdict {
	f := v.Of[0]
	at := Step{File: m.Path, Line: v.Line}
	if f.Kind == Called && len(v.Of) == 2 { // a decorator with arguments
		f = f.Of[0]
	}
	marks := l.decorator(m, f).state == yes
	switch {
	case marks && kind == Deployment && len(v.Of) == 2:
		return l.decorator(m, v.Of[0]).on(Step{m.Path, v.Line, v.Why + " is called with a class"})
	case (marks || f.Kind == Imported && keeps()[f.Name] || f.Kind == Function && f.Same) && len(v.Of) == 2:
		return l.value(m, v.Of[1], kind)
	case f.Kind == Function:
		if made := l.made(m, f, kind); len(made) > 0 {
			return doubt(at, "the value of a call of %s, which makes the class %s", f.Name, made[0].Name)
		}
	case v.Name != "":
		return l.madeByType(m, v, kind)
	case f.Kind == Builtin && f.Name == "type" && len(v.Of) == 2 && v.Of[1].Kind != Unknown:
		return nothing // the class of a class
	case l.isPlain(m, f):
		return nothing
	}
	return doubt(at, "the value of a call of %s, which reading does not tell", v.Why)
}

// made are the class statements in a function that are, or may be, of a kind.
func (l *linker) made(m *Module, f Value, kind Kind) (out []*ClassStmt) {
	for _, at := range f.Makes {
		if l.class(m, at, kind).state != no {
			out = append(out, &m.Classes[at])
		}
	}
	return out
}

// madeByType says whether a class that type() makes may be of a kind.
func (l *linker) madeByType(m *Module, v Value, kind Kind) *verdict {
	for _, base := range v.Of[1:] {
		if l.value(m, base, kind).state != no {
			return doubt(Step{File: m.Path, Line: v.Line}, "the class %s is made by a call of type", v.Name)
		}
	}
	return nothing
}

// isPlain reports whether a value is of the standard library, built in, or known to have
// nothing to do with what is looked for.
func (l *linker) isPlain(m *Module, v Value) bool {
	if v.Kind == Imported {
		found, _ := l.find(m, v.Name)
		return found == nil && l.x.knows(v.Name)&^knownBelow == knownPlain
	}
	return v.Kind == Builtin && v.Name != "type" && v.Name != "getattr" && v.Name != "eval" && v.Name != "__import__" &&
		v.Name != "globals" && v.Name != "vars" && v.Name != "next" && v.Name != "min" && v.Name != "max"
}

// imported says whether what a dotted name leads to is of a kind.
func (l *linker) imported(m *Module, v Value, kind Kind) *verdict {
	from := Step{m.Path, v.Line, v.Name + " is imported"}
	k := l.x.knows(v.Name)
	wanted := knownAgent
	if kind == Deployment {
		wanted = knownDeployment
	}
	if k&wanted != 0 {
		out := (&verdict{state: yes, step: Step{Why: v.Name + " is known: " + kind.String()}}).on(from)
		switch {
		case v.Star:
			out.maybe, out.reason = true, "it may come from a star import"
		case k&knownBelow != 0:
			out.maybe, out.reason = true, v.Name+" is known only by the package that it is in"
		}
		return out
	}
	if isStandard(v.Name) {
		return nothing // whatever lies beside the file
	}
	if found, rest := l.find(m, v.Name); found != nil {
		return l.inside(m, v, found, rest, kind)
	}
	if k != 0 {
		return nothing
	}
	if v.Star {
		return doubt(from, "it may come from the star import at line %d", v.Line)
	}
	return doubt(from, "%s is not known", v.Name)
}

// inside follows a name into a module of the set.
func (l *linker) inside(m *Module, v Value, found *Module, rest []string, kind Kind) *verdict {
	from := Step{m.Path, v.Line, fmt.Sprintf("%s is in %s", v.Name, found.Path)}
	switch {
	case found.Fault != nil:
		return doubt(from, "%s is in %s, which is not Python", v.Name, found.Path)
	case found.Skipped != "":
		l.wanted[found.Path] = true
		return doubt(from, "%s is in %s, which was not read", v.Name, found.Path)
	case len(rest) == 0:
		return nothing // a module
	}
	b, ok := found.binding(rest[0])
	value := b.Value
	if !ok {
		if v.Star {
			return nothing
		}
		if value = found.starred(rest[0]); value.Kind == Absent {
			return doubt(from, "%s has no %s", found.Path, rest[0])
		}
	}
	for _, name := range rest[1:] {
		if value = found.attribute(value, name); value.Kind == Unknown {
			return doubt(from, "%s in %s is an attribute of a value", strings.Join(rest, "."), found.Path)
		}
	}
	p := name{found, strings.Join(rest, "."), kind}
	known := l.names[p]
	if known == nil {
		l.names[p] = &verdict{open: true}
		known = l.value(found, value, kind)
		l.names[p] = known
	} else if known.open {
		return doubt(from, "the imports of %s lead back to it", v.Name)
	}
	out := known.on(from)
	if out.state != no {
		beside := Step{m.Path, v.Line, fmt.Sprintf("%s is imported from %s, beside it, which the reference system cannot load", v.Name, found.Path)}
		out.beside = append([]Step{beside}, out.beside[:min(len(out.beside), mostBeside)]...)
		if v.Star && out.state == yes && !out.maybe {
			out.maybe, out.reason = true, "it may come from a star import"
		}
	}
	return out
}

// starred is a name that the star imports of a module may have brought.
func (m *Module) starred(name string) Value {
	var from []Value
	if len(m.Stars) > mostValues {
		return Value{Kind: Unknown, Line: m.Stars[0].Line, Why: "one of too many star imports"}
	}
	for _, s := range m.Stars {
		from = append(from, Value{Kind: Imported, Name: member(s.Module, name), Line: s.Line, Star: true})
	}
	if len(from) == 0 {
		return Value{Kind: Absent}
	}
	return oneOf(from, "star imports")
}

// attribute is value.name, where the value is one of the module's.
func (m *Module) attribute(v Value, name string) Value {
	switch v.Kind {
	case Imported:
		v.Name = member(v.Name, name)
		return v
	case Local:
		for _, a := range m.Classes[v.Class].Attributes {
			if a.Name == name && a.Class > 0 {
				return Value{Kind: Local, Class: a.Class - 1, Line: a.Line}
			}
		}
	}
	return Value{Kind: Unknown, Line: v.Line}
}
