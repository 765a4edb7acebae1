package bridge_test

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/internal/golden"
)

// odd lays out one of the odd files of the field that concern how extensions lie,
// rebuilt small, and wants each text in what is decided, or, where it begins with
// an exclamation mark, the rest of it absent.
func odd(t *testing.T, files []txtar.File, want ...string) {
	t.Helper()
	got := decided(t, golden.Dir(t, files))
	for _, w := range want {
		absent, not := strings.CutPrefix(w, "!")
		switch has := strings.Contains(got, absent); {
		case not && has:
			t.Errorf("got %q in it, want it absent:\n%s", absent, got)
		case !not && !has:
			t.Errorf("want %q in\n%s", w, got)
		}
	}
}

// claude is a Claude Code plugin named acme with the manifest and files.
func claude(manifest string, files ...string) []txtar.File {
	return golden.Files(append([]string{"acme/.claude-plugin/plugin.json", manifest}, prefixed(files)...)...)
}

func prefixed(files []string) []string {
	out := make([]string, len(files))
	for i, f := range files {
		if out[i] = f; i%2 == 0 {
			out[i] = "acme/" + f
		}
	}
	return out
}

const skill = "---\nname: a\ndescription: A skill.\n---\nText.\n"

func TestOddFile_03_PathWithoutPrefix(t *testing.T) {
	files := []string{"parts/a/SKILL.md", skill}
	odd(t, claude(`{"name": "acme", "skills": "parts"}`, files...),
		"acme: claude-code: admitted\n", `the path "parts" of key "skills" lacks ./ (manifest-path)`, `skill "a" at parts/a/SKILL.md:1: active`)
	odd(t, claude(`{"name": "acme", "skills": "parts", "author": "Some One"}`, files...), "acme: claude-code: refused", "manifest-path")
}

func TestOddFile_04_AuthorIsText(t *testing.T) {
	odd(t, claude("{\n\"name\": \"acme\",\n\"author\": \"Some One\"}", "skills/a/SKILL.md", skill),
		"acme: claude-code: refused: at fault", `plugin.json:3: error: key "author" must be an object, found a string (manifest-field)`, `skill "a" at skills/a/SKILL.md:1: refused`)
}

func TestOddFile_05_RepositoryIsAnObject(t *testing.T) {
	odd(t, claude(`{"name": "acme", "repository": {"type": "git"}}`, "hooks/hooks.json", `[{"event": "PostToolUse", "matcher": "Write", "command": "x"}]`),
		"refused: at fault", `key "repository" must be a string, found an object`, `client_event "PostToolUse-1" at hooks/hooks.json:1: refused`)
}

func TestOddFile_06_HooksAreAList(t *testing.T) {
	odd(t, claude(`{"name": "acme"}`, "hooks/hooks.json", "[\n{\"event\": \"PreToolUse\", \"matcher\": \"Bash\", \"command\": \"./x\"},\n{\"event\": \"Stop\", \"matcher\": \"*\"}]"),
		"acme: claude-code: admitted", `client_event "PreToolUse-1" at hooks/hooks.json:2: active`, `hooks.json:3: warning: a hook of "Stop" names nothing that would run (client-hook-nothing)`)
}

func TestOddFile_07_KeysBesideHooks(t *testing.T) {
	odd(t, claude(`{"name": "acme"}`, "hooks/hooks.json", `{"hooks": {"PostToolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}, "examples": {}, "troubleshooting": []}`),
		`client_event "PostToolUse-1" at hooks/hooks.json:1: active`, `key "examples" has no meaning beside "hooks" (manifest-ignored)`, `key "troubleshooting" has no meaning beside "hooks"`)
}

func TestOddFile_08_PatternAsPath(t *testing.T) {
	odd(t, claude(`{"name": "acme", "agents": "./plugins/*/agents"}`, "plugins/a/agents/x.md", skill),
		"refused: at fault", `the path "./plugins/*/agents" of key "agents": there is no such file (manifest-path-missing)`, `!agent "x"`)
}

func TestOddFile_09_DependenciesOfNpm(t *testing.T) {
	odd(t, claude(`{"name": "acme", "dependencies": {"ai": "^5.0.0"}}`),
		"refused: at fault", `key "dependencies" must be a list, found an object (manifest-field)`)
}

