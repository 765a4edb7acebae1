package pysrc

import (
	"cmp"
	"fmt"
	"slices"
)

// Attribute says what an attribute of a class is: its own, or that of the first class
// that has it in Python's order of search, through the modules of the set. The class is
// given by its file and its name; several goroutines may ask. Where the answer may be another, the attribute has a
// Reason: a class that comes before is not read, or a condition decides. Evidence says
// where it was looked for. found is false where the set has no such class; an attribute
// that the class has not has only a Reason.
func (s *Set) Attribute(file, class, name string) (a Attribute, evidence []Step, found bool) {
	m := s.linker.modules[file]
	if m == nil {
		return Attribute{}, nil, false
	}
	at, reason := m.class(class)
	if at < 0 {
		return Attribute{}, nil, false
	}
	if reason == "" && m.Dynamic > 0 {
		reason = fmt.Sprintf("line %d may bind names in ways that reading does not see", m.Dynamic)
	}
	l := linker{x: s.linker.x, modules: s.linker.modules, stems: s.linker.stems, paths: map[string][]string{}} // what it remembers is its own
	order, broken := (&searcher{&l, map[ancestor]ordered{}}).search(ancestor{m: m, at: at}, 0)
	for _, p := range order {
		if p.m == nil {
			evidence = append(evidence, Step{p.file, p.line, p.name + " comes before and is not read"})
			return Attribute{Name: name, Line: p.line, Reason: cmp.Or(reason, fmt.Sprintf("%s, which is not read, may have it", p.name))}, evidence, true
		}
		c := &p.m.Classes[p.at]
		i, ok := slices.BinarySearchFunc(c.Attributes, name, func(a Attribute, name string) int { return cmp.Compare(a.Name, name) })
		if !ok {
			evidence = append(evidence, Step{p.m.Path, c.Line, fmt.Sprintf("class %s has no %s of its own", c.Name, name)})
			continue
		}
		a = c.Attributes[i]
		a.Reason = cmp.Or(a.Reason, broken, reason)
		return a, append(evidence, Step{p.m.Path, a.Line, fmt.Sprintf("class %s sets %s", c.Name, name)}), true
	}
	return Attribute{Name: name, Reason: cmp.Or(broken, reason, "the class has no "+name)}, evidence, true
}

// class is the class statement of a name; -1 where there is none. The reason says why it
// may be another in the end.
func (m *Module) class(name string) (at int, reason string) {
	if b, ok := m.binding(name); ok {
		switch v := b.Value; v.Kind {
		case Local:
			return v.Class, ""
		case OneOf:
			for _, part := range v.Of {
				if part.Kind == Local {
					return part.Class, "the class depends on " + cmp.Or(v.Why, "a condition")
				}
			}
		}
	}
	for i := len(m.Classes) - 1; i >= 0; i-- {
		if c := &m.Classes[i]; c.Name == name && c.In == "" {
			return i, fmt.Sprintf("%s is not what the name is bound to in the end", name)
		}
	}
	return -1, ""
}

// ancestor is a class in an order of search: one of a module, or one that is not read.
type ancestor struct {
	m    *Module
	at   int
	name string // of one that is not read
	file string // and where it is named
	line int
}

func (p ancestor) same(q ancestor) bool { return p.m == q.m && p.at == q.at && p.name == q.name }

// mostAncestors is how many classes are searched, and how deep.
const mostAncestors = 100

// searcher keeps the orders of classes that it has been through.
type searcher struct {
	*linker
	done map[ancestor]ordered
}

type ordered struct {
	order  []ancestor
	reason string
}

// search is the order in which Python looks through a class and its bases. Those of the
// standard library are left out. Where bases cannot be put in order the reason says so, and
// what is there is only the beginning.
func (l *searcher) search(p ancestor, depth int) (order []ancestor, reason string) {
	if o, ok := l.done[p]; ok {
		return o.order, o.reason
	}
	l.done[p] = ordered{[]ancestor{p}, "its bases lead back to it"}
	defer func() { l.done[p] = ordered{order, reason} }()
	order = []ancestor{p}
	if p.m == nil {
		return order, ""
	}
	if depth > mostAncestors {
		return order, "there are too many classes above it"
	}
	var lists [][]ancestor
	var bases []ancestor
	for _, b := range p.m.Classes[p.at].Bases {
		base, plain := l.ancestor(p.m, b, b.Value, 0)
		if plain {
			continue
		}
		above, why := l.search(base, depth+1)
		reason = cmp.Or(reason, why)
		lists, bases = append(lists, above), append(bases, base)
	}
	return merge(order, append(lists, bases), reason) // which keeps no list but order
}

// merge is the step that Python's order is made by: always the first class that stands
// behind the first place of no list.
func merge(order []ancestor, lists [][]ancestor, reason string) ([]ancestor, string) {
	for len(order) < mostAncestors {
		lists = slices.DeleteFunc(lists, func(list []ancestor) bool { return len(list) == 0 })
		if len(lists) == 0 {
			return order, reason
		}
		next := slices.IndexFunc(lists, func(list []ancestor) bool {
			return !slices.ContainsFunc(lists, func(other []ancestor) bool { return slices.ContainsFunc(other[1:], list[0].same) })
		})
		if next < 0 {
			return order, cmp.Or(reason, "the bases cannot be put in order")
		}
		head := lists[next][0]
		order = append(order, head)
		for i, list := range lists {
			if list[0].same(head) {
				lists[i] = list[1:]
			}
		}
	}
	return order, cmp.Or(reason, "there are too many classes above it")
}

// ancestor is the class that a base leads to; plain says that it is of the standard
// library, or built in.
func (l *linker) ancestor(m *Module, b Base, v Value, depth int) (a ancestor, plain bool) {
	a = ancestor{name: b.Text, file: m.Path, line: b.Line}
	switch {
	case v.Kind == Local:
		return ancestor{m: m, at: v.Class}, false
	case v.Kind == Builtin:
		return a, true
	case v.Kind != Imported || depth > mostAncestors:
		return a, false
	}
	found, rest := l.find(m, v.Name)
	if found == nil {
		a.name = v.Name
		return a, isStandard(v.Name)
	}
	if len(rest) == 0 {
		return a, false
	}
	bound, _ := found.binding(rest[0])
	value := bound.Value
	for _, name := range rest[1:] {
		value = found.attribute(value, name)
	}
	return l.ancestor(found, b, value, depth+1)
}
