package doc

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/mortise-dev/mortise/ext"
)

// TOML reads a TOML document. Tables, arrays of tables, dotted keys and inline
// tables all become maps and lists, in the order in which they are first
// mentioned; numbers keep their spelling, and so do dates, as strings.
func TOML(o ext.Origin, data []byte) (ext.Doc, ext.Findings) {
	body, found := Text(o, data)
	if found.Failed() {
		return ext.Doc{}, found
	}
	r := tomlReader{origin: o, data: LineFeeds(body), found: found, line: 1}
	root := r.read()
	if !r.found.Failed() {
		r.validate()
	}
	if r.found.Failed() {
		return ext.Doc{}, r.found
	}
	return root.doc(), r.found
}

// tomlReader builds nodes from the expressions of a document. That nothing is
// defined twice is told here and not by the library, which looks through all
// that came before for each key.
type tomlReader struct {
	parser unstable.Parser
	origin ext.Origin
	data   []byte
	found  ext.Findings

	nodes    int
	pos      int // end of the last token taken
	at, line int // data[at] is on this line
	scalars  []tomlScalar
}

// tomlScalar is a number or a date, of which the syntax alone does not say that
// it is one.
type tomlScalar struct {
	text string
	line int
}

// read builds the document up to the first fault.
func (r *tomlReader) read() *tomlTable {
	root := r.table()
	here, depth := root, 1
	r.parser.Reset(r.data)
	for r.parser.NextExpression() {
		e := r.parser.Expression()
		path := r.path(e.Key())
		switch {
		case !r.bounded(len(path)):
		case e.Kind == unstable.Table:
			here, depth = r.header(root, path)
		case e.Kind == unstable.ArrayTable:
			here, depth = r.another(root, path)
		case e.Kind == unstable.KeyValue:
			r.set(here, path, e.Value(), depth)
		}
		if !r.bounded(depth) {
			return root
		}
	}
	if fault := (*unstable.ParserError)(nil); errors.As(r.parser.Error(), &fault) {
		r.add(1+breaks(r.data[:r.parser.Range(fault.Highlight).Offset]), fault.Message)
	}
	return root
}

// validate has the library check that every number and date is one.
func (r *tomlReader) validate() {
	if len(r.scalars) == 0 {
		return
	}
	var all bytes.Buffer
	all.WriteString("all = [\n")
	for _, s := range r.scalars {
		all.WriteString(s.text + ",\n")
	}
	all.WriteString("]")
	var ignored map[string]any
	err := toml.Unmarshal(all.Bytes(), &ignored)
	if err == nil {
		return
	}
	n := 1
	if fault := (*toml.DecodeError)(nil); errors.As(err, &fault) {
		n, _ = fault.Position()
	}
	at := r.scalars[min(max(n-2, 0), len(r.scalars)-1)].line
	r.add(at, strings.TrimPrefix(err.Error(), "toml: "))
}

// fault tells that a key must not stand where it does; what has a verb for it.
func (r *tomlReader) fault(s step, what string) { r.add(s.line, fmt.Sprintf(what, s.name)) }

func (r *tomlReader) add(n int, what string) {
	r.found.Add(TOMLSyntax.At(r.origin.At(r.origin.Path, n), "%s: %s", said("toml: "+what), quoted(line(r.data, n))))
}

// step is one part of a dotted key.
type step struct {
	name string
	line int
}

func (r *tomlReader) path(keys unstable.Iterator) []step {
	var path []step
	for keys.Next() && len(path) <= MaxDepth { // one too many is enough to be refused
		k := keys.Node()
		path = append(path, step{string(k.Data), r.take(k.Raw)})
	}
	return path
}

// take moves past a token and says its line.
func (r *tomlReader) take(raw unstable.Range) int {
	r.pos = int(raw.Offset + raw.Length)
	return r.lineOf(int(raw.Offset))
}

// open moves past the next opening bracket, of a list or an inline table, and
// says its line. Only white space, punctuation and comments come before it.
func (r *tomlReader) open(bracket byte) int {
	for r.pos < len(r.data) && r.data[r.pos] != bracket {
		if r.data[r.pos] == '#' {
			r.pos += max(bytes.IndexByte(r.data[r.pos:], '\n'), 0)
		}
		r.pos++
	}
	r.pos++
	return r.lineOf(min(r.pos, len(r.data)) - 1)
}

// lineOf is the line of an offset at or after the last one asked for.
func (r *tomlReader) lineOf(offset int) int {
	if offset > r.at {
		r.line += bytes.Count(r.data[r.at:offset], []byte("\n"))
		r.at = offset
	}
	return r.line
}

// value converts v, whose own depth is given.
func (r *tomlReader) value(v *unstable.Node, depth int) ext.Doc {
	r.nodes++
	if !r.bounded(depth) {
		return ext.Doc{}
	}
	d := ext.Doc{Kind: ext.String, Text: string(v.Data), File: r.origin.Path}
	switch v.Kind {
	case unstable.Array:
		return r.list(v, depth)
	case unstable.InlineTable:
		return r.inline(v, depth)
	case unstable.Bool:
		d.Kind = ext.Bool
	case unstable.Integer, unstable.Float:
		d.Kind = ext.Number
	}
	d.Line = r.take(v.Raw)
	if v.Kind != unstable.Bool && v.Kind != unstable.String {
		r.scalars = append(r.scalars, tomlScalar{d.Text, d.Line})
	}
	return d
}

func (r *tomlReader) list(v *unstable.Node, depth int) ext.Doc {
	d := ext.Doc{Kind: ext.List, File: r.origin.Path, Line: r.open('[')}
	for items := v.Children(); items.Next() && !r.found.Failed(); {
		d.List = append(d.List, r.value(items.Node(), depth+1))
	}
	return d
}

func (r *tomlReader) inline(v *unstable.Node, depth int) ext.Doc {
	t := r.table()
	t.line = r.open('{')
	for members := v.Children(); members.Next() && !r.found.Failed(); {
		m := members.Node()
		r.set(t, r.path(m.Key()), m.Value(), depth)
	}
	return t.doc()
}

// bounded holds the limits: it reports false once a limit was passed.
func (r *tomlReader) bounded(depth int) bool {
	if r.found.Failed() {
		return false
	}
	at := r.origin.At(r.origin.Path, r.line)
	switch {
	case depth > MaxDepth:
		r.found.Add(NestingLimit.At(at, "the document is nested more than %d levels deep", MaxDepth))
	case r.nodes > MaxNodes:
		r.found.Add(NodeLimit.At(at, "the document holds more than %d values", MaxNodes))
	default:
		return true
	}
	return false
}
