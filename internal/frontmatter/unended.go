package frontmatter

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// readUnended reads front matter that no line --- ends, where it ends plainly
// all the same: nothing but keys and what may belong to them stands above a
// line that was meant as the closing one, a blank line or a heading. A file
// that just stops may be cut off, and is left at fault.
func (d *Document) readUnended(o ext.Origin, text string) {
	_, below, _ := strings.Cut(text, "\n")
	if front, ok := plainEnd(below); ok && len(front) <= MaxFront {
		if node, found := read(o, front, frontLine, recoveries); len(node.Map) > 0 {
			d.Front = node
			d.endAt(o, below[len(front):], frontLine+strings.Count(front, "\n"))
			d.Findings.Add(found...)
			return
		}
	}
	d.Findings.Add(missing(o, text))
}

// plainEnd is the part of s that is front matter without a doubt: it begins
// with a key, and below a blank line in it there is a key again.
func plainEnd(s string) (string, bool) {
	at, blank := 0, -1
	for line := range strings.Lines(s) {
		text := strings.TrimRight(line, " \t\n")
		name, _ := leading(text)
		isKey := name != "" && small(name)
		switch {
		case at > 0 && almostFence(text):
			return s[:at], true
		case isKey:
			blank = -1
		case at == 0:
			return "", false
		case text == "" && blank < 0:
			blank = at
		case text == "":
		case blank >= 0:
			return s[:blank], true
		case heading(text):
			return s[:at], true
		case text[0] != ' ' && !strings.HasPrefix(text, "- "):
			return "", false
		}
		at += len(line)
	}
	if blank < 0 {
		return "", false
	}
	return s[:blank], true
}

// heading reports whether a line is a heading of Markdown.
func heading(line string) bool {
	text := strings.TrimLeft(line, "#")
	return len(text) < len(line) && (text == "" || text[0] == ' ')
}

// endAt ends the front matter at the line of the file that rest begins with.
// That line belongs to the body unless it was meant to be the closing one.
func (d *Document) endAt(o ext.Origin, rest string, line int) {
	closing, after, _ := strings.Cut(rest, "\n")
	at := o.At(o.Path, line)
	if almostFence(closing) {
		d.Body, d.BodyLine = after, line+1
		f := Unended.At(at, "no line --- ends the front matter; %s was taken for it", quoted(closing))
		d.Findings.Add(f.With("%s", exactly(line, closing)))
		return
	}
	d.Body, d.BodyLine = rest, line
	f := Unended.At(at, "no line --- ends the front matter; it was taken to end above this line")
	d.Findings.Add(f.With("Write a line --- above line %d.", line))
}
