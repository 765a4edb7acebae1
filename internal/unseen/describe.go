package unseen

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
)

// describe says what the character at s[at:] is. Of tags, and of selectors that
// select nothing, it says what they spell, for that is what an agent reads.
func describe(s string, at int) string {
	r, n := utf8.DecodeRuneInString(s[at:])
	what := fmt.Sprintf("%U, %s", r, nameOf(r))
	if text := spelled(s[at:]); text != "" && (isTag(r) || judge(s, at, r, n) == refused) {
		what += " of those that spell " + ext.Quote(text)
	}
	if before, _ := utf8.DecodeLastRuneInString(s[:at]); isTag(r) && before == blackFlag {
		what += " after the emoji of a flag, as the flags of regions are written"
	}
	return what
}

func nameOf(r rune) string {
	i := find(r)
	switch {
	case isTag(r):
		return "a tag character"
	case selector(r) > 0:
		return fmt.Sprintf("variation selector %d", selector(r))
	case i < 0 || inQuestion[i].name == "":
		return "a character that is not assigned"
	}
	return inQuestion[i].name
}

// spelled is the beginning of what the tags or the selectors at the beginning of
// s spell: a tag is a character of ASCII, a selector is a byte.
func spelled(s string) string {
	const most = 100
	var b strings.Builder
	for _, r := range s {
		c := byte(r)
		if n := selector(r); n > 0 {
			c = byte(n - 1)
		} else if !isTag(r) {
			break
		}
		if b.Len() == most {
			break
		}
		if c >= ' ' && c < 0x7F {
			b.WriteByte(c)
		}
	}
	return b.String()
}
