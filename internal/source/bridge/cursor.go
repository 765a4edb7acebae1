package bridge

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// Cursor is Cursor's plugin format.
var Cursor = source.Format{
	Name:   "cursor",
	Doc:    "Cursor plugins: skills/, agents/, commands/, rules/*.mdc, hooks, mcp.json, and the manifest's variables.",
	Holds:  []string{"skill", "agent", "command", "rule", "server", "setting", "client_event"},
	Marker: ".cursor-plugin/plugin.json",
	Lay:    layCursor,
}

// cursorKeys are the keys of a manifest, whose schema is closed.
var cursorKeys = keys{
	"$schema": nil, "name": isText, "displayName": isText, "description": isText, "version": isText, "minClientVersions": nil,
	"author": {ext.Map, ext.String}, "publisher": nil, "homepage": isText, "repository": {ext.String, ext.Map}, "license": isText,
	"logo": isText, "keywords": isList, "category": isText, "tags": isList,
	"commands": isPaths, "agents": isPaths, "skills": isPaths, "rules": isPaths,
	"hooks": isDeclared, "variables": isMap, "mcpServers": isDeclared,
}

func layCursor(t *ext.Tree, m source.Manifest, env source.Env) {
	l := newLayer(t, m, env, "cursor")
	l.begin()
	l.strict(cursorKeys, "Cursor's")
	l.label(true)
	l.lay(component{surface: "skill", key: "skills", dir: "skills", globs: true})
	l.lay(component{surface: "agent", key: "agents", dir: "agents", globs: true})
	l.lay(component{surface: "command", key: "commands", dir: "commands", globs: true})
	l.lay(component{surface: "rule", key: "rules", dir: "rules", globs: true, where: cursorRules})
	if l.key("mcpServers") == nil {
		l.serverFiles("mcp.json", ".mcp.json")
	}
	l.serverKey("mcpServers")
	if l.key("hooks") == nil {
		l.hookFiles("hooks/hooks.json")
	}
	l.hookKey("hooks")
	if l.key("mcpServers") != nil {
		l.instead("mcpServers", "mcp.json", ".mcp.json")
	}
	if l.key("hooks") != nil {
		l.instead("hooks", "hooks/hooks.json")
	}
	l.nearHooks("hooks/hooks.json")
	if d := l.key("variables"); d != nil && d.Kind == ext.Map {
		l.properties(d)
	}
}

// cursorRules are rules in Cursor's own ending, and in plain Markdown.
var cursorRules = source.Where{Endings: []string{".mdc", ".md"}}
