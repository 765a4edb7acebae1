package stack

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
)

// YAML is the merged document as a compose file. With origins, each line that gives a value
// ends in a comment that says where it comes from. Nothing in it is invisible.
func (m *Merged) YAML(origins bool) string {
	w := yamlWriter{origins: origins}
	if m.Doc.Kind == ext.Map {
		w.block(&m.Doc, 0)
	}
	return w.b.String()
}

// Leaf is a value of the merged document that holds no others.
type Leaf struct {
	Pointer string
	At      Place
}

// Leaves are all values of the merged document that hold no others, in its order.
func (m *Merged) Leaves() []Leaf { return leaves(&m.Doc, nil, nil) }

func leaves(d *ext.Doc, path []string, out []Leaf) []Leaf {
	if len(d.Map)+len(d.List) == 0 {
		if len(path) == 0 {
			return out
		}
		return append(out, Leaf{pointer(path), Place{d.File, d.Line}})
	}
	inner := func(key string) []string { return append(path[:len(path):len(path)], key) }
	for i := range d.Map {
		out = leaves(&d.Map[i].Value, inner(d.Map[i].Key), out)
	}
	for i := range d.List {
		out = leaves(&d.List[i], inner(strconv.Itoa(i)), out)
	}
	return out
}

type yamlWriter struct {
	b       strings.Builder
	origins bool
}

// block writes the members of a mapping or a list, each on lines of its own.
func (w *yamlWriter) block(d *ext.Doc, indent int) {
	for i := range d.Map {
		w.b.WriteString(strings.Repeat("  ", indent) + yamlText(d.Map[i].Key) + ":")
		w.member(&d.Map[i].Value, indent+1)
	}
	for i := range d.List {
		w.b.WriteString(strings.Repeat("  ", indent) + "-")
		w.item(&d.List[i], indent+1)
	}
}

func (w *yamlWriter) member(d *ext.Doc, indent int) {
	if len(d.Map)+len(d.List) > 0 {
		w.b.WriteString("\n")
		w.block(d, indent)
		return
	}
	w.leaf(d)
}

// item writes an item of a list: its first member stands on the line of the dash.
func (w *yamlWriter) item(d *ext.Doc, indent int) {
	if len(d.Map)+len(d.List) == 0 {
		w.leaf(d)
		return
	}
	inner := yamlWriter{origins: w.origins}
	inner.block(d, indent)
	w.b.WriteString(" " + inner.b.String()[2*indent:])
}

func (w *yamlWriter) leaf(d *ext.Doc) {
	w.b.WriteString(" " + yamlValue(d))
	if w.origins {
		fmt.Fprintf(&w.b, "  # %s:%d", ext.Escape(d.File), d.Line)
	}
	w.b.WriteString("\n")
}

func yamlValue(d *ext.Doc) string {
	switch d.Kind {
	case ext.Null:
		return "null"
	case ext.Map:
		return "{}"
	case ext.List:
		return "[]"
	case ext.String:
		return yamlText(d.Text)
	}
	return d.Text
}

var (
	bareRE = regexp.MustCompile(`^[A-Za-z_./][A-Za-z0-9_./@+=$%-]*$`)
	// older readers take these for something else than text
	wordRE = regexp.MustCompile(`(?i)^(y|n|yes|no|on|off|true|false|null)$`)
)

// yamlText is a text as YAML of every version reads it: bare where it cannot be taken for
// anything else, else quoted, with what does not show as escapes.
func yamlText(s string) string {
	if bareRE.MatchString(s) && !wordRE.MatchString(s) && doc.PlainKind(s) == ext.String {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r > 0xffff && ext.Hidden(r):
			fmt.Fprintf(&b, `\U%08x`, r)
		case ext.Hidden(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
