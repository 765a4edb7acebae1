package bridge

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// ClaudeCode is Claude Code's plugin format.
var ClaudeCode = source.Format{
	Name: "claude-code",
	Doc: "Claude Code plugins: skills/, commands/, agents/, hooks, .mcp.json, .lsp.json, output-styles/, themes/, monitors/, workflows/, bin/, " +
		"and what the manifest says of settings, channels and dependencies.",
	Holds:  []string{"skill", "agent", "command", "server", "output-style", "language-server", "theme", "monitor", "workflow", "app", "setting", "executable", "dependency", "client_event"},
	Marker: ".claude-plugin/plugin.json",
	Lay:    layClaude,
}

// claudeKeys are the keys a manifest may hold. A known key of another kind
// refuses the plugin, as it does there.
var claudeKeys = keys{
	"$schema": nil, "name": isText, "displayName": isText, "version": isText,
	"description": isText, "homepage": isText, "license": isText, "repository": isText,
	"author": isMap, "keywords": isList, "metadata": isMap, "defaultEnabled": isFlag,
	"skills": isPaths, "commands": isDeclared, "agents": isPaths,
	"workflows": isPaths, "outputStyles": isPaths,
	"hooks": isDeclared, "mcpServers": isDeclared,
	"lspServers": isDeclared, "experimental": nil,
	"userConfig": isMap, "channels": isList, "dependencies": isList,
}

// claudeUnread are components that the format has no place for here, or none
// at all.
var claudeUnread = []struct{ location, what string }{
	{"settings.json", "settings for its client, which are the client's own"},
	{"tools", "tools, which this format has none of"},
	{"prompts", "prompt fragments, which this format has none of"},
	{"rules", "rules, which this format has none of"},
	{"hooks/before_tool_call", "guards, which this format has none of: none of them is asked here"},
	{"dev.mortise", "components of the Agent Plugins format, which need its manifest"},
}

func layClaude(t *ext.Tree, m source.Manifest, env source.Env) {
	l := newLayer(t, m, env, "claude-code")
	l.begin()
	l.strict(claudeKeys, "Claude Code's")
	l.label(true)
	l.lay(component{surface: "skill", key: "skills", dir: "skills", adds: true})
	if l.key("skills") == nil {
		soleSkill(t, env)
	}
	l.lay(component{surface: "agent", key: "agents", dir: "agents"})
	l.lay(component{surface: "command", key: "commands", dir: "commands"})
	l.claudeCommands()
	l.serverFiles(".mcp.json")
	l.serverKey("mcpServers", ".mcp.json")
	l.lay(component{surface: "output-style", key: "outputStyles", dir: "output-styles"})
	l.lay(component{surface: "workflow", key: "workflows", dir: "workflows", where: source.Where{Beside: l.others("workflow")}})
	l.claudeLanguageServers()
	l.claudeExperimental()
	l.claudeSettings()
	l.programs("bin")
	l.hookFiles("hooks/hooks.json")
	l.hookKey("hooks", "hooks/hooks.json")
	for _, u := range claudeUnread {
		l.unread("", u.location, u.what)
	}
}

// claudeCommands lays commands that the manifest describes one by one.
func (l *layer) claudeCommands() {
	given := l.key("commands")
	if given == nil || given.Kind != ext.Map {
		return
	}
	spec := l.spec("command", l.of(given))
	if spec == nil {
		return
	}
	for i := range given.Map {
		p := &given.Map[i]
		from := p.Value.Get("source")
		switch o := l.at(l.m.Path, p.Line); {
		case from == nil || from.Kind != ext.String:
			l.note(source.NotRead, o, "the command %s stands in the manifest itself; only one that names its \"source\" is read", ext.Quote(p.Key))
			continue
		case len(p.Value.Map) > 1:
			l.note(source.NotRead, o, "of what the manifest says of the command %s, only \"source\" is read", ext.Quote(p.Key))
		}
		file, ok := l.within(from, "commands")
		if !ok || !l.laying().Room(1, l.of(from)) {
			continue
		}
		place := ext.Place{Surface: spec.Name, Path: l.unused(spec, safeName(p.Key)), File: file}
		if _, err := source.Type(l.t.FS, file); err != nil && !l.there(file) {
			fault := l.pathMissing(from, "commands", err)
			place.File, place.Fault = l.m.Path, &fault
		}
		l.laying().Add(place)
	}
}

// languageServerKeys are those that a language server may hold.
var languageServerKeys = []string{
	"command", "extensionToLanguage", "args", "transport", "env", "initializationOptions", "settings", "workspaceFolder",
	"startupTimeout", "shutdownTimeout", "restartOnCrash", "maxRestarts", "diagnostics",
}

