package dir_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/source/dir"
)

// TestUnnamedFolders wants a folder told of when it holds entries and nobody
// named it: an empty one, a file, and a link to a folder that is told of already
// would be noise.
func TestUnnamedFolders(t *testing.T) {
	const skill = "---\nname: a\ndescription: d\n---\n"
	work := golden.Dir(t, golden.Files(
		".claude/skills/a/SKILL.md", skill,
		".claude/agents/b.md", skill,
		".cursor/rules/c.mdc", "Always.\n",
		".github/workflows/ci.yml", "name: ci\n",
		".gemini", "a file\n",
		"deep/.opencode/skills/a/SKILL.md", skill,
	))
	if err := os.Symlink(".claude", filepath.Join(work, ".agents")); err != nil {
		t.Fatal(err)
	}
	f := dir.Folders{Dir: work, Formats: bridge.Formats, Loose: bridge.Loose, Env: env}
	want := []source.Folder{
		{Name: ".claude", Format: "claude-project", Surfaces: []string{"agent", "skill"}},
		{Name: ".cursor", Format: "cursor-project", Surfaces: []string{"rule"}},
	}
	if diff := cmp.Diff(want, f.Unnamed()); diff != "" {
		t.Errorf("folders (-want +got):\n%s", diff)
	}
	f.Named = []string{filepath.Join(work, ".claude")}
	if diff := cmp.Diff(want[1:], f.Unnamed()); diff != "" {
		t.Errorf("folders where .claude is named (-want +got):\n%s", diff)
	}
}

// TestUnnamedBeside wants the file told of that lies beside a project's folder and
// belongs to it, with the folder or without: naming the folder brings none of it
// in. One that declares nothing is nothing to tell, and nothing outside the
// workspace is read to know it.
func TestUnnamedBeside(t *testing.T) {
	const skill, servers = "---\nname: a\ndescription: d\n---\n", `{"mcpServers": {"s": {"command": "s"}}}`
	for _, c := range []struct {
		name  string
		files []string
		want  []source.Folder
	}{
		{"beside a folder", []string{"w/.claude/agents/b.md", skill, "w/.mcp.json", servers},
			[]source.Folder{{Name: ".claude", Format: "claude-project", Surfaces: []string{"agent"}, Beside: ".mcp.json"}}},
		{"without one", []string{"w/.mcp.json", servers}, []source.Folder{{Format: "claude-project", Beside: ".mcp.json"}}},
		{"beside an empty one", []string{"w/.claude/", "", "w/.mcp.json", servers}, []source.Folder{{Format: "claude-project", Beside: ".mcp.json"}}},
		{"that declares nothing", []string{"w/.mcp.json", `{"mcpServers": {}}`}, nil},
		{"that cannot be read", []string{"w/.mcp.json", "{"}, []source.Folder{{Format: "claude-project", Beside: ".mcp.json"}}},
		{"that is a link to the outside", []string{"outside.json", `{"mcpServers": {}}`, "w/.mcp.json -> ../outside.json", ""}, []source.Folder{{Format: "claude-project", Beside: ".mcp.json"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			work := filepath.Join(golden.Dir(t, golden.Files(c.files...)), "w")
			f := dir.Folders{Dir: work, Formats: bridge.Formats, Loose: bridge.Loose, Env: env}
			if diff := cmp.Diff(c.want, f.Unnamed()); diff != "" {
				t.Errorf("folders (-want +got):\n%s", diff)
			}
			f.Named = []string{filepath.Join(work, ".claude")}
			if got := f.Unnamed(); len(got) > 0 {
				t.Errorf("folders where .claude is named: got %v, want none: its tree tells", got)
			}
		})
	}
}
