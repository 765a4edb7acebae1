package bridge

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// PluginSchema is the identifier of an Agent Plugins 1.0.0 manifest.
const PluginSchema = schemaPrefix + "1.0.0/plugin.schema.json"

const schemaPrefix = "https://agent-plugins.org/schemas/"

// AgentPlugins is the canonical format, Agent Plugins 1.0.0: plugin.json,
// skills/ and mcp.json at the root; every other surface and hook lies below
// our own namespace.
var AgentPlugins = source.Format{
	Name:      "agent-plugins/1.0.0",
	Doc:       "Agent Plugins 1.0.0, the vendor-neutral format and the canonical one here.",
	Marker:    "plugin.json",
	Recognise: recogniseAgentPlugins,
	Lay:       layAgentPlugins,
}

// ManifestUnusable is a root plugin.json that says nothing, beside a manifest.
var ManifestUnusable = &ext.Check{
	Code: "manifest-unusable", Severity: ext.Warning,
	Doc: "A plugin.json at the root is no manifest, or cannot be read, beside the manifest of another format, which is read. A client that looks for it first may refuse the directory.",
	Fix: "Remove the file, or mend it.",
}

// recogniseAgentPlugins is agentPluginsSchema, and tells of a file that is
// passed over.
func recogniseAgentPlugins(t *ext.Tree, m source.Manifest) bool {
	if agentPluginsSchema(t, m) {
		return true
	}
	switch o := t.Origin.At(m.Path, max(m.Doc.Line, 1)); {
	case m.Findings.Failed():
		f := source.Worst(m.Findings)
		t.Findings.Add(ManifestUnusable.At(f.Origin, "%s", f.Message))
	case m.Doc.Kind != ext.Map:
		t.Findings.Add(ManifestUnusable.At(o, "expected an object, found %s", m.Doc.Kind))
	}
	return false
}

// agentPluginsSchema tells an Agent Plugins manifest from the other files of
// that name by its "$schema". One that cannot be read, or is a manifest of
// nothing, is taken for one, so that it is refused and not overlooked; but not
// where the directory is one of another format and nothing in it hints at this
// one: no client of the other format reads the file.
func agentPluginsSchema(t *ext.Tree, m source.Manifest) bool {
	if m.Findings.Failed() || m.Doc.Kind != ext.Map {
		return !slices.ContainsFunc(otherManifests, func(name string) bool { return isFile(t.FS, name) }) || hintsAtAgentPlugins(t, m)
	}
	s := m.Doc.Get("$schema")
	return s != nil && (s.Kind != ext.String || strings.Contains(s.Text, "agent-plugins.org/"))
}

// otherManifests are those of formats that no root plugin.json is one of.
var otherManifests = []string{
	".claude-plugin/plugin.json", ".codex-plugin/plugin.json", ".cursor-plugin/plugin.json",
	".plugin/plugin.json", ".github/plugin/plugin.json", "gemini-extension.json",
}

// hintsAtAgentPlugins reports whether a manifest that cannot be read names the
// schema, or the directory holds what only that format does: guards may be among
// it.
func hintsAtAgentPlugins(t *ext.Tree, m source.Manifest) bool {
	for _, dir := range []string{Namespace, CopilotNamespace} {
		if _, err := fs.Lstat(t.FS, dir); err == nil || !source.Absent(t.FS, dir, err) {
			return true
		}
	}
	if m.Doc.Kind != ext.Null { // it could be read
		return false
	}
	const most = 1 << 20
	data, err := source.ReadBytes(t.FS, m.Path, most)
	return err != nil || bytes.Contains(data, []byte("agent-plugins.org/"))
}

// rootSurfaces are the surfaces that Agent Plugins gives a place at the root.
var rootSurfaces = map[string]bool{"skill": true, "server": true}

// layAgentPlugins discovers nothing when the manifest is at fault (section 5:
// a fatal violation refuses the plugin before anything of it is discovered).
func layAgentPlugins(t *ext.Tree, m source.Manifest, env source.Env) {
	t.Findings.Add(m.Findings...)
	t.Manifest = &m.Doc
	if !m.Findings.Failed() {
		readAgentPlugins(t, m)
	}
	if t.Findings.Failed() {
		return
	}
	for _, s := range env.Specs {
		dir := s.Dir
		if !rootSurfaces[s.Name] {
			dir = Namespace + "/" + s.Dir
		}
		source.Into(t, s, dir, env)
	}
	source.Strays(t, Namespace, env, true)
	layCopilotNamespace(t, m, env)
	l := newLayer(t, m, env, "agent-plugins")
	for _, u := range agentPluginsUnread {
		l.unread("", u.location, u.what)
	}
	l.ours()
}

// ours lays what the manifest says for this host: extensions."dev.mortise".
func (l *layer) ours() {
	all := l.key("extensions")
	if all == nil || all.Kind != ext.Map {
		return
	}
	own := all.Get(Namespace)
	if own == nil {
		return
	}
	if own.Kind != ext.Map {
		l.note(ManifestField, l.of(own), "extensions.%q must be an object, found %s", Namespace, own.Kind)
		return
	}
	l.closed(own, "extensions.\""+Namespace+"\"", "dependencies", "setup")
	l.each(own, "dependencies", l.dependency)
	l.each(own, "setup", l.setup)
}

