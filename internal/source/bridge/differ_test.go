package bridge_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
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

// TestGuardsOfOtherFormats wants what any format of a directory declares as a
// guard to be a guard here: an extension with one that no door asks waits. Who
// names a format means it alone.
func TestGuardsOfOtherFormats(t *testing.T) {
	const canonical = `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "acme"}`
	guard := `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "./g.sh"}]}]}}`
	for _, c := range []struct {
		name  string
		files []string
		pin   string
		want  []string // paths of the guards, each with its file
	}{
		{"of Claude Code beside Agent Plugins", []string{"plugin.json", canonical, ".claude-plugin/plugin.json", `{"name": "acme", "hooks": "./hooks/h.json"}`, "hooks/h.json", guard}, "",
			[]string{"hooks/client_event/claude-code-PreToolUse-1.json = hooks/h.json"}},
		{"of a manifest beside Agent Plugins", []string{"plugin.json", canonical, ".codex-plugin/plugin.json", `{"name": "acme", "hooks": ` + guard + `}`}, "",
			[]string{"hooks/client_event/codex-PreToolUse-1.json = .codex-plugin/plugin.json"}},
		{"one for the same event that runs another program", []string{".claude-plugin/plugin.json", `{"name": "acme"}`, "hooks/hooks.json", guard,
			".codex-plugin/plugin.json", `{"name": "acme", "hooks": {"PreToolUse": [{"hooks": [{"command": "./deny-rm.sh"}]}]}}`}, "",
			[]string{"hooks/client_event/PreToolUse-1.json = hooks/hooks.json", "hooks/client_event/codex-PreToolUse-1.json = .codex-plugin/plugin.json"}},
		{"the same program in other words", []string{".claude-plugin/plugin.json", `{"name": "acme", "hooks": {"PreToolUse": [{"hooks": [{"command": "\"${CLAUDE_PLUGIN_ROOT}/g.sh\" -v"}]}]}}`,
			".cursor-plugin/plugin.json", `{"name": "acme", "hooks": {"preToolUse": [{"command": "./g.sh -v"}]}}`}, "",
			[]string{"hooks/client_event/PreToolUse-1.json = .claude-plugin/plugin.json"}},
		{"another prompt", []string{".claude-plugin/plugin.json", `{"name": "acme", "hooks": {"Stop": [{"hooks": [{"type": "prompt", "prompt": "One?"}]}]}}`,
			".codex-plugin/plugin.json", `{"name": "acme", "hooks": {"Stop": [{"hooks": [{"type": "prompt", "prompt": "Two?"}, {"type": "prompt", "prompt": "One?"}]}]}}`}, "",
			[]string{"hooks/client_event/Stop-1.json = .claude-plugin/plugin.json", "hooks/client_event/codex-Stop-1.json = .codex-plugin/plugin.json"}},
		{"a policy", []string{".claude-plugin/plugin.json", `{"name": "acme"}`, "gemini-extension.json", `{"name": "acme", "version": "1"}`, "policies/p.toml", "[[rule]]\ntoolName = \"x\"\ndecision = \"deny\"\n"}, "",
			[]string{"hooks/client_event/gemini-cli-BeforeTool-1.json = policies/p.toml"}},
		{"of two formats under one name", []string{".claude-plugin/plugin.json", `{"name": "acme"}`, ".codex-plugin/plugin.json", `{"name": "acme", "hooks": {"Codex-Stop": ["./one"], "codex-stop": ["./two"]}}`}, "",
			[]string{"hooks/client_event/codex-Codex-Stop-1.json = .codex-plugin/plugin.json", "hooks/client_event/codex-codex-stop-2.json = .codex-plugin/plugin.json"}},
		{"an observer", []string{".claude-plugin/plugin.json", `{"name": "acme"}`, ".codex-plugin/plugin.json", `{"name": "acme", "hooks": {"SessionStart": [{"hooks": [{"command": "x"}]}]}}`}, "", nil},
		{"of a format that nobody named", []string{"plugin.json", canonical, ".claude-plugin/plugin.json", `{"name": "acme", "hooks": "./h.json"}`, "h.json", guard}, "agent-plugins", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for i := 0; i < len(c.files); i += 2 {
				fsys[c.files[i]] = &fstest.MapFile{Data: []byte(c.files[i+1])}
			}
			tree := ext.Tree{Extension: "acme", Root: "/acme", FS: fsys, Origin: ext.Origin{Extension: "acme", Source: "path:acme", Trust: ext.Plugin}}
			source.Lay(bridge.Formats, bridge.Loose, &tree, c.pin, source.Env{Specs: spinetest.Specs, Limits: ext.DefaultLimits})
			var got []string
			for i := range tree.Places {
				if p := &tree.Places[i]; p.Surface == "client_event" && p.Doc.Word("role") == "guard" {
					got = append(got, p.Path+" = "+p.File)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got the guards %q, want %q", got, c.want)
			}
		})
	}
}

// TestGuardThatCannotBeRead wants a file of hooks that another format would read,
// and cannot, to be a fault with a way out.
func TestGuardThatCannotBeRead(t *testing.T) {
	dir := golden.Dir(t, golden.Files("acme/.claude-plugin/plugin.json", `{"name": "acme"}`, "acme/.cursor-plugin/plugin.json", `{"name": "acme", "hooks": "./cursor.json"}`, "acme/cursor.json", "{"))
	for _, tree := range spinetest.Trees(t, dir, spinetest.Options{}) {
		for i := range tree.Places {
			if p := &tree.Places[i]; p.Fault != nil && p.File == "cursor.json" && strings.Contains(p.Fault.Fix(), "name the format") {
				return
			}
		}
		t.Errorf("got %+v, want a fault at cursor.json that says how to read one format alone", tree.Places)
	}
}

// TestNothingIsDropped wants what only another format has a place for to be named
// beside the formats, and no finding to say that nobody reads what another reads.
func TestNothingIsDropped(t *testing.T) {
	dir := golden.Dir(t, golden.Files(
		"acme/.claude-plugin/plugin.json", `{"name": "acme"}`, "acme/rules/r.md", "Be kind.",
		"acme/gemini-extension.json", `{"name": "acme", "version": "1"}`, "acme/GEMINI.md", "Be brief.",
		"acme/.cursor-plugin/plugin.json", `{"name": "acme"}`,
	))
	got := decided(t, dir)
	for _, want := range []string{
		`info: read as claude-code, which has no place for rule "r" of cursor, rule "GEMINI" of gemini-cli; also laid out as cursor, gemini-cli (format-several)`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %q", got, want)
		}
	}
}
