package config

import (
	"reflect"
	"slices"

	"github.com/mortise-dev/mortise/ext"
)

// Rows is the type of a key that is an array of tables: [[NAME]]. Its rows are kept as
// they are written; what they mean is for who uses them.
type Rows []Row

// Row is one table of an array of tables.
type Row struct {
	Table  string // the name of the array: "axis"
	Doc    ext.Doc
	Layer  Layer
	Origin ext.Origin // of its first line
}

// rows says of each array of tables what a row may hold, and which of it names the row: a
// row of a narrower file takes the place of one of that name.
var rows = map[string]struct {
	of   reflect.Type
	name string
}{
	"axis":     {reflect.TypeFor[axisRow](), "name"},
	"require":  {reflect.TypeFor[requireRow](), ""},
	"conflict": {reflect.TypeFor[conflictRow](), ""},
	"inject":   {reflect.TypeFor[injectRow](), "axis"},
	"overlay":  {reflect.TypeFor[overlayRow](), "file"},
	"secret":   {reflect.TypeFor[secretRow](), "variable"},
}

type axisRow struct {
	Name      string   `toml:"name" doc:"What the axis goes by."`
	Levels    []string `toml:"levels" doc:"Its levels; the first is the default."`
	Blurb     ext.Doc  `toml:"blurb" doc:"What each level means, by level."`
	Daemon    string   `toml:"daemon" doc:"The daemon that its levels are enforced by."`
	Emergency []string `toml:"emergency" doc:"Levels that end with time."`
	Disabled  bool     `toml:"disabled" doc:"The row of that name in a wider file does not count."`
}

type requireRow struct {
	Axis     string   `toml:"axis" doc:"The axis that needs something."`
	Switch   string   `toml:"switch" doc:"Another word for axis."`
	When     []string `toml:"when" doc:"At which of its levels."`
	Needs    string   `toml:"needs" doc:"The axis that it needs."`
	Accepts  []string `toml:"accepts" doc:"The levels of that which will do."`
	Severity string   `toml:"severity" enum:"error,warn" doc:"error refuses the mode, which is the default; warn is said."`
	Reason   string   `toml:"reason" doc:"What is needed, in words."`
	Message  string   `toml:"message" doc:"What is said instead of a text made from the rest."`
}

type conflictRow struct {
	Axis     string   `toml:"axis" doc:"The axis that does not go with another."`
	Switch   string   `toml:"switch" doc:"Another word for axis."`
	When     []string `toml:"when" doc:"At which of its levels."`
	With     string   `toml:"with" doc:"The other axis."`
	At       []string `toml:"at" doc:"At which of its levels."`
	Severity string   `toml:"severity" enum:"error,warn" doc:"error refuses the mode, which is the default; warn is said."`
	Message  string   `toml:"message" doc:"What is said instead of a text made from the rest."`
}

type injectRow struct {
	Axis       string  `toml:"axis" doc:"The axis off/on that the row makes. The secret is the variable MORTISE_INJECT_ and its name in capitals."`
	Switch     string  `toml:"switch" doc:"Another word for axis."`
	Host       string  `toml:"host" doc:"The host whose requests get the credential."`
	Header     string  `toml:"header" doc:"The header that it is put into; Authorization where neither this nor query_param is given."`
	QueryParam string  `toml:"query_param" doc:"The query parameter that it is put into."`
	PathPrefix string  `toml:"path_prefix" doc:"How the path of such a request begins."`
	Prefix     string  `toml:"value_prefix" doc:"What stands before the credential, such as \"Bearer \"."`
	Label      string  `toml:"label" doc:"What people are shown."`
	How        string  `toml:"how" doc:"How to come by the credential: text that is shown and never run."`
	Pattern    string  `toml:"pattern" doc:"What the credential looks like, as a glob."`
	Emergency  bool    `toml:"emergency" doc:"The level on ends with time."`
	Replay     bool    `toml:"replay_on_401" doc:"A request that is answered 401 is made once more."`
	BoxEnv     ext.Doc `toml:"box_env" doc:"Variables of the box that hold a stand-in for the credential, each with its text."`
	Disabled   bool    `toml:"disabled" doc:"The row of that axis in a wider file does not count."`
}

type overlayRow struct {
	File     string  `toml:"file" doc:"The compose file, below the workspace."`
	When     ext.Doc `toml:"when" doc:"In which modes it is stacked: of each axis a level, or a list of them."`
	Env      string  `toml:"env" doc:"A variable with COMPOSE in its name whose value, where it has one, is the file instead."`
	Disabled bool    `toml:"disabled" doc:"The row of that file in a wider file does not count."`
}

