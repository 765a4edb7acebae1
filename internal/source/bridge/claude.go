package bridge

import (
	"io/fs"
	"path"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// ClaudeCode is Claude Code's plugin format.
var ClaudeCode = source.Format{
	Name:   "claude-code",
	Doc:    "Claude Code plugins: .claude-plugin/plugin.json, skills/, commands/, agents/, .mcp.json.",
	Marker: ".claude-plugin/plugin.json",
	Lay:    layClaude,
}

// claudeKeys are the keys a manifest may hold and the kinds each may be of; nil
// means any. A known key of another kind refuses the plugin, as it does there.
var claudeKeys = map[string][]ext.Kind{
	"$schema": nil, "name": {ext.String}, "displayName": {ext.String}, "version": {ext.String},
	"description": {ext.String}, "homepage": {ext.String}, "license": {ext.String}, "repository": {ext.String},
	"author": {ext.Map}, "keywords": {ext.List}, "metadata": {ext.Map}, "defaultEnabled": {ext.Bool},
	"skills": {ext.String, ext.List}, "commands": {ext.String, ext.List, ext.Map}, "agents": {ext.String, ext.List},
	"workflows": {ext.String, ext.List}, "outputStyles": {ext.String, ext.List},
	"hooks": {ext.String, ext.List, ext.Map}, "mcpServers": {ext.String, ext.List, ext.Map},
	"lspServers": {ext.String, ext.List, ext.Map}, "experimental": nil,
	"userConfig": {ext.Map}, "channels": {ext.List}, "dependencies": {ext.List},
}

// claudeUnread are components of the format that this build does not read: the
// manifest's key, the default location, and what they are called.
var claudeUnread = []struct{ key, location, what string }{
	{"hooks", "hooks/hooks.json", "hooks: none of them is asked here"},
	{"outputStyles", "output-styles", "output styles"},
	{"lspServers", ".lsp.json", "language servers"},
	{"workflows", "workflows", "workflows"},
	{"experimental", "themes", "themes"},
	{"", "monitors/monitors.json", "monitors"},
	{"channels", "", "channels"},
	{"userConfig", "", "settings that its user must give"},
	{"dependencies", "", "plugins it depends on"},
	{"", "bin", "programs for the shell's search path"},
	{"", "settings.json", "settings"},
	{"", "tools", "tools, which this format has none of"},
	{"", "prompts", "prompt fragments, which this format has none of"},
	{"", "hooks/before_tool_call", "guards, which this format has none of: none of them is asked here"},
	{"", "dev.mortise", "components of the Agent Plugins format, which need its manifest"},
}

func layClaude(t *ext.Tree, m source.Manifest, env source.Env) {
	t.Findings.Add(m.Findings...)
	t.Manifest = &m.Doc
	if !m.Findings.Failed() {
		readClaude(t, m)
	}
	for _, s := range env.Specs {
		switch s.Name {
		case "skill":
			layClaudePaths(t, m, env, s.Name, "skills", true)
		case "command", "agent":
			layClaudePaths(t, m, env, s.Name, s.Dir, false)
		case "server":
			layClaudeServers(t, m, env)
		}
	}
	for _, u := range claudeUnread {
		reportUnread(t, m, u.key, u.location, u.what)
	}
}

func readClaude(t *ext.Tree, m source.Manifest) {
	d := &m.Doc
	if d.Kind != ext.Map {
		t.Findings.Add(ManifestSyntax.At(t.Origin.At(m.Path, d.Line), "expected an object, found %s", d.Kind))
		return
	}
	for i := range d.Map {
		p := &d.Map[i]
		kinds, known := claudeKeys[p.Key]
		o := t.Origin.At(m.Path, p.Line)
		switch {
		case !known:
			t.Findings.Add(ManifestIgnored.At(o, "key %s is not one of Claude Code's", ext.Quote(p.Key)))
		case kinds != nil && !hasKind(kinds, p.Value.Kind):
			t.Findings.Add(ManifestField.At(o, "key %q must be %s, found %s", p.Key, orKinds(kinds), p.Value.Kind))
		}
	}
	switch n := d.Get("name"); {
	case n == nil:
		t.Findings.Add(ManifestField.At(t.Origin.At(m.Path, 1), "key \"name\" is missing"))
	case n.Kind == ext.String:
		t.Label = n.Text
	}
}

func hasKind(kinds []ext.Kind, k ext.Kind) bool {
	for _, want := range kinds {
		if want == k {
			return true
		}
	}
	return false
}

func orKinds(kinds []ext.Kind) string {
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = k.String()
	}
	return strings.Join(words, " or ")
}

