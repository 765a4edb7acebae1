package bridge

import (
	"path"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

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
	for _, dir := range []string{"tools", "tool"} {
		l.unread("", dir, "tools that are code, which runs in OpenCode alone")
	}
	for _, dir := range []string{"modes", "mode"} {
		l.unread("", dir, "agents at a place that OpenCode gave up; agents/ is the one that is read")
	}
	for _, file := range []string{"opencode.json", "opencode.jsonc"} {
		if l.there(file) {
			l.openCodeSettings(l.among("server", file))
		}
	}
	l.openCodeSettings(l.neighbour("opencode.json"))
	l.beyond("skills", "agents", "commands", "themes", "plugins", "tools", "modes")
}

// openCodeSettings lays what OpenCode's settings declare, beside much that is
// the client's alone.
func (l *layer) openCodeSettings(d *ext.Doc) {
	if d == nil {
		return
	}
	for i := range d.Map {
		p := &d.Map[i]
		told := func(what string) { l.note(source.NotRead, l.at(d.File, p.Line), "the settings have %s", what) }
		switch p.Key {
		case "mcp":
			l.servers(&p.Value)
		case "agent":
			l.inline("agent", &p.Value, "prompt")
		case "command":
			l.inline("command", &p.Value, "template")
		case "instructions":
			l.instructions(&p.Value)
		case "lsp":
			l.openCodeLanguageServers(&p.Value)
		case "plugin":
			told("plugins that are code, which runs in OpenCode alone")
		case "permission", "tools":
			told("what OpenCode may do, and must ask for, which is its own: nothing of that is asked here")
		case "mode":
			told("agents at a key that OpenCode gave up; \"agent\" is the one that is read")
		}
	}
}

// inline lays the entries of an object whose text is that of a key.
func (l *layer) inline(surfaceName string, d *ext.Doc, text string) {
	for i := range d.Map {
		p := &d.Map[i]
		o := l.at(d.File, p.Line)
		written := p.Value.Word(text)
		switch off := p.Value.Get("disable"); {
		case off != nil && off.Text == "true":
			l.note(source.NotRead, o, "the %s %s is switched off", surfaceName, ext.Quote(p.Key))
			continue
		case written == "" && surfaceName == "agent":
			l.note(source.NotRead, o, "the agent %s has no text of its own: it changes one of OpenCode's", ext.Quote(p.Key))
			continue
		case strings.HasPrefix(written, "{file:"):
			l.note(source.NotRead, o, "the text of the %s %s lies in a file that its settings name, which is not read", surfaceName, ext.Quote(p.Key))
			continue
		}
		doc := mapAt(&p.Value)
		doc.File, doc.Line = d.File, p.Line
		for _, q := range p.Value.Map {
			if q.Key == text {
				q.Key = surface.InlineText
			}
			if q.Key != "disable" {
				doc.Map = append(doc.Map, q)
			}
		}
		before := len(l.t.Places)
		l.entry(surfaceName, p.Key, doc)
		for i := range l.t.Places[before:] {
			l.t.Places[before+i].Dialect = surface.DialectInline
		}
	}
}

// instructions lays, as rules, the files that the settings name. Their paths
// begin from the project; what lies outside the folder is told.
func (l *layer) instructions(d *ext.Doc) {
	for _, item := range d.Items() {
		name := strings.TrimPrefix(path.Clean(strings.ReplaceAll(item.Text, `\`, "/")), ".opencode/")
		switch {
		case item.Kind == ext.String && !strings.ContainsAny(name, "*?[{:") && !strings.HasPrefix(name, "../") && path.Ext(name) == ".md" && l.is(name):
			l.rule(name)
		case item.Kind == ext.String && strings.HasPrefix(path.Clean(item.Text), ".opencode/") && strings.ContainsAny(name, "*?["):
			l.pattern(component{surface: "rule", key: "instructions"}, name, item)
		default:
			l.note(source.NotRead, l.of(item), "the instructions %s lie outside the folder; only what lies in it is read", ext.Quote(ext.Shorten(shown(item), 100)))
		}
	}
}

// openCodeLanguageServers lays language servers that are written with their
// arguments in one list, and with the endings of their files.
func (l *layer) openCodeLanguageServers(d *ext.Doc) {
	all := mapAt(d)
	for i := range d.Map {
		p := &d.Map[i]
		o := l.at(d.File, p.Line)
		command := p.Value.Get("command")
		switch off := p.Value.Get("disabled"); {
		case off != nil && off.Text == "true":
			l.note(ServerDisabled, o, "the language server %s is switched off", ext.Quote(p.Key))
			continue
		case command == nil:
			l.note(source.NotRead, o, "the language server %s has no command: it changes one of OpenCode's", ext.Quote(p.Key))
			continue
		}
		all.Map = append(all.Map, ext.Pair{Key: p.Key, Line: p.Line, Value: openCodeLanguageServer(p)})
	}
	if len(all.Map) > 0 {
		doc := mapAt(d, pair("lspServers", all))
		l.languageServers(&doc)
	}
}

func openCodeLanguageServer(p *ext.Pair) ext.Doc {
	out := mapAt(&p.Value)
	out.Line = p.Line
	for _, q := range p.Value.Map {
		switch q.Key {
		case "disabled":
		case "command":
			if q.Value.Kind == ext.List {
				out.Map = append(out.Map, commandLine(&q.Value)...)
				continue
			}
			out.Map = append(out.Map, q)
		case "extensions":
			endings := mapAt(&q.Value)
			for _, ending := range texts(&q.Value) {
				endings.Map = append(endings.Map, pair(ending, textAt(&q.Value, p.Key)))
			}
			out.Map = append(out.Map, ext.Pair{Key: "extensionToLanguage", Line: q.Line, Value: endings})
		case "initialization":
			q.Key = "initializationOptions"
			out.Map = append(out.Map, q)
		default:
			out.Map = append(out.Map, q)
		}
	}
	return out
}
