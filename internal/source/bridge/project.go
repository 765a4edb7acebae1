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
		Doc:   "A project's folder for Claude Code: CLAUDE.md, skills/, agents/, commands/, rules/, output-styles/, workflows/, the hooks of its settings, and the project's .mcp.json beside it."},
	{Name: "agents-project", Marker: ".agents/", Lay: project("antigravity", layAgentsProject),
		Holds: []string{"skill", "agent", "command", "rule", "workflow", "server", "client_event"},
		Doc:   "A project's folder that several clients share: skills/, agents/, commands/, rules/, and Antigravity's workflows/, hooks.json and mcp_config.json."},
	{Name: "codex-project", Marker: ".codex/", Lay: project("codex", layCodexProject),
		Holds: []string{"skill", "command", "server", "client_event"},
		Doc:   "A project's folder for Codex: skills/, prompts/, hooks.json, the servers and hooks of config.toml."},
	{Name: "cursor-project", Marker: ".cursor/", Lay: project("cursor", layCursorProject),
		Holds: []string{"skill", "agent", "command", "rule", "server", "client_event"},
		Doc:   "A project's folder for Cursor: skills/, agents/, commands/, rules/*.mdc, hooks.json, mcp.json."},
	{Name: "gemini-project", Marker: ".gemini/", Lay: project("gemini-cli", layGeminiProject),
		Holds: []string{"skill", "agent", "command", "rule", "server", "client_event"},
		Doc:   "A project's folder for Gemini CLI: GEMINI.md, skills/, agents/, commands/**/*.toml, policies/, the servers and hooks of settings.json."},
	{Name: "github-project", Marker: ".github/", Lay: project("copilot", layGitHubProject),
		Holds: []string{"skill", "agent", "command", "rule", "server", "language-server", "client_event"},
		Doc:   "A project's folder for GitHub Copilot: skills/, agents/*.agent.md, prompts/*.prompt.md, instructions, hooks/**/*.json, the hooks of copilot/settings.json, mcp.json."},
	{Name: "opencode-project", Marker: ".opencode/", Beside: "opencode.json", Lay: project("opencode", layOpenCodeProject),
		Holds: []string{"skill", "agent", "command", "rule", "theme", "server", "language-server"},
		Doc:   "A project's folder for OpenCode: skills/, agents/, commands/, themes/, what opencode.json or opencode.jsonc says of agents, commands, instructions, servers and language servers, and the project's opencode.json beside it. Its plugins and tools are code and not read."},
	{Name: "vscode-project", Marker: ".vscode/", Lay: project("vscode", layVSCodeProject),
		Holds: []string{"server", "setting"},
		Doc:   "A project's folder for Visual Studio Code: mcp.json, and the inputs that it asks for."},
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
	if l.there("CLAUDE.md") {
		l.rule("CLAUDE.md")
	}
	l.text("skills", "agents", "commands", "rules")
	l.lay(component{surface: "output-style", dir: "output-styles"})
	l.lay(component{surface: "workflow", dir: "workflows", where: source.Where{Beside: l.others("workflow")}})
	for _, file := range []string{"settings.json", "settings.local.json"} {
		if l.there(file) {
			l.hooksAmong(file)
		}
	}
	l.nearIn("hooks", "")
	if d := l.neighbour(".mcp.json"); d != nil {
		l.serverMap(d)
	}
	l.beyond("CLAUDE.md", "skills", "agents", "commands", "rules", "output-styles", "workflows")
}

func layAgentsProject(l *layer) {
	l.text("skills", "agents", "commands", "rules")
	l.lay(component{surface: "workflow", dir: "workflows"})
	l.serverFiles("mcp.json", "mcp_config.json")
	l.hookFiles("hooks.json")
	l.nearIn("hooks", "")
	l.beyond("skills", "agents", "commands", "rules", "workflows", "mcp.json", "mcp_config.json", "hooks.json", "plugins")
}

func layCodexProject(l *layer) {
	l.lay(component{surface: "skill", dir: "skills", where: source.Where{Deep: codexDepth}})
	l.lay(component{surface: "command", dir: "prompts"})
	l.hookFiles("hooks.json")
	if l.there("config.toml") {
		l.serversAmong("config.toml", "mcp_servers")
		l.hooksAmong("config.toml")
	}
	l.nearIn("hooks", "")
	l.unread("", "rules", "rules of Codex's own, which may refuse commands: none of them is asked here")
	l.beyond("skills", "prompts", "hooks.json", "rules", "plugins")
}

