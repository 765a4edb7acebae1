package frontmatter

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// readFenced reads a text that has a code fence at offset at, below which a line
// --- stands: the whole file may stand in the fence, or the front matter alone.
// It reports false for any other text.
func (d *Document) readFenced(o ext.Origin, text string, at int) bool {
	opening, ok := codeFence(text[at:])
	if !ok {
		return false
	}
	below := text[min(at+len(opening)+1, len(text)):]
	inside := strings.TrimLeft(below, " \t\n")
	b, is := split(inside)
	if is != present {
		return false
	}
	first := frontLine + strings.Count(text[:len(text)-len(inside)], "\n")
	line := 1 + strings.Count(text[:at], "\n")
	d.below(&b, first)
	f := Fenced.At(o.At(o.Path, line), "%s opens a code fence around the front matter, which was read without it", quoted(opening))
	if closing := d.leaveFence(opening); closing > 0 {
		f = f.With("Remove line %d and line %d, which open and close the code fence.", line, closing)
	} else {
		f = f.With("Remove line %d, which opens the code fence.", line)
	}
	d.Findings.Add(f)
	d.take(o, &b, first)
	return true
}

// leaveFence takes the line that closes the fence from the body: its first line
// that is not blank, or its last, unless that closes a fence in the body. It
// returns the line of the file, 0 when there is none.
func (d *Document) leaveFence(opening string) int {
	start := strings.TrimLeft(d.Body, " \t\n")
	line, rest, _ := strings.Cut(start, "\n")
	if closes(line, opening) {
		at := d.BodyLine + strings.Count(d.Body[:len(d.Body)-len(start)], "\n")
		d.Body, d.BodyLine = rest, at+1
		return at
	}
	fences := 0
	for line := range strings.Lines(d.Body) {
		if _, ok := codeFence(line); ok && line[0] == opening[0] {
			fences++
		}
	}
	end := strings.TrimRight(d.Body, " \t\n")
	at := strings.LastIndexByte(end, '\n') + 1
	if fences%2 == 0 || !closes(end[at:], opening) {
		return 0
	}
	closing := d.BodyLine + strings.Count(d.Body[:at], "\n")
	d.Body = d.Body[:at]
	return closing
}

// codeFence is the first line of s, without its end, where that opens a code
// fence: three backquotes or tildes at least, and perhaps words.
func codeFence(s string) (string, bool) {
	if s == "" || s[0] != '`' && s[0] != '~' {
		return "", false
	}
	line, _, _ := strings.Cut(s, "\n")
	words := strings.TrimLeft(line, s[:1])
	return line, len(line)-len(words) >= 3 && strings.IndexByte(words, s[0]) < 0
}

// closes reports whether a line closes the fence that opening opens.
func closes(line, opening string) bool {
	line = strings.TrimRight(line, " \t")
	marks := len(opening) - len(strings.TrimLeft(opening, opening[:1]))
	return len(line) >= marks && strings.Trim(line, opening[:1]) == ""
}

// withoutFence reads front matter that stands in a code fence between the two
// lines ---.
func withoutFence(o ext.Origin, front string, first int) (ext.Doc, ext.Findings, bool) {
	inside := strings.TrimLeft(front, " \t\n")
	at := first + strings.Count(front[:len(front)-len(inside)], "\n")
	opening, ok := codeFence(inside)
	end := strings.TrimRight(inside, " \t\n")
	last := strings.LastIndexByte(end, '\n') + 1
	if !ok || last == 0 || !closes(end[last:], opening) {
		return ext.Doc{}, nil, false
	}
	closing := at + strings.Count(inside[:last], "\n")
	node, found := read(o, inside[min(len(opening)+1, last):last], at+1, recoveriesInFence)
	if found.Failed() || len(node.Map) == 0 {
		return ext.Doc{}, nil, false
	}
	f := Fenced.At(o.At(o.Path, at), "%s opens a code fence within the front matter, which was read without it", quoted(opening))
	f = f.With("Remove line %d and line %d, which open and close the code fence.", at, closing)
	return node, append(ext.Findings{f}, found...), true
}

// recoveriesInFence are those that are left within a code fence.
var recoveriesInFence = []attempt{firstOfEach, byKey}