func TestOddFile_10_EventNobodyHas(t *testing.T) {
	odd(t, claude(`{"name": "acme"}`, "hooks/hooks.json", `{"hooks": {"onDirectoryChange": [{"hooks": [{"type": "command", "command": "x"}]}]}}`),
		`client_event "onDirectoryChange-1" at hooks/hooks.json:1: active`, `claude-code has no event "onDirectoryChange" that is known here (client-event-unknown)`)
}

func TestOddFile_11_MarketplaceOfFiles(t *testing.T) {
	odd(t, claude(`{"name": "geepers"}`, ".claude-plugin/marketplace.json", `{"name": "m", "plugins": [{"name": "one", "source": "./agents/one.md"}]}`, "agents/one.md", skill),
		"acme: claude-code: admitted\n", `agent "one" at agents/one.md:1: active`)
}

func TestOddFile_12_SubmoduleThatIsEmpty(t *testing.T) {
	odd(t, golden.Files("acme/", ""), "acme: loose: admitted\n")
}

func TestOddFile_13_HooksTrue(t *testing.T) {
	odd(t, claude("{\"name\": \"acme\",\n\"hooks\": true}", "hooks/hooks.json", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}`),
		"refused: at fault", `plugin.json:2: error: key "hooks" must be a string or a list or an object, found a boolean (manifest-field)`, "!must hold paths and objects",
		`client_event "Stop-1" at hooks/hooks.json:1: refused`)
}

func TestOddFile_14_ManifestOfNoBytes(t *testing.T) {
	odd(t, golden.Files("acme/plugin.json", ""), "acme: agent-plugins/1.0.0: refused", "the file is empty")
}

func TestOddFile_15_MarketplaceOfNoBytes(t *testing.T) {
	odd(t, golden.Files("acme/examples/marketplace.json", "", "acme/SKILL.md", skill), "acme: loose: admitted\n", `skill "acme"`)
}

func TestOddFile_16_LinkToNothing(t *testing.T) {
	odd(t, claude(`{"name": "acme"}`, "skills/a/SKILL.md", skill, "skills/a/assets/flow.md -> ../../../gone/flow.md", "", "workflows/x.md -> ../gone.md", ""),
		`skill "a" at skills/a/SKILL.md:1: active`, "skills/a/assets/flow.md: warning: the link leads to", `workflow "x" at workflows/x.md:1: refused`, "(link-dangling)")
}

func TestOddFile_20_MarketplaceWithoutPlugins(t *testing.T) {
	odd(t, golden.Files("acme/.claude-plugin/marketplace.json", `{"name": "m", "agents": []}`, "acme/agents/a.md", skill), "acme: loose: admitted\n", `agent "a"`)
}

func TestOddFile_28_ServersWithoutWrapper(t *testing.T) {
	odd(t, claude(`{"name": "acme"}`, ".mcp.json", "{\n\"github\": {\"type\": \"http\", \"url\": \"https://example.com/mcp\"}}"),
		`server "github" at .mcp.json:2: active`)
}

func TestOddFile_29_SkillBelowSkill(t *testing.T) {
	files := []string{"skills/a/SKILL.md", skill, "skills/a/b/SKILL.md", "---\nname: a/b\ndescription: Below.\n---\n"}
	odd(t, claude(`{"name": "acme"}`, files...), `skill "a" at skills/a/SKILL.md:1: active`, `!skill "b"`)
	odd(t, golden.Files(append([]string{"acme/.codex-plugin/plugin.json", `{"name": "acme"}`}, prefixed(files)...)...),
		`skill "a" at skills/a/SKILL.md:1: active`, `skill "b" at skills/a/b/SKILL.md:1: active`)
}

func TestOddFile_30_AddressIsEmpty(t *testing.T) {
	odd(t, claude(`{"name": "acme"}`, ".mcp.json", `{"mcpServers": {"a": {"type": "http", "url": ""}, "b": {"command": "s"}}}`),
		"admitted, 1 of 2 refused", `"url" is missing or empty (server-url)`, `server "b" at .mcp.json:1: active`)
}

func TestOddFile_31_ServerNameWithABlank(t *testing.T) {
	odd(t, claude(`{"name": "acme"}`, ".mcp.json", `{"mcpServers": {"ms 365": {"type": "http", "url": "https://example.com"}}}`),
		`server "ms 365" at .mcp.json:1: active`)
}

func TestOddFile_32_MarketplaceInsideAPlugin(t *testing.T) {
	odd(t, claude(`{"name": "acme"}`, ".claude-plugin/marketplace.json", `{"name": "m", "plugins": [{"name": "acme", "source": "."}]}`, "skills/a/SKILL.md", skill),
		"acme: claude-code: admitted\n", `skill "a"`)
}

func TestOddFile_33_CommandsOfTwoThousandCharacters(t *testing.T) {
	long := "node -e \\\"" + strings.Repeat("const x = 1; ", 200) + "\\\""
	odd(t, claude(`{"name": "acme"}`, "hooks/hooks.json", `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "`+long+`"}]}]}}`),
		"acme: claude-code: admitted\n", `client_event "PreToolUse-1" at hooks/hooks.json:1: active`)
}

func TestOddFile_34_HandlersWithoutGroups(t *testing.T) {
	odd(t, golden.Files("acme/.cursor-plugin/plugin.json", `{"name": "acme"}`, "acme/hooks/hooks.json", `{"version": 1, "hooks": {"beforeShellExecution": [{"command": "x", "matcher": "rm", "failClosed": true}], "afterFileEdit": [{"command": "y"}]}}`),
		"acme: cursor: admitted\n", `client_event "beforeShellExecution-1" at hooks/hooks.json:1: active`, `client_event "afterFileEdit-1"`)
}

func TestOddFile_40_HandlersOfCopilot(t *testing.T) {
	dir := golden.Dir(t, golden.Files("acme/.github/plugin/plugin.json", `{"name": "acme"}`,
		"acme/hooks.json", `{"version": 1, "hooks": {"sessionEnd": [{"type": "command", "bash": ".github/hooks/scan.sh", "cwd": ".", "timeoutSec": 30}]}}`))
	want := `client_event hooks/client_event/sessionEnd-1.json = hooks.json:1 {"ref": {"driver": "client-hook", "target": ".github/hooks/scan.sh", "name": "command"}, ` +
		`"role": "observer", "timeout_ms": 30000, "event": "sessionEnd", "client": "copilot", "cwd": "."}`
	if got := laid(t, dir); !strings.Contains(got, want) {
		t.Errorf("want %s in\n%s", want, got)
	}
}

func TestOddFile_42_HooksTurnedOff(t *testing.T) {
	odd(t, golden.Files("acme/.codex-plugin/plugin.json", `{"name": "acme", "hooks": {}}`, "acme/hooks/hooks.json", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}`,
		"acme/.agents/plugins/marketplace.json", `{"name": "m", "plugins": [{"name": "acme", "source": {"source": "url", "url": "./"}}]}`),
		"acme: codex: admitted\n", "!client_event")
}

func TestOddFile_45_PathThatLeaves(t *testing.T) {
	odd(t, golden.Files("acme/.codex-plugin/plugin.json", `{"name": "acme", "skills": "../skills/"}`, "skills/a/SKILL.md", skill),
		"acme: codex: refused: at fault", `the path "../skills/" of key "skills" leaves the plugin's directory (manifest-field)`)
}

func TestOddFile_46_NamesThatDifferInCase(t *testing.T) {
	odd(t, claude(`{"name": "acme"}`, "skills/Mail/SKILL.md", skill, "skills/mail/SKILL.md", skill),
		`skill "mail" at skills/mail/SKILL.md:1: refused: at fault`, `skill "mail" is also declared by acme:skills/Mail/SKILL.md`)
	odd(t, golden.Files("MailAgent/.codex-plugin/plugin.json", `{"name": "MailAgent"}`, "mailagent/.codex-plugin/plugin.json", `{"name": "mailagent"}`),
		"MailAgent: codex: admitted\n", "mailagent: codex: admitted\n")
}
