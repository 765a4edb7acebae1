package frontmatter

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
)

// mendable reports whether found holds errors, and none that is a limit: what
// is hostile or too large is refused, not mended.
func mendable(found ext.Findings) bool {
	for _, f := range found {
		if f.Check.Severity < ext.Error {
			continue
		}
		switch f.Check {
		case doc.YAMLSyntax, doc.YAMLDuplicateKey, doc.YAMLKey:
		default:
			return false
		}
	}
	return found.Failed()
}

// firstOfEach reads YAML in which nothing is at fault but that keys are
// repeated, on whatever level. The first of each counts.
func firstOfEach(o ext.Origin, front string, first int) (ext.Doc, ext.Findings, bool) {
	if _, found, sure := flat(o, front, first); sure && found.Failed() {
		return ext.Doc{}, nil, false // it is no YAML, whatever is repeated
	}
	d, found := doc.YAMLRepeated(o, []byte(front), first, Duplicate)
	if found.Failed() || d.Kind != ext.Map {
		return ext.Doc{}, nil, false
	}
	return d, found, true
}

// byKey cuts the text at its keys and reads what belongs to each by the
// strictest reading that takes it: as it is written, with blanks for tabs, with
// quotes put where they lack, as plain text. It is not sure of a text that does
// not begin with a key, or that holds control characters; of one in which a part
// is hostile or too large it is sure, and that is an error.
func byKey(o ext.Origin, front string, first int) (ext.Doc, ext.Findings, bool) {
	if !legible(front) {
		return ext.Doc{}, nil, false
	}
	parts, ok := cut(front, first)
	if !ok {
		return ext.Doc{}, nil, false
	}
	m := mender{origin: o, lines: make(map[string]int, len(parts))}
	for i := range parts {
		if !m.read(&parts[i]) {
			return ext.Doc{}, m.fatal, len(m.fatal) > 0
		}
	}
	return ext.Doc{Kind: ext.Map, File: o.Path, Line: parts[0].line, Map: m.pairs}, m.found, m.told()
}

// legible reports whether s has no control characters but tabs and line feeds.
func legible(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c < ' ' && c != '\t' && c != '\n' || c == 0x7f || c == 0xc2 && s[i+1] < 0xa0 {
			return false
		}
	}
	return true
}

// mender collects what the parts of front matter hold.
type mender struct {
	origin ext.Origin
	pairs  []ext.Pair
	lines  map[string]int // where each key was first
	found  ext.Findings
	fatal  ext.Findings // why there is no mending the text, where that is an error
}

// maxMended is how much may be at fault in one text that is mended by its keys.
// People make a handful of faults; what has more was not written as YAML.
const maxMended = 50

// told reports whether something was mended, and said so.
func (m *mender) told() bool {
	for _, f := range m.found {
		if f.Check.Severity == ext.Warning {
			return true
		}
	}
	return false
}

// read adds a part. It reports false when there is no mending the text.
func (m *mender) read(p *part) bool {
	pairs, found, ok := m.yaml(p, p.text)
	switch {
	case ok:
		return m.add(pairs, found)
	case found.Failed() && !mendable(found):
		m.fatal = found
		return false
	}
	text, told := m.untabbed(p)
	if len(told) > 0 {
		if pairs, found, ok = m.yaml(p, text); ok {
			return m.add(pairs, append(told, found...))
		}
	}
	text, quoted := m.requoted(p, text)
	if len(quoted) > 0 {
		if pairs, found, ok = m.yaml(p, text); ok && len(pairs) == 1 {
			return m.add(pairs, append(append(told, quoted...), found...))
		}
	}
	pair, f := m.asText(p)
	return m.add([]ext.Pair{pair}, ext.Findings{f})
}

// yaml reads the text of a part, mended or not. The key of the part must be the
// first in it; others may follow that do not look like keys here.
func (m *mender) yaml(p *part, text string) ([]ext.Pair, ext.Findings, bool) {
	d, found, sure := flat(m.origin, text, p.line)
	if !sure {
		d, found = doc.YAMLRepeated(m.origin, []byte(text), p.line, Duplicate)
	}
	if found.Failed() || len(d.Map) == 0 || d.Map[0].Key != p.key {
		return nil, found, false
	}
	return d.Map, found, true
}

// add reports false when there is too much at fault.
func (m *mender) add(pairs []ext.Pair, found ext.Findings) bool {
	m.found.Add(found...)
	for _, p := range pairs {
		if first, known := m.lines[p.Key]; known {
			m.found.Add(doc.Repeated(Duplicate, m.origin.At(m.origin.Path, p.Line), p.Key, first))
			continue
		}
		m.lines[p.Key] = p.Line
		m.pairs = append(m.pairs, p)
	}
	return len(m.found) <= maxMended
}
