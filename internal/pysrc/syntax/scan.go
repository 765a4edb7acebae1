package syntax

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Outline is what Scan sees.
type Outline struct {
	Fault *Fault // why Python could not read the file, as far as the text tells; nil when it may
	// Classes is how many class statements there are, wherever, before a fault or all.
	Classes int
	// Found says that one of the words is written in code, neither in a string nor in a
	// comment; code within f-strings counts.
	Found bool
	// Imports are the modules of import statements as written (".a", "x.y"), and what is
	// taken out of them (".a.name"), which may be modules as well; in order, mostly once.
	Imports []string
}

// Scan looks through src once. It allocates only for imports. words may be nil.
//
// Besides strings, comments and brackets it knows lines and indentation, as Python's own
// tokenizer does, and what characters may stand in code. What else is wrong with a file
// only Parse tells.
func Scan(src []byte, words *Words) Outline {
	if f := unreadable(src); f != nil {
		return Outline{Fault: f}
	}
	if words == nil {
		words = &noWords
	}
	s := scanner{src: src, words: words}
	s.run()
	return s.Outline
}

// unreadable is what is wrong with the bytes as such.
func unreadable(src []byte) *Fault {
	if len(src) > MaxSize {
		return &Fault{Size, 1, "the file has more than 1 MB"}
	}
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		return &Fault{BOM, 1, "the file begins with a byte order mark"}
	}
	if at := bytes.IndexByte(src, 0); at >= 0 {
		return &Fault{NUL, lineAt(src, at), "a NUL byte"}
	}
	if !utf8.Valid(src) {
		return &Fault{Encoding, lineAt(src, invalidAt(src)), "not UTF-8"}
	}
	return nil
}

func invalidAt(src []byte) int {
	for at := 0; at < len(src); {
		r, n := utf8.DecodeRune(src[at:])
		if r == utf8.RuneError && n <= 1 {
			return at
		}
		at += n
	}
	return len(src)
}

// lineAt is the line of a position. A carriage return ends a line, alone or before a line
// feed.
func lineAt(src []byte, at int) int {
	src = src[:at]
	return 1 + bytes.Count(src, []byte("\n")) + bytes.Count(src, []byte("\r")) - bytes.Count(src, []byte("\r\n"))
}

// Limits of Python's tokenizer.
const (
	maxBrackets = 200
	maxStrings  = 150 // f-strings within each other
	maxIndents  = 100
	// maxColumn is ours: beyond it the grammar's scanner would no longer count right.
	maxColumn = 4000
	// maxJoined, ours too, is how many backslashes of a file may join lines before a
	// statement begins.
	maxJoined = 100
)

// level is an indentation: its width with tabs to every eighth column, and with tabs as
// one. Python wants lines to compare alike by both.
type level struct{ width, tabs int }

// open is a bracket, or the replacement field of an f-string.
type open struct {
	bracket byte
	at      int
	field   bool
	quote   quote // of the f-string that a field is in
	spec    bool  // within the format of the field
	params  bool  // of type parameters
}

type quote struct {
	char        byte
	triple, raw bool
}

type scanner struct {
	Outline
	src   []byte
	words *Words
	pos   int
	// plain is a copy of the text in which the scanner blanks what the grammar need not
	// see, with every other byte where it was; nil where nobody wants it.
	plain []byte

	levels [maxIndents]level
	indent int // the innermost level
	stack  []open
	inline [16]open
	fields int // how many of the stack are fields
	joined int // how many lines were joined before statements

	fresh bool // at the beginning of a statement
	last  byte // the last token of the line, or its last byte; 0 at the beginning
	named uint8
	value int // where the default of a type parameter begins; 0 outside
}

// States of named: how far "class NAME", "def NAME" or "type NAME" was read, for the
// bracket of type parameters.
const (
	unnamed uint8 = iota
	keyword
	nameRead
)

func (s *scanner) fail(code Code, at int, reason string) {
	if s.Fault == nil {
		s.Fault = &Fault{code, lineAt(s.src, at), reason}
	}
	s.pos = len(s.src)
}

func (s *scanner) run() {
	s.stack = s.inline[:0]
	s.line()
	for s.pos < len(s.src) {
		c := s.src[s.pos]
		switch classes[c] {
		case space:
			s.pos++
		case letter:
			s.word()
		case digit:
			s.number()
		case quotes:
			s.text(quote{char: c}, false)
		case operator:
			s.operator(c)
		case opening:
			s.push(open{bracket: c, at: s.pos, params: c == '[' && s.named == nameRead})
			s.pos++
		case closing:
			s.pop(c)
		case hash:
			s.comment()
		case newline:
			s.newline()
		case backslash:
			s.join()
		default:
			s.fail(Syntax, s.pos, "a character that has no meaning in Python: "+codePoint(s.src[s.pos:]))
		}
	}
	s.end()
}

func codePoint(b []byte) string {
	r, _ := utf8.DecodeRune(b)
	return fmt.Sprintf("%U", r)
}

// end is what must hold behind the last character.
func (s *scanner) end() {
	switch {
	case s.Fault != nil:
	case len(s.stack) > 0:
		o := s.stack[len(s.stack)-1]
		s.fail(Syntax, o.at, "a bracket that is never closed")
	case s.last == ':':
		s.fail(Syntax, len(s.src), "an indented block is missing at the end")
	}
}

