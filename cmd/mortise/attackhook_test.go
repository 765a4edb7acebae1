//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// hooked is a workspace with plugins that each have hooks for Claude Code: for each
// plugin, by its name, the command of its hook before a shell command runs.
func hooked(t *testing.T, commands map[string]string) place {
	t.Helper()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	config := ""
	for name, command := range commands {
		config += fmt.Sprintf("[plugins.%s]\npath = \"./%s\"\n", name, name)
		p.write(map[string]string{
			name + "/.claude-plugin/plugin.json": `{"name": "` + name + `"}`,
			name + "/hooks/hooks.json":           hooksOf("PreToolUse", command, ""),
		})
	}
	p.write(map[string]string{"mortise.toml": config})
	return p
}

// hooksOf is a hook file for one event.
func hooksOf(event, command, more string) string {
	return fmt.Sprintf(`{"hooks": {%q: [{"hooks": [{"type": "command", "command": %q%s}]}]}}`, event, command, more)
}

// executable writes a program of a plugin.
func (p place) executable(name, text string) {
	p.Helper()
	p.write(map[string]string{name: text})
	if err := os.Chmod(filepath.Join(p.dir, name), 0o755); err != nil {
		p.Fatal(err)
	}
}

// hook tells of an event as a client does, and returns what the client is answered.
func (p place) hook(client, event, text string, env ...string) (stdout, stderr string, code int) {
	p.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := p.command(ctx, "hook", client, event)
	cmd.Env = append(cmd.Env, env...)
	var out, errs strings.Builder
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 {
		p.Fatalf("mortise hook %s %s: %v, want it to end by itself\n%s%s", client, event, err, &out, &errs)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// shellCall is what Claude Code tells before its shell runs a command.
func (p place) shellCall(command string) string {
	return fmt.Sprintf(`{"session_id": "s", "cwd": %q, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": %q}}`, p.dir, command)
}

// denies wants the call of a shell to be denied, with a reason that holds a text.
func (p place) denies(what, reason string) {
	p.Helper()
	out, errs, code := p.hook("claude-code", "PreToolUse", p.shellCall("ls"))
	if code != 2 || !strings.Contains(out, `"permissionDecision":"deny"`) || !strings.Contains(errs, reason) {
		p.Errorf("%s: got exit code %d, %s, %s, want it denied with %q", what, code, out, errs, reason)
	}
}

// passes wants no opinion about the call of a shell.
func (p place) passes(what string) {
	p.Helper()
	if out, errs, code := p.hook("claude-code", "PreToolUse", p.shellCall("ls")); code != 0 || out != "" {
		p.Errorf("%s: got exit code %d, %s, %s, want no opinion", what, code, out, errs)
	}
}

// Hooks that come with a checkout do not run before it is adopted, whatever looks at
// them and whichever event is told; and are then those that would have run.
func TestAttack_01_hooks_wait_for_consent(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	mark := filepath.Join(filepath.Dir(p.dir), "MARK")
	command := "echo >>'" + mark + "'"
	events := []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"}
	hooks := ""
	for i, event := range events {
		if i > 0 {
			hooks += ","
		}
		hooks += fmt.Sprintf(`%q: [{"hooks": [{"type": "command", "command": %q}]}]`, event, command)
	}
	hooks = `{"hooks": {` + hooks + `}}`
	p.write(map[string]string{
		"mortise.toml":                    "[plugins.acme]\npath = \"./acme\"\n[plugins.folder]\npath = \"./.claude\"\n",
		"acme/.claude-plugin/plugin.json": `{"name": "acme"}`, "acme/hooks/hooks.json": hooks, ".claude/settings.json": hooks,
	})
	tell := func() {
		for _, event := range events {
			p.hook("claude-code", event, fmt.Sprintf(`{"session_id": "s", "cwd": %q, "hook_event_name": %q, "prompt": "x", "tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {}}`, p.dir, event))
		}
	}
	p.look()
	tell()
	s := p.serve()
	connect(t, s.url, nil).tools()
	tell() // answered by the host that serves
	s.ends(t, syscall.SIGTERM)
	if _, err := os.Stat(mark); err == nil {
		t.Fatal("a hook ran that nobody consented to")
	}
	p.must("trust", "--yes")
	tell()
	if _, err := os.Stat(mark); err != nil {
		t.Errorf("adopted: %v, want the hooks to run", err)
	}
}

// Who changes a hook that was consented to, its program or what is beside it, has
// nothing of the new one run, and does not get rid of the old one either.
func TestAttack_04_a_changed_hook_does_not_run(t *testing.T) {
	t.Parallel()
	p := hooked(t, map[string]string{"acme": `"${CLAUDE_PLUGIN_ROOT}/gate.sh"`})
	mark := filepath.Join(filepath.Dir(p.dir), "MARK")
	evil := "#!/bin/sh\necho >'" + mark + "'\nexit 0\n"
	p.executable("acme/gate.sh", "#!/bin/sh\n. \"${0%/*}/lib.sh\"\n")
	p.write(map[string]string{"acme/lib.sh": "echo no >&2; exit 2\n"})
	p.must("trust", "--yes")
	p.denies("as it was consented to", "acme:PreToolUse-1 denies this call: no")
	for _, c := range []struct {
		what string
		file string
		text string
	}{
		{"its program", "acme/gate.sh", evil},
		{"what that reads", "acme/lib.sh", evil},
		{"its command", "acme/hooks/hooks.json", hooksOf("PreToolUse", "echo >'"+mark+"'", "")},
		{"its event", "acme/hooks/hooks.json", hooksOf("SessionStart", "exit 0", "")},
		{"the file is empty", "acme/hooks/hooks.json", `{"hooks": {}}`},
		{"the file is broken", "acme/hooks/hooks.json", `{"hooks": `},
		{"the plugin is not configured", "mortise.toml", ""},
	} {
		p.write(map[string]string{c.file: c.text})
		p.denies(c.what, "acme:PreToolUse-1")
		if _, err := os.Stat(mark); err == nil {
			t.Fatalf("%s: new code ran that nobody consented to", c.what)
		}
	}
}

// A hook that allows says nothing: what another denies is denied, and a client is
// never told that a call is allowed.
func TestAttack_18_hooks_only_narrow(t *testing.T) {
	t.Parallel()
	const allow = `echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "permissionDecisionReason": "sure"}, "continue": true}'`
	p := hooked(t, map[string]string{"a-yes": allow, "z-yes": allow})
	p.must("trust", "--yes")
	p.passes("two that allow")
	p.write(map[string]string{
		"mortise.toml":                    "[plugins.a-yes]\npath = \"./a-yes\"\n[plugins.m-no]\npath = \"./m-no\"\n[plugins.z-yes]\npath = \"./z-yes\"\n",
		"m-no/.claude-plugin/plugin.json": `{"name": "m-no"}`, "m-no/hooks/hooks.json": hooksOf("PreToolUse", "echo no >&2; exit 2", ""),
	})
	p.must("trust", "--yes")
	p.denies("one that denies among two that allow", "m-no:PreToolUse-1 denies this call: no")
	p.write(map[string]string{
		"mortise.toml":                    "[plugins.a-yes]\npath = \"./a-yes\"\n",
		".mortise/policies/no-shell.yaml": "outcome: deny\nmessage: not here\ntools: [Bash]\n",
	})
	p.must("trust", "--yes")
	p.denies("a policy beside one that allows", "owner:no-shell denies this call: not here")
}

// What a person set for a plugin becomes no part of a line that a shell reads: a hook
// that wants it so is not run, and denies.
func TestAttack_19_settings_are_put_into_no_line(t *testing.T) {
	t.Parallel()
	p := hooked(t, map[string]string{"acme": `echo ${user_config.name} >/dev/null`})
	mark := filepath.Join(filepath.Dir(p.dir), "MARK")
	p.write(map[string]string{
		"mortise.toml": fmt.Sprintf("[plugins.acme]\npath = \"./acme\"\n[plugins.acme.settings]\nname = \"x; touch '%s'; $(touch '%s')\"\n", mark, mark),
	})
	p.must("trust", "--yes")
	p.denies("a setting within a line", "a value of its person's settings")
	// Nor does anything of what is told: it comes on standard input alone.
	p.write(map[string]string{"acme/hooks/hooks.json": hooksOf("PreToolUse", "cat >/dev/null; exit 0", "")})
	p.must("trust", "--yes")
	for _, text := range []string{"$(touch '" + mark + "')", "'; touch '" + mark + "'; '", "`touch '" + mark + "'`", "${CLAUDE_PLUGIN_ROOT}"} {
		if out, errs, code := p.hook("claude-code", "PreToolUse", p.shellCall(text)); code != 0 {
			t.Errorf("%s: got exit code %d, %s, %s, want no opinion", text, code, out, errs)
		}
	}
	if _, err := os.Stat(mark); err == nil {
		t.Error("a shell ran what a setting or an event said")
	}
}

// A plugin below a directory with a blank in its name keeps its gates: one that names
// its root without quotes is not found, which denies.
func TestAttack_20_a_blank_in_the_path_disables_no_gate(t *testing.T) {
	t.Parallel()
	for command, reason := range map[string]string{
		`${CLAUDE_PLUGIN_ROOT}/gate.sh`:    "did not answer, which denies this call: it ended with exit code 127",
		`sh ${CLAUDE_PLUGIN_ROOT}/gate.sh`: "acme:PreToolUse-1",
		`"${CLAUDE_PLUGIN_ROOT}/gate.sh"`:  "denies this call: not so",
		`sh "$CLAUDE_PLUGIN_ROOT"/gate.sh`: "denies this call: not so",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, map[string]string{
				"mortise.toml": "[plugins.acme]\npath = \"./a b $(exit) plug\"\n",
				"a b $(exit) plug/.claude-plugin/plugin.json": `{"name": "acme"}`, "a b $(exit) plug/hooks/hooks.json": hooksOf("PreToolUse", command, ""),
			})
			p.executable("a b $(exit) plug/gate.sh", "#!/bin/sh\necho not so >&2\nexit 2\n")
			p.must("trust", "--yes")
			p.denies(command, reason)
		})
	}
}

