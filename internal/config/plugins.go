package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// tableName is the name that a table of n is for; fix is what to do about a name
// that is a good one and taken.
func tableName(n *node, key string) (name ext.Name, fix string, err error) {
	name, err = ext.ParseName(key)
	if err == nil && slices.Contains(ext.Reserved, name) {
		err = fmt.Errorf("the name %s is reserved for Mortise itself", ext.Quote(key))
		one := n.one()
		fix = fmt.Sprintf("Choose another name for the %s, such as [%s.%s-%s].", one, n.path, key, one)
	}
	return name, fix, err
}

// one is what one table of n is about.
func (n *node) one() string { return strings.TrimSuffix(n.name, "s") }

// BuiltIn are the plugins that are compiled in, and in use where the configuration has a
// table of their name.
var BuiltIn = []ext.Name{"rig"}

// plugins are the plugins in load order. One that is refused is among them;
// one that is only disabled, in a file that is for other workspaces too, is not.
func (s *settling) plugins(c *Config) []Plugin {
	var all []Plugin
	open := c.open()
	for _, m := range s.order("plugins") {
		p := c.plugin(m)
		p.Settings.Map = open[join(m.key, "settings")]
		p.Refused = s.faulty(m.key)
		if p.Path == "" && !p.Enabled && !p.Refused {
			continue
		}
		if slices.Contains(BuiltIn, p.Name) && p.Path == "" && p.Format == "" && !p.Refused {
			c.declared = append(c.declared, p)
			continue
		}
		if p.Path == "" && !p.Refused && p.Format == "" && len(p.Settings.Map) > 0 {
			c.unplaced = append(c.unplaced, p) // of one that is installed, which this is not known of
			continue
		}
		if p.Path == "" && !p.Refused {
			p.Refused = true
			s.findings.Add(PluginPath.At(m.origin, "plugin %s has no path", m.name).
				With("Write path = \"./…\" under [%s], or remove the table.", m.key))
		}
		all = append(all, p)
	}
	return all
}

// order is one mention of each table below a name, as the files list them: it
// stands where a file first gives it a path, and behind all others when none does.
func (s *settling) order(below string) []mention {
	var all []mention
	seen := map[string]bool{}
	add := func(when func(*reading, mention) bool) {
		for _, l := range listing {
			for _, r := range s.layers {
				for _, m := range r.mentions {
					if r.layer == l && m.node.name == below && !seen[m.key] && when(r, m) {
						seen[m.key] = true
						all = append(all, m)
					}
				}
			}
		}
	}
	add(func(r *reading, m mention) bool { return r.says(join(m.key, places[below])) })
	add(func(*reading, mention) bool { return true })
	return all
}

// faulty reports whether a named table has a fault. One in a workspace's
// file is told and changes nothing about what is the person's own.
func (s *settling) faulty(key string) bool {
	own := s.own(key)
	return slices.ContainsFunc(s.layers, func(r *reading) bool { return r.faulty[key] && !(own && r.layer.workspace()) })
}

// plugin takes the effective values of one plugin together.
func (c *Config) plugin(m mention) Plugin {
	p := Plugin{Name: m.name, Origin: m.origin, Settings: ext.Doc{Kind: ext.Map, File: m.origin.Path, Line: m.origin.Line}}
	into := reflect.ValueOf(&p).Elem()
	for _, n := range m.node.children {
		if v, ok := c.values[join(m.key, n.name)]; ok && n.isKey() {
			into.FieldByIndex(n.index).Set(reflect.ValueOf(v.value))
		}
	}
	if v, ok := c.values[join(m.key, "path")]; ok {
		p.Dir, p.Origin = resolve(v.dir, p.Path), v.Origin
		p.Own = v.Layer == User || v.Layer == Managed
	}
	return p
}

// open is what the open tables hold, by the key of the table, sorted.
func (c *Config) open() map[string][]ext.Pair {
	tables := map[string][]ext.Pair{}
	for _, k := range c.Keys() {
		if v := c.values[k]; v.node.kind == kindOpen {
			in := strings.TrimSuffix(k, "."+join("", v.last))
			tables[in] = append(tables[in], ext.Pair{Key: v.last, Line: v.Origin.Line, Value: v.value.(ext.Doc)})
		}
	}
	return tables
}
