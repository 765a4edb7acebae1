// Package bridge holds the formats that extensions are laid out in, one file
// each. A format lays a directory onto the canonical tree as a list of places;
// it copies nothing, judges nothing beyond its own manifest and runs nothing.
package bridge

import (
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// Namespace is our own: the directory and the key of "extensions" in which a
// canonical plugin holds what Agent Plugins has no place for.
const Namespace = "dev.mortise"

// Checks lists what formats can find.
var Checks = []*ext.Check{
	source.Unknown, source.Several, source.NotThere,
	source.Disagree, source.Packed,
	ManifestSyntax, ManifestField, ManifestIgnored, ManifestSchema, ManifestUnusable, source.NotRead, source.StrayCode, source.Stray,
	PathPrefix, PathMissing, PathTwice, PatternEmpty,
	ServerDisabled, ServerSwitch, ServerUnclear, ServerVariable,
	HooksForm, HookKey, HookNothing, HooksTwice, HookTimeout, HooksUnread, EventUnknown, HookOff, HookOurs,
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
)

// Formats are the formats of this build in the order of preference: where a
// directory is laid out in several, the first that is read wins.
var Formats = slices.Concat(
	[]source.Format{AgentPlugins, ClaudeCode, Codex, Cursor, Copilot, Gemini, Antigravity, Bundle},
	projects,
	sighted,
)

// sighted formats are known by their marker and not read.
var sighted = []source.Format{
	{Name: "kimi", Doc: "Kimi plugins.", Marker: ".kimi-plugin/plugin.json"},
	{Name: "grok", Doc: "Grok Build plugins.", Marker: ".grok-plugin/plugin.json"},
	{Name: "devin", Doc: "Devin plugins.", Marker: ".devin-plugin/plugin.json"},
	{Name: "factory", Doc: "Factory plugins.", Marker: ".factory-plugin/plugin.json"},
	{Name: "plugin.json", Doc: "A root plugin.json that is none of the above.", Marker: "plugin.json",
		Recognise: func(t *ext.Tree, m source.Manifest) bool {
			return !agentPluginsSchema(t, m) && !inAntigravity(t) && !copilotManifest(t, m)
		}},
}
