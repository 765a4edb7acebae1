package scaffold

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// quoted is a text between double quotes as Python and YAML of every version write it, in
// one line. What does not show is escaped.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		default:
			escaped(&b, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// docstring is a text as Python writes it before the body of a class. Its lines are lines
// there too; quotes are escaped where they would end it.
func docstring(s string) string {
	var b strings.Builder
	b.WriteString(`"""`)
	for i, r := range s {
		switch {
		case r == '\\', r == '"' && (i+1 == len(s) || s[i+1] == '"'):
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteByte('\n')
		default:
			escaped(&b, r)
		}
	}
	b.WriteString(`"""`)
	return b.String()
}

// escaped writes a character, as its number where it does not show. Python and YAML have
// the same three ways for that.
func escaped(b *strings.Builder, r rune) {
	switch {
	case !ext.Hidden(r):
		b.WriteRune(r)
	case r <= 0xff:
		fmt.Fprintf(b, `\x%02x`, r)
	case r <= 0xffff:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}
