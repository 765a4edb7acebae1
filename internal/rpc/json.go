package rpc

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Number is the whole number that a scalar spells, in whatever way: a server
// may answer 7 with 7.0. It reports false for anything else.
func Number(raw []byte) (uint64, bool) {
	if n, err := strconv.ParseUint(string(raw), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f < 0 || f > 1<<53 || f != float64(uint64(f)) {
		return 0, false
	}
	return uint64(f), true
}

// OneLine is raw without line ends. In JSON those can stand between tokens
// only, so a space does as well.
func OneLine(raw []byte) []byte {
	if bytes.IndexByte(raw, '\n') < 0 && bytes.IndexByte(raw, '\r') < 0 {
		return raw
	}
	return bytes.ReplaceAll(bytes.ReplaceAll(raw, []byte("\n"), []byte(" ")), []byte("\r"), []byte(" "))
}

// Legible is raw as UTF-8: what is none of it becomes the replacement
// character. The message around it is then still a message.
func Legible(raw []byte) []byte {
	if utf8.Valid(raw) {
		return raw
	}
	return bytes.ToValidUTF8(raw, []byte("\uFFFD"))
}

// MaxBatch is how many messages one batch may hold. A message in it takes more
// room than its bytes do.
const MaxBatch = 10_000

// Unbatch is the messages of a batch, as older servers send them, or raw alone
// when it is none.
func Unbatch(raw []byte) ([][]byte, error) {
	s := scanner{b: raw}
	if s.space(); s.peek() != '[' {
		return [][]byte{raw}, nil
	}
	items, err := Elements(raw, MaxBatch)
	if err == nil && len(items) == 0 {
		err = ErrNoMessage
	}
	return items, err
}

// ErrTooMany is for a list of more elements than may be.
var ErrTooMany = errors.New("more than are taken in")

// Elements is the exact bytes of each element of the array raw, as parts of
// it. Those beyond so many are left, which is ErrTooMany.
func Elements(raw []byte, most int) ([][]byte, error) {
	s := scanner{b: raw}
	if s.space(); s.peek() != '[' {
		return nil, ErrNoMessage
	}
	s.at++
	s.space()
	var out [][]byte
	for more := s.peek() != ']'; more; {
		if len(out) == most {
			return out, ErrTooMany
		}
		var at Span
		if err := s.note(&at); err != nil {
			return nil, err
		}
		out = append(out, raw[at.From:at.To:at.To])
		var err error
		if more, err = s.more(']'); err != nil {
			return nil, err
		}
	}
	if len(out) == 0 {
		s.at++
	}
	if s.space(); s.at != len(raw) {
		return nil, ErrNoMessage
	}
	return out, nil
}

// Members is the exact bytes of the named members of the object raw; the last
// one counts where a name is repeated. Members that are null are left out.
func Members(raw []byte, names ...string) (map[string][]byte, error) {
	s := scanner{b: raw}
	out := make(map[string][]byte, len(names))
	s.space()
	err := s.object(func(key []byte) error {
		var at Span
		if err := s.note(&at); err != nil {
			return err
		}
		for _, n := range names {
			if n == string(key) && raw[at.From] != 'n' {
				out[n] = raw[at.From:at.To:at.To]
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("not an object: %w", err)
	}
	return out, nil
}

// Each calls member for each member of the object raw, with its name and the
// exact bytes of its value, in their order. It stops at the first error.
func Each(raw []byte, member func(name string, value []byte) error) error {
	s := scanner{b: raw}
	s.space()
	return s.object(func(key []byte) error {
		name := string(key)
		var at Span
		if err := s.note(&at); err != nil {
			return err
		}
		return member(name, raw[at.From:at.To:at.To])
	})
}

// IsObject reports whether raw is one JSON object.
func IsObject(raw []byte) bool {
	s := scanner{b: raw}
	s.space()
	err := s.object(func([]byte) error { return s.value() })
	s.space()
	return err == nil && s.at == len(raw)
}

// Text is the string that raw spells; it reports false for anything else.
func Text(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	s, err := jsontext.AppendUnquote(nil, raw)
	if err != nil && len(s) == 0 {
		return "", false
	}
	return string(s), true
}

// Quote is s as JSON.
func Quote(s string) []byte {
	out, err := jsontext.AppendQuote(nil, Legible([]byte(s)))
	if err != nil {
		return []byte(`""`) // legible text can always be quoted
	}
	return out
}

// At is the exact bytes of what lies at a path of members of the object raw; nil when
// nothing does, or null.
func At(raw []byte, path ...string) []byte {
	for _, name := range path {
		members, err := Members(raw, name)
		if err != nil || members[name] == nil {
			return nil
		}
		raw = members[name]
	}
	return raw
}
