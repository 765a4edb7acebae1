package frontmatter

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
)

const excerpt = 80 // characters of foreign text in a message

// quoted is foreign text made fit for a message.
func quoted(s string) string { return ext.Quote(ext.Shorten(strings.TrimSpace(s), excerpt)) }

// untabbed is the text of a part with blanks for the tabs that lines are
// indented with: for each as many as the first line that is indented with
// blanks has, or two.
func (m *mender) untabbed(p *part) (string, ext.Findings) {
	unit := "  "
	for line := range strings.Lines(p.text) {
		if indent := line[:len(line)-len(strings.TrimLeft(line, " "))]; indent != "" && len(indent) <= 8 {
			unit = indent
			break
		}
	}
	var b strings.Builder
	at, n := 0, 0
	for line := range strings.Lines(p.text) {
		rest := strings.TrimLeft(line, " \t")
		indent := line[:len(line)-len(rest)]
		if rest != "" && rest != "\n" && strings.IndexByte(indent, '\t') >= 0 {
			if at == 0 {
				at = p.line + n
			}
			indent = strings.ReplaceAll(indent, "\t", unit)
		}
		b.WriteString(indent)
		b.WriteString(rest)
		n++
	}
	if at == 0 {
		return p.text, nil
	}
	f := Tabs.At(m.origin.At(m.origin.Path, at), "a tab indents this line below %s; it was read as %d blanks", quoted(p.key), len(unit))
	return b.String(), ext.Findings{f}
}

// requoted is text, which is that of a part, with every value in quotes that
// cannot be read alone, and a finding for each.
func (m *mender) requoted(p *part, text string) (string, ext.Findings) {
	var b strings.Builder
	var found ext.Findings
	alone := strings.IndexByte(strings.TrimRight(text, " \t\n"), '\n') < 0
	block := -1 // how far the line is indented that began a block of text
	n := p.line - 1
	for line := range strings.Lines(text) {
		n++
		head := 0
		if n == p.line {
			head = p.head
		}
		e, ok := entryOf(strings.TrimSuffix(line, "\n"), head)
		if block >= 0 && e.indent > block || !ok {
			b.WriteString(line)
			continue
		}
		block = -1
		if blockHeader(e.value) {
			block = e.indent
		}
		if !m.faulty(e.value) || strings.HasPrefix(e.value, "- ") && !alone {
			b.WriteString(line)
			continue
		}
		mended := e.before + spelled(e.value)
		if found.Add(m.requote(n, p.key, e, mended)); len(found) > maxMended {
			return text, found
		}
		b.WriteString(mended)
		b.WriteString("\n")
	}
	return b.String(), found
}

// entry is a line taken apart: "  - key: value", where either the key or the
// dash may be missing.
type entry struct {
	indent int
	before string // all before the value
	key    string
	value  string
}

// entryOf reports false for a line that holds no value, or nothing but text.
// head is how long the key is with its colon where that is known, else 0.
func entryOf(line string, head int) (entry, bool) {
	rest := strings.TrimLeft(line, " ")
	e := entry{indent: len(line) - len(rest)}
	if rest == "" || rest[0] == '#' {
		e.indent = len(line) + 1 // belongs to whatever is around it
		return e, false
	}
	item := false
	for strings.HasPrefix(rest, "- ") {
		rest = strings.TrimLeft(rest[2:], " ")
		item = true
	}
	if head == 0 {
		_, head = leading(rest)
	}
	if head > 0 {
		e.key = strings.Trim(rest[:head-1], `"'`)
		rest = strings.TrimLeft(rest[head:], " \t")
	}
	e.value = strings.TrimRight(rest, " \t")
	e.before = line[:len(line)-len(rest)]
	return e, e.value != "" && (item || e.key != "")
}

// blockHeader reports whether a value is nothing but what begins a block of
// text: "|", ">-", "|2 # as it is".
func blockHeader(value string) bool {
	if value == "" || value[0] != '|' && value[0] != '>' {
		return false
	}
	rest := strings.TrimLeft(value[1:], "+-123456789")
	comment := strings.TrimLeft(rest, " \t")
	return rest == "" || comment != rest && comment[0] == '#'
}

// faulty reports whether a value cannot be read alone.
func (m *mender) faulty(value string) bool {
	if _, ok := flatValue(value); ok {
		return false
	}
	alone := "x: " + value
	d, found, sure := flat(m.origin, alone, 1)
	if !sure {
		d, found = doc.YAML(m.origin, []byte(alone), 1)
	}
	return found.Failed() || len(d.Map) != 1
}

// meant is a faulty value without quotes that only were meant to hold it, and
// without the dash of a list that has one item.
func meant(value string) string {
	if item, ok := strings.CutPrefix(value, "- "); ok {
		value = strings.TrimLeft(item, " \t")
	}
	return unquoted(value)
}

// listed are the items of a value that is a list on one line, "- Read - Write",
// if each is a single word; nil for any other.
func listed(value string) []string {
	value, ok := strings.CutPrefix(value, "- ")
	items := strings.Split(value, " - ")
	if !ok || len(items) == 1 {
		return nil
	}
	for i := range items {
		items[i] = unquoted(strings.Trim(items[i], " \t"))
		if items[i] == "" || strings.ContainsAny(items[i], " \t") {
			return nil
		}
	}
	return items
}

// spelled is a faulty value as YAML takes it.
func spelled(value string) string {
	items := listed(value)
	if items == nil {
		return singleQuote(meant(value))
	}
	for i := range items {
		items[i] = singleQuote(items[i])
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// unquoted is text without the quotes at both its ends, or without a quote at
// its beginning that no other follows.
func unquoted(s string) string {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return s
	}
	if end := len(s) - 1; end > 0 && s[end] == s[0] {
		return s[1:end]
	}
	if strings.IndexByte(s[1:], s[0]) < 0 {
		return s[1:]
	}
	return s
}

func singleQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// requote is the finding for a value that was put in quotes.
func (m *mender) requote(line int, of string, e entry, mended string) ext.Finding {
	whose := "the value of " + quoted(e.key)
	if e.key == "" {
		whose = "an item of " + quoted(of)
	}
	f := Requoted.At(m.origin.At(m.origin.Path, line), "%s %s and was taken as %s", whose, fault(e.value), taken(e.value))
	mended = strings.TrimSpace(mended)
	if len(mended) > excerpt {
		return f
	}
	return f.With("Write %s.", ext.Quote(mended))
}

// taken says in words what a faulty value was read as.
func taken(value string) string {
	if items := listed(value); items != nil {
		return fmt.Sprintf("a list of %d: %s", len(items), quoted(strings.Join(items, ", ")))
	}
	return "text: " + quoted(meant(value))
}

// fault says in words what is wrong with a value.
func fault(value string) string {
	switch {
	case strings.HasPrefix(value, "- "):
		return "begins with a dash, as an item of a list on a line of its own does,"
	case value[0] == '"' || value[0] == '\'':
		return "has quotes that do not pair"
	case strings.IndexByte("[]{}#&*!|>%@`,?", value[0]) >= 0:
		return "begins with " + ext.Quote(value[:1]) + ", which has a meaning in YAML,"
	case strings.Contains(value, ": ") || strings.HasSuffix(value, ":"):
		return "holds a colon followed by a space"
	}
	return "is no YAML"
}
