package bridge

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

// layClaudeServers lays .mcp.json and what the manifest declares: a path, an
// object, or a list of both.
func layClaudeServers(t *ext.Tree, m source.Manifest, env source.Env) {
	if _, err := fs.Lstat(t.FS, ".mcp.json"); err == nil {
		layClaudeServerFile(t, env, ".mcp.json")
	}
	given := m.Doc.Get("mcpServers")
	if given == nil {
		return
	}
	items := []*ext.Doc{given}
	if given.Kind == ext.List {
		items = nil
		for i := range given.List {
			items = append(items, &given.List[i])
		}
	}
	for _, d := range items {
		switch d.Kind {
		case ext.Map:
			addServers(t, m.Path, d)
		case ext.String:
			if p, ok := inside(t, m, d, "mcpServers"); ok && p != ".mcp.json" {
				layClaudeServerFile(t, env, p)
			}
		default:
			t.Findings.Add(ManifestField.At(t.Origin.At(m.Path, d.Line), "\"mcpServers\" must hold paths and objects, found %s", d.Kind))
		}
	}
}

// layClaudeServerFile reads a server file in both shapes: wrapped in
// "mcpServers", or the bare map of servers.
func layClaudeServerFile(t *ext.Tree, env source.Env, file string) {
	c := source.Read(t.FS, t.Origin.At(file, 0), env.Limits)
	if c.Lost || c.Findings.Failed() {
		fault := c.Findings[len(c.Findings)-1]
		t.Places = append(t.Places, ext.Place{Surface: "server", Path: file, File: file, Fault: &fault})
		return
	}
	t.Findings.Add(c.Findings...)
	if servers := c.Doc.Get("mcpServers"); servers != nil {
		for _, p := range c.Doc.Map {
			if p.Key != "mcpServers" && p.Key != "$schema" {
				t.Findings.Add(ManifestIgnored.At(t.Origin.At(file, p.Line), "key %s has no meaning beside \"mcpServers\"", ext.Quote(p.Key)))
			}
		}
		addServers(t, file, servers)
		return
	}
	addServers(t, file, withoutSchema(&c.Doc))
}

// withoutSchema is a bare map of servers without the identifier that an editor
// may want beside them.
func withoutSchema(d *ext.Doc) *ext.Doc {
	out := *d
	out.Map = slices.DeleteFunc(slices.Clone(d.Map), func(p ext.Pair) bool { return p.Key == "$schema" && p.Value.Kind == ext.String })
	return &out
}

// addServers adds a place whose document is the canonical form of a map of
// servers as Claude Code writes it.
func addServers(t *ext.Tree, file string, servers *ext.Doc) {
	canonical := *servers
	canonical.Raw = nil
	canonical.Map = nil
	for _, p := range servers.Map {
		p.Value = claudeServer(t, file, p.Value)
		canonical.Map = append(canonical.Map, p)
	}
	doc := ext.Doc{Kind: ext.Map, File: file, Line: servers.Line, Map: []ext.Pair{{Key: "mcpServers", Line: servers.Line, Value: canonical}}}
	t.Places = append(t.Places, ext.Place{Surface: "server", Path: file, File: file, Doc: &doc, Dialect: surface.DialectClaude})
}

// claudeTypes maps the names of transports met in the field to the canonical
// ones.
var claudeTypes = map[string]string{
	"http": "streamable-http", "streamableHttp": "streamable-http", "streamable-http": "streamable-http",
	"sse": "sse", "stdio": "stdio", "local": "stdio",
}

// canonicalKeys are the keys of a server that have a canonical meaning.
var canonicalKeys = map[string]bool{"type": true, "command": true, "args": true, "env": true, "cwd": true, "url": true, "headers": true}

// claudeServer is one server in canonical form: the transport by its canonical
// name, the plugin's root and data by the canonical variables, and no keys
// that have no meaning here (each is reported).
func claudeServer(t *ext.Tree, file string, d ext.Doc) ext.Doc {
	if d.Kind != ext.Map {
		return d
	}
	out := d
	out.Raw, out.Map = nil, nil
	for _, p := range d.Map {
		switch {
		case p.Key == "type" && p.Value.Kind == ext.String && claudeTypes[p.Value.Text] != "":
			p.Value.Text, p.Value.Raw = claudeTypes[p.Value.Text], nil
		case !canonicalKeys[p.Key]:
			t.Findings.Add(ManifestIgnored.At(t.Origin.At(file, p.Line), "key %s of a server has no meaning here", ext.Quote(p.Key)))
			continue
		default:
			p.Value = renameVariables(p.Value)
		}
		out.Map = append(out.Map, p)
	}
	return out
}

var claudeVariables = strings.NewReplacer("${CLAUDE_PLUGIN_ROOT}", surface.RootVariable, "${CLAUDE_PLUGIN_DATA}", surface.DataVariable)

func renameVariables(d ext.Doc) ext.Doc {
	switch d.Kind {
	case ext.String:
		if s := claudeVariables.Replace(d.Text); s != d.Text {
			d.Text, d.Raw = s, nil
		}
	case ext.List:
		list := make([]ext.Doc, len(d.List))
		for i := range d.List {
			list[i] = renameVariables(d.List[i])
		}
		d.List, d.Raw = list, nil
	case ext.Map:
		pairs := make([]ext.Pair, len(d.Map))
		for i, p := range d.Map {
			p.Value = renameVariables(p.Value)
			pairs[i] = p
		}
		d.Map, d.Raw = pairs, nil
	}
	return d
}