func layCursorProject(l *layer) {
	l.text("skills", "agents", "commands")
	l.lay(component{surface: "rule", dir: "rules", where: cursorRules})
	l.serverFiles("mcp.json")
	l.hookFiles("hooks.json")
	l.nearIn("hooks", "")
	l.beyond("skills", "agents", "commands", "rules", "mcp.json", "hooks.json", "plugins")
}

func layGeminiProject(l *layer) {
	if l.there("GEMINI.md") {
		l.rule("GEMINI.md")
	}
	l.text("skills", "agents")
	l.geminiCommands("commands")
	if l.there("settings.json") {
		l.serversAmong("settings.json", "mcpServers")
		l.hooksAmong("settings.json")
	}
	l.geminiPolicies("policies")
	l.nearIn("hooks", "")
	l.beyond("GEMINI.md", "skills", "agents", "commands", "policies")
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
	l.hookFolder("hooks", 0)
	for _, file := range []string{"copilot/settings.json", "copilot/settings.local.json"} {
		if l.there(file) {
			l.hooksAmong(file)
		}
	}
	l.beyond("skills", "agents", "chatmodes", "prompts", "copilot-instructions.md", "instructions", "mcp.json", "lsp.json", "workflows", "plugins")
}

func layVSCodeProject(l *layer) { l.serverFiles("mcp.json") }

// componentNames are what clients call the files and directories in which they
// look for components.
var componentNames = []string{
	"skills", "agents", "commands", "rules", "prompts", "instructions", "workflows", "chatmodes", "modes", "output-styles", "themes", "tools", "policies", "plugins",
	"CLAUDE.md", "AGENTS.md", "GEMINI.md", "copilot-instructions.md",
	".mcp.json", "mcp.json", "mcp_config.json", ".lsp.json", "lsp.json", "hooks.json",
}

// beyond tells what a folder holds by the name of a component and is not read,
// since its client does not look for it there. read are those that are.
func (l *layer) beyond(read ...string) {
	for _, name := range componentNames {
		if !slices.Contains(read, name) && l.there(name) {
			l.note(source.NotRead, l.at(name, 0), "it has the name of a component, and the client of this folder looks for none of that name here")
		}
	}
}

// text lays the components of a folder that lie where their surfaces say.
func (l *layer) text(dirs ...string) {
	for _, dir := range dirs {
		l.lay(component{surface: strings.TrimSuffix(dir, "s"), dir: dir})
	}
}

// hookFolder lays each file of a folder of hooks. What lies in a folder of its
// own, as collections of hooks have it, is read where it holds hooks.
func (l *layer) hookFolder(dir string, depth int) {
	if depth > l.env.Limits.Depth {
		l.note(source.TooDeep, l.at(dir, 0), "more than %d directories deep", l.env.Limits.Depth)
		return
	}
	for _, e := range l.list("client_event", dir) {
		name := path.Join(dir, e.Name())
		switch ending := path.Ext(e.Name()); {
		case e.IsDir():
			l.hookFolder(name, depth+1)
		case !l.is(name) && e.Type()&fs.ModeSymlink != 0 && ending != ".json":
			l.note(source.Stray, l.at(name, 0), "links to directories are not looked into among hooks")
		case ending == ".json" && (depth == 0 || l.holdsHooks(name)):
			l.hookFile(name)
		case nearly(e.Name(), strings.TrimSuffix(e.Name(), ending)+".json") && ending != ".yml" && ending != ".yaml" && ending != ".toml":
			l.note(source.StrayCode, l.at(name, 0), "the file's ending is %s, expected .json", ext.Quote(ending))
		}
	}
}

// neighbour is what a project declares in a file beside its folder; nil where
// there is none, or nothing outside the folder is read. What its paths begin
// from is the project, which is not the folder.
func (l *layer) neighbour(name string) *ext.Doc {
	if l.env.Beside == nil {
		return nil
	}
	file := "../" + name
	if _, err := fs.Lstat(l.env.Beside, file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	c := source.ReadLax(l.env.Beside, l.at(file, 0), l.env.Limits, laxity(l.client, file))
	if c.Lost || c.Findings.Failed() {
		fault := source.Worst(c.Findings)
		l.lost("server", file, &fault)
		return nil
	}
	l.t.Findings.Add(c.Findings...)
	d := ofProject(c.Doc)
	return &d
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
