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
