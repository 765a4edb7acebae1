package frontmatter

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// presence says what split found.
type presence uint8

const (
	absent   presence = iota // the text does not begin with a line ---
	unclosed                 // no second line --- follows
	present
)

const fence = "---"

// split takes a text apart at the two lines that hold --- and nothing else
// but trailing blanks. The lines belong to neither part.
func split(text string) (front, body string, is presence) {
	rest, ok := afterFence(text)
	if !ok {
		return "", "", absent
	}
	for at := 0; ; {
		if after, ok := afterFence(rest[at:]); ok {
			return rest[:at], after, present
		}
		next := strings.Index(rest[at:], "\n"+fence)
		if next < 0 {
			return "", "", unclosed
		}
		at += next + 1
	}
}

// afterFence is what follows the first line of s, where that is a fence.
func afterFence(s string) (string, bool) {
	s, ok := strings.CutPrefix(s, fence)
	if !ok {
		return "", false
	}
	s = strings.TrimLeft(s, " \t")
	if s == "" {
		return "", true
	}
	return strings.CutPrefix(s, "\n")
}

// missing is the finding for front matter that does not end. It names a line
// that was perhaps meant to end it.
func missing(o ext.Origin, text string) ext.Finding {
	f := Unclosed.At(o.At(o.Path, 1), "the front matter that begins here has no closing line ---")
	n := 0
	for line := range strings.Lines(text) {
		n++
		if n > 1 && almostFence(line) {
			return f.With("%s", exactly(n, line))
		}
	}
	return f
}

// almostFence reports whether a line holds dashes alone, three at least.
func almostFence(line string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= len(fence) && strings.Trim(line, "-") == ""
}

func exactly(n int, line string) string {
	return fmt.Sprintf("Write exactly --- at the beginning of line %d, which holds %s.", n, ext.Quote(ext.Shorten(strings.TrimSpace(line), 20)))
}
