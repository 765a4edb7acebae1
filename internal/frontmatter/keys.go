package frontmatter

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// part is a key of the top level and all the text that belongs to it.
type part struct {
	key  string
	head int    // bytes of the text up to the value: the key as it is written, and its colon
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
//   - a name of letters of any script, digits, "_", "-" and "." in the first
//     column, or any text in quotes, with a colon and a blank or nothing behind
//     it; a name may also have several words, if it is the first, or has three at
//     most, begins with a small letter and no text is running,
//   - not within markup, where there is text only from "<example>" to the
//     "</example>" that closes it, nor within a value in quotes that goes on over
//     lines,
//   - and, once text is running, one that begins with a small letter and comes
//     once: of the names that people give to fields few begin otherwise, and of
//     the labels in their dialogues most do; a field is written once and a label
//     again and again. Where the first key has a capital, others may. Text runs
//     from a line in the first column that is no key, from a value that plainly
//     goes on, or from a capital label that has nothing behind it.
func cut(front string, first int) ([]part, bool) {
	lines := survey(front)
	capitals := capital(lines)
	var parts []part
	running := false
	for i := range lines {
		l := &lines[i]
		switch {
		case l.isKey(capitals, running):
			parts = append(parts, part{key: l.key, head: l.head, line: first + i, text: front[l.at:]})
			running = running || !l.closed && goesOn(l.text[l.head:])
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
	at      int    // offset of the line
	text    string // without its end
	key     string // the name that it begins with, as a key would
	head    int    // bytes up to and with the colon behind the name
	several bool   // the name has several words, and is not the first
	within  bool   // it begins within markup
	quoted  bool   // it begins within a value in quotes
	closed  bool   // its value goes on over lines, up to the quote that ends it
	label   bool   // nothing stands behind the name, and it is set off from the line above, or no value stands below
	again   bool   // a line outside of markup and quotes begins with the same name
}

// survey looks at every line once.
func survey(front string) []textLine {
	lines := make([]textLine, 0, strings.Count(front, "\n")+1)
	spans := markup(front)
	times := map[string]int{}
	at, quotes, begun := 0, 0, false // quotes is where the last value in quotes ends
	for line := range strings.Lines(front) {
		l := textLine{at: at, text: strings.TrimSuffix(line, "\n"), quoted: at < quotes}
		if l.key, l.head = leading(l.text); l.key == "" {
			l.key, l.head = words(l.text)
			l.several = begun
		}
		begun = begun || !l.isNothing()
		for len(spans) > 0 && spans[0].end < at {
			spans = spans[1:]
		}
		l.within = len(spans) > 0 && spans[0].start < at
		if l.key != "" && !l.within && !l.quoted {
			times[l.key]++
			if end := quoteOver(front[at+l.head:]); end > 0 {
				l.closed = true
				quotes = at + l.head + end
			}
		}
		lines = append(lines, l)
		at += len(line)
	}
	compare(lines, times)
	return lines
}

// compare looks at each line beside others: times is how often each name comes.
func compare(lines []textLine, times map[string]int) {
	var below *textLine // the next line that is neither blank nor a comment
	for i := len(lines) - 1; i >= 0; i-- {
		l := &lines[i]
		l.again = times[l.key] > 1
		apart := i > 0 && strings.Trim(lines[i-1].text, " \t") == ""
		l.label = strings.Trim(l.text[l.head:], " \t") == "" && (apart || below == nil || strings.IndexByte(" \t-", below.text[0]) < 0)
		if !l.isNothing() {
			below = l
		}
	}
}

// quoteOver is where a value ends that begins with a quote and goes on over
// several lines up to the quote that ends it, with nothing but a comment behind
// it; 0 for any other.
func quoteOver(value string) int {
	rest := strings.TrimLeft(value, " \t")
	if rest == "" || rest[0] != '"' && rest[0] != '\'' {
		return 0
	}
	end := quoteEnd(rest)
	if end == 0 || strings.IndexByte(rest[:end], '\n') < 0 {
		return 0
	}
	behind := lineOf(rest[end:])
	comment := strings.TrimLeft(behind, " \t")
	if comment != "" && (comment == behind || comment[0] != '#') {
		return 0
	}
	return len(value) - len(rest) + end
}

// quoteEnd is what follows the quote that ends the one s begins with, as YAML
// has it; 0 when none does.
func quoteEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[0] == '"' && s[i] == '\\', s[0] == '\'' && strings.HasPrefix(s[i:], "''"):
			i++ // and what is escaped
		case s[i] == s[0]:
			return i + 1
		}
	}
	return 0
}

// leading is the name that a line begins with if a colon follows, and then a
// blank or nothing; head is how long the line is up to and with the colon.
func leading(line string) (name string, head int) {
	n := nameLength(line)
	name = line[:n]
	if line != "" && (line[0] == '"' || line[0] == '\'') {
		name, _, _ = strings.Cut(line[1:], line[:1])
		n = len(name) + 2
	}
	if name == "" || n > maxKey || !colonAt(line, n) || strings.IndexByte(name, '\\') >= 0 {
		return "", 0
	}
	return name, n + 1
}

// words is leading for a name of several words.
func words(line string) (name string, head int) {
	n := nameLength(line)
	for n > 0 && n < len(line) && line[n] == ' ' {
		more := nameLength(line[n+1:])
		if more == 0 {
			return "", 0
		}
		n += 1 + more
	}
	if n == 0 || n > maxKey || !colonAt(line, n) {
		return "", 0
	}
	return line[:n], n + 1
}

// colonAt reports whether a colon that ends a key stands at s[n:].
func colonAt(s string, n int) bool {
	return n < len(s) && s[n] == ':' && (n+1 == len(s) || s[n+1] == ' ' || s[n+1] == '\t')
}

// nameLength is how many bytes of s are a name: a letter, or a sign that is none
// of ASCII, then more of these, digits, "_", "-" and ".".
func nameLength(s string) int {
	for i, c := range s {
		switch {
		case c < utf8.RuneSelf && keyByte[byte(c)] && (i > 0 || letter(byte(c))):
		case c >= utf8.RuneSelf && c != utf8.RuneError && (unicode.IsLetter(c) || unicode.Is(unicode.So, c) || i > 0 && (unicode.IsMark(c) || unicode.IsNumber(c) || unicode.Is(unicode.Cf, c))):
		default:
			return i
		}
	}
	return len(s)
}

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// small reports whether a name begins with a small letter.
func small(name string) bool {
	c, _ := utf8.DecodeRuneInString(name)
	return unicode.IsLower(c)
}

// isKey is the rule of cut.
func (l *textLine) isKey(capitals, running bool) bool {
	switch {
	case l.key == "" || l.within || l.quoted || running && l.again:
		return false
	case l.several:
		return !running && small(l.key) && strings.Count(l.key, " ") < 3
	case capitals || small(l.key) && letter(l.text[0]):
		return true
	}
	return !running && !l.label
}

// capital reports whether the first key begins with a capital.
func capital(lines []textLine) bool {
	for i := range lines {
		if !lines[i].isNothing() {
			return lines[i].key != "" && !small(lines[i].key)
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
// blank nor indented nor an item of a list, nor part of a value in quotes.
func (l *textLine) runs() bool {
	return !l.quoted && (l.within || !l.isNothing() && strings.IndexByte(" \t-", l.text[0]) < 0)
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
