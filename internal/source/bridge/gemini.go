package bridge

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Gemini is the format of Gemini CLI's extensions.
var Gemini = source.Format{
	Name:   "gemini-cli",
	Doc:    "Gemini CLI extensions: skills/, agents/, commands/**/*.toml, a context file, hooks, policies/, and the manifest's servers, settings and themes.",
	Holds:  []string{"skill", "agent", "command", "rule", "server", "setting", "theme", "client_event"},
	Marker: "gemini-extension.json",
	Lay:    layGemini,
}

var geminiKeys = keys{
	"$schema": nil, "name": isText, "version": isText, "description": isText, "migratedTo": isText,
	"mcpServers": isMap, "contextFileName": isPaths, "excludeTools": isList, "plan": isMap, "settings": isList, "themes": isList,
}

func layGemini(t *ext.Tree, m source.Manifest, env source.Env) {
	l := newLayer(t, m, env, "gemini-cli")
	l.begin()
	l.lenient(geminiKeys, "Gemini CLI's")
	l.label(true)
	l.lay(component{surface: "skill", dir: "skills"})
	l.lay(component{surface: "agent", dir: "agents", where: source.Where{Shallow: true}})
	l.geminiCommands("commands")
	l.geminiContext()
	l.serverKey("mcpServers")
	l.geminiSettings()
	if d := l.key("themes"); d != nil {
		for i := range d.List {
			l.entry("theme", nameOf(&d.List[i], fmt.Sprintf("theme %d", i+1)), d.List[i])
		}
	}
	l.hookFiles("hooks/hooks.json")
	l.nearHooks("hooks/hooks.json")
	l.geminiPolicies("policies")
	l.unread("excludeTools", "", "tools of its client that it switches off: they stay as they are here")
	l.unread("plan", "", "a directory for plans, which is its client's own")
	l.unread("migratedTo", "", "a new place that it moved to")
}

// geminiCommands lays commands in TOML.
func (l *layer) geminiCommands(dir string) {
	before := len(l.t.Places)
	l.lay(component{surface: "command", dir: dir, where: source.Where{Endings: []string{".toml"}}})
	for i := before; i < len(l.t.Places); i++ {
		l.t.Places[i].Dialect = surface.DialectTOML
	}
}

// geminiContext lays the files whose text every session is given, as rules. An
// empty name is none: Gemini CLI then reads the usual file.
func (l *layer) geminiContext() {
	given := l.key("contextFileName")
	if given == nil || given.Kind == ext.String && given.Text == "" {
		if l.there("GEMINI.md") {
			l.rule("GEMINI.md")
		}
		return
	}
	defer l.instead("contextFileName", "GEMINI.md")
	for _, d := range l.paths(given, "contextFileName") {
		d := *d
		if !strings.HasPrefix(d.Text, "./") { // a file's name, not a path
			d.Text = "./" + d.Text
		}
		switch p, ok := l.inside(&d, "contextFileName"); {
		case !ok:
		case l.there(p):
			l.rule(p)
		default:
			l.note(source.NoDocument, l.of(&d), "there is no context file %s", ext.Quote(p))
		}
	}
}

// rule lays a file of Markdown as a rule, whatever it is called.
func (l *layer) rule(file string) {
	l.opened[l.real(file)] = true
	if spec := l.spec("rule", l.at(file, 0)); spec != nil && !l.laying().Laid(spec.Name, file) {
		l.laying().Add(ext.Place{Surface: spec.Name, Path: l.unused(spec, safeName(stem(file))), File: file})
	}
}

// geminiSettings lays what a person is asked for.
func (l *layer) geminiSettings() {
	d := l.key("settings")
	if d == nil {
		return
	}
	for i := range d.List {
		item := &d.List[i]
		if item.Kind != ext.Map {
			l.note(ManifestIgnored, l.of(item), "a setting must be an object, found %s", item.Kind)
			continue
		}
		doc := mapAt(item)
		for _, p := range item.Map {
			switch p.Key {
			case "name":
				p.Key = "title"
			case "envVar":
				p.Key = "env"
			}
			doc.Map = append(doc.Map, p)
		}
		l.entry("setting", nameOf(item, fmt.Sprintf("setting %d", i+1)), doc)
	}
}
