package doc

import (
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/mortise-dev/mortise/ext"
)

// tomlTable is a table that may still grow: TOML lets later lines add to it.
type tomlTable struct {
	file    string
	line    int
	entries []tomlEntry
	index   map[string]int // into entries, by name
}

// tomlEntry has one of a table, a list of tables, or a finished value.
type tomlEntry struct {
	step
	table  *tomlTable
	tables []*tomlTable
	value  ext.Doc
}

func (r *tomlReader) table() *tomlTable {
	r.nodes++
	return &tomlTable{file: r.origin.Path, line: r.line, index: map[string]int{}}
}

// reach is the table at path below t, made where it is not there, and its
// depth: a list of tables stands for its last. Where a value is in the way,
// which validate will report, it is a table on its own.
func (r *tomlReader) reach(t *tomlTable, path []step, depth int) (*tomlTable, int) {
	for _, s := range path {
		if !r.bounded(depth) {
			break
		}
		e := t.entry(s)
		switch {
		case e.tables != nil:
			t = e.tables[len(e.tables)-1]
			depth++
		case e.table != nil:
			t = e.table
		default:
			e.table = r.table()
			t = e.table
		}
		depth++
	}
	return t, depth
}

// another is a new table at the end of the list of tables at path, and its
// depth.
func (r *tomlReader) another(root *tomlTable, path []step) (*tomlTable, int) {
	last := len(path) - 1
	t, depth := r.reach(root, path[:last], 1)
	e := t.entry(path[last])
	t = r.table()
	e.tables = append(e.tables, t)
	return t, depth + 2
}

// set gives the key at path below t, whose depth is given, a value.
func (r *tomlReader) set(t *tomlTable, path []step, v *unstable.Node, depth int) {
	last := len(path) - 1
	t, depth = r.reach(t, path[:last], depth)
	if r.bounded(depth) {
		t.entry(path[last]).value = r.value(v, depth+1)
	}
}

// entry is the entry named, made where it is not there. It is valid until the
// next one is made.
func (t *tomlTable) entry(s step) *tomlEntry {
	i, ok := t.index[s.name]
	if !ok {
		i = len(t.entries)
		t.index[s.name] = i
		t.entries = append(t.entries, tomlEntry{step: s})
	}
	return &t.entries[i]
}

func (t *tomlTable) doc() ext.Doc {
	d := ext.Doc{Kind: ext.Map, File: t.file, Line: t.line}
	for i := range t.entries {
		e := &t.entries[i]
		d.Map = append(d.Map, ext.Pair{Key: e.name, Line: e.line, Value: e.doc(t.file)})
	}
	return d
}

func (e *tomlEntry) doc(file string) ext.Doc {
	switch {
	case e.tables != nil:
		d := ext.Doc{Kind: ext.List, File: file, Line: e.line}
		for _, t := range e.tables {
			d.List = append(d.List, t.doc())
		}
		return d
	case e.table != nil:
		return e.table.doc()
	}
	return e.value
}
