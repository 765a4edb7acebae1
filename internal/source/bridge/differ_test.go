package bridge_test

import (
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

// TestFormatsDisagree wants a word about what one format names and another
// could name as well. That a client has no agents is no fault of a plugin that
// has some for another client, and neither is it that each has a program of its
// own for the same event.
func TestFormatsDisagree(t *testing.T) {
	both := func(files ...string) []string {
		return append([]string{".claude-plugin/plugin.json", `{"name": "acme"}`, "skills/a/SKILL.md", skill}, files...)
	}
	for _, c := range []struct {
		name  string
		files []string
		want  string // the message; "" for no finding
	}{
		{"agents, which Codex has no place for", both(".codex-plugin/plugin.json", `{"name": "acme"}`, "agents/b.md", skill), ""},
		{"a rule, which Claude Code has no place for", both("gemini-extension.json", `{"name": "acme", "version": "1"}`, "GEMINI.md", "Be brief."), ""},
		{"a hook of two programs", both(".cursor-plugin/plugin.json", `{"name": "acme", "hooks": "./cursor.json"}`,
			"cursor.json", `{"version": 1, "hooks": {"sessionStart": [{"command": "./one"}]}}`,
			"hooks/hooks.json", `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "./two"}]}]}}`), ""},
		{"a skill of one alone", both(".codex-plugin/plugin.json", `{"name": "acme", "skills": ["./more"]}`, "more/b/SKILL.md", skill),
			`only claude-code names skill "a"; only codex names skill "b"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := golden.Dir(t, golden.Files(prefix("acme/", c.files)...))
			got := ""
			for _, tree := range spinetest.Trees(t, dir, spinetest.Options{}) {
				got += disagreement(tree.Findings)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func disagreement(fs ext.Findings) string {
	for _, f := range fs {
		if f.Check == source.Disagree {
			return f.Message
		}
	}
	return ""
}

// prefix puts files, as golden.Files takes them, below a directory.
func prefix(dir string, files []string) []string {
	out := make([]string, len(files))
	for i := range files {
		if out[i] = files[i]; i%2 == 0 {
			out[i] = dir + files[i]
		}
	}
	return out
}
