package frontmatter

import "strings"

// part is a key of the top level and all the text that belongs to it.
type part struct {
	key  string
	line int    // of the file
	text string // from the key to the next, with its line ends
	next int    // line of the next key, 0 for the last
	more string // the next key
}

// cut takes front matter apart at the keys of its top level. It reports false
// when there is no key, or text before the first.
//
// Which lines hold a key must not hang on YAML, since the text is none, nor on
// a list of names, since every surface has its own. The commonest fault is a
// description that goes on, without quotes, over lines that look like keys: a
// dialogue of "Context: …", "user: …", "assistant: …". So a key is
//
//   - a name of letters, digits, "_", "-" and "." in the first column, with a
//     colon and a blank or nothing behind it,
//   - that begins with a small letter, unless the first key does not: of the
//     names that people give to fields none is a capital, and of the labels in
//     their dialogues most are,
//   - not within markup: between "<example>" and the "</example>" that closes
//     it there is text only,
//   - and, once text is running, one that comes once: a field is written once
//     and a label of a dialogue again and again. Text runs from a line in the
//     first column that is no key, or from a value that plainly goes on.
func cut(front string, first int) ([]part, bool) {
	lines := survey(front)
	capitals := capital(lines)
	var parts []part
	running := false
	for i := range lines {
		l := &lines[i]
		switch {
		case l.isKey(capitals, running):
			parts = append(parts, part{key: l.key, line: first + i, text: front[l.at:]})
			running = running || goesOn(l.text[len(l.key)+1:])
		case len(parts) == 0 && !l.isNothing():
			return nil, false
		case l.runs():
			running = true
		}
	}
	for i := range len(parts) - 1 {
		p, q := &parts[i], &parts[i+1]
		p.text = p.text[:len(p.text)-len(q.text)]
		p.next, p.more = q.line, q.key
	}
	return parts, len(parts) > 0
}

// textLine is a line of front matter.
type textLine struct {
	at     int    // offset of the line
	text   string // without its end
	key    string // the name that it begins with, as a key would
	within bool   // it begins within markup
	again  bool   // a line outside of markup begins with the same name
}

// survey looks at every line once.
func survey(front string) []textLine {
	lines := make([]textLine, 0, strings.Count(front, "\n")+1)
	spans := markup(front)
	times := map[string]int{}
	at := 0
	for line := range strings.Lines(front) {
		l := textLine{at: at, text: strings.TrimSuffix(line, "\n")}
		l.key = leadingName(l.text)
		for len(spans) > 0 && spans[0].end < at {
			spans = spans[1:]
		}
		l.within = len(spans) > 0 && spans[0].start < at
		if l.key != "" && !l.within {
			times[l.key]++
		}
		lines = append(lines, l)
		at += len(line)
	}
	for i := range lines {
		lines[i].again = times[lines[i].key] > 1
	}
	return lines
}

// leadingName is the name that a line begins with if a colon follows, and then
// a blank or nothing.
func leadingName(line string) string {
	n := 0
	for n < len(line) && keyByte[line[n]] {
		n++
	}
	if n == 0 || n > maxKey || n == len(line) || line[n] != ':' || !letter(line[0]) {
		return ""
	}
	if n+1 < len(line) && line[n+1] != ' ' && line[n+1] != '\t' {
		return ""
	}
	return line[:n]
}

func letter(c byte) bool { return small(c) || c >= 'A' && c <= 'Z' }

func small(c byte) bool { return c >= 'a' && c <= 'z' }

// isKey is the rule of cut.
func (l *textLine) isKey(capitals, running bool) bool {
	if l.key == "" || l.within || running && l.again {
		return false
	}
	return small(l.key[0]) || capitals
}

// capital reports whether the first key begins with a capital.
func capital(lines []textLine) bool {
	for i := range lines {
		if !lines[i].isNothing() {
			return lines[i].key != "" && !small(lines[i].key[0])
		}
	}
	return false
}

// isNothing reports whether a line is blank or a comment.
func (l *textLine) isNothing() bool {
	text := strings.TrimLeft(l.text, " \t")
	return text == "" || text[0] == '#'
}

// runs reports whether a line that is no key is running text: it is neither
// blank nor indented nor an item of a list.
func (l *textLine) runs() bool {
	return l.within || !l.isNothing() && strings.IndexByte(" \t-", l.text[0]) < 0
}

// goesOn reports whether a value is one that text follows below: it begins with
// a quote and does not end with it, or it ends with a colon.
func goesOn(value string) bool {
	value = strings.Trim(value, " \t")
	if value == "" {
		return false
	}
	end := len(value) - 1
	opens := (value[0] == '"' || value[0] == '\'') && (end == 0 || value[end] != value[0])
	return opens || value[end] == ':'
}

// span is a part of a text from the opening tag of an element to its closing
// tag.
type span struct{ start, end int }

// markup finds the outermost elements of s that are closed, in order.
func markup(s string) []span {
	all := tags(s)
	last := map[string]int{} // the last tag that closes each name
	for i, t := range all {
		if t.closes {
			last[t.name] = i
		}
	}
	var spans []span
	open := -1
	for i, t := range all {
		switch {
		case open < 0 && !t.closes && last[t.name] > i:
			open = i
		case open >= 0 && t.closes && t.name == all[open].name:
			spans = append(spans, span{all[open].at, t.at})
			open = -1
		}
	}
	return spans
}

type tag struct {
	name   string
	at     int
	closes bool
}

// tags are the tags in s, each on one line; those that close themselves are
// left out.
func tags(s string) []tag {
	var all []tag
	for at := 0; ; {
		next := strings.IndexByte(s[at:], '<')
		if next < 0 {
			return all
		}
		at += next
		rest, closes := strings.CutPrefix(s[at+1:], "/")
		n := 0
		for n < len(rest) && keyByte[rest[n]] {
			n++
		}
		if end := strings.IndexAny(rest[n:], "<>\n"); n > 0 && letter(rest[0]) && end >= 0 && rest[n+end] == '>' && !strings.HasSuffix(rest[:n+end], "/") {
			all = append(all, tag{rest[:n], at, closes})
		}
		at++
	}
}
