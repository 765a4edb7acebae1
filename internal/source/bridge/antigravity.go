package bridge

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// Antigravity is Google Antigravity's plugin format. Only its place tells its
// manifest from others of that name.
var Antigravity = source.Format{
	Name:      "antigravity",
	Doc:       "Google Antigravity plugins: a plugin.json in .agents/plugins/NAME (or .agent, _agents, _agent); skills/, agents/, commands/, rules/, hooks.json, mcp.json.",
	Holds:     []string{"skill", "agent", "command", "rule", "server", "client_event"},
	Marker:    "plugin.json",
	Recognise: func(t *ext.Tree, m source.Manifest) bool { return inAntigravity(t) && !agentPluginsSchema(t, m) },
	Lay:       layAntigravity,
}

// inAntigravity reports whether a directory lies where Antigravity keeps
// plugins.
func inAntigravity(t *ext.Tree) bool {
	parts := strings.Split(filepath.ToSlash(t.Root), "/")
	n := len(parts)
	return n >= 3 && parts[n-2] == "plugins" && slices.Contains([]string{".agents", ".agent", "_agents", "_agent"}, parts[n-3])
}

var antigravityKeys = keys{"$schema": nil, "name": isText, "description": isText, "disabled": isFlag, "logo": isText}

func layAntigravity(t *ext.Tree, m source.Manifest, env source.Env) {
	l := newLayer(t, m, env, "antigravity")
	l.begin()
	l.strict(antigravityKeys, "Antigravity's")
	l.label(false)
	if d := l.key("disabled"); d != nil && d.Text == "true" {
		l.note(source.NotRead, l.of(d), "the plugin switches itself off in its manifest: nothing of it is read")
		return
	}
	l.lay(component{surface: "skill", dir: "skills"})
	l.lay(component{surface: "agent", dir: "agents"})
	l.lay(component{surface: "command", dir: "commands"})
	l.lay(component{surface: "rule", dir: "rules"})
	l.serverFiles("mcp.json", "mcp_config.json", ".mcp.json")
	l.hookFiles("hooks.json")
}
