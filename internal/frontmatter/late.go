package frontmatter

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// readElsewhere reads a text that does not begin with a line ---, where front
// matter stands at its top all the same: in a code fence, below blank lines or
// comments, behind a line of more dashes. Any other text has none.
func (d *Document) readElsewhere(o ext.Origin, text string) {
	at, comment := top(text)
	if d.readFenced(o, text, at) || d.readLate(o, text, at, comment) {
		return
	}
	if inTOML(text[at:]) {
		line := 1 + strings.Count(text[:at], "\n")
		d.Findings.Add(TOML.At(o.At(o.Path, line), "the front matter that begins here is TOML; it was not read, and left in the text"))
	}
}

// top is where the text begins below blank lines and comments, and whether there
// are comments.
func top(text string) (at int, comment bool) {
	for {
		rest := strings.TrimLeft(text[at:], " \t\n")
		at = len(text) - len(rest)
		inner, ok := strings.CutPrefix(rest, "<!--")
		if !ok {
			return at, comment
		}
		_, after, closed := strings.Cut(inner, "-->")
		if !closed {
			return at, comment
		}
		at, comment = len(text)-len(after), true
	}
}

// readLate reads what begins at offset at of a text, if it plainly is front
// matter. It reports false where it is not: three dashes are also a rule.
func (d *Document) readLate(o ext.Origin, text string, at int, comment bool) bool {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	opening, below, _ := strings.Cut(text[at:], "\n")
	indent := text[start:at]
	if !almostFence(opening) || strings.TrimLeft(indent, " \t") != "" {
		return false
	}
	b, ok := plainBlock(below, indent, len(strings.TrimRight(opening, " \t")) > len(fence))
	if !ok {
		return false
	}
	b.opening = opening
	line := 1 + strings.Count(text[:at], "\n")
	f := Late.At(o.At(o.Path, line), "the front matter begins here, %s", lateness(start > 0, comment, indent != "", opening))
	d.Findings.Add(f.With("Write exactly --- on line 1, and the front matter below it."))
	d.below(&b, line+1)
	d.take(o, &b, line+1)
	return true
}

// lateness says in words what is wrong with where front matter begins.
func lateness(lower, comment, indented bool, opening string) string {
	var faults []string
	switch {
	case comment:
		faults = append(faults, "below a comment, which was left out of the text")
	case lower:
		faults = append(faults, "below blank lines")
	}
	if indented {
		faults = append(faults, "behind blanks")
	}
	if opening = strings.TrimRight(opening, " \t"); opening != fence {
		faults = append(faults, "with "+ext.Quote(ext.Shorten(opening, 20))+" for ---")
	}
	return strings.Join(faults, " and ")
}

// plainBlock is the front matter at the beginning of s, if it is made of keys and
// what belongs to them alone, one of them begins with a small letter, and a line
// of dashes ends it. All its lines may be indented as the opening one was. A
// block that more than three dashes open may also end so.
func plainBlock(s, indent string, longer bool) (b block, ok bool) {
	any, plainly, at := false, false, 0
	for line := range strings.Lines(s) {
		text := strings.TrimPrefix(strings.TrimSuffix(line, "\n"), indent)
		if _, closes := afterFence(text); closes || longer && almostFence(text) {
			b.front, b.closing, b.body = s[:at], text, s[at+len(line):]
			return b, plainly
		}
		switch name, _ := leading(text); {
		case name != "":
			any, plainly = true, plainly || small(name)
		case strings.TrimLeft(text, " \t") == "" || text[0] == '#':
		case !any || strings.IndexByte(" \t-", text[0]) < 0:
			return block{}, false
		}
		at += len(line)
	}
	return block{}, false
}

// inTOML reports whether a text begins with front matter in TOML: lines that set
// keys or begin tables, between two lines +++.
func inTOML(text string) bool {
	const plus = "+++"
	first, below, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != plus {
		return false
	}
	sets := false
	for line := range strings.Lines(below) {
		if line = strings.TrimSpace(line); line == plus {
			return sets
		}
		sets = sets || strings.Contains(line, "=") || strings.HasPrefix(line, "[")
	}
	return false
}
