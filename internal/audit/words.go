package audit

import "bytes"

// A word is what a block of a segment is found by: the letter of a field, and
// the value that stands behind its name, as it is spelled there, with the quote
// that ends it. It is taken from wherever a line has the name of the field, also
// where that is no field of the record: what a query looks for in a line before
// it decodes it is then always a beginning of one of the line's words.

// field is a field that blocks are found by.
type field struct {
	letter byte
	before []byte // what stands before its value
	most   int    // how much of the value is in a word
}

// fields are those that a query can name. Of an id, which few lines share, as much
// is kept as tells a million of them apart.
var fields = [...]field{
	{'t', []byte(`"tool":"`), 64},
	{'s', []byte(`"session":"`), 64},
	{'k', []byte(`"kind":"`), 64},
	{'o', []byte(`"outcome":"`), 64},
	{'i', []byte(`"id":"`), 10},
}

// word is the word of a value, or of the beginning of one.
func (f *field) word(b, value []byte) []byte {
	return append(append(b[:0], f.letter), value[:min(len(value), f.most)]...)
}

// eachWord calls use with the words of a line; each is valid until the next.
func eachWord(line []byte, use func(word []byte)) {
	var buf [1 + 64]byte
	for i := range fields {
		f := &fields[i]
		for rest := line; ; {
			at := bytes.Index(rest, f.before)
			if at < 0 {
				break
			}
			rest = rest[at+len(f.before):]
			use(f.word(buf[:], rest[:valueEnd(rest)]))
		}
	}
}

// valueEnd is where a text in JSON ends, behind its quote, or the end of a line
// that has none.
func valueEnd(b []byte) int {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(b)
}

// words are beginnings of words that every line has which is asked for. None if
// that says nothing of which lines are.
func (m *matcher) words() (words []string) {
	for _, n := range m.needles {
		for i := range fields {
			if value, ok := bytes.CutPrefix(n, fields[i].before); ok {
				words = append(words, string(fields[i].word(nil, value)))
			}
		}
	}
	return words
}
