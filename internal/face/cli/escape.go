package cli

import (
	"strings"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
)

// safe escapes what does not show and leaves the rest alone: for messages,
// whose foreign parts have been escaped before. Joined errors come on one line.
func safe(s string) string {
	s = strings.ReplaceAll(s, "\n", "; ")
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n <= 1 || ext.Hidden(r) {
			b.WriteString(ext.Escape(s[:n]))
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// line is foreign text on one line: line ends and blanks as one blank each, the
// rest escaped.
func line(s string) string {
	return ext.Escape(strings.Join(strings.FieldsFunc(s, blank), " "))
}

func blank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }

// word is a name as a shell takes it for one word, escaped.
func word(s string) string {
	s = ext.Escape(s)
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func special(r rune) bool {
	return r > '~' || !strings.ContainsRune("-_./:@%+=,", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}
