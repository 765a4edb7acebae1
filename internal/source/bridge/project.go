package bridge

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// projects are the folders in which a project keeps what a client finds there:
// no plugin, and no manifest.
var projects = []source.Format{
	{Name: "claude-project", Marker: ".claude/", Beside: ".mcp.json", Lay: project("claude-code", layClaudeProject),
		Holds: []string{"skill", "agent", "command", "rule", "output-style", "workflow", "server", "client_event"},
		Doc:   "A project's folder for Claude Code: skills/, agents/, commands/, rules/, output-styles/, the hooks of its settings, and the project's .mcp.json beside it."},
	{Name: "agents-project", Marker: ".agents/", Lay: project("antigravity", layAgentsProject),
		Holds: []string{"skill", "agent", "command", "rule"},
		Doc:   "A project's folder that several clients share: skills/, agents/, commands/, rules/."},
	{Name: "codex-project", Marker: ".codex/", Lay: project("codex", layCodexProject),
		Holds: []string{"skill", "command", "server", "client_event"},
		Doc:   "A project's folder for Codex: skills/, prompts/, hooks.json, the servers of config.toml."},
	{Name: "cursor-project", Marker: ".cursor/", Lay: project("cursor", layCursorProject),
		Holds: []string{"skill", "agent", "command", "rule", "server", "client_event"},
		Doc:   "A project's folder for Cursor: skills/, agents/, commands/, rules/*.mdc, hooks.json, mcp.json."},
	{Name: "gemini-project", Marker: ".gemini/", Lay: project("gemini-cli", layGeminiProject),
		Holds: []string{"skill", "agent", "command", "server", "client_event"},
		Doc:   "A project's folder for Gemini CLI: skills/, agents/, commands/**/*.toml, policies/, the servers and hooks of settings.json."},
	{Name: "github-project", Marker: ".github/", Lay: project("copilot", layGitHubProject),
		Holds: []string{"skill", "agent", "command", "rule", "server", "language-server", "client_event"},
		Doc:   "A project's folder for GitHub Copilot: skills/, agents/*.agent.md, prompts/*.prompt.md, instructions, hooks/*.json, mcp.json."},
	{Name: "opencode-project", Marker: ".opencode/", Lay: project("opencode", layOpenCodeProject),
		Holds: []string{"skill", "agent", "command", "theme", "server"},
		Doc:   "A project's folder for OpenCode: skills/, agents/, commands/, themes/, the servers of opencode.json. Its plugins are code and not read."},
	{Name: "vscode-project", Marker: ".vscode/", Lay: project("vscode", layVSCodeProject),
		Holds: []string{"server"},
		Doc:   "A project's folder for Visual Studio Code: mcp.json."},
}

// project is a format that lays a folder without a manifest.
func project(client string, lay func(*layer)) func(*ext.Tree, source.Manifest, source.Env) {
	return func(t *ext.Tree, m source.Manifest, env source.Env) {
		l := newLayer(t, m, env, client)
		l.noun = "folder"
		lay(l)
	}
}

func layClaudeProject(l *layer) {
	l.text("skills", "agents", "commands", "rules")
	l.lay(component{surface: "output-style", dir: "output-styles"})
	l.lay(component{surface: "workflow", dir: "workflows", where: source.Where{Beside: l.others("workflow")}})
	for _, file := range []string{"settings.json", "settings.local.json"} {
		if l.there(file) {
			l.hooksAmong(file)
		}
	}
	l.neighbour()
}

func layAgentsProject(l *layer) { l.text("skills", "agents", "commands", "rules") }

func layCodexProject(l *layer) {
	l.lay(component{surface: "skill", dir: "skills", where: source.Where{Deep: codexDepth}})
	l.lay(component{surface: "command", dir: "prompts"})
	l.hookFiles("hooks.json")
	if l.there("config.toml") {
		l.serversAmong("config.toml", "mcp_servers")
	}
}

func layCursorProject(l *layer) {
	l.text("skills", "agents", "commands")
	l.lay(component{surface: "rule", dir: "rules", where: cursorRules})
	l.serverFiles("mcp.json")
	l.hookFiles("hooks.json")
}

func layGeminiProject(l *layer) {
	l.text("skills", "agents")
	l.geminiCommands("commands")
	if l.there("settings.json") {
		l.serversAmong("settings.json", "mcpServers")
		l.hooksAmong("settings.json")
	}
	l.geminiPolicies("policies")
}

