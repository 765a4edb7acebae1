package bridge

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// Codex is OpenAI Codex's plugin format.
var Codex = source.Format{
	Name:   "codex",
	Doc:    "OpenAI Codex plugins: skills/ (six directories deep), commands/, hooks, .mcp.json, .app.json.",
	Holds:  []string{"skill", "command", "server", "app", "client_event"},
	Marker: ".codex-plugin/plugin.json",
	Lay:    layCodex,
}

// codexKeys are the keys that Codex knows. It ignores what it cannot use.
var codexKeys = keys{
	"$schema": nil, "name": isText, "version": isText, "description": isText, "keywords": isList,
	"author": nil, "homepage": isText, "repository": isText, "license": isText, "interface": isMap,
	"skills": isPaths, "mcpServers": {ext.String, ext.Map}, "apps": {ext.String, ext.Map}, "hooks": isDeclared,
}

// codexHooks is the file of hooks that is read without being named.
const codexHooks = "hooks/hooks.json"

// codexDepth is how deep Codex looks for skills.
const codexDepth = 6

func layCodex(t *ext.Tree, m source.Manifest, env source.Env) {
	l := newLayer(t, m, env, "codex")
	l.begin()
	l.lenient(codexKeys, "Codex's")
	l.label(false)
	if v := l.key("version"); v != nil && strings.TrimSpace(v.Text) == "" {
		l.note(ManifestField, l.of(v), "key \"version\" is blank")
	}
	l.lay(component{surface: "skill", key: "skills", dir: "skills", where: source.Where{Deep: codexDepth}})
	l.lay(component{surface: "command", dir: "commands"})
	if l.key("mcpServers") == nil {
		l.serverFiles(".mcp.json")
	}
	l.serverKey("mcpServers")
	l.codexApps()
	if l.key("hooks") == nil {
		l.hookFiles(codexHooks)
	}
	l.hookKey("hooks")
	for _, r := range []struct{ key, file string }{{"mcpServers", ".mcp.json"}, {"apps", ".app.json"}, {"hooks", codexHooks}} {
		if l.key(r.key) != nil {
			l.instead(r.key, r.file)
		}
	}
	l.nearHooks(codexHooks)
	l.markdownUnread("agents", "agents, which this format has none of")
	l.unread("", "rules", "rules, which this format has none of")
}

// codexApps lays the apps that a person connects: what the manifest names, else
// .app.json.
func (l *layer) codexApps() {
	switch d := l.key("apps"); {
	case d == nil:
		if l.there(".app.json") {
			l.apps(".app.json")
		}
	case d.Kind == ext.Map:
		l.mapOf("app", d)
	default:
		if p, ok := l.inside(d, "apps"); ok {
			l.apps(path.Clean(p))
		}
	}
}

// markdownUnread tells a directory that holds Markdown; what else lies in
// agents/ is Codex's own.
func (l *layer) markdownUnread(dir, what string) {
	entries, err := fs.ReadDir(l.t.FS, dir)
	if err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return path.Ext(e.Name()) == ".md" }) {
		l.unread("", dir, what) // what cannot be looked into may hold some
	}
}
