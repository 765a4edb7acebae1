package policy

import "slices"

// maxAnchor is the longest beginning or end that is looked up; longer ones are cut.
const maxAnchor = 32

// index finds the rules that may be about a call: each stands under what it
// demands on one axis, the one where fewest others stand, or under nothing. It
// finds too many rather than too few.
type index struct {
	axes [axes]lookup
	rest []int32 // rules that demand nothing that can be looked up
}

// lookup finds rules by a name on one axis.
type lookup struct {
	by    [glob]map[string][]int32 // the rules of each form that is looked up, by their text
	sizes [glob][]int              // which lengths of beginnings and ends there are
}

// anchors are the patterns under one of which a call has to fall.
type anchors struct {
	axis     int
	patterns []pattern
}

// newIndex takes, of each rule, all its choices.
func newIndex(choices [][]anchors) *index {
	type place struct {
		axis int
		p    pattern
	}
	crowd := map[place]int{}
	for _, rule := range choices {
		for _, c := range rule {
			for _, p := range c.patterns {
				crowd[place{c.axis, p}]++
			}
		}
	}
	x := &index{}
	for i, rule := range choices {
		best, least := -1, 0
		for j, c := range rule {
			n := 0
			for _, p := range c.patterns {
				n += crowd[place{c.axis, p}]
			}
			if best < 0 || n < least {
				best, least = j, n
			}
		}
		if best < 0 {
			x.rest = append(x.rest, int32(i))
			continue
		}
		for _, p := range rule[best].patterns {
			x.axes[rule[best].axis].add(p, int32(i))
		}
	}
	return x
}

func (l *lookup) add(p pattern, rule int32) {
	if l.by[p.Form] == nil {
		l.by[p.Form] = map[string][]int32{}
	}
	l.by[p.Form][p.Text] = append(l.by[p.Form][p.Text], rule)
	if n := len(p.Text); p.Form != exact && !slices.Contains(l.sizes[p.Form], n) {
		l.sizes[p.Form] = append(l.sizes[p.Form], n)
	}
}

// find appends, to an empty list, the rules that may be about a, in their order.
func (x *index) find(a *Action, out []int32) []int32 {
	out = append(out, x.rest...)
	for axis := range x.axes {
		l := &x.axes[axis]
		names := a.names(axis)
		out = l.find(names[0], out)
		if names[1] != names[0] {
			out = l.find(names[1], out)
		}
		if names[2] != names[1] && names[2] != names[0] {
			out = l.find(names[2], out)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (l *lookup) find(name string, out []int32) []int32 {
	out = append(out, l.by[exact][name]...)
	for _, n := range l.sizes[prefix] {
		if n <= len(name) {
			out = append(out, l.by[prefix][name[:n]]...)
		}
	}
	for _, n := range l.sizes[suffix] {
		if n <= len(name) {
			out = append(out, l.by[suffix][name[len(name)-n:]]...)
		}
	}
	return out
}

// anchored are the anchors of patterns; false where one has none.
func anchored(axis int, ps []pattern) (anchors, bool) {
	out := anchors{axis, make([]pattern, 0, len(ps))}
	for _, p := range ps {
		a, ok := p.anchor()
		if !ok {
			return anchors{}, false
		}
		if !slices.Contains(out.patterns, a) {
			out.patterns = append(out.patterns, a)
		}
	}
	return out, len(ps) > 0
}
