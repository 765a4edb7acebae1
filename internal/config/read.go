package config

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/spelling"
)

// said is one value that one layer gives one key.
type said struct {
	node    *node
	key     string // dotted, with names in place
	last    string // the last part of key, as it is
	layer   Layer
	value   any // string, bool, int; ext.Doc below an open table
	origin  ext.Origin
	dir     string // relative paths start here
	ignored string // why it does not count, "" when it may
}

// mention is a named table that a layer has, whatever is in it.
type mention struct {
	node   *node
	key    string // of the table
	name   ext.Name
	origin ext.Origin
}

// reading is what one layer says.
type reading struct {
	layer    Layer
	file     content
	said     []said
	keys     map[string]bool // of what is said
	mentions []mention       // in the order of the file
	rows     []Row           // of all arrays of tables, in the order of the file
	faulty   map[string]bool // keys of the named tables with an error in them
	broken   bool
	findings *ext.Findings
}

// readFile reads one file as strictly as can be and keeps what is in order.
func readFile(f content, findings *ext.Findings) *reading {
	var own ext.Findings
	r := &reading{layer: f.layer, file: f, keys: map[string]bool{}, faulty: map[string]bool{}, findings: &own}
	if f.fault != nil {
		own.Add(Unreadable.At(r.at(0), "%s", explain(f.fault)))
	} else {
		root, faults := doc.TOML(r.at(0), f.data)
		own.Add(faults...)
		if !faults.Failed() {
			r.table(&root, schema, nil)
		}
	}
	r.broken = own.Failed()
	if r.broken && f.layer == Managed {
		own.Add(ManagedBroken.At(r.at(firstError(own)), "this file has errors, so what it forbids is not known; until it is mended nothing may widen what extensions may do"))
	}
	findings.Add(own...)
	return r
}

func firstError(findings ext.Findings) int {
	line := 0
	for _, f := range findings {
		if f.Check.Severity >= ext.Error && (line == 0 || f.Origin.Line < line) {
			line = f.Origin.Line
		}
	}
	return line
}

func (r *reading) at(line int) ext.Origin {
	return ext.Origin{Trust: r.layer.trust(), Path: r.file.file, Line: line}
}

// fault adds an error about what parts name; one below a named table is
// remembered for that table.
func (r *reading) fault(parts []string, f ext.Finding) {
	r.findings.Add(f)
	if len(parts) > 1 && schema.child(parts[0]).kind == kindNamed {
		r.faulty[dotted(parts[:2])] = true
	}
}

// table reads the table d, which n describes and parts name. Everything wrong
// in it is told, and what is right is kept.
func (r *reading) table(d *ext.Doc, n *node, parts []string) {
	if d.Kind != ext.Map {
		r.wrongType(d, n, parts)
		return
	}
	for _, p := range d.Map {
		inner := append(parts[:len(parts):len(parts)], p.Key)
		child := n.child(p.Key)
		switch {
		case child == nil:
			r.unknown(n, parts, p)
		case child.kind == kindTable:
			r.table(&p.Value, child, inner)
		case child.kind == kindNamed:
			r.names(&p.Value, child, inner)
		case child.kind == kindRows:
			r.array(&p.Value, child, inner)
		case child.kind == kindOpen:
			r.open(&p.Value, child, inner)
		default:
			r.key(p, child, inner)
		}
	}
}

func (r *reading) names(d *ext.Doc, n *node, parts []string) {
	if d.Kind != ext.Map {
		r.wrongType(d, n, parts)
		return
	}
	for _, p := range d.Map {
		name, fix, err := tableName(n, p.Key)
		if err != nil {
			r.fault(nil, PluginName.At(r.at(p.Line), "[%s]: %s; the table is left out", join(dotted(parts), p.Key), err).With("%s", fix))
			continue
		}
		inner := append(parts[:len(parts):len(parts)], p.Key)
		r.mentions = append(r.mentions, mention{n, dotted(inner), name, r.at(p.Line)})
		r.table(&p.Value, n, inner)
	}
}

// open keeps what is in a table, key by key, so that layers add up.
func (r *reading) open(d *ext.Doc, n *node, parts []string) {
	if d.Kind != ext.Map {
		r.wrongType(d, n, parts)
		return
	}
	for _, p := range d.Map {
		r.say(n, append(parts[:len(parts):len(parts)], p.Key), p.Value, p.Line)
	}
}

func (r *reading) key(p ext.Pair, n *node, parts []string) {
	v, ok := n.parse(p.Value.Text)
	if !ok || p.Value.Kind != kinds[n.kind] {
		r.wrongType(&p.Value, n, parts)
		return
	}
	if instead := n.accepts(v); instead != "" {
		f := WrongValue.At(r.at(p.Line), "%s: expected %s, found %s", dotted(parts), instead, ext.Quote(ext.Shorten(p.Value.Text, 80)))
		r.fault(parts, f.With("%s", n.instead(&p.Value, parts)))
		return
	}
	r.say(n, parts, v, p.Line)
}

var kinds = map[kind]ext.Kind{kindText: ext.String, kindBool: ext.Bool, kindInt: ext.Number}

func (r *reading) says(key string) bool { return r.keys[key] }

func (r *reading) say(n *node, parts []string, v any, line int) {
	r.keys[dotted(parts)] = true
	r.said = append(r.said, said{
		node: n, key: dotted(parts), last: parts[len(parts)-1], layer: r.layer,
		value: v, origin: r.at(line), dir: r.file.dir,
	})
}

func (r *reading) wrongType(d *ext.Doc, n *node, parts []string) {
	f := WrongType.At(r.at(d.Line), "%s: expected %s, found %s", dotted(parts), n.takes(), found(d))
	r.fault(parts, f.With("%s", n.instead(d, parts)))
}

// unknown tells of a key of the table n and names the one that was meant.
func (r *reading) unknown(n *node, parts []string, p ext.Pair) {
	key := join(dotted(parts), p.Key)
	var known []string
	for _, c := range n.children {
		known = append(known, join(dotted(parts), c.name))
	}
	all := known
	schema.keys(func(k *node) bool { all = append(all, k.path); return true })
	hint := "; known here: " + strings.Join(known, ", ")
	if meant := spelling.Nearest(key, all); meant != "" {
		hint = `; did you mean "` + meant + `"?`
	}
	r.fault(append(parts[:len(parts):len(parts)], p.Key), UnknownKey.At(r.at(p.Line), `unknown key "%s"%s`, ext.Shorten(key, 200), hint))
}

func dotted(parts []string) string {
	s := ""
	for _, p := range parts {
		s = join(s, p)
	}
	return s
}
