package syntax

import "bytes"

// text reads a string from its opening quote.
func (s *scanner) text(q quote, format bool) {
	s.fresh, s.named, s.last = false, unnamed, '"'
	start := s.pos
	s.pos++
	if s.pos+1 < len(s.src) && s.src[s.pos] == q.char && s.src[s.pos+1] == q.char {
		q.triple = true
		s.pos += 2
	}
	switch {
	case format:
		s.formatted(q)
	case q.triple:
		s.long(q, start)
	default:
		s.short(q, start)
	}
}

// short reads the rest of a string of one line.
func (s *scanner) short(q quote, start int) {
	for i := s.pos; i < len(s.src); i++ {
		switch s.src[i] {
		case q.char:
			s.pos = i + 1
			return
		case '\\':
			if i++; i < len(s.src) && s.src[i] == '\r' {
				s.pos = i
				s.eol()
				i = s.pos - 1
			}
		case '\n', '\r':
			s.fail(Syntax, start, "a string that is not closed in its line")
			return
		}
	}
	s.fail(Syntax, start, "a string that is never closed")
}

// long reads the rest of a string in three quotes.
func (s *scanner) long(q quote, start int) {
	from := s.pos
	for {
		n := bytes.IndexByte(s.src[s.pos:], q.char)
		if n < 0 {
			s.fail(Syntax, start, "a string that is never closed")
			return
		}
		at := s.pos + n
		s.pos = at + 1
		if escaped(s.src[from:at]) {
			from = s.pos
			continue
		}
		if at+2 < len(s.src) && s.src[at+1] == q.char && s.src[at+2] == q.char {
			s.pos = at + 3
			s.carriage(start)
			return
		}
	}
}

// carriage makes carriage returns that end a line alone plain, from a position on.
func (s *scanner) carriage(from int) {
	for at := from; s.plain != nil && at < s.pos; at++ {
		n := bytes.IndexByte(s.src[at:s.pos], '\r')
		if n < 0 {
			return
		}
		if at += n; at+1 >= len(s.src) || s.src[at+1] != '\n' {
			s.plain[at] = '\n'
		}
	}
}

// escaped reports whether what follows text is behind an odd number of backslashes.
func escaped(text []byte) bool {
	n := 0
	for n < len(text) && text[len(text)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// formatted reads the text of an f-string up to its end, or to a field, which is code.
func (s *scanner) formatted(q quote) {
	start := s.pos
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch {
		case c == q.char:
			if s.ends(q) {
				s.last = '"'
				return
			}
		case c == '\\':
			s.escape(q)
		case c == '{' && s.pos+1 < len(s.src) && s.src[s.pos+1] == '{':
			s.pos += 2
		case c == '{':
			s.field(q)
			return
		case c == '}' && s.pos+1 < len(s.src) && s.src[s.pos+1] == '}':
			s.pos += 2
		case c == '}':
			s.fail(Syntax, s.pos, "a single closing brace in an f-string")
			return
		case (c == '\n' || c == '\r') && !q.triple:
			s.fail(Syntax, start, "a string that is not closed in its line")
			return
		case c == '\r':
			s.eol()
		default:
			s.pos++
		}
	}
	s.fail(Syntax, start, "a string that is never closed")
}

// ends steps over a quote, and reports whether it is the end of the string.
func (s *scanner) ends(q quote) bool {
	if !q.triple {
		s.pos++
		return true
	}
	if s.pos+2 < len(s.src) && s.src[s.pos+1] == q.char && s.src[s.pos+2] == q.char {
		s.pos += 3
		return true
	}
	s.pos++
	return false
}

// escape steps over a backslash in an f-string and what belongs to it.
func (s *scanner) escape(q quote) {
	rest := s.src[s.pos+1:]
	switch {
	case len(rest) == 0:
		s.pos++
	case rest[0] == '\r':
		s.pos++
		s.eol()
	case rest[0] == '\\' || rest[0] == '\n' || rest[0] == q.char:
		s.pos += 2
	case !q.raw && rest[0] == 'N' && len(rest) > 1 && rest[1] == '{':
		s.pos += 3
		if n := bytes.IndexAny(s.src[s.pos:min(len(s.src), s.pos+128)], "}\n\""); n >= 0 && s.src[s.pos+n] == '}' {
			s.pos += n + 1
		}
	default:
		s.pos++
	}
}

// field enters the replacement field at the position.
func (s *scanner) field(q quote) {
	s.push(open{bracket: '{', at: s.pos, field: true, quote: q})
	s.pos = min(s.pos+1, len(s.src))
}

// format reads the format of a field, which is text with fields of its own, up to the
// brace that ends it or to a field.
func (s *scanner) format() {
	q := s.stack[len(s.stack)-1].quote
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == '{':
			s.field(q)
			return
		case c == '}':
			s.pop('}')
			return
		case (c == '\n' || c == '\r') && !q.triple, c == q.char && !q.triple:
			s.fail(Syntax, s.pos, "a string that ends within the format of a field")
			return
		case c == '\r':
			s.eol()
		default:
			s.pos++
		}
	}
	s.end()
}
