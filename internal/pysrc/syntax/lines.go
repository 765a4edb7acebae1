package syntax

// newline ends a line, which is the end of a statement outside brackets.
func (s *scanner) newline() {
	start := s.pos
	s.eol()
	if len(s.stack) == 0 {
		s.line()
		return
	}
	for at := start; s.plain != nil && at < s.pos; at++ {
		s.plain[at] = ' '
	}
}

// eol steps over the end of a line.
func (s *scanner) eol() {
	if s.src[s.pos] == '\r' {
		if s.pos+1 < len(s.src) && s.src[s.pos+1] == '\n' {
			s.pos++
		} else if s.plain != nil {
			s.plain[s.pos] = '\n'
		}
	}
	s.pos++
}

// join steps over a backslash that joins two lines. The grammar takes many times as long
// for one as for a blank, and does not stop between them when it is asked to, so that it
// sees blanks; but not where a statement begins, where blanks would be its indentation.
func (s *scanner) join() {
	start := s.pos
	s.pos++
	if s.pos >= len(s.src) || s.src[s.pos] != '\n' && s.src[s.pos] != '\r' {
		s.fail(Syntax, min(s.pos, len(s.src)), "something behind a backslash that joins lines")
		return
	}
	s.eol()
	if s.pos >= len(s.src) {
		s.fail(Syntax, s.pos, "the file ends behind a backslash")
		return
	}
	if s.last == 0 {
		if s.joined++; s.joined > maxJoined {
			s.fail(Effort, start, "too many joined lines before a statement")
		}
		return
	}
	for at := start; s.plain != nil && at < s.pos; at++ {
		s.plain[at] = ' '
	}
}

// line begins a line outside brackets: blank lines and comments are passed over, and the
// indentation of the next statement is compared with what is open.
func (s *scanner) line() {
	at, opens := s.pos, s.last == ':'
	for {
		l := s.indentation()
		switch {
		case s.pos >= len(s.src):
			return // blocks end where the file does; s.last still tells one that is missing
		case s.src[s.pos] == '#':
			s.comment()
			if s.pos < len(s.src) {
				s.eol()
			}
			continue
		case s.src[s.pos] == '\n' || s.src[s.pos] == '\r':
			s.eol()
			continue
		}
		s.nest(l, opens, at)
		s.fresh, s.last, s.named = true, 0, unnamed
		return
	}
}

// indentation reads blanks.
func (s *scanner) indentation() (l level) {
	for ; s.pos < len(s.src); s.pos++ {
		switch s.src[s.pos] {
		case ' ':
			l.width++
			l.tabs++
		case '\t':
			l.width = (l.width/8 + 1) * 8
			l.tabs++
		case '\f':
			l = level{}
		default:
			return l
		}
	}
	return l
}

// nest enters or leaves blocks.
func (s *scanner) nest(l level, opens bool, at int) {
	const mixed = "tabs and spaces are mixed so that the indentation is ambiguous"
	now := s.levels[s.indent]
	if (l.width > now.width) != (l.tabs > now.tabs) || (l.width == now.width) != (l.tabs == now.tabs) {
		s.fail(Syntax, s.pos, mixed)
		return
	}
	switch {
	case l.width > maxColumn:
		s.fail(Depth, s.pos, "a line is indented too far")
	case l.width > now.width && !opens:
		s.fail(Syntax, s.pos, "a line is indented for no reason")
	case l.width <= now.width && opens:
		s.fail(Syntax, at, "an indented block is missing")
	case l.width > now.width && s.indent+1 == maxIndents:
		s.fail(Depth, s.pos, "too many blocks within each other")
	case l.width > now.width:
		s.indent++
		s.levels[s.indent] = l
	}
	for s.Fault == nil && l.width < s.levels[s.indent].width {
		s.indent--
		if now = s.levels[s.indent]; l.width > now.width {
			s.fail(Syntax, s.pos, "a line ends a block and is indented like none around it")
		} else if l.width == now.width && l.tabs != now.tabs {
			s.fail(Syntax, s.pos, mixed)
		}
	}
}
