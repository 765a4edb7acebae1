// Package bridge holds the formats that extensions are laid out in, one file
// each. A format lays a directory onto the canonical tree as a list of places;
// it copies nothing, judges nothing beyond its own manifest and runs nothing.
package bridge

import (
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// Namespace is our own: the directory and the key of "extensions" in which a
// canonical plugin holds what Agent Plugins has no place for.
const Namespace = "dev.mortise"

// Checks lists what formats can find.
var Checks = []*ext.Check{
	source.Unknown, source.Several, source.NotThere,
	ManifestSyntax, ManifestField, ManifestIgnored, ManifestSchema, source.NotRead, source.StrayCode, source.Stray, PathPrefix, PathMissing,
}

// Checks on manifests.
var (
	ManifestSyntax = &ext.Check{
		Code: "manifest-form", Severity: ext.Error,
		Doc: "A manifest is not an object. The extension is refused.",
		Fix: "Write a JSON object; see the format's own documentation.",
	}
	ManifestField = &ext.Check{
		Code: "manifest-field", Severity: ext.Error,
		Doc: "A manifest lacks a required key, or a key holds what it must not. The extension is refused.",
		Fix: "Correct the key.",
	}
	ManifestSchema = &ext.Check{
		Code: "manifest-schema", Severity: ext.Error,
		Doc: "A manifest names no version of its format that this build knows. The extension is refused.",
		Fix: "Use " + PluginSchema + ".",
	}
	ManifestIgnored = &ext.Check{
		Code: "manifest-ignored", Severity: ext.Warning,
		Doc: "A manifest holds a key that has no meaning here. It is ignored.",
		Fix: "Remove the key, or move it under \"extensions\".",
	}
	PathPrefix = &ext.Check{
		Code: "manifest-path", Severity: ext.Warning,
		Doc: "A path in a manifest does not begin with ./; it is read as if it did.",
		Fix: "Begin the path with ./.",
	}
)

// keyLine is the line of a key of the manifest, 1 when it has none.
func keyLine(d *ext.Doc, key string) int {
	for _, p := range d.Map {
		if p.Key == key {
			return p.Line
		}
	}
	return max(d.Line, 1)
}

// inside checks a path that a manifest gives. ok is false when it leaves the
// root or is absolute, which has then been reported.
func inside(t *ext.Tree, m source.Manifest, d *ext.Doc, key string) (clean string, ok bool) {
	o := t.Origin.At(m.Path, d.Line)
	p := strings.ReplaceAll(d.Text, `\`, "/")
	clean = path.Clean(p)
	if p == "" || path.IsAbs(p) || clean == ".." || strings.HasPrefix(clean, "../") || slices.Contains(strings.Split(p, "/"), "..") {
		t.Findings.Add(ManifestField.At(o, "the path %s of key %q leaves the plugin's directory", ext.Quote(d.Text), key))
		return "", false
	}
	if p != "." && !strings.HasPrefix(p, "./") {
		t.Findings.Add(PathPrefix.At(o, "the path %s of key %q lacks ./", ext.Quote(d.Text), key))
	}
	return clean, true
}

// Formats are the formats of this build in the order of preference: where a
// directory is laid out in several, the first that is read wins.
var Formats = append([]source.Format{AgentPlugins, ClaudeCode}, sighted...)

// sighted formats are known by their marker and not read yet.
var sighted = []source.Format{
	{Name: "codex", Doc: "OpenAI Codex plugins.", Marker: ".codex-plugin/plugin.json"},
	{Name: "cursor", Doc: "Cursor plugins.", Marker: ".cursor-plugin/plugin.json"},
	{Name: "copilot", Doc: "GitHub Copilot plugins.", Marker: ".github/plugin/plugin.json"},
	{Name: "open-plugin", Doc: "Open Plugin, the older form of Agent Plugins.", Marker: ".plugin/plugin.json"},
	{Name: "gemini-cli", Doc: "Gemini CLI extensions.", Marker: "gemini-extension.json"},
	{Name: "kimi", Doc: "Kimi plugins.", Marker: ".kimi-plugin/plugin.json"},
	{Name: "grok", Doc: "Grok Build plugins.", Marker: ".grok-plugin/plugin.json"},
	{Name: "devin", Doc: "Devin plugins.", Marker: ".devin-plugin/plugin.json"},
	{Name: "factory", Doc: "Factory plugins.", Marker: ".factory-plugin/plugin.json"},
	{Name: "plugin.json", Doc: "A root plugin.json without the Agent Plugins schema: an older Copilot plugin, an Antigravity plugin, or another.", Marker: "plugin.json",
		Recognise: func(m source.Manifest) bool { return !agentPluginsSchema(m) }},
}
