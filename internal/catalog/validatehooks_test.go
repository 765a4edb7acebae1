package catalog_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/internal/dialect"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/npmtest"
)

// claudeHooks is what Claude Code's validation says of a plugin with a hook file: the
// commands that it would run, by event, and whether it is content.
func claudeHooks(t *testing.T, hooks string) (commands map[string]string, content bool) {
	t.Helper()
	dir := golden.Dir(t, golden.Files(
		".claude-plugin/plugin.json", `{"name": "guarded", "version": "1.0.0", "description": "Guards.", "author": {"name": "A"}}`, "hooks/hooks.json", hooks))
	said, _ := run(t, npmtest.Claude(t), npmtest.Env(t), "plugin", "validate", "--json", dir)
	var report struct {
		Success  bool
		Provides struct {
			Hooks []struct{ Event, Command string }
		}
	}
	if err := json.Unmarshal(said, &report); err != nil {
		t.Fatalf("claude plugin validate --json: %v and\n%s", err, said)
	}
	commands = map[string]string{}
	for _, h := range report.Provides.Hooks {
		commands[h.Event] = h.Command
	}
	return commands, report.Success
}

// Claude Code accepts the hook lines that mortise hook prints for it, and would run
// each of them for its event.
func TestClaudeAcceptsOurHookLines(t *testing.T) {
	lines, err := json.Marshal(dialect.Settings(dialect.ClaudeCode, time.Minute, func(event string) string { return "mortise hook claude-code " + event }))
	if err != nil {
		t.Fatal(err)
	}
	commands, content := claudeHooks(t, string(lines))
	if !content {
		t.Errorf("claude plugin validate refuses\n%s", lines)
	}
	for _, event := range dialect.Events(dialect.ClaudeCode) {
		if commands[event] != "mortise hook claude-code "+event {
			t.Errorf("%s: Claude Code would run %q, want our line", event, commands[event])
		}
	}
	if !slices.Contains(dialect.Events(dialect.ClaudeCode), "PreToolUse") {
		t.Error("no line guards tools")
	}
	if _, content := claudeHooks(t, `{"hooks": {"PreToolUse": [{"hooks": [{"type": 7}]}]}}`); content {
		t.Error("claude plugin validate accepts a hook of no known type: it tells nothing of ours")
	}
}
