package roots_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/source/roots"
	"github.com/mortise-dev/mortise/internal/source/sourcetest"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

func below(path string) ext.Source {
	return &roots.Source{
		Dir: path, Formats: bridge.Formats, Folders: bridge.Folders, Components: bridge.FolderSurfaces,
		Env: source.Env{Specs: spinetest.Specs, Limits: ext.DefaultLimits}, Workers: 2,
	}
}

func TestSource(t *testing.T) {
	sourcetest.Run(t, sourcetest.Case{
		Open: below,
		Files: golden.Files(
			"plugins/two/.claude-plugin/plugin.json", `{"name": "two"}`, "plugins/two/skills/s/SKILL.md", "s",
			"plugins/one/plugin.json", `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "one"}`,
			"plugins/one/deep/SKILL.md", "elsewhere",
			"plugins/three/.codex-plugin/plugin.json", `{}`,
			"plugins/broken/plugin.json", `{"$schema": "https://agent-plugins.org/schemas/9.0.0/plugin.schema.json"}`,
			"loose/skills/x/SKILL.md", "x", "loose/agents/a.md", "a",
			"folder/one/SKILL.md", "1", "folder/two/SKILL.md", "2",
			"more/sole/SKILL.md", "sole",
			"node_modules/dep/.claude-plugin/plugin.json", `{"name": "dep"}`,
			"docs/readme.md", "text",
		),
		Want: []string{
			"folder loose plugin skills/one/SKILL.md=one/SKILL.md skills/two/SKILL.md=two/SKILL.md",
			"loose loose plugin skills/x/SKILL.md=skills/x/SKILL.md agents/a.md=agents/a.md",
			"more loose plugin skills/sole/SKILL.md=sole/SKILL.md",
			"broken agent-plugins/1.0.0 plugin [manifest-schema plugin.json] [manifest-field plugin.json]",
			"one agent-plugins/1.0.0 plugin [document-unclaimed deep/SKILL.md]",
			"three codex plugin",
			"two claude-code plugin skills/s/SKILL.md=skills/s/SKILL.md",
		},
		Missing: sourcetest.Failed,
	})
}

// TestWorkers wants the same trees whatever the number of workers.
func TestWorkers(t *testing.T) {
	path := golden.Dir(t, golden.Files(
		"a/skills/x/SKILL.md", "x", "b/.claude-plugin/plugin.json", "{}", "c/d/e/f/SKILL.md", "f", "c/d/g/SKILL.md", "g",
	))
	var want []string
	for _, workers := range []int{0, 1, 2, 7} {
		s := below(path).(*roots.Source)
		s.Workers = workers
		var got []string
		for tree, err := range s.Trees(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, sourcetest.Show(&tree))
			tree.Close()
		}
		if want == nil {
			want = got
		}
		if !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("Trees with %d workers: got %q, want %q", workers, got, want)
		}
	}
}

func TestNameOf(t *testing.T) {
	for _, c := range []struct{ label, dir, want string }{
		{"acme", "/x/other", "acme"},
		{"Not A Name", "/x/Other Dir", "other-dir"},
		{"", "/x/--a__b--", "a-b"},
		{"", "/x/Über", "ber"},
		{"", "/x/部署", "unnamed"},
		{"a..b", "/x/a.b", "a-b"},
	} {
		if got := source.NameOf(c.label, c.dir); string(got) != c.want {
			t.Errorf("NameOf(%q, %q): got %s, want %s", c.label, c.dir, got, c.want)
		}
	}
}

