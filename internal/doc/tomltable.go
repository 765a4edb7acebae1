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
	index   map[string]int // into entries, by name; nil while there are few
}

// tomlEntry has one of a table, a list of tables, or a finished value.
type tomlEntry struct {
	step
	kind   tomlKind
	table  *tomlTable
	tables []*tomlTable
	value  ext.Doc
}

// tomlKind is how an entry came to be, which says what may be added to it.
type tomlKind uint8

const (
	tomlNew tomlKind = iota
	// tomlValue is complete: nothing is added to it.
	tomlValue
	// tomlDotted is a table that dotted keys made: other dotted keys add to it,
	// and headers add tables below it.
	tomlDotted
	// tomlImplied is a table that a longer header made on its way: one header of
	// its own may follow.
	tomlImplied
	// tomlHeaded is a table that had its header.
	tomlHeaded
	// tomlTables is a list of tables, each with a header of its own.
	tomlTables
)

func (r *tomlReader) table() *tomlTable {
	r.nodes++
	return &tomlTable{file: r.origin.Path, line: r.line}
}

// header is the table that a header begins, and its depth.
func (r *tomlReader) header(root *tomlTable, path []step) (*tomlTable, int) {
	last := path[len(path)-1]
	t, depth := r.way(root, path[:len(path)-1])
	if r.found.Failed() {
		return t, depth
	}
	e := t.entry(last)
	switch e.kind {
	case tomlNew:
		e.table = r.table()
	case tomlImplied:
	case tomlHeaded:
		r.fault(last, "table %s already exists")
	case tomlDotted:
		r.fault(last, "table %s already exists as defined by a dotted key")
	case tomlTables:
		r.fault(last, "table %s already exists as an array of tables")
	case tomlValue:
		r.fault(last, "key %s should be a table, not a value")
	}
	if r.found.Failed() {
		return t, depth
	}
	e.kind = tomlHeaded
	return e.table, depth + 1
}

// another is a new table at the end of the list of tables that a header names,
// and its depth.
func (r *tomlReader) another(root *tomlTable, path []step) (*tomlTable, int) {
	last := path[len(path)-1]
	t, depth := r.way(root, path[:len(path)-1])
	if r.found.Failed() {
		return t, depth
	}
	e := t.entry(last)
	if e.kind != tomlNew && e.kind != tomlTables {
		r.fault(last, "key %s already exists and is no array of tables")
		return t, depth
	}
	e.kind = tomlTables
	t = r.table()
	e.tables = append(e.tables, t)
	return t, depth + 2
}

// way is the table at the path of a header below the root, made where it is not
// there, and its depth: a list of tables stands for its last.
func (r *tomlReader) way(t *tomlTable, path []step) (*tomlTable, int) {
	depth := 1
	for _, s := range path {
		if !r.bounded(depth) {
			break
		}
		switch e := t.entry(s); e.kind {
		case tomlTables:
			t = e.tables[len(e.tables)-1]
			depth++
		case tomlValue:
			r.fault(s, "key %s already exists as a value")
			return t, depth
		case tomlNew:
			e.kind, e.table = tomlImplied, r.table()
			t = e.table
		default:
			t = e.table
		}
		depth++
	}
	return t, depth
}

// set gives the key at path below t, whose depth is given, a value.
func (r *tomlReader) set(t *tomlTable, path []step, v *unstable.Node, depth int) {
	last := len(path) - 1
	for _, s := range path[:last] {
		if !r.bounded(depth) {
			return
		}
		e := t.entry(s)
		if e.kind == tomlNew {
			e.kind, e.table = tomlDotted, r.table()
		}
		if e.kind != tomlDotted {
			r.fault(s, "key %s is already defined")
			return
		}
		t = e.table
		depth++
	}
	if !r.bounded(depth) {
		return
	}
	if t.has(path[last].name) {
		r.fault(path[last], "key %s is already defined")
		return
	}
	value := r.value(v, depth+1)
	e := t.entry(path[last])
	e.kind, e.value = tomlValue, value
}

// fewEntries is how many entries are looked through one by one.
const fewEntries = 12

func (t *tomlTable) at(name string) int {
	if t.index == nil {
		for i := range t.entries {
			if t.entries[i].name == name {
				return i
			}
		}
		return -1
	}
	if i, ok := t.index[name]; ok {
		return i
	}
	return -1
}

func (t *tomlTable) has(name string) bool { return t.at(name) >= 0 }

// entry is the entry named, made where it is not there. It is valid until the
// next one is made.
func (t *tomlTable) entry(s step) *tomlEntry {
	if i := t.at(s.name); i >= 0 {
		return &t.entries[i]
	}
	t.entries = append(t.entries, tomlEntry{step: s})
	switch n := len(t.entries); {
	case t.index != nil:
		t.index[s.name] = n - 1
	case n > fewEntries:
		t.index = make(map[string]int, 2*n)
		for i := range t.entries {
			t.index[t.entries[i].name] = i
		}
	}
	return &t.entries[len(t.entries)-1]
}

func (t *tomlTable) doc() ext.Doc {
	d := ext.Doc{Kind: ext.Map, File: t.file, Line: t.line}
	if len(t.entries) > 0 {
		d.Map = make([]ext.Pair, 0, len(t.entries))
	}
	for i := range t.entries {
		e := &t.entries[i]
		d.Map = append(d.Map, ext.Pair{Key: e.name, Line: e.line, Value: e.doc(t.file)})
	}
	return d
}

func (e *tomlEntry) doc(file string) ext.Doc {
	switch e.kind {
	case tomlTables:
		d := ext.Doc{Kind: ext.List, File: file, Line: e.line}
		for _, t := range e.tables {
			d.List = append(d.List, t.doc())
		}
		return d
	case tomlValue:
		return e.value
	}
	return e.table.doc()
}
