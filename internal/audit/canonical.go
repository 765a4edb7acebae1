package audit

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// canon reads valid JSON and writes it canonically.
type canon struct {
	in    []byte
	i     int
	depth int // of objects; each copies its values once to sort them
}

// member is one of an object: its canonical value lies in a buffer beside.
type member struct {
	key      string
	from, to int
}

func (c *canon) space() {
	for c.i < len(c.in) {
		switch c.in[c.i] {
		case ' ', '\t', '\r', '\n':
			c.i++
		default:
			return
		}
	}
}

// value appends the value at hand, which begins where c stands.
func (c *canon) value(out []byte) []byte {
	switch c.in[c.i] {
	case '{':
		if c.depth == depthMax {
			return append(out, c.skip()...)
		}
		ms, values := c.members()
		return appendObject(out, ms, values)
	case '[':
		return c.array(out)
	case '"':
		span := c.string()
		if bytes.IndexByte(span, '\\') < 0 && utf8.Valid(span) {
			return append(out, span...) // spelled so already
		}
		return appendText(out, unescape(span))
	default:
		return append(out, c.literal()...)
	}
}

// members reads an object. They are sorted by name; those of one name stay in
// their order.
func (c *canon) members() (ms []member, values []byte) {
	ms, values = make([]member, 0, 8), make([]byte, 0, 64)
	c.depth++
	c.i++ // {
	for {
		c.space()
		switch c.in[c.i] {
		case '}':
			c.i++
			c.depth--
			slices.SortStableFunc(ms, func(a, b member) int { return strings.Compare(a.key, b.key) })
			return ms, values
		case ',':
			c.i++
			continue
		}
		m := member{key: unescape(c.string())}
		c.space()
		c.i++ // :
		c.space()
		m.from = len(values)
		values = c.value(values)
		m.to = len(values)
		ms = append(ms, m)
	}
}

func appendObject(out []byte, ms []member, values []byte) []byte {
	out = append(out, '{')
	for i, m := range ms {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(appendText(out, m.key), ':')
		out = append(out, values[m.from:m.to]...)
	}
	return append(out, '}')
}

// array nests as deep as json.Valid lets it; its values are not copied again.
func (c *canon) array(out []byte) []byte {
	c.i++ // [
	out = append(out, '[')
	for {
		c.space()
		switch c.in[c.i] {
		case ']':
			c.i++
			return append(out, ']')
		case ',':
			c.i++
			out = append(out, ',')
		default:
			out = c.value(out)
		}
	}
}

// unescape is the text that a string with its quotes stands for.
func unescape(span []byte) string {
	if bytes.IndexByte(span, '\\') < 0 {
		return string(span[1 : len(span)-1])
	}
	var s string
	_ = json.Unmarshal(span, &s) // it is valid
	return s
}

// string is the string at hand with its quotes.
func (c *canon) string() []byte {
	from := c.i
	for c.i++; c.in[c.i] != '"'; c.i++ {
		if c.in[c.i] == '\\' {
			c.i++
		}
	}
	c.i++
	return c.in[from:c.i]
}

func (c *canon) literal() []byte {
	from := c.i
	for ; c.i < len(c.in); c.i++ {
		switch c.in[c.i] {
		case ',', ']', '}', ' ', '\t', '\r', '\n':
			return c.in[from:c.i]
		}
	}
	return c.in[from:]
}

// skip is the object at hand as it came.
func (c *canon) skip() []byte {
	from, open := c.i, 0
	for {
		switch c.in[c.i] {
		case '"':
			c.string()
			continue
		case '{', '[':
			open++
		case '}', ']':
			open--
		}
		c.i++
		if open == 0 {
			return c.in[from:c.i]
		}
	}
}
