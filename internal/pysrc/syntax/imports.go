package syntax

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// importFrom notes the module of "from MODULE import A as B, C", and what is taken out of
// it. The scanner itself stays where it is.
func (s *scanner) importFrom() {
	start, end := s.dotted(s.pos)
	s.note("", start, end)
	module := norm.NFKC.String(string(s.src[start:end]))
	if !strings.HasSuffix(module, ".") {
		module += "."
	}
	start, at := s.dotted(end)
	if string(s.src[start:at]) != "import" {
		return
	}
	inside := false
	if at = s.blanks(at, false); at < len(s.src) && s.src[at] == '(' {
		inside = true
		at++
	}
	for {
		start, end := s.dotted(s.blanks(at, inside))
		s.note(module, start, end)
		at = s.blanks(end, inside)
		if alias, after := s.dotted(at); string(s.src[alias:after]) == "as" {
			_, at = s.dotted(s.blanks(after, inside))
			at = s.blanks(at, inside)
		}
		if start == end || at >= len(s.src) || s.src[at] != ',' {
			return
		}
		at++
	}
}

// importNames notes the modules of "import A.B as C, D".
func (s *scanner) importNames() {
	at := s.pos
	for {
		start, end := s.dotted(at)
		s.note("", start, end)
		at = s.blanks(end, false)
		if alias, after := s.dotted(at); string(s.src[alias:after]) == "as" {
			_, at = s.dotted(after)
			at = s.blanks(at, false)
		}
		if start == end || at >= len(s.src) || s.src[at] != ',' {
			return
		}
		at++
	}
}

// blanks is where something stands again; within brackets, lines and comments count as
// blanks.
func (s *scanner) blanks(at int, inside bool) int {
	for ; at < len(s.src); at++ {
		switch c := s.src[at]; {
		case c == ' ' || c == '\t':
		case inside && (c == '\n' || c == '\r'):
		case inside && c == '#':
			for at+1 < len(s.src) && s.src[at+1] != '\n' {
				at++
			}
		default:
			return at
		}
	}
	return at
}

// dotted is where the dotted name stands that follows a position.
func (s *scanner) dotted(at int) (start, end int) {
	at = s.blanks(at, false)
	start = at
	for at < len(s.src) && (wordly[s.src[at]] || s.src[at] == '.') {
		at++
	}
	return start, at
}

func (s *scanner) note(module string, start, end int) {
	if start == end {
		return
	}
	name := module + norm.NFKC.String(string(s.src[start:end]))
	if !slices.Contains(s.Imports[max(0, len(s.Imports)-64):], name) {
		s.Imports = append(s.Imports, name)
	}
}