// layClaudePaths lays one kind of component. Paths in the manifest add to the
// default directory for skills and replace it for the rest.
func layClaudePaths(t *ext.Tree, m source.Manifest, env source.Env, surface, dir string, adds bool) {
	spec := env.Spec(surface)
	key := dir
	given := m.Doc.Get(key)
	if given == nil || adds {
		source.Into(t, spec, dir, env)
	}
	if given != nil && given.Kind == ext.Map {
		t.Findings.Add(source.NotRead.At(t.Origin.At(m.Path, keyLine(&m.Doc, key)), "the manifest describes %s one by one; only paths are read", key))
	}
	for _, d := range paths(t, m, given, key) {
		p, ok := inside(t, m, d, key)
		switch {
		case !ok || p == dir && adds:
		case path.Ext(p) == ".md":
			layFile(t, surface, spec.Dir, p)
		case surface == "skill" && isFile(t.FS, path.Join(p, "SKILL.md")):
			layFile(t, surface, spec.Dir, path.Join(p, "SKILL.md"))
		default:
			if _, err := fs.Stat(t.FS, p); err != nil {
				t.Findings.Add(pathMissing(t, m, d, key, err))
				continue
			}
			source.Into(t, spec, p, env)
		}
	}
	if given == nil && surface == "skill" {
		soleSkill(t, env)
	}
}

// layFile adds one file that the manifest names, unless it lies where the
// default directory already led to.
func layFile(t *ext.Tree, surface, dir, file string) {
	for i := range t.Places {
		if t.Places[i].Surface == surface && t.Places[i].File == file {
			return
		}
	}
	place := ext.Place{Surface: surface, Path: path.Join(dir, path.Base(file)), File: file}
	if surface == "skill" {
		name := path.Base(path.Dir(file))
		if name == "." {
			name = t.Label
		}
		place.Path = path.Join(dir, name, "SKILL.md")
	}
	t.Places = append(t.Places, place)
}

// PathMissing is a path in a manifest that leads to nothing.
var PathMissing = &ext.Check{
	Code: "manifest-path-missing", Severity: ext.Error,
	Doc: "A manifest names a directory or file that cannot be read. The extension is refused: what it declared there is not there.",
	Fix: "Correct the path, or remove it from the manifest.",
}

func pathMissing(t *ext.Tree, m source.Manifest, d *ext.Doc, key string, err error) ext.Finding {
	why := source.FaultOf(err, t.Origin).Message
	return PathMissing.At(t.Origin.At(m.Path, d.Line), "the path %s of key %q: %s", ext.Quote(d.Text), key, why)
}

// paths are the strings of a string or a list of strings. Anything else in a
// list refuses the plugin, as it does there.
func paths(t *ext.Tree, m source.Manifest, d *ext.Doc, key string) []*ext.Doc {
	switch {
	case d == nil:
		return nil
	case d.Kind == ext.String:
		return []*ext.Doc{d}
	}
	var out []*ext.Doc
	for i := range d.List {
		if item := &d.List[i]; item.Kind == ext.String {
			out = append(out, item)
		} else {
			t.Findings.Add(ManifestField.At(t.Origin.At(m.Path, item.Line), "key %q must hold strings only, found %s", key, item.Kind))
		}
	}
	return out
}

func isFile(fsys fs.FS, name string) bool {
	info, err := fs.Stat(fsys, name)
	return err == nil && !info.IsDir()
}

// reportUnread says that a component is there and has no effect.
func reportUnread(t *ext.Tree, m source.Manifest, key, location, what string) {
	if key != "" {
		if d := m.Doc.Get(key); d != nil && !empty(d) {
			t.Findings.Add(source.NotRead.At(t.Origin.At(m.Path, keyLine(&m.Doc, key)), "the plugin has %s", what))
			return
		}
	}
	if location == "" {
		return
	}
	if _, err := fs.Lstat(t.FS, location); err == nil {
		t.Findings.Add(source.NotRead.At(t.Origin.At(location, 0), "the plugin has %s", what))
	}
}

func empty(d *ext.Doc) bool {
	return d.Kind == ext.Null || d.Kind == ext.Map && len(d.Map) == 0 || d.Kind == ext.List && len(d.List) == 0
}
