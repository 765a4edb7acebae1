package frontmatter

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// asText takes all the text of a part as the value of its key: as it stands,
// without the quotes around it, the sign that begins a block of text, and the
// blanks that all its lines are indented with. Lines that are all items of a
// list are a list.
func (m *mender) asText(p *part) (ext.Pair, ext.Finding) {
	lines := strings.Split(p.text[p.head:], "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t")
	}
	lines[0] = strings.TrimLeft(lines[0], " \t")
	if blockHeader(lines[0]) {
		lines[0] = ""
	}
	from, to := 0, len(lines)
	for from < to && lines[from] == "" {
		from++
	}
	for to > from && lines[to-1] == "" {
		to--
	}
	lines = lines[from:to]
	value := ext.Doc{File: m.origin.Path, Line: p.line + from}
	if items, ok := m.items(lines, value.Line); ok {
		value.Kind, value.List = ext.List, items
	} else {
		dedent(lines, from == 0)
		value.Kind, value.Text = ext.String, unquoted(strings.TrimLeft(strings.Join(lines, "\n"), " \t"))
	}
	return ext.Pair{Key: p.key, Line: p.line, Value: value}, m.taken(p, lines)
}

// items are lines of which each is an item of a list; there must be two.
func (m *mender) items(lines []string, first int) ([]ext.Doc, bool) {
	var items []ext.Doc
	for i, line := range lines {
		if line == "" {
			continue
		}
		item, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "- ")
		if !ok {
			return nil, false
		}
		text := unquoted(strings.TrimLeft(item, " \t"))
		items = append(items, ext.Doc{Kind: ext.String, Text: text, File: m.origin.Path, Line: first + i})
	}
	return items, len(items) > 1
}

// dedent takes away the blanks that all lines begin with. The first is left
// alone when it stands behind the key.
func dedent(lines []string, behind bool) {
	if behind && len(lines) > 0 {
		lines = lines[1:]
	}
	least := -1
	for _, line := range lines {
		if n := len(line) - len(strings.TrimLeft(line, " ")); line != "" && (least < 0 || n < least) {
			least = n
		}
	}
	for i, line := range lines {
		if line != "" {
			lines[i] = line[least:]
		}
	}
}

// taken is the finding for text that was taken as it stands.
func (m *mender) taken(p *part, lines []string) ext.Finding {
	shown, upTo := "", "the end"
	if len(lines) > 0 {
		shown = lines[0]
	}
	if p.next > 0 {
		upTo = fmt.Sprintf("key %s on line %d", quoted(p.more), p.next)
	}
	f := Lines.At(m.origin.At(m.origin.Path, p.line), "the value of %s is no YAML, and all up to %s was taken as its text: %s", quoted(p.key), upTo, quoted(shown))
	return f.With("Write %s, and the text on the lines below it, indented by two spaces.", ext.Quote(p.text[:p.head]+" |"))
}
