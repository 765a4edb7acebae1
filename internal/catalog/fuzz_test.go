package catalog_test

import (
	"testing"
	"testing/fstest"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

// fuzzed lays an in-memory tree out, judges and merges it, and holds the
// outcome to what must hold of every one.
func fuzzed(t *testing.T, files fstest.MapFS) {
	tree := ext.Tree{
		Extension: "acme", FS: files, Root: "/acme",
		Origin: ext.Origin{Extension: "acme", Source: "path:./acme", Trust: ext.Plugin},
	}
	limits := ext.Limits{FileBytes: 64 << 10, Files: 100, Depth: 4}
	source.Lay(bridge.Formats, bridge.Loose, &tree, "", source.Env{Specs: spinetest.Specs, Limits: limits})
	cs := spinetest.Scan(t, []ext.Tree{tree}, spinetest.Options{Limits: limits})
	for _, rules := range []admit.Rules{spinetest.Used(), {Alone: true}, {Adopted: true, Whole: true}, {}} {
		ds := admit.Decide(cs, rules)
		spinetest.Hold(t, ds)
		spinetest.Total(t, spinetest.Specs, ds, compose.Merge(spinetest.Specs, compose.Order(admit.Extensions(ds), nil)))
	}
	if again := spinetest.Scan(t, []ext.Tree{tree}, spinetest.Options{Limits: limits}); again[0].Digest() != cs[0].Digest() {
		t.Error("the same tree read twice: got two digests, want one")
	}
}

// FuzzClaudeManifest wants any manifest and any server file of a Claude Code
// plugin to end in a decision that explains itself.
func FuzzClaudeManifest(f *testing.F) {
	f.Add([]byte(`{"name": "acme", "skills": ["./more", "."], "mcpServers": ["./s.json", {"a": {"command": "${CLAUDE_PLUGIN_ROOT}/x"}}]}`), []byte(`{"b": {"type": "http", "url": "https://example.com"}}`))
	f.Add([]byte(`{"name": 1, "commands": {"a": {}}, "hooks": true, "agents": "../x"}`), []byte(`{"mcpServers": {"a": 1, "": {"command": "./x", "env": {"PLUGIN_ROOT": ""}}}}`))
	f.Add([]byte(`[]`), []byte(``))
	f.Fuzz(func(t *testing.T, manifest, servers []byte) {
		text := []byte("---\ndescription: d\n---\ntext\n")
		fuzzed(t, fstest.MapFS{
			".claude-plugin/plugin.json": {Data: manifest}, ".mcp.json": {Data: servers}, "s.json": {Data: servers},
			"skills/a/SKILL.md": {Data: text}, "more/b/SKILL.md": {Data: text}, "commands/c.md": {Data: text}, "agents/d.md": {Data: text}, "x": {Data: nil},
		})
	})
}

// FuzzAgentPluginsManifest wants the same of a canonical plugin.
func FuzzAgentPluginsManifest(f *testing.F) {
	f.Add([]byte(`{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "acme", "author": {"name": "a"}, "keywords": ["k"]}`), []byte(`{"ref": {"driver": "process"}}`))
	f.Add([]byte(`{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "a--b", "extensions": 1}`), []byte(`{"answer": {}, "role": "observer", "x": []}`))
	f.Fuzz(func(t *testing.T, manifest, guard []byte) {
		fuzzed(t, fstest.MapFS{
			"plugin.json": {Data: manifest}, "dev.mortise/hooks/before_tool_call/g.json": {Data: guard}, "dev.mortise/tools/t.json": {Data: guard},
			"mcp.json": {Data: guard}, "skills/a/SKILL.md": {Data: guard}, "dev.mortise/prompts/p.md": {Data: manifest},
		})
	})
}
