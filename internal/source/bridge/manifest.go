package bridge

import (
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// Kinds that a key of a manifest may be of.
var (
	isText     = []ext.Kind{ext.String}
	isMap      = []ext.Kind{ext.Map}
	isList     = []ext.Kind{ext.List}
	isFlag     = []ext.Kind{ext.Bool}
	isPaths    = []ext.Kind{ext.String, ext.List}
	isDeclared = []ext.Kind{ext.String, ext.List, ext.Map}
)

// keys are those that a manifest of a format may hold, and the kinds each may
// be of; nil means any.
type keys map[string][]ext.Kind

// strict reports what a manifest must not hold: a known key of another kind
// refuses the plugin, as it does in its own client.
func (l *layer) strict(known keys, whose string) {
	l.eachKey(func(p *ext.Pair, o ext.Origin) {
		switch kinds, ok := known[p.Key]; {
		case !ok:
			l.note(ManifestIgnored, o, "key %s is not one of %s", ext.Quote(p.Key), whose)
		case kinds != nil && !slices.Contains(kinds, p.Value.Kind):
			l.t.Findings.Add(ManifestField.At(o, "key %q must be %s, found %s", p.Key, orKinds(kinds), p.Value.Kind).Of(p.Key))
		}
	})
}

// lenient reports what a manifest of a client holds that ignores what it cannot
// use, and takes it out: the rest of the format sees only what is as it must be.
func (l *layer) lenient(known keys, whose string) {
	d := l.m.Doc
	d.Map = nil
	l.eachKey(func(p *ext.Pair, o ext.Origin) {
		switch kinds, ok := known[p.Key]; {
		case !ok:
			l.note(ManifestIgnored, o, "key %s is not one of %s", ext.Quote(p.Key), whose)
		case kinds != nil && !slices.Contains(kinds, p.Value.Kind):
			f := ManifestIgnored.At(o, "key %q must be %s, found %s; it is ignored, as in its client", p.Key, orKinds(kinds), p.Value.Kind)
			l.t.Findings.Add(f.Of(p.Key))
			return
		}
		d.Map = append(d.Map, *p)
	})
	l.m.Doc = d
}

// eachKey visits the keys of a manifest that is an object and could be read.
func (l *layer) eachKey(visit func(p *ext.Pair, o ext.Origin)) {
	if l.m.Findings.Failed() {
		return
	}
	d := &l.m.Doc
	if d.Kind != ext.Map {
		l.note(ManifestSyntax, l.at(l.m.Path, d.Line), "expected an object, found %s", d.Kind)
		return
	}
	for i := range d.Map {
		visit(&d.Map[i], l.at(l.m.Path, d.Map[i].Line))
	}
}

// begin takes over what reading the manifest found.
func (l *layer) begin() {
	l.t.Findings.Add(l.m.Findings...)
	l.t.Manifest = &l.m.Doc
}

// notDeclared reports an item of a list that is neither a path nor an object.
// What is no list was reported with the manifest's keys.
func (l *layer) notDeclared(key string, d *ext.Doc) {
	if l.key(key).Kind == ext.List {
		l.note(ManifestField, l.of(d), "%q must hold paths and objects, found %s", key, d.Kind)
	}
}

// label takes what a manifest calls its plugin. needed: one without refuses it.
func (l *layer) label(needed bool) {
	switch n := l.key("name"); {
	case n == nil && needed && l.m.Doc.Kind == ext.Map && !l.m.Findings.Failed():
		l.note(ManifestField, l.at(l.m.Path, 1), "key \"name\" is missing")
	case n != nil && n.Kind == ext.String:
		l.t.Label = n.Text
	}
}

// closed reports what an object holds beside the known keys. It refuses the
// plugin, as it does in its own client.
func (l *layer) closed(d *ext.Doc, what string, known ...string) {
	for i := range d.Map {
		if p := &d.Map[i]; !slices.Contains(known, p.Key) {
			l.note(ManifestField, l.at(d.File, p.Line), "key %s is not one of %s", ext.Quote(p.Key), what)
		}
	}
}

func orKinds(kinds []ext.Kind) string {
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = k.String()
	}
	return strings.Join(words, " or ")
}

// unread says that a component is there and has no effect. key is the
// manifest's, location the place where it lies otherwise; either may be "".
func (l *layer) unread(key, location, what string) {
	if d := l.key(key); key != "" && d != nil && !empty(d) {
		l.note(source.NotRead, l.at(l.m.Path, keyLine(&l.m.Doc, key)), "the %s has %s", l.noun, what)
		return
	}
	if location != "" && l.stands(l.below(location)) {
		l.note(source.NotRead, l.at(l.below(location), 0), "the %s has %s", l.noun, what)
	}
}

func empty(d *ext.Doc) bool {
	return d.Kind == ext.Null || d.Kind == ext.Map && len(d.Map) == 0 || d.Kind == ext.List && len(d.List) == 0
}

// keyLine is the line of a key of the manifest, 1 when it has none.
func keyLine(d *ext.Doc, key string) int {
	for _, p := range d.Map {
		if p.Key == key {
			return p.Line
		}
	}
	return max(d.Line, 1)
}