// TestFolders finds the folders that projects keep for their clients: each is
// an extension of its own, unless it holds nothing of the kind. What lies beside
// one and belongs to it is read, unless it is a plugin's, or lies outside what is
// searched, which is told.
func TestFolders(t *testing.T) {
	files := golden.Files(
		".claude/skills/a/SKILL.md", "a", ".claude/plugin/.claude-plugin/plugin.json", `{"name": "inner"}`,
		".mcp.json", `{"mcpServers": {"s": {"command": "./run"}}}`,
		".github/workflows/ci.yml", "on: push", ".github/ISSUE_TEMPLATE/bug.md", "b",
		".cursor/rules/x.mdc", "Always.",
		".vscode/settings.json", "{}",
		"app/.claude/settings.json", `{"model": "x"}`, "app/.claude/notes/SKILL.md", "n",
		"app/.gemini/commands/go.toml", `prompt = "Go."`,
		"plug/.claude-plugin/plugin.json", `{"name": "plug"}`, "plug/.claude/agents/x.md", "x", "plug/.mcp.json", `{"t": {"command": "t"}}`,
		"skills/a/SKILL.md", "a",
	)
	want := []string{
		"unnamed loose plugin skills/a/SKILL.md=skills/a/SKILL.md",
		"claude claude-project plugin skills/a/SKILL.md=skills/a/SKILL.md ../.mcp.json=../.mcp.json [server-variable ../.mcp.json]",
		"inner claude-code plugin",
		"cursor cursor-project plugin rules/x.md=rules/x.mdc",
		"claude claude-project plugin [document-unclaimed notes/SKILL.md]",
		"gemini gemini-project plugin commands/go.md=commands/go.toml",
		"plug claude-code plugin .mcp.json=.mcp.json",
		"claude claude-project plugin agents/x.md=agents/x.md",
	}
	base := golden.Dir(t, files)
	if got := shown(t, base); !slices.Equal(got[1:], want[1:]) {
		t.Errorf("Trees: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got, want := shown(t, base+"/.claude"), []string{
		"claude claude-project plugin skills/a/SKILL.md=skills/a/SKILL.md [component-not-read ]", "inner claude-code plugin",
	}; !slices.Equal(got, want) {
		t.Errorf("Trees of a folder itself: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestBesideAFolder wants a file beside a folder that cannot be read, or
// leads outside the base, to be told and not read.
func TestBesideAFolder(t *testing.T) {
	for _, c := range []struct{ name, file, content, want string }{
		{"broken", "p/.mcp.json", "{", "claude claude-project plugin agents/x.md=agents/x.md ../.mcp.json=../.mcp.json!json-syntax"},
		{"a link outside", "p/.mcp.json -> ../../outside.json", "", "claude claude-project plugin agents/x.md=agents/x.md ../.mcp.json=../.mcp.json!link-escape"},
		{"a link to nothing", "p/.mcp.json -> gone.json", "", "claude claude-project plugin agents/x.md=agents/x.md ../.mcp.json=../.mcp.json!link-dangling"},
		{"a link inside", "p/.mcp.json -> other.json", "", "claude claude-project plugin agents/x.md=agents/x.md ../.mcp.json=../.mcp.json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := golden.Dir(t, golden.Files("outside.json", `{"s": {"command": "s"}}`, "base/p/.claude/agents/x.md", "x",
				"base/p/other.json", `{"s": {"command": "s"}}`, "base/"+c.file, c.content))
			if got := shown(t, base+"/base"); len(got) != 1 || !strings.HasPrefix(got[0], c.want) {
				t.Errorf("Trees: got %q, want %q", got, c.want)
			}
		})
	}
}

// TestDoubtful wants a manifest of a name that other things have as well to make
// a root only where it is one.
func TestDoubtful(t *testing.T) {
	base := golden.Dir(t, golden.Files(
		"web/manifest.json", `{"name": "A page", "icons": []}`, "web/skills/a/SKILL.md", "a",
		"page/manifest.json", `{"name": "A page"}`, "broken/manifest.json", `{`,
		"bundle/manifest.json", `{"manifest_version": "0.3", "name": "b", "server": {"type": "node", "mcp_config": {"command": "node"}}}`,
		"down/x.mcpb", "PK", "web/packed/y.dxt", "PK",
	))
	want := []string{
		"b mcpb plugin manifest.json=manifest.json",
		"web loose plugin skills/a/SKILL.md=skills/a/SKILL.md [bundle-packed packed/y.dxt]",
		"x-mcpb mcpb plugin [bundle-packed ]",
	}
	if got := shown(t, base); !slices.Equal(got, want) {
		t.Errorf("Trees: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestPlace wants a root plugin.json to be read by its schema and its place.
func TestPlace(t *testing.T) {
	base := golden.Dir(t, golden.Files(
		".agents/plugins/one/plugin.json", `{"name": "one"}`, ".agents/plugins/one/skills/a/SKILL.md", "a", ".agents/plugins/one/rules/r.md", "r",
		".agents/plugins/one/hooks.json", `{"safe": {"PreToolUse": [{"matcher": "x", "hooks": [{"type": "command", "command": "c"}]}], "Stop": [{"command": "d"}]}, "off": {"enabled": false, "Stop": [{"command": "e"}]}, "note": 1}`,
		"_agent/plugins/two/plugin.json", `{"name": "two", "disabled": true}`, "_agent/plugins/two/skills/a/SKILL.md", "a",
		".agents/plugins/three/plugin.json", `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "three"}`,
		"plugins/four/plugin.json", `{"name": "four", "skills": "./skills"}`, "plugins/four/skills/a/SKILL.md", "a",
		"plugins/five/plugin.json", `{"name": "five"}`,
	))
	want := []string{
		"one antigravity plugin skills/a/SKILL.md=skills/a/SKILL.md rules/r.md=rules/r.md hooks/client_event/PreToolUse-1.json=hooks.json hooks/client_event/Stop-1.json=hooks.json " +
			"hooks/client_event/hooks.json.json=hooks.json!client-hooks-form [client-hook-off hooks.json]",
		"three agent-plugins/1.0.0 plugin",
		"two antigravity plugin [component-not-read plugin.json] [document-unclaimed skills/a/SKILL.md]",
		"five plugin.json plugin [format-unknown ]",
		"four copilot plugin skills/a/SKILL.md=skills/a/SKILL.md",
	}
	if got := shown(t, base); !slices.Equal(got, want) {
		t.Errorf("Trees: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// shown are the trees below a directory, one line each.
func shown(t *testing.T, base string) (out []string) {
	t.Helper()
	for tree, err := range below(base).Trees(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, show(&tree))
		if tree.Close != nil {
			tree.Close()
		}
	}
	return out
}

func show(tree *ext.Tree) string { return sourcetest.Show(tree) }
