package skill_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/skill"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

// FuzzSkill decodes any SKILL.md.
func FuzzSkill(f *testing.F) {
	f.Add([]byte("---\nname: a\ndescription: d\nallowed-tools: Bash(a, b) Read\nuser-invocable: yes\n---\nText.\n"))
	f.Add([]byte("---\ndescription: >-\n  folded\n  text\nmetadata: {a: [1, {b: c}]}\n---\n"))
	f.Add([]byte("\ufeff---\r\ndescription: d\r\n---\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		surfacetest.Fuzz(t, skill.Surface.Spec, "skills/a/SKILL.md", "", data)
	})
}
