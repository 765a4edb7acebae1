package bridge

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// Bundle is an MCP bundle's directory, as it is before it is packed.
var Bundle = source.Format{
	Name:      "mcpb",
	Doc:       "MCP bundles that are not packed: a manifest.json with manifest_version and server, which is one server, and user_config. A packed .mcpb is told and never unpacked.",
	Holds:     []string{"server", "setting"},
	Marker:    "manifest.json",
	Recognise: func(_ *ext.Tree, m source.Manifest) bool { return bundleManifest(&m.Doc) },
	Doubtful:  true,
	Lay:       layBundle,
}

// bundleManifest tells a bundle's manifest from the many other files of that
// name.
func bundleManifest(d *ext.Doc) bool {
	server := d.Get("server")
	return server != nil && server.Kind == ext.Map && (d.Get("manifest_version") != nil || d.Get("dxt_version") != nil)
}

var bundleKeys = keys{
	"$schema": nil, "manifest_version": nil, "dxt_version": nil, "name": isText, "display_name": isText, "version": isText,
	"description": isText, "long_description": isText, "author": nil, "repository": nil, "homepage": isText, "documentation": isText,
	"support": isText, "icon": isText, "icons": isList, "screenshots": isList, "localization": nil, "server": isMap,
	"tools": isList, "tools_generated": isFlag, "prompts": isList, "prompts_generated": isFlag,
	"keywords": isList, "license": isText, "compatibility": isMap, "privacy_policies": isList, "user_config": isMap, "_meta": isMap,
}

func layBundle(t *ext.Tree, m source.Manifest, env source.Env) {
	l := newLayer(t, m, env, "mcpb")
	l.begin()
	l.strict(bundleKeys, "an MCP bundle's")
	l.label(true)
	l.bundleServer()
	if d := l.key("user_config"); d != nil && d.Kind == ext.Map {
		l.mapOf("setting", d)
	}
	l.unread("tools", "", "descriptions of tools, which the server gives itself once it runs")
	l.unread("prompts", "", "prompts whose text stands in the manifest, for its client to offer as commands: they are no commands here")
}

// bundleServer lays the bundle's one server under the bundle's name.
func (l *layer) bundleServer() {
	s := l.key("server")
	if s == nil || s.Kind != ext.Map {
		return
	}
	name := l.t.Label
	if name == "" {
		name = l.self()
	}
	config := s.Get("mcp_config")
	switch {
	case config == nil && s.Word("type") == "uv": // since version 0.4 that is as it may be
		f := ServerUnclear.At(l.of(s), "the manifest leaves it to its client how the server %s is started (\"type\": \"uv\" without \"mcp_config\")", ext.Quote(name))
		l.refuse("server", name, f.With("Say how it is started in \"mcp_config\": its command, and its arguments with ${__dirname} for the bundle's directory."))
		return
	case config == nil || config.Kind != ext.Map:
		l.note(ManifestField, l.of(s), "\"server\" must say how it is started: \"mcp_config\" is missing or no object")
		return
	}
	one := *config
	one.Raw, one.Map = nil, nil
	for _, p := range config.Map {
		if p.Key == "platform_overrides" {
			l.note(source.NotRead, l.at(l.m.Path, p.Line), "the server is started in another way on some systems, which is not read")
			continue
		}
		one.Map = append(one.Map, p)
	}
	l.servers(&ext.Doc{Kind: ext.Map, File: s.File, Line: s.Line, Map: []ext.Pair{{Key: name, Line: s.Line, Value: one}}})
}
