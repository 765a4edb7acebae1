package bridge

import (
	"fmt"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Checks on servers as clients write them.
var (
	ServerDisabled = &ext.Check{
		Code: "server-disabled", Severity: ext.Info,
		Doc: "A server is declared and switched off where it is declared. It is not used.",
		Fix: "Nothing. To use it, declare it without \"disabled\".",
	}
	ServerSwitch = &ext.Check{
		Code: "server-switch", Severity: ext.Warning,
		Doc: "A server's \"disabled\" or \"enabled\" is neither true nor false, and clients take it for one or the other. The server counts as switched off.",
		Fix: "Write true or false, without quotes.",
	}
	ServerUnclear = &ext.Check{
		Code: "server-unclear", Severity: ext.Error,
		Doc: "A server's declaration says one thing in two ways that differ, or leaves to its client how it is started. The server is refused: what is meant is not guessed at.",
		Fix: "Say it once, as the message has it.",
	}
	ServerVariable = &ext.Check{
		Code: "server-variable", Severity: ext.Warning,
		Doc: "A server's declaration has a placeholder that its own client fills in and nothing here does.",
		Fix: "Give the value in an environment variable and name that: ${NAME}.",
	}
)

// wrappers are the keys under which clients keep a map of servers.
var wrappers = []string{"mcpServers", "servers", "mcp_servers", "mcp"}

// serverFile lays a file of servers in any of the shapes that are met.
func (l *layer) serverFile(file string) {
	d, fault := l.read(file)
	if fault != nil {
		l.lost("server", file, fault)
		return
	}
	l.serverMap(d)
}

// serverFiles lays the first of the files that is there: each is the client's
// one file of servers, at one of the places where it looks. The others are told.
func (l *layer) serverFiles(files ...string) {
	for i, f := range files {
		if l.there(l.below(f)) {
			l.serverFile(l.below(f))
			l.later(l.below(f), files[i+1:]...)
			return
		}
	}
}

// serverKey lays what the manifest declares: a path, an object, or a list of
// both. read are the files that were read already.
func (l *layer) serverKey(key string, read ...string) {
	for _, d := range l.key(key).Items() {
		switch d.Kind {
		case ext.Map:
			l.serverMap(d)
		case ext.String:
			if p, ok := l.inside(d, key); ok && !slices.Contains(read, p) {
				l.serverFile(p)
			}
		default:
			l.notDeclared(key, d)
		}
	}
}

// serverMap lays a map of servers, bare or under one of the keys that clients
// use.
func (l *layer) serverMap(d *ext.Doc) {
	for _, key := range wrappers {
		inner := d.Get(key)
		if inner == nil || key != "mcpServers" && (inner.Kind != ext.Map || isServer(inner)) {
			continue
		}
		for _, p := range d.Map {
			if p.Key == "inputs" && p.Value.Kind == ext.List {
				l.inputs(&p.Value)
			} else if p.Key != key && p.Key != "$schema" {
				l.note(ManifestIgnored, l.at(d.File, p.Line), "key %s has no meaning beside %q", ext.Quote(p.Key), key)
			}
		}
		l.servers(inner)
		return
	}
	bare := *d
	bare.Map = slices.DeleteFunc(slices.Clone(d.Map), func(p ext.Pair) bool { return p.Key == "$schema" && p.Value.Kind == ext.String })
	l.servers(&bare)
}

// inputs lays what Visual Studio Code asks a person for before it starts a
// server.
func (l *layer) inputs(d *ext.Doc) {
	names := map[string]string{"id": "name", "description": "title", "default": "default", "password": "sensitive"}
	for i := range d.List {
		item := &d.List[i]
		doc := mapAt(item, pair("type", textAt(item, "string")))
		for _, p := range item.Map {
			if key := names[p.Key]; key != "" {
				doc.Map = append(doc.Map, ext.Pair{Key: key, Line: p.Line, Value: p.Value})
			}
		}
		l.entry("setting", nameOf(&doc, fmt.Sprintf("input %d", i+1)), doc)
	}
}

// isServer tells a server that is called as a wrapper is from a wrapper.
func isServer(d *ext.Doc) bool {
	for _, key := range []string{"command", "url", "httpUrl", "type"} {
		if v := d.Get(key); v != nil && v.Kind != ext.Map {
			return true
		}
	}
	return false
}

// servers adds a place whose document is the canonical form of a map of
// servers.
func (l *layer) servers(d *ext.Doc) {
	if l.spec("server", l.of(d)) == nil || l.laying().Over() {
		return
	}
	canonical, rest := *d, mapAt(d)
	canonical.Raw, canonical.Map = nil, nil
	for _, p := range d.Map {
		if !l.laying().Room(len(canonical.Map)+1, l.at(d.File, p.Line)) {
			return
		}
		if l.switchedOff(&p, d.File) {
			l.laying().Skip()
			continue
		}
		one, ignored, fault := l.server(p.Key, p.Value)
		if fault != nil {
			l.refuse("server", p.Key, *fault)
			continue
		}
		if len(ignored) > 0 {
			rest.Map = append(rest.Map, ext.Pair{Key: p.Key, Line: p.Line, Value: mapAt(&p.Value, ignored...)})
		}
		p.Value = one
		canonical.Map = append(canonical.Map, p)
	}
	if d.Kind == ext.Map && len(canonical.Map) == 0 {
		return // it declares none that is used
	}
	doc := mapAt(d, pair("mcpServers", canonical))
	if len(rest.Map) > 0 {
		doc.Map = append(doc.Map, pair(surface.Ignored, rest))
	}
	doc.Line = d.Line
	l.laying().AddSeveral(ext.Place{Surface: "server", Path: doc.File, File: doc.File, Doc: &doc, Dialect: surface.DialectClaude}, len(canonical.Map))
}
