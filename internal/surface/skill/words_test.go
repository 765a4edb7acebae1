package skill_test

import (
	"slices"
	"testing"

	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/skill"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

// TestAllowedToolsSpellings wants a list, words between commas and words between
// blanks to mean the same.
func TestAllowedToolsSpellings(t *testing.T) {
	want := []string{"Read", "Bash(git add:*)", "Grep"}
	for _, spelling := range []string{
		"allowed-tools: [Read, 'Bash(git add:*)', Grep]", "allowed-tools:\n  - Read\n  - Bash(git add:*)\n  - Grep",
		"allowed-tools: Read, Bash(git add:*), Grep", "allowed-tools: Read Bash(git add:*) Grep",
	} {
		d := surfacetest.Read("skills/s/SKILL.md", []byte("---\ndescription: d\n"+spelling+"\n---\nText.\n"))
		e := skill.Surface.Decode([]surface.Document{d})[0]
		s, ok := e.Value.(skill.Skill)
		if !ok || !slices.Equal(s.AllowedTools, want) || len(e.Findings) > 0 {
			t.Errorf("%s: got %q with %v, want %q", spelling, s.AllowedTools, e.Findings, want)
		}
	}
}
