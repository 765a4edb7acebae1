package policy

import (
	"slices"
	"strings"
)

// Axes are what calls are told apart by before any expression is evaluated.
const (
	tool = iota
	server
	extension
	axes
)

var axisNames = [axes]string{"tool", "server", "extension"}

// form is how a pattern compares.
type form uint8

const (
	exact form = iota + 1
	prefix
	suffix
	glob // "*" stands for any text, also none
)

// pattern says which names are meant.
type pattern struct {
	Form form   `json:"f"`
	Text string `json:"t"`
}

// parse reads a name in which "*" stands for any text.
func parse(s string) pattern {
	switch strings.Count(s, "*") {
	case 0:
		return pattern{exact, s}
	case 1:
		if before, ok := strings.CutSuffix(s, "*"); ok {
			return pattern{prefix, before}
		}
		if after, ok := strings.CutPrefix(s, "*"); ok {
			return pattern{suffix, after}
		}
	}
	return pattern{glob, s}
}

func parseAll(names []string) []pattern {
	if len(names) == 0 {
		return nil
	}
	out := make([]pattern, len(names))
	for i, n := range names {
		out[i] = parse(n)
	}
	return out
}

// matches reports whether a name is meant.
func (p *pattern) matches(name string) bool {
	switch p.Form {
	case exact:
		return name == p.Text
	case prefix:
		return strings.HasPrefix(name, p.Text)
	case suffix:
		return strings.HasSuffix(name, p.Text)
	}
	return Like(p.Text, name)
}

// Like reports whether a name is what a pattern says, in which "*" stands for any
// text, also none. It compares piece by piece: each is taken where it first occurs,
// which leaves the most for what follows.
func Like(glob, name string) bool {
	first, rest, wild := strings.Cut(glob, "*")
	if !wild {
		return glob == name
	}
	name, ok := strings.CutPrefix(name, first)
	for ok {
		piece, more, wild := strings.Cut(rest, "*")
		if !wild {
			return strings.HasSuffix(name, piece)
		}
		_, name, ok = strings.Cut(name, piece)
		rest = more
	}
	return false
}

// anyMatches reports whether a name is meant by one of them; no patterns mean
// every name.
func anyMatches(ps []pattern, name string) bool {
	for i := range ps {
		if ps[i].matches(name) {
			return true
		}
	}
	return len(ps) == 0
}

// anchor is a pattern that means at least the names of p and that an index can
// look up: exact, or a beginning or an end. It is false where p has none.
func (p pattern) anchor() (pattern, bool) {
	if p.Form == glob {
		first, _, _ := strings.Cut(p.Text, "*")
		if first != "" {
			p = pattern{prefix, first}
		} else {
			p = pattern{suffix, p.Text[strings.LastIndexByte(p.Text, '*')+1:]}
		}
	}
	if p.Form != exact && len(p.Text) > maxAnchor {
		if p.Form == prefix {
			p.Text = p.Text[:maxAnchor]
		} else {
			p.Text = p.Text[len(p.Text)-maxAnchor:]
		}
	}
	return p, p.Form == exact || p.Text != ""
}

// both are patterns that mean at least the names which both lists mean. None
// means that there is no such name.
func both(a, b []pattern) []pattern {
	if len(a)*len(b) > maxPatterns {
		return a
	}
	out := []pattern{}
	for _, p := range a {
		for _, q := range b {
			if r, ok := meet(p, q); ok && !slices.Contains(out, r) {
				out = append(out, r)
			}
		}
	}
	return out
}

// meet is a pattern for what two have in common; false where that is nothing.
func meet(p, q pattern) (pattern, bool) {
	switch {
	case p.Form == exact:
		return p, q.matches(p.Text)
	case q.Form == exact:
		return q, p.matches(q.Text)
	case p.Form == q.Form && p.Form != glob:
		if len(p.Text) < len(q.Text) {
			p, q = q, p
		}
		return p, q.matches(p.Text)
	}
	return p, true
}

func sorted(words []string) []string {
	slices.Sort(words)
	return slices.Compact(words)
}
