package bridge

import (
	"fmt"
	"io/fs"
	"path"
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
			l.node("theme", nameOf(&d.List[i], fmt.Sprintf("theme %d", i+1)), d.List[i])
		}
	}
	l.hookFiles("hooks/hooks.json")
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

// geminiContext lays the files whose text every session is given, as rules.
func (l *layer) geminiContext() {
	given := l.key("contextFileName")
	if given == nil {
		if l.is("GEMINI.md") {
			l.rule("GEMINI.md")
		}
		return
	}
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
	if spec := l.spec("rule", l.at(file, 0)); spec != nil {
		l.t.Places = append(l.t.Places, ext.Place{Surface: spec.Name, Path: l.free(spec, safeName(stem(file))), File: file})
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
		l.node("setting", nameOf(item, fmt.Sprintf("setting %d", i+1)), doc)
	}
}

// geminiPolicies lays the rules of policies that may refuse a call, as guards.
// What a policy would allow is told: an extension only narrows.
func (l *layer) geminiPolicies(dir string) {
	entries, err := fs.ReadDir(l.t.FS, dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		file := path.Join(dir, e.Name())
		if !strings.HasSuffix(e.Name(), ".toml") {
			l.note(source.Stray, l.at(file, 0), "it is not read: policies are written in TOML")
			continue
		}
		d, fault := l.read(file)
		if fault != nil {
			l.broken("client_event", file, fault)
			continue
		}
		for _, r := range items(d.Get("rule")) {
			l.policy(r)
		}
		for i := range d.Map {
			if d.Map[i].Key != "rule" {
				l.note(ManifestIgnored, l.at(file, d.Map[i].Line), "key %s of a policy has no meaning here", ext.Quote(d.Map[i].Key))
			}
		}
	}
}

func (l *layer) policy(d *ext.Doc) {
	decision := d.Word("decision")
	if decision == "allow" || decision == "yolo" {
		l.note(source.NotRead, l.of(d), "a policy allows something; an extension allows nothing here, nor in its client")
		return
	}
	what := d.Get("toolName")
	names := texts(what)
	if what != nil && what.Kind == ext.String {
		names = []string{what.Text}
	}
	target := strings.TrimSpace(decision + " " + strings.Join(append(names, texts(d.Get("commandPrefix"))...), " "))
	doc := mapAt(d, pair("command", textAt(d, target)), pair("type", textAt(d, "policy")))
	l.handler("BeforeTool", strings.Join(names, "|"), &doc)
}
