package bridge

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

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
		l.broken("server", file, fault)
		return
	}
	l.serverMap(d)
}

// serverFiles lays the first of the files that is there: each is the client's
// one file of servers, at one of the places where it looks.
func (l *layer) serverFiles(files ...string) {
	for _, f := range files {
		if l.there(l.below(f)) {
			l.serverFile(l.below(f))
			return
		}
	}
}

// serverKey lays what the manifest declares: a path, an object, or a list of
// both. read are the files that were read already.
func (l *layer) serverKey(key string, read ...string) {
	for _, d := range items(l.key(key)) {
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
		l.node("setting", nameOf(&doc, fmt.Sprintf("input %d", i+1)), doc)
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
	if l.spec("server", l.of(d)) == nil {
		return
	}
	canonical := *d
	canonical.Raw, canonical.Map = nil, nil
	for _, p := range d.Map {
		if off(&p.Value) {
			l.note(ServerDisabled, l.at(d.File, p.Line), "the server %s is switched off", ext.Quote(p.Key))
			continue
		}
		p.Value = l.server(p.Key, p.Value)
		canonical.Map = append(canonical.Map, p)
	}
	if d.Kind == ext.Map && len(canonical.Map) == 0 {
		return // it declares none that is used
	}
	doc := mapAt(d, pair("mcpServers", canonical))
	doc.Line = d.Line
	l.t.Places = append(l.t.Places, ext.Place{Surface: "server", Path: doc.File, File: doc.File, Doc: &doc, Dialect: surface.DialectClaude})
}

func off(d *ext.Doc) bool {
	disabled, enabled := d.Get("disabled"), d.Get("enabled")
	return disabled != nil && disabled.Kind == ext.Bool && disabled.Text == "true" ||
		enabled != nil && enabled.Kind == ext.Bool && enabled.Text == "false"
}

// transports maps the names of transports met in the field to the canonical
// ones.
var transports = map[string]string{
	"http": "streamable-http", "streamableHttp": "streamable-http", "streamable-http": "streamable-http", "streamable_http": "streamable-http",
	"remote": "streamable-http", "sse": "sse", "stdio": "stdio", "local": "stdio",
}

// serverKeys are the keys of a server that have a canonical meaning, by every
// spelling.
var serverKeys = map[string]string{
	"type": "type", "transport": "type", "command": "command", "args": "args", "env": "env", "environment": "env", "cwd": "cwd",
	"url": "url", "serverUrl": "url", "httpUrl": "url", "headers": "headers", "http_headers": "headers",
}

// server is one server in canonical form: keys and transport by their canonical
// names, the plugin's root and data by the canonical variables, and no keys
// that have no meaning here (each is reported).
func (l *layer) server(name string, d ext.Doc) ext.Doc {
	if d.Kind != ext.Map {
		return d
	}
	out := d
	out.Raw, out.Map = nil, nil
	var ignored []ext.Pair
	for _, p := range d.Map {
		key := serverKeys[p.Key]
		v := p.Value
		switch {
		case p.Key == "disabled" || p.Key == "enabled":
			continue
		case key == "" || key != p.Key && d.Get(key) != nil:
			ignored = append(ignored, p)
			continue
		case key == "type" && v.Kind == ext.String && transports[v.Text] != "":
			v = textAt(&v, transports[v.Text])
		case key == "command" && v.Kind == ext.List:
			out.Map = append(out.Map, commandLine(&v)...)
			continue
		default:
			v = renamed(v)
		}
		out.Map = append(out.Map, ext.Pair{Key: key, Line: p.Line, Value: v})
	}
	l.meaningless(name, d.File, ignored)
	l.unfilled(name, &out)
	return out
}

// meaningless tells the keys of a server that have no meaning here.
func (l *layer) meaningless(name, file string, pairs []ext.Pair) {
	const most = 6
	var quoted []string
	for _, p := range pairs[:min(most, len(pairs))] {
		quoted = append(quoted, ext.Quote(p.Key))
	}
	what := strings.Join(quoted, ", ")
	switch n := len(pairs); {
	case n == 0:
	case n == 1:
		l.note(ManifestIgnored, l.at(file, pairs[0].Line), "key %s of the server %s has no meaning here", what, ext.Quote(name))
	case n <= most:
		l.note(ManifestIgnored, l.at(file, pairs[0].Line), "keys %s of the server %s have no meaning here", what, ext.Quote(name))
	default:
		l.note(ManifestIgnored, l.at(file, pairs[0].Line), "keys %s and %d more of the server %s have no meaning here", what, n-most, ext.Quote(name))
	}
}

// commandLine is a command that is written with its arguments in one list.
func commandLine(d *ext.Doc) []ext.Pair {
	if len(d.List) == 0 {
		return []ext.Pair{pair("command", textAt(d, ""))}
	}
	args := *d
	args.Raw, args.List = nil, d.List[1:]
	return []ext.Pair{pair("command", d.List[0]), pair("args", args)}
}

// variables are the names that clients have for the plugin's directories, and
// for a separator of paths.
var variables = strings.NewReplacer(
	"${CLAUDE_PLUGIN_ROOT}", surface.RootVariable, "${CLAUDE_PLUGIN_DATA}", surface.DataVariable,
	"${CURSOR_PLUGIN_ROOT}", surface.RootVariable, "${extensionPath}", surface.RootVariable, "${__dirname}", surface.RootVariable,
	"${/}", "/", "${pathSeparator}", "/",
)

// environment is a variable of the environment as Cursor and VS Code write it.
var environment = regexp.MustCompile(`\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}`)

func canonicalText(s string) string {
	return environment.ReplaceAllString(variables.Replace(s), "${$1}")
}

// renamed is a node with the canonical variables in all its texts.
func renamed(d ext.Doc) ext.Doc {
	switch d.Kind {
	case ext.String:
		if s := canonicalText(d.Text); s != d.Text {
			d.Text, d.Raw = s, nil
		}
	case ext.List:
		list := make([]ext.Doc, len(d.List))
		for i := range d.List {
			list[i] = renamed(d.List[i])
		}
		d.List, d.Raw = list, nil
	case ext.Map:
		pairs := make([]ext.Pair, len(d.Map))
		for i, p := range d.Map {
			p.Value = renamed(p.Value)
			pairs[i] = p
		}
		d.Map, d.Raw = pairs, nil
	}
	return d
}

// foreign is a placeholder that a client fills in: one that is no variable's
// name, or one that only clients know.
var foreign = regexp.MustCompile(`\$\{(?:[A-Za-z_]\w*\.[^}]*|[A-Za-z_]\w*:[^}-][^}]*|CLAUDE_PROJECT_DIR|workspacePath|workspaceFolder|userHome|DESKTOP|DOCUMENTS|DOWNLOADS)\}`)

// unfilled tells the first placeholder of a server that nothing here fills in.
func (l *layer) unfilled(name string, d *ext.Doc) {
	found := ""
	line := d.Line
	eachText(d, func(t *ext.Doc) {
		if found == "" {
			if found = foreign.FindString(t.Text); found != "" {
				line = t.Line
			}
		}
	})
	if found != "" {
		l.note(ServerVariable, l.at(d.File, line), "the server %s needs %s", ext.Quote(name), ext.Quote(ext.Shorten(found, 60)))
	}
}

func eachText(d *ext.Doc, visit func(*ext.Doc)) {
	if d.Kind == ext.String {
		visit(d)
	}
	for i := range d.List {
		eachText(&d.List[i], visit)
	}
	for i := range d.Map {
		eachText(&d.Map[i].Value, visit)
	}
}
