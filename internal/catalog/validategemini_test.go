package catalog_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/npmtest"
)

// TestGeminiValidateAgrees wants check --format gemini-cli to refuse what Gemini
// CLI's own validation refuses and to take what that takes. Where they differ,
// the table says why.
//
// That validation checks little: that the manifest is JSON with a name and a
// version, the letters of the name, and whether the context files are there and
// below the extension. It opens no skill, command, agent, hook or policy, and no
// server, setting or theme of the manifest. Those are at fault only once the
// extension is loaded, where Gemini CLI leaves out what it cannot use and goes
// on; the check tells it beforehand.
func TestGeminiValidateAgrees(t *testing.T) {
	const at = "gemini-extension.json"
	extension := func(more string, files ...string) []string {
		return append([]string{at, `{"name": "acme", "version": "1.0.0"` + more + `}`}, files...)
	}
	named := func(name string) []string { return []string{at, `{"name": "` + name + `", "version": "1.0.0"}`} }
	gemini := npmtest.Gemini(t)
	compiled := "NODE_COMPILE_CACHE=" + t.TempDir() // a quarter less to compute
	for _, c := range []struct {
		name    string
		files   []string
		says    string // a part of why Gemini CLI refuses it; "" where it takes it
		differs string // why the check says otherwise; "" where it agrees
	}{
		{"an extension without fault", extension("", "commands/a.toml", "prompt = \"x\"\n", "skills/a/SKILL.md", "---\nname: a\ndescription: d\n---\nx\n"), "", ""},
		{"no manifest", []string{"commands/a.toml", "prompt = \"x\"\n"}, "Configuration file not found", ""},
		{"no JSON", []string{at, `{"name": "acme", `}, "Expected double-quoted property name", ""},
		{"a byte order mark", []string{at, "\ufeff" + `{"name": "acme", "version": "1.0.0"}`}, "is not valid JSON", ""},
		{"no name", []string{at, `{"version": "1.0.0"}`}, `missing "name"`, ""},
		{"no version", []string{at, `{"name": "acme"}`}, `missing "version"`, ""},
		{"a version that is none, a name in capitals, not the directory's", []string{at, `{"name": "Other", "version": "one"}`}, "", ""},
		{"a name with an underscore", named("ac_me"), "Invalid extension name", ""},
		{"a name with a blank", named("two words"), "Invalid extension name", ""},
		{"context files", extension(`, "contextFileName": ["A.md", "docs/B.md"]`, "A.md", "x\n", "docs/B.md", "x\n"), "", ""},
		{"a context file that is not there", extension(`, "contextFileName": ["A.md", "B.md"]`, "A.md", "x\n"), "are missing: B.md", ""},
		{"a context file outside", extension(`, "contextFileName": "../A.md"`), "are not allowed", ""},
		{"a context file with two dots", extension(`, "contextFileName": "a..b.md"`, "a..b.md", "x\n"), "are not allowed", ""},
		{"what the check only warns of", extension(`, "odd": 1, "excludeTools": "x", "settings": [{"name": "K"}], "mcpServers": {"s": {"command": "x", "trust": true}}`,
			"hooks/hooks.json", `{"hooks": {"Invented": [{"hooks": [{"type": "command", "command": "x"}]}]}}`), "", ""},
		{"an empty name of a context file", extension(`, "contextFileName": ""`, "GEMINI.md", "x\n"), "", ""},
		{"a context file that is a number", extension(`, "contextFileName": 5`), "expected a non-empty string", ""},
		{"a context file that is nothing by another type", extension(`, "contextFileName": false`), "",
			"a key of another type is left out here, whatever its value"},
		{"a version that is a number", []string{at, `{"name": "acme", "version": 1}`}, "", ""},
		{"a version that is nothing by another type", []string{at, `{"name": "acme", "version": 0}`}, `missing "version"`,
			"a key of another type is left out here, whatever its value"},
		{"a name twice", []string{at, `{"name": "other", "name": "acme", "version": "1.0.0"}`}, "",
			"which of two values counts is left to nobody's guess; Gemini CLI takes the last"},
		{"a server that is text", extension(`, "mcpServers": {"s": "x"}`), "",
			"there is nothing to start, which Gemini CLI finds out when it connects"},
		{"a theme that is text", extension(`, "themes": ["x"]`), "", "its validation does not look at themes"},
		{"a command without a prompt", extension("", "commands/a.toml", "description = \"d\"\n"), "",
			"its validation does not look at commands; when it loads them, it leaves this one out"},
		{"a skill without a description", extension("", "skills/a/SKILL.md", "---\nname: a\n---\nx\n"), "",
			"its validation does not look at skills; when it loads them, it leaves this one out"},
		{"hooks that are no JSON", extension("", "hooks/hooks.json", `{"hooks": `), "",
			"its validation does not look at hooks; when it loads them, it goes on without, and a guard would be gone unseen"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(golden.Dir(t, golden.Files(prefixed("acme/", c.files)...)), "acme")
			said, ok := run(t, gemini, append(npmtest.GeminiEnv(t), compiled), "extensions", "validate", dir)
			refused := c.says != ""
			want := c.says
			if !refused {
				want = "has been successfully validated"
			}
			if ok == refused || !strings.Contains(string(said), want) {
				t.Errorf("Gemini CLI: got taken %v, want refused to be %v, and %q\n%s", ok, refused, want, said)
			}
			l := judged(t, "gemini", dir)
			if got := l.Failed(); (got == refused) != (c.differs == "") {
				t.Errorf("check --format gemini-cli: got refused %v and Gemini CLI %v, want them to differ only where it is said why (%q)\n%+v", got, refused, c.differs, l.Findings)
			}
		})
	}
}