// each visits what a list of ours holds.
func (l *layer) each(own *ext.Doc, key string, lay func(*ext.Doc)) {
	switch d := own.Get(key); {
	case d == nil:
	case d.Kind != ext.List:
		l.note(ManifestField, l.of(d), "%q must be a list, found %s", key, d.Kind)
	default:
		for i := range d.List {
			lay(&d.List[i])
		}
	}
}

// setup lays a command that prepares what the plugin depends on.
func (l *layer) setup(d *ext.Doc) {
	if d.Kind != ext.Map {
		l.note(ManifestField, l.of(d), "a set-up step must be an object, found %s", d.Kind)
		return
	}
	l.entry("setup", nameOf(d, "setup"), *d)
}

// agentPluginsUnread are components that other clients look for at the root
// and that Agent Plugins has no place for.
var agentPluginsUnread = []struct{ location, what string }{
	{"hooks/hooks.json", "hooks at its root, which are no part of this format: none of them is asked here"},
	{"commands", "commands at its root, which are no part of this format; " + Namespace + "/commands is"},
	{"agents", "agents at its root, which are no part of this format; " + Namespace + "/agents is"},
	{"rules", "rules at its root, which are no part of this format; " + Namespace + "/rules is"},
	{".mcp.json", "a server file of another client; mcp.json is this format's"},
}

// agentPluginsKeys are the keys a manifest may hold and the kind each must be
// of (sections 5 and 8).
var agentPluginsKeys = map[string]ext.Kind{
	"$schema": ext.String, "name": ext.String, "version": ext.String, "description": ext.String,
	"author": ext.Map, "homepage": ext.String, "repository": ext.String, "license": ext.String,
	"keywords": ext.List, "extensions": ext.Map,
}

func readAgentPlugins(t *ext.Tree, m source.Manifest) {
	d := &m.Doc
	if d.Kind != ext.Map {
		t.Findings.Add(ManifestSyntax.At(t.Origin.At(m.Path, d.Line), "expected an object, found %s", d.Kind))
		return
	}
	for i := range d.Map {
		p := &d.Map[i]
		o := t.Origin.At(m.Path, p.Line)
		switch want, known := agentPluginsKeys[p.Key]; {
		case !known:
			t.Findings.Add(ManifestIgnored.At(o, "key %s is not one of Agent Plugins", ext.Quote(p.Key)))
		case p.Value.Kind != want && p.Key == "extensions":
			t.Findings.Add(ManifestIgnored.At(o, "\"extensions\" must be an object, found %s", p.Value.Kind))
		case p.Value.Kind != want:
			t.Findings.Add(ManifestField.At(o, "key %q must be %s, found %s", p.Key, want, p.Value.Kind))
		}
	}
	readSchema(t, m)
	readName(t, m)
	readAuthor(t, m)
	if k := d.Get("keywords"); k != nil {
		for i := range k.List {
			if k.List[i].Kind != ext.String {
				t.Findings.Add(ManifestField.At(t.Origin.At(m.Path, k.List[i].Line), "\"keywords\" must hold strings only, found %s", k.List[i].Kind))
			}
		}
	}
}

func readSchema(t *ext.Tree, m source.Manifest) {
	s := m.Doc.Get("$schema")
	switch {
	case s == nil:
		t.Findings.Add(ManifestField.At(t.Origin.At(m.Path, 1), "key \"$schema\" is missing"))
	case s.Kind != ext.String || s.Text == PluginSchema: // another kind was reported with the keys
	default:
		if version, ok := strings.CutPrefix(s.Text, schemaPrefix); ok {
			if version, _, _ = strings.Cut(version, "/"); version != "1.0.0" {
				t.Findings.Add(ManifestSchema.At(t.Origin.At(m.Path, s.Line), "Agent Plugins version %s is not supported, only 1.0.0 is", ext.Quote(ext.Shorten(version, 40))))
				return
			}
		}
		t.Findings.Add(ManifestSchema.At(t.Origin.At(m.Path, s.Line), "\"$schema\" is %s", ext.Quote(ext.Shorten(s.Text, 100))))
	}
}

func readName(t *ext.Tree, m source.Manifest) {
	n := m.Doc.Get("name")
	if n == nil {
		t.Findings.Add(ManifestField.At(t.Origin.At(m.Path, 1), "key \"name\" is missing"))
		return
	}
	if n.Kind != ext.String {
		return
	}
	if _, err := ext.ParseName(n.Text); err != nil {
		t.Findings.Add(ManifestField.At(t.Origin.At(m.Path, n.Line), "key \"name\": %s", err))
		return
	}
	t.Label = n.Text
}

func readAuthor(t *ext.Tree, m source.Manifest) {
	a := m.Doc.Get("author")
	if a == nil {
		return
	}
	for i := range a.Map {
		p := &a.Map[i]
		o := t.Origin.At(m.Path, p.Line)
		switch {
		case p.Key != "name" && p.Key != "email" && p.Key != "url":
			t.Findings.Add(ManifestField.At(o, "\"author\" must hold name, email and url alone, found %s", ext.Quote(p.Key)))
		case p.Value.Kind != ext.String:
			t.Findings.Add(ManifestField.At(o, "%q of \"author\" must be a string, found %s", p.Key, p.Value.Kind))
		}
	}
}
