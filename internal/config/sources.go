package config

import (
	"path/filepath"
	"reflect"
	"slices"
)

// sources are the rules about sources, in the order in which the files list them. One
// that is refused is among them: what it forbids is not known.
func (s *settling) sources(c *Config) []Source {
	var all []Source
	for _, m := range s.order("sources") {
		one := Source{Name: m.name, Origin: m.origin, Refused: s.faulty(m.key)}
		into := reflect.ValueOf(&one).Elem()
		for _, n := range m.node.children {
			if v, ok := c.values[join(m.key, n.name)]; ok {
				into.FieldByIndex(n.index).Set(reflect.ValueOf(v.value))
			}
		}
		if v, ok := c.values[join(m.key, "signers")]; ok {
			one.SignersFile = filepath.Clean(resolve(v.dir, v.Text))
		}
		v, about := c.values[join(m.key, "from")]
		if about {
			one.Origin, one.Own = v.Origin, v.Layer == User || v.Layer == Managed
		}
		said := slices.ContainsFunc(s.layers, func(r *reading) bool { return r.says(join(m.key, "policy")) }) // it may be ignored
		if !one.Refused && (!about || !said && one.Signed == "") {
			one.Refused = true
			s.findings.Add(SourceRule.At(one.Origin, "the rule %s about sources does not say enough to hold", m.name))
		}
		all = append(all, one)
	}
	return all
}
