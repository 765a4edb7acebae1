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

// block is front matter and what stands around it.
type block struct {
	opening, closing string // the two lines, without their ends
	front, body      string
}

// split takes a text apart at the two lines that hold --- and nothing else
// but trailing blanks.
func split(text string) (b block, is presence) {
	rest, ok := afterFence(text)
	if !ok {
		return block{}, absent
	}
	b.opening = lineOf(text)
	for at := 0; ; {
		if after, ok := afterFence(rest[at:]); ok {
			b.front, b.closing, b.body = rest[:at], lineOf(rest[at:]), after
			return b, present
		}
		next := strings.Index(rest[at:], "\n"+fence)
		if next < 0 {
			return block{}, unclosed
		}
		at += next + 1
	}
}

// lineOf is the first line of s, without its end.
func lineOf(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
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

// last is the line of the file that closes a block whose front matter begins on
// line first.
func (b *block) last(first int) int { return first + strings.Count(b.front, "\n") }

// below has the body begin below a block.
func (d *Document) below(b *block, first int) { d.Body, d.BodyLine = b.body, b.last(first)+1 }

// take reads the front matter of a block.
func (d *Document) take(o ext.Origin, b *block, first int) {
	d.blanks(o.At(o.Path, first-1), b.opening)
	d.blanks(o.At(o.Path, b.last(first)), b.closing)
	d.Front = d.parse(o, b.front, first)
}

// blanks tells of blanks behind the dashes of a line.
func (d *Document) blanks(at ext.Origin, line string) {
	if strings.TrimRight(line, " \t") != line {
		d.Findings.Add(Blanks.At(at, "blanks follow the dashes; the line was read without them"))
	}
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