func layGitHubProject(l *layer) {
	l.text("skills")
	l.lay(component{surface: "agent", dir: "agents", where: copilotAgents})
	l.lay(component{surface: "agent", dir: "chatmodes", where: source.Where{Endings: []string{".chatmode.md"}}})
	l.lay(component{surface: "command", dir: "prompts", where: source.Where{Endings: []string{".prompt.md"}}})
	if l.there("copilot-instructions.md") {
		l.rule("copilot-instructions.md")
	}
	l.lay(component{surface: "rule", dir: "instructions", where: source.Where{Endings: []string{".instructions.md"}}})
	l.serverFiles("mcp.json")
	if l.there("lsp.json") {
		l.languageServerFile("lsp.json")
	}
	l.hookFolder("hooks")
}

func layOpenCodeProject(l *layer) {
	for _, names := range [][3]string{{"skill", "skills", "skill"}, {"agent", "agents", "agent"}, {"command", "commands", "command"}} {
		for _, dir := range names[1:] {
			l.lay(component{surface: names[0], dir: dir})
		}
	}
	l.lay(component{surface: "theme", dir: "themes"})
	for _, dir := range []string{"plugins", "plugin"} {
		l.unread("", dir, "plugins that are code, which runs in OpenCode alone")
	}
	if l.there("opencode.json") {
		l.serversAmong("opencode.json", "mcp")
	}
}

func layVSCodeProject(l *layer) { l.serverFiles("mcp.json") }

// text lays the components of a folder that lie where their surfaces say.
func (l *layer) text(dirs ...string) {
	for _, dir := range dirs {
		l.lay(component{surface: strings.TrimSuffix(dir, "s"), dir: dir})
	}
}

// hookFolder lays each file of a folder of hooks.
func (l *layer) hookFolder(dir string) {
	entries, err := fs.ReadDir(l.t.FS, dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if name := path.Join(dir, e.Name()); strings.HasSuffix(name, ".json") {
			l.hookFile(name)
		}
	}
}

// among is what a client's own settings hold at a key, beside much that is the
// client's alone. A file that cannot be read stands for what it would hold.
func (l *layer) among(surfaceName, file, key string) *ext.Doc {
	d, fault := l.read(file)
	if fault != nil {
		l.broken(surfaceName, file, fault)
		return nil
	}
	return d.Get(key)
}

func (l *layer) hooksAmong(file string) {
	if d := l.among("client_event", file, "hooks"); d != nil {
		l.hooks(&ext.Doc{Kind: ext.Map, File: d.File, Line: d.Line, Map: []ext.Pair{{Key: "hooks", Line: d.Line, Value: *d}}})
	}
}

func (l *layer) serversAmong(file, key string) {
	if d := l.among("server", file, key); d != nil {
		l.servers(d)
	}
}

// neighbour lays the servers that a project declares beside its folder. What
// their paths begin from is the project, which is not the folder.
func (l *layer) neighbour() {
	if l.env.Beside == nil {
		return
	}
	const file = "../.mcp.json"
	if _, err := fs.Lstat(l.env.Beside, file); errors.Is(err, fs.ErrNotExist) {
		return
	}
	c := source.Read(l.env.Beside, l.at(file, 0), l.env.Limits)
	if c.Lost || c.Findings.Failed() {
		fault := source.Worst(c.Findings)
		l.broken("server", file, &fault)
		return
	}
	l.t.Findings.Add(c.Findings...)
	d := ofProject(c.Doc)
	l.serverMap(&d)
}

// ofProject is a node whose paths begin from the project's directory.
func ofProject(d ext.Doc) ext.Doc {
	switch d.Kind {
	case ext.String:
		if rest, ok := strings.CutPrefix(d.Text, "./"); ok {
			d.Text, d.Raw = "${CLAUDE_PROJECT_DIR}/"+rest, nil
		}
	case ext.List:
		d.List, d.Raw = slices.Clone(d.List), nil
		for i := range d.List {
			d.List[i] = ofProject(d.List[i])
		}
	case ext.Map:
		d.Map, d.Raw = slices.Clone(d.Map), nil
		for i := range d.Map {
			d.Map[i].Value = ofProject(d.Map[i].Value)
		}
	}
	return d
}
