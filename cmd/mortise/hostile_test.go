package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// nasty is what makes a terminal lie: a line that is cleared, a cursor that goes
// up, a link, a title, a carriage return, C1 controls, bidirectional controls,
// tag characters, and bytes that are not UTF-8.
const nasty = "a\x1b[2K\x1b[1A\x1b]8;;https://evil.test\x07b\x1b]8;;\x07\x1b]0;t\x07\rc\u009b31m\u202ed\u2066e\U000E0041\u200bf\x7f\xffg"

// TestField_PRO04 looks at the output of every command over a workspace in
// which everything that can be hostile is: somebody reads it to decide what to
// trust, so it must show what is there and nothing else.
func TestField_PRO04(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("such names are not possible there")
	}
	w := hostileWorkspace(t)
	qualified := "owner:" + nasty
	for _, args := range [][]string{
		{"list"}, {"list", "--verbose"}, {"list", "skill"}, {"list", nasty},
		{"check"}, {"check", "--verbose"}, {"check", "plugins/" + nasty}, {"check", "--recursive", "--fresh", "."}, {"check", "missing" + nasty},
		{"explain", nasty}, {"explain", qualified}, {"explain", "bad"}, {"explain", "nobody" + nasty}, {"explain", "plugins.bad.path"}, {"explain", "plugins.bad.settings." + nasty},
		{"session"}, {"session", "--text"}, {"session", "--prompt"},
		{"init"}, {"init", "new" + nasty}, {"init", "given"},
		{"disable", "owner:plain", "--reason", nasty}, {"list"}, {"explain", "plain"}, {"enable", "owner:plain"},
		{"disable", qualified, "--reason", nasty}, {"enable", qualified}, {"disable", nasty, "--reason", "x"}, {"disable", qualified},
		{"schema", nasty}, {"completion", nasty}, {nasty}, {"help", nasty}, {"list", "--" + nasty}, {"--color", nasty, "list"},
		{"--workspace", nasty, "list"}, {"--workspace", "plugins/" + nasty, "list"}, {"version"},
		{"__complete", "explain", ""}, {"__complete", "disable", ""},
	} {
		for _, json := range []bool{false, true} {
			if json && args[0] == "__complete" {
				continue // for shells, with tabs in it
			}
			if json {
				args = append(args, "--json")
			}
			if out := output(t, w, args...); hidden(out) != "" {
				t.Errorf("mortise %q: got %q, want it escaped", args, hidden(out))
			}
		}
	}
	if out := output(t, w, "list"); !strings.Contains(out, `\x1b[2K`) {
		t.Errorf("mortise list: got %q, want the hostile names in it, escaped", out)
	}
	adopted := filepath.Join(w, "given")
	visible := strings.NewReplacer("\u202e", "", "\u2066", "", "\U000E0041", "").Replace(nasty) // with these it is refused
	write(t, filepath.Join(adopted, ".mortise/prompts/rule.md"), strings.ToValidUTF8(visible, "")+"\nsecond line")
	for _, flag := range []string{"--text", "--prompt"} {
		if out := output(t, adopted, "session", flag); hidden(out) != "" || !strings.Contains(out, `\x1b[2K`) {
			t.Errorf("mortise session %s: got %q, want the text escaped", flag, out)
		}
	}
}

// hostileWorkspace has nasty wherever it fits: in names of files and folders,
// names of plugins, descriptions, front matter, manifests and configuration.
func hostileWorkspace(t *testing.T) string {
	t.Helper()
	w, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("MORTISE_HOME", filepath.Join(w, "home"))
	front := "---\nname: " + quoted() + "\ndescription: " + quoted() + "\n" + quoted() + ": x\n---\n" + nasty + "\n"
	config := "[plugins.bad]\npath = \"./plugins/bad\"\n[plugins.odd]\npath = \"./plugins/odd" + `\u001b[2K\u202e` + "\"\n" +
		"[plugins.bad.settings]\n" + `"a\u001b[2K" = "\u001b[1A\u202e"` + "\n[plugins.\"" + `x\u001b[2K` + "\"]\npath = \".\"\n[output]\n" + `"k\u202e" = 1` + "\n"
	for name, text := range map[string]string{
		"mortise.toml":                              config,
		".mortise/skills/plain/SKILL.md":            "---\nname: plain\ndescription: " + quoted() + "\n---\n" + nasty,
		".mortise/skills/" + nasty + "/SKILL.md":    front,
		".mortise/agents/" + nasty + ".md":          front,
		".mortise/commands/" + nasty + ".md":        nasty,
		".mortise/prompts/" + nasty + ".md":         "---\ntier: " + quoted() + "\n---\n" + nasty,
		".mortise/prompts/rule.md":                  nasty,
		"plugins/bad/.claude-plugin/plugin.json":    `{"name": "` + jsonText() + `", "` + jsonText() + `": 1, "skills": "./` + jsonText() + `"}`,
		"plugins/bad/.mcp.json":                     `{"mcpServers": {"` + jsonText() + `": {"command": "` + jsonText() + `"}}}`,
		"plugins/bad/skills/" + nasty + "/SKILL.md": "---\n" + nasty + "\n---\n",
		"plugins/" + nasty + "/skills/one/SKILL.md": front,
		"mortise.local.toml":                        "# " + nasty,
	} {
		write(t, filepath.Join(w, name), text)
	}
	if err := os.Symlink("../../"+nasty, filepath.Join(w, "plugins/bad/skills/link")); err != nil {
		t.Fatal(err)
	}
	return w
}

// quoted is nasty as a YAML scalar, jsonText as the inside of a JSON string.
func quoted() string   { return `"` + jsonText() + `"` }
func jsonText() string { return `a\u001b[2K\u001b]8;;x\u0007b\rc\u009b31m\u202ed\u2066e\u200b` }

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// output is what a command writes, to standard output and standard error.
func output(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "mortise", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 || cmd.ProcessState.ExitCode() > 3 {
		t.Fatalf("mortise %q: %v, want it to end by itself\n%s", args, err, out)
	}
	return string(out)
}
