package roots_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

// TestReadOnce searches a directory that holds extensions of every kind, and reads
// every document of what it found: no file is opened twice, neither to know what
// a directory is, nor since several formats lead to it.
func TestReadOnce(t *testing.T) {
	const skill = "---\nname: a\ndescription: d\n---\n"
	base := golden.Dir(t, golden.Files(
		"bundle/manifest.json", `{"manifest_version": "0.3", "name": "b", "version": "1.0.0", "description": "d", "author": {"name": "a"}, "server": {"type": "node", "entry_point": "i.js", "mcp_config": {"command": "node"}}}`,
		"page/manifest.json", `{"name": "A page"}`, "page/skills/a/SKILL.md", skill,
		"plug/.claude-plugin/plugin.json", `{"name": "plug", "mcpServers": "./.mcp.json"}`, "plug/.codex-plugin/plugin.json", `{"name": "plug"}`,
		"plug/.mcp.json", `{"s": {"command": "s"}}`, "plug/skills/a/SKILL.md", skill, "plug/SKILL.md", skill,
		"plug/hooks/hooks.json", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "c"}]}]}}`,
		"sole/.claude-plugin/plugin.json", `{"name": "sole"}`, "sole/SKILL.md", skill,
		"copilot/plugin.json", `{"name": "c", "skills": "./skills"}`, "copilot/skills/a/SKILL.md", skill,
		"app/.claude/settings.json", `{"hooks": {}}`, "app/.claude/agents/a.md", skill, "app/.mcp.json", `{"s": {"command": "s"}}`,
		"loose/agents/a.md", skill, "loose/rules/r.md", "r", "loose/mcp.json", `{"mcpServers": {"s": {"command": "s"}}}`,
		"loose/hooks/hooks.json", `{"version": 1, "hooks": {"stop": [{"command": "c"}]}}`, "loose/hooks/deny/hooks.json", `{}`,
		"folder/one/SKILL.md", skill, "folder/two/SKILL.md", skill, "folder/flat.md", skill,
		"alone/.mcp.json", `{"s": {"command": "s"}}`, "down/x.mcpb", "PK",
	))
	seen := spinetest.Watch(t, base, unix.IN_OPEN|unix.IN_CLOSE) // of two openings that follow each other the system would tell one
	found := 0
	for tree, err := range below(base).Trees(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if !tree.Unread {
			found++
			if _, err := discover.Scan(t.Context(), tree, discover.Options{Specs: spinetest.Specs, Limits: ext.DefaultLimits}); err != nil {
				t.Fatal(err)
			}
		}
		if tree.Close != nil {
			tree.Close()
		}
	}
	opens := opened(t, seen)
	if found < 8 || opens["bundle/manifest.json"] == 0 {
		t.Fatalf("got %d extensions and the openings %v, want at least eight, and a bundle among them", found, opens)
	}
	for name, n := range opens {
		if n > 1 {
			t.Errorf("%s: got opened %d times, want once", name, n)
		}
	}
	for _, name := range []string{"alone/.mcp.json", "down/x.mcpb"} {
		if opens[name] > 0 {
			t.Errorf("%s: got opened, want it told and not opened", name)
		}
	}
}

// opened is how often files were opened since the watch began, by path.
func opened(t *testing.T, w *spinetest.Touched) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, touch := range w.Since(t) {
		if touch.Mask&unix.IN_OPEN != 0 {
			out[touch.Path]++
		}
	}
	return out
}
