package rpc

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"strings"
)

// scanner walks over JSON. It takes what any reader takes, and leniently what
// has a clear meaning where strictness would lose a message: repeated keys and
// half characters deep inside.
type scanner struct {
	b     []byte
	at    int
	depth int
}

// maxDepth is how many values may lie within each other.
const maxDepth = 10_000

var errSyntax = errors.New("not JSON")

func (s *scanner) space() {
	for s.at < len(s.b) {
		switch s.b[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

// peek is the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.b) {
		return s.b[s.at]
	}
	return 0
}

// note notes where the next value lies.
func (s *scanner) note(at *Span) error {
	if at.There() {
		return errRepeated
	}
	from := s.at
	err := s.value()
	*at = Span{from, s.at}
	return err
}

// null is where a scalar lies that is null, which is not there, and may not come again.
var null = Span{From: -1, To: -1}

// scalar is note for what must be a string or a number; null counts as not
// there.
func (s *scanner) scalar(at *Span) error {
	if *at != (Span{}) {
		return errRepeated
	}
	switch c := s.peek(); {
	case c == 'n':
		*at = null
		return s.value()
	case c == '"' || c == '-' || '0' <= c && c <= '9':
		return s.note(at)
	}
	return ErrNoMessage
}

// other passes over the value of a key that is not looked at. It must not be one of
// known in other letter cases.
func (s *scanner) other(key []byte, known []string) error {
	for _, k := range known {
		if len(key) == len(k) && string(key) == k {
			break
		}
		if mayFold(key, k) && strings.EqualFold(string(key), k) {
			return errRepeated
		}
	}
	return s.value()
}

// mayFold spares nearly all keys a comparison: letters of other scripts that fold to
// one of ASCII take more bytes.
func mayFold(key []byte, k string) bool {
	return len(key) >= len(k) && len(key) <= 3*len(k) && len(key) > 0 && (key[0]|0x20 == k[0]|0x20 || key[0] >= 0x80)
}

// inside is object for what need not be one, and is passed over then.
func (s *scanner) inside(member func(key []byte) error) error {
	if s.peek() != '{' {
		return s.value()
	}
	return s.object(member)
}

// object reads an object. member must read the value, which comes next.
func (s *scanner) object(member func(key []byte) error) error {
	if s.peek() != '{' {
		return errSyntax
	}
	s.at++
	if s.space(); s.peek() == '}' {
		s.at++
		return nil
	}
	for {
		from := s.at
		plain, err := s.text()
		if err != nil {
			return err
		}
		key := s.b[from+1 : s.at-1]
		if !plain {
			word, _ := Text(s.b[from:s.at])
			key = []byte(word)
		}
		if s.space(); s.peek() != ':' {
			return errSyntax
		}
		s.at++
		s.space()
		if err := member(key); err != nil {
			return err
		}
		if more, err := s.more('}'); !more {
			return err
		}
	}
}

// more reads what follows a value in an object or an array.
func (s *scanner) more(end byte) (bool, error) {
	s.space()
	switch s.peek() {
	case end:
		s.at++
		return false, nil
	case ',':
		s.at++
		s.space()
		return true, nil
	}
	return false, errSyntax
}

// value passes over the next value.
func (s *scanner) value() error {
	switch c := s.peek(); {
	case c == '"':
		_, err := s.text()
		return err
	case c == '{' || c == '[':
		if s.depth++; s.depth > maxDepth {
			return errSyntax
		}
		err := s.within(c)
		s.depth--
		return err
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	}
	return s.number()
}

func (s *scanner) within(c byte) error {
	if c == '{' {
		return s.object(func([]byte) error { return s.value() })
	}
	s.at++
	if s.space(); s.peek() == ']' {
		s.at++
		return nil
	}
	for {
		if err := s.value(); err != nil {
			return err
		}
		if more, err := s.more(']'); !more {
			return err
		}
	}
}

func (s *scanner) word(w string) error {
	if len(s.b)-s.at < len(w) || string(s.b[s.at:s.at+len(w)]) != w {
		return errSyntax
	}
	s.at += len(w)
	return nil
}

func (s *scanner) number() error {
	if s.peek() == '-' {
		s.at++
	}
	if s.peek() == '0' {
		s.at++
	} else if !s.digits() {
		return errSyntax
	}
	if s.peek() == '.' {
		if s.at++; !s.digits() {
			return errSyntax
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		if !s.digits() {
			return errSyntax
		}
	}
	return nil
}

func (s *scanner) digits() bool {
	from := s.at
	for '0' <= s.peek() && s.peek() <= '9' {
		s.at++
	}
	return s.at > from
}

// text passes over a string, and reports whether it stands for itself: it has
// no escapes.
func (s *scanner) text() (plain bool, err error) {
	if s.peek() != '"' {
		return false, errSyntax
	}
	plain = true
	for s.at++; ; {
		s.letters()
		switch c := s.peek(); {
		case c == '"':
			s.at++
			return plain, nil
		case c != '\\' || s.at+1 >= len(s.b):
			return false, errSyntax
		}
		plain = false
		if err := s.escape(); err != nil {
			return false, err
		}
	}
}

func (s *scanner) escape() error {
	s.at++
	switch s.b[s.at] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.at++
		return nil
	case 'u':
		if len(s.b)-s.at < 5 {
			return errSyntax
		}
		for _, c := range s.b[s.at+1 : s.at+5] {
			if ('0' > c || c > '9') && ('a' > c|0x20 || c|0x20 > 'f') {
				return errSyntax
			}
		}
		s.at += 5
		return nil
	}
	return errSyntax
}

// letters passes over what stands for itself in a string, eight bytes at a
// time. Of a word's bytes the highest bit is found set in the first one that is
// below a space, a quote or a backslash.
func (s *scanner) letters() {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for len(s.b)-s.at >= 8 {
		w := binary.LittleEndian.Uint64(s.b[s.at:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		found := ((w-ones*' ')&^w | (quote-ones)&^quote | (slash-ones)&^slash) & highs
		if found != 0 {
			s.at += bits.TrailingZeros64(found) / 8
			return
		}
		s.at += 8
	}
	for s.at < len(s.b) && s.b[s.at] >= ' ' && s.b[s.at] != '"' && s.b[s.at] != '\\' {
		s.at++
	}
}
