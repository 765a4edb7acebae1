package session

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
)

// How much text of extensions and servers an agent begins with at most, in
// characters, with the lines around each text.
const (
	// ExtensionText is the most of one extension, its servers included, or of one
	// server that the owner declared.
	ExtensionText = 8_000
	// SessionText is the most of all together.
	SessionText = 16_000
)

// Bound is what a fragment is left out for.
type Bound string

const (
	// ByExtension is ExtensionText: the fragment is too long, or it and those that
	// come before it.
	ByExtension Bound = "extension"
	// BySession is SessionText: others that say less took the room.
	BySession Bound = "session"
)

// speaker is who shares the room with others: an extension, whose servers speak
// from its share, or a server that the owner declared, which is the owner's
// choice and nobody's part.
func (f *Fragment) speaker() string {
	if f.Server && f.Origin.Trust >= ext.Owner {
		return f.Qualified
	}
	return string(f.Extension)
}

// room says of each fragment of s.Prompt what it is left out for; "": it has
// room. Whoever says least is heard first: fragments are taken by what their
// speaker says up to the end of each. So of n speakers each has at least an n-th
// of the room, whatever the others say, and what one does not need is left for
// the others.
func (s *Session) room() []Bound {
	type claim struct{ at, size, sum int }
	out := make([]Bound, len(s.Prompt))
	said := map[string]int{}
	var claims []claim
	for _, i := range s.hearing() {
		f := &s.Prompt[i]
		size, who := f.fenced(), f.speaker()
		if said[who]+size > ExtensionText {
			out[i] = ByExtension
			continue
		}
		said[who] += size
		claims = append(claims, claim{i, size, said[who]})
	}
	slices.SortStableFunc(claims, func(a, b claim) int { return cmp.Compare(a.sum, b.sum) })
	left := SessionText
	for _, c := range claims {
		if c.size > left {
			out[c.at] = BySession
			continue
		}
		left -= c.size
	}
	return out
}

// hearing are the foreign fragments in the order in which each speaker's room is
// given: what can be done comes after all else, so that it costs no rule its place.
func (s *Session) hearing() []int {
	var first, last []int
	for i := range s.Prompt {
		switch f := &s.Prompt[i]; {
		case f.Layer != Extension:
		case f.Affordance:
			last = append(last, i)
		default:
			first = append(first, i)
		}
	}
	return append(first, last...)
}

// boundaryLength is how long a boundary is taken to be, so that what has room
// does not depend on it. It is the length of rand.Text.
const boundaryLength = 26

// fenced is how many characters a foreign fragment takes, with the lines around
// it and the ends of all of them.
func (f *Fragment) fenced() int {
	const own = len(fenceBegins) + len(fenceEnds) + 2*boundaryLength + 5 // line ends, that of the line between two fences included
	return own + len(f.whose()) + len(f.kind()) + utf8.RuneCountInString(f.written()) + utf8.RuneCountInString(f.Value.Text)
}

// LeftOut are the fragments of extensions that there is no room for, in the
// order in which they would be read.
func (s *Session) LeftOut() []Left { return s.left(s.room()) }

func (s *Session) left(room []Bound) []Left {
	var out []Left
	for i, by := range room {
		if by != "" {
			out = append(out, Left{&s.Prompt[i], by})
		}
	}
	return out
}

// Left is a fragment that is left out, and what for.
type Left struct {
	*Fragment
	By Bound
}
