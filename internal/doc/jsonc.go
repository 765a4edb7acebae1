package doc

import (
	"bytes"

	"github.com/mortise-dev/mortise/ext"
)

// Lax is what a reader of JSON takes beside JSON, as the client does that the
// file is for. The zero value is JSON alone.
type Lax uint8

const (
	// Comments run from // to the end of the line, or from /* to */.
	Comments Lax = 1 << iota
	// Commas may follow the last element of an object or an array, one each.
	Commas
)

// JSONC is JSON with what lax allows. That is read as if blanks stood there, so
// that every line is exact; Raw of a node has the blanks.
func JSONC(o ext.Origin, data []byte, lax Lax) (ext.Doc, ext.Findings) {
	if lax == 0 {
		return JSON(o, data)
	}
	plain, open := blanked(data, lax)
	if open >= 0 {
		_, found := Text(o, data)
		if !found.Failed() {
			f := JSONSyntax.At(o.At(o.Path, 1+breaks(data[:open])), "the comment that begins here does not end")
			found.Add(f.With("Close it with */."))
		}
		return ext.Doc{}, found
	}
	return JSON(o, plain)
}

// blanked is data with blanks for what lax allows, byte for byte and with its
// line ends; data itself when there is nothing of it. open is where a comment
// begins that does not end, -1 when each does.
func blanked(data []byte, lax Lax) (out []byte, open int) {
	b := blanker{in: data, out: data, comma: -1}
	for b.at < len(b.in) {
		switch c := b.in[b.at]; {
		case c == '/' && lax&Comments != 0:
			n := b.comment()
			if b.at+n > len(b.in) {
				return nil, b.at
			}
			b.blank(b.at, b.at+n)
			b.at += max(n, 1)
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			b.at++
		case c == '"':
			b.text()
			b.comma, b.done = -1, true
		case c == ',' && lax&Commas != 0 && b.done:
			b.comma, b.done = b.at, false
			b.at++
		case (c == '}' || c == ']') && b.comma >= 0:
			b.blank(b.comma, b.comma+1)
			b.comma, b.done = -1, true
			b.at++
		default:
			b.comma, b.done = -1, c != ',' && c != ':' && c != '{' && c != '['
			b.at++
		}
	}
	return b.out, -1
}

// blanker goes through a text once.
type blanker struct {
	in, out []byte // out is in until something is blanked
	at      int
	comma   int  // a comma that nothing followed yet, -1 for none
	done    bool // an element just ended, so that a comma may follow
}

// text goes past a string, or to the end of the line where it does not end.
func (b *blanker) text() {
	for b.at++; b.at < len(b.in); b.at++ {
		switch b.in[b.at] {
		case '\\':
			b.at++
		case '"':
			b.at++
			return
		case '\n':
			return
		}
	}
}

// comment is how long the comment is that begins here, 0 when none does. One
// that does not end is longer than what is left.
func (b *blanker) comment() int {
	rest := b.in[b.at:]
	switch {
	case bytes.HasPrefix(rest, []byte("//")):
		if end := bytes.IndexAny(rest, "\r\n"); end >= 0 {
			return end
		}
		return len(rest)
	case bytes.HasPrefix(rest, []byte("/*")):
		if end := bytes.Index(rest[2:], []byte("*/")); end >= 0 {
			return end + 4
		}
		return len(rest) + 1
	}
	return 0
}

// blank puts blanks over a part, but for its line ends.
func (b *blanker) blank(from, to int) {
	if from < to && &b.out[0] == &b.in[0] {
		b.out = bytes.Clone(b.in)
	}
	for i := from; i < to; i++ {
		if c := b.out[i]; c != '\n' && c != '\r' {
			b.out[i] = ' '
		}
	}
}
