package bridge

import (
	"path"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// languageServerFile lays a file of language servers: bare, or under
// "lspServers".
func (l *layer) languageServerFile(file string) {
	d, fault := l.read(file)
	if fault != nil {
		l.lost("language-server", file, fault)
		return
	}
	l.languageServers(d)
}

// languageServers lays a map of language servers as one document of the
// canonical form.
func (l *layer) languageServers(d *ext.Doc) {
	if l.spec("language-server", l.of(d)) == nil {
		return
	}
	doc := *d
	if d.Get("lspServers") == nil {
		bare := *d
		bare.Raw = nil
		bare.Map = nil
		for _, p := range d.Map {
			if p.Key != "$schema" {
				bare.Map = append(bare.Map, p)
			}
		}
		doc = mapAt(d, pair("lspServers", bare))
	}
	inner := doc.Get("lspServers")
	if inner.Kind == ext.Map && len(inner.Map) == 0 {
		return // it declares none
	}
	l.laying().AddSeveral(ext.Place{Surface: "language-server", Path: doc.File, File: doc.File, Doc: &doc}, len(inner.Map))
}

// listOf lays each item of a file that holds a list.
func (l *layer) listOf(surfaceName, file string, lay func(*ext.Doc)) {
	d, fault := l.read(file)
	if fault != nil {
		l.lost(surfaceName, file, fault)
		return
	}
	if d.Kind != ext.List {
		l.note(source.NotRead, l.of(d), "expected a list, found %s", d.Kind)
		return
	}
	for i := range d.List {
		lay(&d.List[i])
	}
}

// mapOf lays each pair of an object as an entry that goes by its key.
func (l *layer) mapOf(surfaceName string, d *ext.Doc) {
	for i := range d.Map {
		p := &d.Map[i]
		v := p.Value
		v.Line = p.Line
		l.entry(surfaceName, p.Key, v)
	}
}

// nameOf is what a node calls itself, or the fallback.
func nameOf(d *ext.Doc, fallback string) string {
	if n := d.Word("name"); n != "" {
		return n
	}
	return fallback
}

// stem is a file's name without its directories and its ending.
func stem(file string) string {
	base := path.Base(file)
	return strings.TrimSuffix(base, path.Ext(base))
}

// apps lays a file of apps: bare, or under "apps".
func (l *layer) apps(file string) {
	d, fault := l.read(file)
	if fault != nil {
		l.lost("app", file, fault)
		return
	}
	switch inner := d.Get("apps"); {
	case inner != nil && inner.Kind == ext.Map:
		for _, p := range d.Map {
			if p.Key != "apps" && p.Key != "$schema" {
				l.note(ManifestIgnored, l.at(file, p.Line), "key %s has no meaning beside \"apps\"", ext.Quote(p.Key))
			}
		}
		l.mapOf("app", inner)
	case d.Kind == ext.Map:
		l.mapOf("app", d)
	default:
		l.note(source.NotRead, l.of(d), "apps must be an object, found %s", d.Kind)
	}
}

// properties lays the properties of a JSON Schema as settings.
func (l *layer) properties(d *ext.Doc) {
	inner := d.Get("properties")
	if inner == nil {
		l.mapOf("setting", d)
		return
	}
	required := map[string]bool{}
	for _, key := range texts(d.Get("required")) {
		required[key] = true
	}
	for i := range inner.Map {
		p := &inner.Map[i]
		l.entry("setting", p.Key, setting(p, required[p.Key]))
	}
}

// schemaKeys are the keys of a property of a JSON Schema that a setting has, by
// the setting's names.
var schemaKeys = map[string]string{
	"title": "title", "description": "description", "type": "type", "default": "default",
	"minimum": "min", "maximum": "max", "minLength": "min", "maxLength": "max", "sensitive": "sensitive", "secret": "sensitive", "writeOnly": "sensitive",
	"env": "env", "envVar": "env", "multiple": "multiple",
}

// setting is a property of a JSON Schema as a setting. What a setting has no
// key for is left to the client that the schema is written for.
func setting(p *ext.Pair, required bool) ext.Doc {
	at := p.Value
	at.Line = p.Line
	out := mapAt(&at)
	if p.Value.Kind != ext.Map {
		return p.Value
	}
	for _, q := range p.Value.Map {
		if key := schemaKeys[q.Key]; key != "" && out.Get(key) == nil {
			out.Map = append(out.Map, ext.Pair{Key: key, Line: q.Line, Value: q.Value})
		}
	}
	switch kind := out.Get("type"); {
	case kind == nil || kind.Kind != ext.String:
		out = out.With("type", textAt(&at, "string")) // a union, or an enumeration
	case kind.Text == "array":
		out = out.With("type", textAt(&at, "string"))
		out.Map = append(out.Map, pair("multiple", ext.Doc{Kind: ext.Bool, Text: "true", File: at.File, Line: at.Line}))
	case kind.Text == "object":
		out = out.With("type", textAt(&at, "string"))
	}
	if required {
		out.Map = append(out.Map, pair("required", ext.Doc{Kind: ext.Bool, Text: "true", File: at.File, Line: at.Line}))
	}
	return out
}