// word reads an identifier or a keyword.
func (s *scanner) word() {
	start, all := s.pos, byte(0)
	i := start
	for ; i < len(s.src) && wordly[s.src[i]]; i++ {
		all |= s.src[i]
	}
	word := s.src[start:i]
	s.pos = i
	if i < len(s.src) && (s.src[i] == '"' || s.src[i] == '\'') && s.prefixed(word) {
		return
	}
	if all >= utf8.RuneSelf {
		word = s.foreign(word)
	}
	fresh := s.fresh
	s.fresh = false
	s.last = 'a'
	if !s.Found && s.words.has(word) {
		s.Found = true
	}
	s.keyword(word, fresh)
}

// keyword notes what follows from a word.
func (s *scanner) keyword(word []byte, fresh bool) {
	if s.named == keyword {
		s.named = nameRead
		return
	}
	s.named = unnamed
	switch word[0] {
	case 'c': // these four are never names
		if string(word) == "class" {
			s.Classes++
			s.named = keyword
		}
	case 'd':
		if string(word) == "def" {
			s.named = keyword
		}
	case 't':
		if fresh && string(word) == "type" {
			s.named = keyword
		}
	case 'f':
		if fresh && string(word) == "from" {
			s.importFrom()
		}
	case 'i':
		if fresh && string(word) == "import" {
			s.importNames()
		}
	}
}

// foreign checks an identifier that is not ASCII and gives its NFKC form.
func (s *scanner) foreign(word []byte) []byte {
	for _, r := range string(word) {
		if r == '\ufeff' || r == '\u2060' || r == '\u200b' {
			s.fail(Syntax, s.pos, "a character that does not show: "+codePoint([]byte(string(r))))
		}
	}
	return norm.NFKC.Bytes(word)
}

// prefixed reads the string behind a word that is its prefix, and reports whether it is
// one.
func (s *scanner) prefixed(word []byte) bool {
	var q quote
	format, letters := false, byte(0)
	for _, c := range word {
		switch c | 0x20 {
		case 'r':
			q.raw = true
		case 'f', 't':
			format = true
		case 'b', 'u':
		default:
			return false
		}
		letters ^= c | 0x20
	}
	if len(word) > 2 || len(word) == 2 && (!q.raw || letters == 0 || letters == 'r'^'u') {
		s.fail(Syntax, s.pos, "a string with a prefix that there is not")
		return true
	}
	q.char = s.src[s.pos]
	s.text(q, format)
	return true
}

func (s *scanner) number() {
	for s.pos < len(s.src) && (wordly[s.src[s.pos]] || s.src[s.pos] == '.') {
		s.pos++
	}
	s.fresh, s.last, s.named = false, '0', unnamed
}

func (s *scanner) operator(c byte) {
	field := len(s.stack) > 0 && s.stack[len(s.stack)-1].field
	switch {
	case c == '!' && !field && !(s.pos+1 < len(s.src) && s.src[s.pos+1] == '='):
		s.fail(Syntax, s.pos, "a lone exclamation mark")
		return
	case c == ':' && field:
		s.stack[len(s.stack)-1].spec = true
		s.pos++
		s.format()
		return
	case c == ';' && len(s.stack) == 0:
		s.fresh, s.last = true, ';'
		s.pos++
		return
	case c == '=' || c == ',':
		s.parameter(c)
	}
	s.fresh = c == ':' && len(s.stack) == 0
	s.last, s.named = c, unnamed
	s.pos++
}

// parameter notes where the default of a type parameter begins and ends.
func (s *scanner) parameter(c byte) {
	if len(s.stack) == 0 || !s.stack[len(s.stack)-1].params {
		return
	}
	if c == '=' && s.value == 0 {
		s.value = s.pos
	}
	if c != '=' && s.value > 0 {
		s.blank(s.value, s.pos)
		s.value = 0
	}
}

func (s *scanner) push(o open) {
	if len(s.stack) >= maxBrackets {
		s.fail(Depth, s.pos, "too many brackets within each other")
		return
	}
	if o.field {
		if s.fields++; s.fields >= maxStrings {
			s.fail(Depth, s.pos, "too many strings within each other")
			return
		}
	}
	s.stack = append(s.stack, o)
	s.fresh, s.last, s.named = false, o.bracket, unnamed
}

var closes = [256]byte{')': '(', ']': '[', '}': '{'}

func (s *scanner) pop(c byte) {
	if len(s.stack) == 0 {
		s.fail(Syntax, s.pos, "a closing bracket without an opening one")
		return
	}
	o := s.stack[len(s.stack)-1]
	if o.bracket != closes[c] {
		s.fail(Syntax, s.pos, "a closing bracket of another kind than the open one")
		return
	}
	s.parameter(c)
	s.stack = s.stack[:len(s.stack)-1]
	s.pos++
	s.fresh, s.last, s.named = false, c, unnamed
	if !o.field {
		return
	}
	s.fields--
	if n := len(s.stack); n > 0 && s.stack[n-1].spec {
		s.format()
		return
	}
	s.formatted(o.quote)
}

func (s *scanner) comment() {
	rest := s.src[s.pos:]
	n := bytes.IndexByte(rest, '\n')
	if n < 0 {
		n = len(rest)
	}
	if r := bytes.IndexByte(rest[:n], '\r'); r >= 0 {
		n = r
	}
	s.blank(s.pos, s.pos+n)
	s.pos += n
}

// blank takes a part of the text, but not the ends of its lines, from the grammar.
func (s *scanner) blank(start, end int) {
	for at := start; s.plain != nil && at < end; at++ {
		if s.plain[at] != '\n' && s.plain[at] != '\r' {
			s.plain[at] = ' '
		}
	}
}
