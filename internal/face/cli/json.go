package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
)

// document writes v as the one JSON document of a command. What does not show
// comes as \u escapes, which mean the same to a reader of JSON and nothing to a
// terminal.
func (c *call) document(v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	c.out.Write(visible(b.Bytes()))
	return nil
}

// visible replaces the characters of a JSON document that do not show. They
// can only stand in its strings.
func visible(doc []byte) []byte {
	out := make([]byte, 0, len(doc))
	for len(doc) > 0 {
		if plain := ascii(doc); plain > 0 {
			out, doc = append(out, doc[:plain]...), doc[plain:]
			continue
		}
		r, n := utf8.DecodeRune(doc)
		switch {
		case r == '\n' || !ext.Hidden(r):
			out = append(out, doc[:n]...)
		case r >= 0x10000:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		doc = doc[n:]
	}
	return out
}

// ascii is how many characters of ASCII that show, blanks and line ends doc begins
// with: nearly all of most documents.
func ascii(doc []byte) int {
	for i, c := range doc {
		if (c < ' ' || c > '~') && c != '\n' {
			return i
		}
	}
	return len(doc)
}
