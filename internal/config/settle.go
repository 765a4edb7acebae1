package config

import (
	"reflect"
	"slices"

	"github.com/mortise-dev/mortise/ext"
)

// settling decides between what the layers say.
type settling struct {
	layers   []*reading // highest first
	userFile string
	findings *ext.Findings
}

// values are all keys that have a value, settled.
func (s *settling) values() map[string]Value {
	values := map[string]Value{}
	for key, all := range s.said() {
		if v, ok := s.value(key, all); ok {
			values[key] = v
		}
	}
	return values
}

// said is everything that is said about each key, highest layer first. The
// defaults come last, those of the keys of named tables only where a layer has
// such a table.
func (s *settling) said() map[string][]said {
	by := map[string][]said{}
	for _, r := range s.layers {
		for _, one := range r.said {
			by[one.key] = append(by[one.key], one)
		}
	}
	silent := func(n *node, key string) {
		if all := by[key]; len(all) == 0 || all[len(all)-1].layer != Default {
			by[key] = append(all, said{node: n, key: key, layer: Default, value: n.def})
		}
	}
	schema.keys(func(n *node) bool { silent(n, n.path); return true })
	for _, r := range s.layers {
		for _, m := range r.mentions {
			for _, n := range m.node.children {
				if n.def != nil && n.def != "" {
					silent(n, join(m.key, n.name))
				}
			}
		}
	}
	return by
}

// value settles one key: the highest layer that may say what it says has the
// last word. ok is false when none may and there is no default.
func (s *settling) value(key string, all []said) (v Value, ok bool) {
	for i := len(all) - 1; i >= 0; i-- {
		s.judge(&all[i], all[i+1:])
	}
	counts := slices.IndexFunc(all, func(one said) bool { return one.ignored == "" })
	if counts < 0 {
		return Value{}, false
	}
	chosen := all[counts]
	v = Value{Key: key, Said: chosen.told(), node: chosen.node, value: chosen.value, last: chosen.last, dir: chosen.dir}
	for i, one := range all {
		if i != counts {
			v.Shadowed = append(v.Shadowed, one.told())
		}
	}
	return v, true
}

func (one said) told() Said {
	return Said{Layer: one.layer, Text: spell(one.value), Origin: one.origin, Ignored: one.ignored}
}

// fill sets the fields outside named tables.
func (c *Config) fill() {
	into := reflect.ValueOf(&c.Settings).Elem()
	schema.keys(func(n *node) bool {
		into.FieldByIndex(n.index).Set(reflect.ValueOf(c.values[n.path].value))
		return true
	})
}

// personal are the settings that hold without the workspace's files.
func (c *Config) personal() Settings {
	p := c.Settings
	into := reflect.ValueOf(&p).Elem()
	schema.keys(func(n *node) bool {
		v := c.values[n.path]
		if !v.Layer.workspace() {
			return true
		}
		if s, ok := v.otherwise(); ok {
			if value, ok := n.parse(s.Text); ok {
				into.FieldByIndex(n.index).Set(reflect.ValueOf(value))
			}
		}
		return true
	})
	return p
}
