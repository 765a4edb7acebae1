package monorepo_test

import (
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/golden"
)

// TestColony_80_BadSkillsBesideAGood wants each skill to stand for itself: its document is
// read when it is used, and what is wrong with one is told of that one.
func TestColony_80_BadSkillsBesideAGood(t *testing.T) {
	s := at(golden.Dir(t, golden.Files(
		".colony/plugins/bad/SKILL.md -> ../../../../outside.md", "", ".colony/plugins/dir/SKILL.md/x", "", ".colony/plugins/good/SKILL.md", "---\nname: good\n---\n",
	)))
	want := "skills/bad/SKILL.md=.colony/plugins/bad/SKILL.md\nskills/dir/SKILL.md=.colony/plugins/dir/SKILL.md\nskills/good/SKILL.md=.colony/plugins/good/SKILL.md"
	if got := tell(t, s); got != want {
		t.Errorf("Trees: got\n%s\nwant\n%s", got, want)
	}
}

// TestColony_81_82_83_PackagedPlugins wants a packaged plugin among the skills to be told
// and not read, whatever its manifest says: the reference's own discovery of a monorepo
// does not read it either. As a plugin of the configuration it is one like any other.
func TestColony_81_82_83_PackagedPlugins(t *testing.T) {
	const skill = "---\nname: x\n---\n"
	for _, c := range []struct{ name, manifest string }{
		{"81 a package", `{"name": "p", "version": "1.2.0"}`}, {"82 without a name", "{}"}, {"83 no JSON", "{"}, {"83 a list", "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := at(golden.Dir(t, golden.Files(
				".colony/plugins/p/.claude-plugin/plugin.json", c.manifest, ".colony/plugins/p/skills/s/SKILL.md", skill, ".colony/plugins/s/SKILL.md", skill,
			)))
			if got, want := tell(t, s), "[monorepo-packaged .colony/plugins/p]\nskills/s/SKILL.md=.colony/plugins/s/SKILL.md"; got != want {
				t.Errorf("Trees: got\n%s\nwant\n%s", got, want)
			}
			if got := found(t, s); len(got) != 1 || !strings.Contains(got[0], "mortise.toml") && !strings.Contains(got[0], "packaged plugin") {
				t.Errorf("findings: got %q, want the package told, and nothing else", got)
			}
		})
	}
}