type secretRow struct {
	Variable string  `toml:"variable" doc:"The variable that holds it."`
	Label    string  `toml:"label" doc:"What people call it."`
	How      string  `toml:"how" doc:"How to come by it: text that is shown and never run."`
	Pattern  string  `toml:"pattern" doc:"What it looks like, as a glob."`
	Base64   bool    `toml:"base64" doc:"It is kept in base64."`
	When     ext.Doc `toml:"when" doc:"In which modes it is wanted: of each axis a level, or a list of them."`
	Disabled bool    `toml:"disabled" doc:"The row of that variable in a wider file does not count."`
}

// Rows are the rows of all arrays of tables that count: those of the widest file first,
// each array for itself, in the order of Settings.
func (c *Config) Rows() []Row { return slices.Clone(c.rows) }

// disabled is the member of a row that takes away the row of its name.
const disabled = "disabled"

// rows are the rows of the files, settled.
func (s *settling) rows() []Row {
	var out []Row
	for _, n := range schema.children {
		if n.kind != kindRows {
			continue
		}
		var all []Row
		for _, l := range listing {
			for _, r := range s.layers {
				if r.layer == l {
					all = s.stack(n, all, r.rows)
				}
			}
		}
		out = append(out, all...)
	}
	return out
}

// stack puts the rows of a narrower file onto those of wider ones. A workspace's file may
// not take away or replace what the person or the machine says.
func (s *settling) stack(n *node, below, above []Row) []Row {
	by := rows[n.name].name
	for _, row := range above {
		if row.Table != n.name {
			continue
		}
		name := rowName(&row, by)
		off := row.Doc.Get(disabled)
		row.Doc = without(row.Doc, disabled)
		at := -1
		if by != "" {
			at = slices.IndexFunc(below, func(b Row) bool { return rowName(&b, by) == name && b.Layer != row.Layer })
		}
		if at >= 0 && below[at].Layer.mayWiden() && !row.Layer.mayWiden() {
			s.findings.Add(Widens.At(row.Origin, "[[%s]] %s is ignored: your own config.toml or the managed file has a row of that name, which alone says this", n.name, ext.Quote(name)).
				With("Remove it, or give it a name of its own."))
			continue
		}
		if at >= 0 {
			below = slices.Delete(below, at, at+1)
		}
		switch {
		case off != nil && off.Text == "true":
		case at >= 0:
			below = slices.Insert(below, at, row)
		default:
			below = append(below, row)
		}
	}
	return below
}

// without is a row without a member.
func without(d ext.Doc, key string) ext.Doc {
	if d.Get(key) != nil {
		d.Map = slices.DeleteFunc(slices.Clone(d.Map), func(p ext.Pair) bool { return p.Key == key })
		d.Raw = nil
	}
	return d
}

// rowName is what names a row; rows about an axis may say switch for it.
func rowName(r *Row, by string) string {
	if name := r.Doc.Word(by); name != "" || by != "axis" {
		return name
	}
	return r.Doc.Word("switch")
}

// array reads an array of tables. A row with a fault is left out.
func (r *reading) array(d *ext.Doc, n *node, parts []string) {
	if d.Kind != ext.List && d.Kind != ext.Map {
		r.wrongType(d, n, parts)
		return
	}
	for _, item := range d.Items() {
		if item.Kind != ext.Map {
			r.wrongType(item, n, parts)
			continue
		}
		if r.row(item, n, parts) {
			r.rows = append(r.rows, Row{Table: n.name, Doc: *item, Layer: r.layer, Origin: r.at(item.Line)})
		}
	}
}

// row checks one row, and reports whether it is in order.
func (r *reading) row(d *ext.Doc, n *node, parts []string) bool {
	before := len(*r.findings)
	for _, p := range d.Map {
		inner := append(parts[:len(parts):len(parts)], p.Key)
		child := n.child(p.Key)
		if child == nil {
			r.unknown(n, parts, p)
			continue
		}
		if !child.holds(&p.Value) {
			r.wrongType(&p.Value, child, inner)
			continue
		}
		if instead := child.accepts(p.Value.Text); child.kind == kindText && instead != "" {
			r.fault(inner, WrongValue.At(r.at(p.Line), "%s: expected %s, found %s", dotted(inner), instead, ext.Quote(ext.Shorten(p.Value.Text, 80))))
		}
	}
	return len(*r.findings) == before
}

// holds reports whether a member of a row may hold d.
func (n *node) holds(d *ext.Doc) bool {
	switch n.kind {
	case kindOpen:
		return d.Kind == ext.Map
	case kindWords:
		return d.Kind == ext.String || d.Kind == ext.List && !slices.ContainsFunc(d.List, func(i ext.Doc) bool { return i.Kind != ext.String })
	}
	return d.Kind == kinds[n.kind]
}
