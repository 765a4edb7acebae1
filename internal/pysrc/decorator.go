package pysrc

import (
	"fmt"
	"slices"
)

// marked says whether a class carries the deployment marker by itself: through a
// decorator, or because it is set.
func (l *linker) marked(m *Module, c *ClassStmt) *verdict {
	best := nothing
	if c.Marker > 0 {
		best = &verdict{state: yes, maybe: c.MarkerMaybe, step: Step{m.Path, c.Marker, marker + " is set"}}
		if c.MarkerMaybe {
			best.reason = "it is marked under a condition"
		}
	}
	for _, d := range c.Decorators {
		v := l.decorator(m, d.Value).on(Step{m.Path, d.Line, fmt.Sprintf("class %s has the decorator %s", c.Name, d.Text)})
		best = better(best, v)
	}
	return best
}

// decorator says whether a value, used as a decorator, marks a class as a deployment.
func (l *linker) decorator(m *Module, d Value) *verdict {
	if l.deep >= mostDeep {
		return doubt(Step{m.Path, d.Line, ""}, "names lead on through more than %d places", mostDeep)
	}
	l.deep++
	defer func() { l.deep-- }()
	at := Step{File: m.Path, Line: d.Line}
	switch d.Kind {
	case Imported:
		return l.importedDecorator(m, d)
	case Called:
		if v := l.decorator(m, d.Of[0]); v.state == yes && len(d.Of) == 1 {
			return v.on(Step{m.Path, d.Line, "called with arguments"})
		} else if v.state != no {
			return doubt(at, "%s is called, and what comes of that reading does not tell", d.Why)
		}
		for _, arg := range d.Of[1:] {
			if l.decorator(m, arg).state == yes {
				return doubt(at, "%s is given a decorator, and what comes of that reading does not tell", d.Why)
			}
		}
	case Function:
		if d.Same {
			return nothing
		}
		for _, named := range d.Of {
			if l.decorator(m, named).state == yes {
				return doubt(at, "%s names a decorator, and what it does with it reading does not tell", d.Name)
			}
		}
	case OneOf:
		return l.oneDecorator(m, d)
	case Unknown, Absent:
		return doubt(at, "%s", firstOf(d.Why, "a value that reading does not tell"))
	}
	return nothing
}

func (l *linker) oneDecorator(m *Module, d Value) *verdict {
	best, all := nothing, true
	for _, part := range d.Of {
		if part.Kind == Absent {
			continue
		}
		v := l.decorator(m, part)
		all = all && v.state == yes && !v.maybe
		best = better(best, v)
	}
	if best.state == yes && !all {
		best = best.on(Step{m.Path, d.Line, "one of several, by " + firstOf(d.Why, "a condition")})
		best.maybe, best.reason = true, "its decorator depends on "+firstOf(d.Why, "a condition")
	}
	return best
}

func (l *linker) importedDecorator(m *Module, d Value) *verdict {
	from := Step{m.Path, d.Line, d.Name + " is imported"}
	switch k := l.x.knows(d.Name); {
	case k&knownDecorator != 0:
		out := (&verdict{state: yes, step: Step{Why: d.Name + " is known: it marks deployments"}}).on(from)
		if d.Star {
			out.maybe, out.reason = true, "its decorator may come from a star import"
		}
		return out
	case k != 0:
		return nothing
	}
	found, rest := l.find(m, d.Name)
	if found == nil {
		return doubt(from, "the decorator %s is not known", d.Name)
	}
	if found.Skipped != "" {
		l.wanted[found.Path] = true
		return doubt(from, "the decorator %s is in %s, which was not read", d.Name, found.Path)
	}
	return l.decoratorInside(d, from, found, rest)
}

// decoratorInside follows a decorator into a module of the set.
func (l *linker) decoratorInside(d Value, from Step, found *Module, rest []string) *verdict {
	if len(rest) != 1 {
		return doubt(from, "the decorator %s in %s is not read", d.Name, found.Path)
	}
	b, ok := found.binding(rest[0])
	if !ok {
		return doubt(from, "the decorator %s is not in %s", d.Name, found.Path)
	}
	p := name{found, rest[0], asDecorator}
	known := l.names[p]
	if known == nil {
		l.names[p] = &verdict{open: true}
		known = l.decorator(found, b.Value)
		l.names[p] = known
	} else if known.open {
		return doubt(from, "the imports of %s lead back to it", d.Name)
	}
	return known.on(from)
}

// asDecorator is no kind of a class, but what a name may be looked at as.
const asDecorator Kind = 0

// through is what a decorator makes of a class of a kind: what is not known may replace
// the class.
func (l *linker) through(m *Module, d Base, v *verdict) *verdict {
	f := d.Value
	for f.Kind == Called && len(f.Of) > 0 {
		f = f.Of[0]
	}
	if l.harmless(m, f) {
		return v
	}
	note := Step{m.Path, d.Line, fmt.Sprintf("the decorator %s is not known; it might replace the class", d.Text)}
	out := *v
	if len(out.beside) < 4*mostBeside {
		out.beside = append(slices.Clip(out.beside), note)
	}
	if f.Kind != Imported && !out.maybe {
		out.maybe, out.reason = true, fmt.Sprintf("the decorator %s might replace the class", d.Text)
	}
	return &out
}

// harmless reports whether a decorator is known to leave a class what it is.
func (l *linker) harmless(m *Module, f Value) bool {
	switch f.Kind {
	case Imported:
		return l.x.knows(f.Name) != 0
	case Builtin:
		return true
	case Function:
		return f.Same
	}
	return false
}
