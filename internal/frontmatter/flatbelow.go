package frontmatter

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// flatLines are the lines of front matter that flat has not read yet.
type flatLines struct {
	path string
	rest string
	n    int // the line of the file on which rest begins
}

// next takes a line; n is its number. ended: a line end follows it.
func (r *flatLines) next() (line string, n int, ended bool) {
	line, r.rest, ended = strings.Cut(r.rest, "\n")
	r.n++
	return line, r.n - 1, ended
}

// peek is the next line that is not empty, which all empty ones before are
// taken for; "" where there is none.
func (r *flatLines) peek() string {
	for strings.HasPrefix(r.rest, "\n") {
		r.next()
	}
	line, _, _ := strings.Cut(r.rest, "\n")
	return line
}

// value reads what stands behind a key on line n: raw, without blanks around it,
// and what is below where it goes on there.
func (r *flatLines) value(raw string, n int) (d ext.Doc, ok bool) {
	switch raw {
	case "":
		d, n, ok = r.below(n)
	case "|", "|-", ">", ">-":
		d, ok = r.block(raw)
	default:
		d, ok = r.onLine(raw, n)
	}
	d.File, d.Line = r.path, n
	return d, ok
}

// onLine is a value that one line holds.
func (r *flatLines) onLine(raw string, n int) (ext.Doc, bool) {
	d, ok := flatValue(raw)
	d.File, d.Line = r.path, n
	for i := range d.List {
		d.List[i].File, d.List[i].Line = r.path, n
	}
	return d, ok
}

// below reads a list of scalars, or a map of what one line holds, that lies
// below a key on line n; at is where it begins. Where there is neither, the key
// has no value.
func (r *flatLines) below(n int) (d ext.Doc, at int, ok bool) {
	line := r.peek()
	at, indent := r.n, indentOf(line)
	switch {
	case strings.HasPrefix(line[indent:], "- "):
		d, ok = r.list(indent)
	case indent > 0:
		d, ok = r.pairs(indent)
	default:
		return ext.Doc{}, n, true
	}
	return d, at, ok
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// list reads the items "- scalar" that are indented so far.
func (r *flatLines) list(indent int) (ext.Doc, bool) {
	d := ext.Doc{Kind: ext.List}
	for {
		line := r.peek()
		in := indentOf(line)
		item, is := strings.CutPrefix(line[in:], "- ")
		if line == "" || in == 0 && (indent > 0 || !is) {
			return d, true
		}
		if in != indent || !is || len(d.List) == maxFlat || !printable(item) {
			return ext.Doc{}, false
		}
		_, n, _ := r.next()
		item = strings.Trim(item, " ")
		value, ok := flatScalar(item)
		if !ok || item == "" {
			return ext.Doc{}, false
		}
		value.File, value.Line = r.path, n
		d.List = append(d.List, value)
	}
}

// pairs reads the lines "key: value" that are indented so far.
func (r *flatLines) pairs(indent int) (ext.Doc, bool) {
	d := ext.Doc{Kind: ext.Map}
	for {
		line := r.peek()
		in := indentOf(line)
		if in == 0 {
			return d, true
		}
		_, n, _ := r.next()
		key, raw, ok := flatKey(line[in:])
		if in != indent || !ok || has(d.Map, key) || len(d.Map) == maxFlat {
			return ext.Doc{}, false
		}
		value, ok := r.onLine(raw, n)
		if !ok {
			return ext.Doc{}, false
		}
		d.Map = append(d.Map, ext.Pair{Key: key, Line: n, Value: value})
	}
}

// block reads the text below a key: line by line, or folded.
func (r *flatLines) block(header string) (ext.Doc, bool) {
	folded := header[0] == '>'
	indent := indentOf(r.rest)
	if indent == 0 {
		return ext.Doc{}, false
	}
	var b strings.Builder
	for empty := 0; ; {
		if strings.HasPrefix(r.rest, "\n") {
			r.next()
			empty++
			continue
		}
		if r.rest == "" || r.rest[0] != ' ' {
			break
		}
		line, _, ended := r.next()
		if len(line) <= indent || indentOf(line) < indent || !ended || !printable(line) {
			return ext.Doc{}, false
		}
		line = line[indent:]
		if folded && line[0] == ' ' || strings.Trim(line, " ") == "" {
			return ext.Doc{}, false // what is indented further is not folded
		}
		switch {
		case b.Len() == 0:
		case !folded:
			b.WriteString(strings.Repeat("\n", empty+1))
		case empty == 0:
			b.WriteByte(' ')
		default:
			b.WriteString(strings.Repeat("\n", empty))
		}
		b.WriteString(line)
		empty = 0
	}
	if len(header) == 1 {
		b.WriteByte('\n')
	}
	return ext.Doc{Kind: ext.String, Text: b.String()}, true
}
