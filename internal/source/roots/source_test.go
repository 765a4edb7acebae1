package roots_test

import (
	"slices"
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
			"three codex plugin [format-unknown ]",
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