// A gate that cannot be run, or that ends in any way that is no answer, denies; and
// whatever keeps us from asking at all, too.
func TestAttack_21_a_gate_that_fails_denies(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ command, more, reason string }{
		"missing":          {command: `"${CLAUDE_PLUGIN_ROOT}/gone.sh"`, reason: "exit code 127"},
		"no interpreter":   {command: `"${CLAUDE_PLUGIN_ROOT}/odd.sh"`, reason: "did not answer"},
		"not executable":   {command: `"${CLAUDE_PLUGIN_ROOT}/plain.sh"`, reason: "exit code 126"},
		"crashes":          {command: "exit 1", reason: "exit code 1"},
		"kills itself":     {command: "kill -9 $$", reason: "killed"},
		"hangs":            {command: "exec sleep 600", more: `, "timeout": 1`, reason: "did not end within 1s"},
		"malformed":        {command: `echo '{"hookSpecificOutput": {"hookEventName": "PreTo'`, reason: "malformed JSON"},
		"unknown decision": {command: `echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "maybe"}}'`, reason: `"maybe"`},
		"writes for ever":  {command: "yes", reason: "it wrote more than"},
		"not a program":    {command: "echo x", more: `, "type": "prompt", "prompt": "May it?"`, reason: ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := hooked(t, map[string]string{"acme": c.command})
			p.executable("acme/odd.sh", "#!/no/such/interpreter\n")
			p.write(map[string]string{"acme/plain.sh": "exit 0\n", "acme/hooks/hooks.json": hooksOf("PreToolUse", c.command, c.more)})
			p.run("trust", "--yes")
			if name == "not a program" {
				if out := p.must("list"); !strings.Contains(out, "pending") {
					t.Errorf("a gate that nobody here can ask: got %s, want its plugin to wait", out)
				}
				return
			}
			p.denies(name, c.reason)
		})
	}
	t.Run("asking", func(t *testing.T) {
		t.Parallel()
		p := hooked(t, map[string]string{"acme": "exit 0"})
		p.must("trust", "--yes")
		p.passes("as it is")
		for _, c := range [][3]string{{"claude-code", "PreToolUse", ""}, {"claude-code", "PreToolUse", "{"}, {"claude-code", "PreToolUse", "[]"}, {"claude-code", "PreToolUse", "{}"}, {"cursor", "beforeShellExecution", "{"}, {"gemini-cli", "BeforeTool", "{"}, {"codex", "PreToolUse", "{"}} {
			if out, errs, code := p.hook(c[0], c[1], c[2]); code != 2 {
				t.Errorf("mortise hook %s %s, told %q: got exit code %d, %s, %s, want it denied", c[0], c[1], c[2], code, out, errs)
			}
		}
		write(t, filepath.Join(p.home, "state", "state.db"), "no database")
		p.denies("a state that cannot be read", "Mortise cannot tell whether this is allowed")
	})
}

// A hook gets a documented part of the environment: no key that its host has.
func TestAttack_30_hooks_get_no_keys(t *testing.T) {
	t.Parallel()
	p := hooked(t, map[string]string{"acme": `env >"$CLAUDE_PLUGIN_DATA.env" || env >"${CLAUDE_PROJECT_DIR}/env"`})
	p.must("trust", "--yes")
	p.hook("claude-code", "PreToolUse", p.shellCall("ls"), "CLOUD_KEY=hush", "LD_LIBRARY_PATH=/hush", "NODE_OPTIONS=--require=/hush", "CLAUDE_PLUGIN_ROOT=/hush")
	found := 0
	for _, dir := range []string{p.dir, p.home} {
		for path, text := range treeOf(t, dir) {
			if !strings.HasSuffix(path, "env") {
				continue
			}
			found++
			if strings.Contains(text, "hush") || !strings.Contains(text, "CLAUDE_PLUGIN_ROOT="+filepath.Join(p.dir, "acme")) {
				t.Errorf("the environment of a hook: got %s, want its directories and nothing of the host's keys", text)
			}
		}
	}
	if found != 1 {
		t.Errorf("found %d environments, want that of the hook", found)
	}
}