// claudeLanguageServers lays .lsp.json and what the manifest declares.
func (l *layer) claudeLanguageServers() {
	if l.there(".lsp.json") {
		l.languageServerFile(".lsp.json")
	}
	for _, d := range l.key("lspServers").Items() {
		switch d.Kind {
		case ext.Map:
			if empty(d) {
				continue
			}
			for i := range d.Map {
				l.closed(&d.Map[i].Value, "a language server", languageServerKeys...)
			}
			l.languageServers(d)
		case ext.String:
			if p, ok := l.inside(d, "lspServers"); ok && p != ".lsp.json" {
				l.languageServerFile(p)
			}
		default:
			l.notDeclared("lspServers", d)
		}
	}
}

// claudeExperimental lays themes and monitors. What is of another kind there is
// told and does not refuse the plugin.
func (l *layer) claudeExperimental() {
	given := l.key("experimental")
	l.into(component{surface: "theme"}, "themes")
	if l.there("monitors/monitors.json") {
		l.listOf("monitor", "monitors/monitors.json", l.monitor)
	}
	if given == nil {
		return
	}
	if given.Kind != ext.Map {
		l.note(ManifestIgnored, l.of(given), "\"experimental\" must be an object, found %s", given.Kind)
	}
	for i := range given.Map {
		switch p := &given.Map[i]; p.Key {
		case "themes":
			l.experimentalThemes(&p.Value)
		case "monitors":
			l.experimentalMonitors(&p.Value)
		default:
			l.note(ManifestIgnored, l.at(l.m.Path, p.Line), "key %s is not one of \"experimental\"", ext.Quote(p.Key))
		}
	}
}

func (l *layer) experimentalThemes(d *ext.Doc) {
	for _, item := range d.Items() {
		if item.Kind != ext.String {
			l.note(ManifestIgnored, l.of(item), "\"themes\" must hold paths, found %s", item.Kind)
			continue
		}
		if p, ok := l.inside(item, "themes"); ok && p != "themes" {
			l.named(component{surface: "theme", key: "themes"}, p, item)
		}
	}
}

func (l *layer) experimentalMonitors(d *ext.Doc) {
	for _, item := range d.Items() {
		switch item.Kind {
		case ext.Map:
			l.monitor(item)
		case ext.String:
			if p, ok := l.inside(item, "monitors"); ok && p != "monitors/monitors.json" {
				l.listOf("monitor", p, l.monitor)
			}
		default:
			l.note(ManifestIgnored, l.of(item), "\"monitors\" must hold paths and objects, found %s", item.Kind)
		}
	}
}

func (l *layer) monitor(d *ext.Doc) {
	l.closed(d, "a monitor", "name", "command", "description", "when")
	l.entry("monitor", nameOf(d, "monitor"), *d)
}

// claudeSettings lays what a person must give, the channels that something may
// speak through, and the plugins that are needed.
func (l *layer) claudeSettings() {
	if d := l.key("userConfig"); d != nil && d.Kind == ext.Map {
		for i := range d.Map {
			p := &d.Map[i]
			if p.Value.Kind != ext.Map {
				l.note(ManifestField, l.at(l.m.Path, p.Line), "the setting %s must be an object, found %s", ext.Quote(p.Key), p.Value.Kind)
				continue
			}
			l.closed(&p.Value, "a setting", "type", "title", "description", "sensitive", "required", "default", "multiple", "min", "max")
		}
		l.mapOf("setting", d)
	}
	if d := l.key("channels"); d != nil && d.Kind == ext.List {
		for i := range d.List {
			l.channel(&d.List[i], i)
		}
	}
	if d := l.key("dependencies"); d != nil && d.Kind == ext.List {
		for i := range d.List {
			l.dependency(&d.List[i])
		}
	}
}

func (l *layer) channel(d *ext.Doc, i int) {
	if d.Kind != ext.Map {
		l.note(ManifestField, l.of(d), "a channel must be an object, found %s", d.Kind)
		return
	}
	l.closed(d, "a channel", "server", "displayName", "userConfig")
	name := d.Word("server")
	if name == "" {
		name = fmt.Sprintf("channel %d", i+1)
	}
	l.entry("app", name, *d)
}

// dependency lays a plugin that is needed: its name, perhaps with the
// marketplace after an @, or an object.
func (l *layer) dependency(d *ext.Doc) {
	switch d.Kind {
	case ext.String:
		name, market, _ := strings.Cut(d.Text, "@")
		doc := mapAt(d, pair("name", textAt(d, name)))
		if market != "" {
			doc.Map = append(doc.Map, pair("marketplace", textAt(d, market)))
		}
		l.entry("dependency", name, doc)
	case ext.Map:
		l.entry("dependency", nameOf(d, "dependency"), *d)
	default:
		l.note(ManifestField, l.of(d), "a dependency must be a string or an object, found %s", d.Kind)
	}
}
