package catalog_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/conform"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/npmtest"
)

// plugin is the manifest of a Claude Code plugin without fault, with more keys.
func plugin(more string) string {
	return `{"name": "acme", "version": "1.0.0", "description": "D.", "author": {"name": "A"}` + more + `}`
}

// TestValidateAgrees wants check --format claude to refuse what Claude Code's own
// validation refuses and to take what that takes. Where they differ, the table
// says why.
func TestValidateAgrees(t *testing.T) {
	const at = ".claude-plugin/plugin.json"
	skill := func(text string) []string { return []string{at, plugin(""), "skills/a/SKILL.md", text} }
	claude := npmtest.Claude(t)
	env := npmtest.Env(t)
	for _, c := range []struct {
		name    string
		files   []string
		refused bool   // by Claude Code
		differs string // why the check says otherwise; "" where it agrees
	}{
		{"a plugin without fault", skill("---\nname: a\ndescription: d\n---\nx\n"), false, ""},
		{"a path without ./", []string{at, plugin(`, "commands": "more"`), "more/a.md", "x\n"}, true, ""},
		{"a path that is not there", []string{at, plugin(`, "commands": ["./gone.md"]`)}, true, ""},
		{"an unknown key", []string{at, plugin(`, "category": "x"`), "commands/a.md", "x\n"}, false, ""},
		{"an author that is text", []string{at, `{"name": "acme", "author": "me"}`, "commands/a.md", "x\n"}, true, ""},
		{"hooks that are none", []string{at, plugin(`, "hooks": true`), "commands/a.md", "x\n"}, true, ""},
		{"no name", []string{at, `{"version": "1.0.0"}`, "commands/a.md", "x\n"}, true, ""},
		{"a name with a blank", []string{at, `{"name": "two words"}`, "commands/a.md", "x\n"}, true, ""},
		{"a name in capitals", []string{at, `{"name": "Acme"}`, "commands/a.md", "x\n"}, false, ""},
		{"an unknown key of a setting", []string{at, plugin(`, "userConfig": {"K": {"type": "string", "title": "T", "description": "D", "odd": 1}}`), "commands/a.md", "x\n"}, true, ""},
		{"an unknown key of a language server", []string{at, plugin(`, "lspServers": {"go": {"command": "gopls", "extensionToLanguage": {".go": "go"}, "odd": 1}}`), "commands/a.md", "x\n"}, true, ""},
		{"an unknown key of a channel", []string{at, plugin(`, "mcpServers": {"s": {"command": "x"}}, "channels": [{"server": "s", "odd": 1}]`)}, true, ""},
		{"an unknown key of a monitor", []string{at, plugin(`, "experimental": {"monitors": [{"name": "a", "command": "x", "description": "d", "odd": 1}]}`), "commands/a.md", "x\n"}, true, ""},
		{"a skill without a description", skill("---\nname: a\n---\nx\n"), false, ""},
		{"a skill without front matter", skill("x\n"), false, ""},
		{"a skill with another name", skill("---\nname: b\ndescription: d\n---\nx\n"), false, ""},
		{"a skill with a colon in a value", skill("---\nname: a\ndescription: d: e\n---\nx\n"), false, ""},
		{"a skill with a key twice", skill("---\nname: a\ndescription: d\ndescription: e\n---\nx\n"), false, ""},
		{"a skill with a byte order mark", skill("\ufeff---\nname: a\ndescription: d\n---\nx\n"), false, ""},
		{"a skill in a code fence", skill("```\n---\nname: a\ndescription: d\n---\nx\n```\n"), false, ""},
		{"a skill whose front matter does not end", skill("---\nname: a\ndescription: d\n\n# T\nx\n"), false, ""},
		{"an invented event", []string{at, plugin(""), "hooks/hooks.json", `{"hooks": {"Invented": [{"hooks": [{"type": "command", "command": "x"}]}]}}`}, false, ""},
		{"servers without mcpServers", []string{at, plugin(""), ".mcp.json", `{"s": {"command": "x"}}`}, false, ""},
		{"hooks without the object", []string{at, plugin(""), "hooks/hooks.json", `{"PreToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}`}, true,
			"it is read here, since files of that shape are in use, and a guard that is read is better than one that is not"},
		{"a server with an empty address", []string{at, plugin(""), ".mcp.json", `{"mcpServers": {"s": {"type": "http", "url": ""}}}`}, false,
			"nothing can be reached there, which Claude Code finds out when it connects"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(golden.Dir(t, golden.Files(prefixed("acme/", c.files)...)), "acme")
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, claude[0], append(claude[1:], "plugin", "validate", dir)...)
			cmd.Env = env
			said, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if (err != nil) != c.refused {
				t.Errorf("Claude Code: got %v, want refused to be %v\n%s", err, c.refused, said)
			}
			profile, _ := conform.Named("claude")
			l, err := catalog.Check(ctx, host.Inspection{Dirs: []string{dir}, Limits: ext.DefaultLimits, Profile: profile})
			if err != nil {
				t.Fatal(err)
			}
			if got := l.Failed(); (got == c.refused) != (c.differs == "") {
				t.Errorf("check --format claude: got refused %v and Claude Code %v, want them to differ only where it is said why (%q)\n%+v", got, c.refused, c.differs, l.Findings)
			}
		})
	}
}

// prefixed are files, as golden.Files takes them, below a directory.
func prefixed(dir string, files []string) []string {
	out := append([]string{}, files...)
	for i := 0; i < len(out); i += 2 {
		out[i] = strings.TrimSuffix(dir, "/") + "/" + out[i]
	}
	return out
}
