package ext

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape makes foreign text safe to print on one line: control characters,
// escape sequences, line ends, bidirectional controls, Unicode tags and other
// invisible characters, and bytes that are not UTF-8 come out as backslash
// escapes. Visible text in any script is kept as it is.
func Escape(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n <= 1:
			b.WriteString(`\x`)
			b.WriteString(strconv.FormatUint(uint64(s[0])|0x100, 16)[1:])
		case r == '\\':
			b.WriteString(`\\`)
		case Hidden(r):
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == '\\' {
			return false
		}
	}
	return true
}

// Hidden reports whether r shows nothing of its own on a terminal or changes
// how its neighbours look: controls, format characters, separators other than
// the space, private-use and unassigned code points.
func Hidden(r rune) bool {
	switch r {
	case ' ', '\ufe0e', '\ufe0f': // the text and emoji presentation of the character before
		return false
	case '\u2028', '\u2029':
		return true
	}
	return !unicode.IsGraphic(r) || unicode.Is(unicode.Variation_Selector, r) ||
		unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// EscapeText is Escape for text of several lines: line feeds and tabs stay,
// and a carriage return before a line feed is dropped.
func EscapeText(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, line := range lines {
		cells := strings.Split(line, "\t")
		for j := range cells {
			cells[j] = Escape(cells[j])
		}
		lines[i] = strings.Join(cells, "\t")
	}
	return strings.Join(lines, "\n")
}

// Quote is s, escaped, in double quotes. Use it for foreign text in messages.
func Quote(s string) string { return `"` + strings.ReplaceAll(Escape(s), `"`, `\"`) + `"` }

// Shorten cuts s to at most n characters, the last being an ellipsis when
// something was cut.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	count := 0
	cut := 0
	for i := range s {
		if count == n-1 {
			cut = i
		}
		if count == n {
			return s[:cut] + "…"
		}
		count++
	}
	return s
}
