package bridge

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// Copilot is GitHub Copilot's own plugin format, and that of Open Plugin, from
// which both it and Agent Plugins come.
var Copilot = source.Format{
	Name: "copilot",
	Doc: "GitHub Copilot plugins, and Open Plugin: .plugin/plugin.json, a root plugin.json without the Agent Plugins schema that names components, or .github/plugin/plugin.json; " +
		"skills/, agents/*.agent.md, commands/, hooks, .mcp.json, lsp.json.",
	Holds:     []string{"skill", "agent", "command", "rule", "server", "language-server", "client_event"},
	Marker:    ".plugin/plugin.json",
	Further:   []string{"plugin.json", ".github/plugin/plugin.json"},
	Recognise: copilotManifest,
	Lay:       layCopilot,
}

// CopilotNamespace is where an Agent Plugins package keeps what only Copilot
// reads.
const CopilotNamespace = "com.github.copilot"

// copilotKeys are the keys of a manifest.
var copilotKeys = keys{
	"$schema": nil, "name": isText, "description": isText, "version": isText, "author": nil, "homepage": isText, "repository": nil,
	"license": isText, "keywords": isList, "category": isText, "tags": isList, "displayName": isText,
	"agents": isPaths, "skills": isPaths, "commands": isPaths,
	"hooks": isDeclared, "mcpServers": isDeclared, "lspServers": isDeclared,
}

// copilotManifest tells a root plugin.json of Copilot's from others of that
// name: it has a name and no schema of Agent Plugins, names a component or has
// one at its place, and does not lie where Antigravity keeps plugins.
func copilotManifest(t *ext.Tree, m source.Manifest) bool {
	if m.Path != "plugin.json" {
		return true
	}
	if agentPluginsSchema(t, m) || inAntigravity(t) || m.Doc.Word("name") == "" {
		return false
	}
	for _, key := range []string{"agents", "skills", "commands", "hooks", "mcpServers", "lspServers"} {
		if m.Doc.Get(key) != nil {
			return true
		}
	}
	return slices.ContainsFunc([]string{"agents", "skills", "commands", "hooks.json", "hooks/hooks.json", ".mcp.json", "lsp.json"}, func(name string) bool {
		_, err := source.Type(t.FS, name)
		return err == nil
	})
}

func layCopilot(t *ext.Tree, m source.Manifest, env source.Env) {
	l := newLayer(t, m, env, "copilot")
	l.begin()
	l.strict(copilotKeys, "Copilot's")
	l.label(true)
	l.lay(component{surface: "skill", key: "skills", dir: "skills"})
	l.lay(component{surface: "agent", key: "agents", dir: "agents", where: copilotAgents})
	l.lay(component{surface: "command", key: "commands", dir: "commands"})
	if l.key("mcpServers") == nil {
		l.serverFiles(".mcp.json", ".github/mcp.json")
	}
	l.serverKey("mcpServers")
	l.copilotLanguageServers()
	if l.key("hooks") == nil {
		l.copilotHooks()
	}
	l.hookKey("hooks")
	if l.key("mcpServers") != nil {
		l.instead("mcpServers", ".mcp.json", ".github/mcp.json")
	}
	if l.key("hooks") != nil {
		l.instead("hooks", copilotHooks...)
	}
	l.nearHooks(copilotHooks[1])
	l.unread("", "rules", "rules, which this format has none of outside "+CopilotNamespace)
}

// copilotAgents are agents in Copilot's own ending, and in plain Markdown.
var copilotAgents = source.Where{Endings: []string{".agent.md", ".md"}}

// copilotHooks are the two files of hooks that Copilot looks for.
var copilotHooks = []string{"hooks.json", "hooks/hooks.json"}

// copilotHooks lays the first of the two files that is there.
func (l *layer) copilotHooks() {
	for i, name := range copilotHooks {
		if l.there(l.below(name)) {
			l.hookFile(l.below(name))
			l.later(l.below(name), copilotHooks[i+1:]...)
			return
		}
	}
}

func (l *layer) copilotLanguageServers() {
	given := l.key("lspServers")
	if given == nil && l.there(l.below("lsp.json")) {
		l.languageServerFile(l.below("lsp.json"))
	}
	if given != nil {
		defer l.instead("lspServers", "lsp.json")
	}
	for _, d := range given.Items() {
		switch d.Kind {
		case ext.Map:
			l.languageServers(d)
		case ext.String:
			if p, ok := l.inside(d, "lspServers"); ok {
				l.languageServerFile(p)
			}
		default:
			l.notDeclared("lspServers", d)
		}
	}
}

// layCopilotNamespace lays what an Agent Plugins package holds for Copilot.
func layCopilotNamespace(t *ext.Tree, m source.Manifest, env source.Env) {
	l := newLayer(t, source.Manifest{Path: m.Path}, env, "copilot")
	if l.base = CopilotNamespace; !l.there(l.base) {
		return
	}
	l.lay(component{surface: "skill", dir: "skills"})
	l.lay(component{surface: "agent", dir: "agents", where: copilotAgents})
	l.lay(component{surface: "command", dir: "commands", where: source.Where{Endings: []string{".prompt.md", ".md"}}})
	l.lay(component{surface: "rule", dir: "rules", where: source.Where{Endings: []string{".instructions.md", ".md"}}})
	l.copilotLanguageServers()
	l.copilotHooks()
	l.nearHooks(copilotHooks[1])
	l.remaining("skills", "agents", "commands", "rules", "hooks", "hooks.json", "lsp.json")
}

// remaining tells what lies in the format's own directory and is none of the
// names.
func (l *layer) remaining(names ...string) {
	entries, err := fs.ReadDir(l.t.FS, l.base)
	if err != nil {
		l.t.Findings.Add(source.FaultOf(err, l.at(l.base, 0)))
		return
	}
	for _, e := range entries {
		if !slices.Contains(names, e.Name()) && !strings.HasPrefix(e.Name(), ".") && !strings.EqualFold(e.Name(), "README.md") {
			l.note(source.NotRead, l.at(path.Join(l.base, e.Name()), 0), "this build knows no component of that name there")
		}
	}
}
