//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// vetoed is an adopted workspace whose plugin denies every shell command, and whose
// owner's own policy does, too.
func vetoed(t *testing.T) place {
	t.Helper()
	p := hooked(t, map[string]string{"acme": `sh "${CLAUDE_PLUGIN_ROOT}/gate.sh"`})
	p.executable("acme/gate.sh", "#!/bin/sh\necho never >&2; exit 2\n")
	p.must("trust", "--yes")
	p.denies("as it was adopted", "never")
	return p
}

// Who can make a directory another workspace takes no guard away with that: a
// repository begun in it, or its configuration removed.
func TestLaw05_no_edit_of_the_workspace_takes_a_guard_away(t *testing.T) {
	t.Parallel()
	git := func(t *testing.T, dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	for _, c := range []struct {
		name string
		edit func(t *testing.T, p place)
	}{
		{"a repository is begun in it", func(t *testing.T, p place) { git(t, p.dir, "init", "-q") }},
		{"its configuration is emptied", func(_ *testing.T, p place) { p.write(map[string]string{"mortise.toml": ""}) }},
		{"its configuration is gone, in a directory of a repository", func(t *testing.T, p place) {
			git(t, filepath.Dir(p.dir), "init", "-q")
			if err := os.Remove(filepath.Join(p.dir, "mortise.toml")); err != nil {
				t.Fatal(err)
			}
		}},
		{"a workspace of its own below it", func(_ *testing.T, p place) { p.write(map[string]string{"sub/mortise.toml": ""}) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := vetoed(t)
			c.edit(t, p)
			dir := p.dir
			if strings.HasPrefix(c.name, "a workspace of its own") {
				dir = filepath.Join(dir, "sub")
			}
			text := fmt.Sprintf(`{"session_id": "s", "cwd": %q, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}`, dir)
			if out, errs, code := p.hook("claude-code", "PreToolUse", text, "CLAUDE_PROJECT_DIR="+dir); code != 2 {
				t.Errorf("got exit code %d, %s%s, want the denial", code, out, errs)
			}
		})
	}
}

// What a person's own configuration forbids is not known while it cannot be read: a
// client's own tools are denied until it is mended.
func TestLaw05_a_broken_configuration_of_the_person_denies(t *testing.T) {
	t.Parallel()
	p := vetoed(t)
	config := filepath.Join(filepath.Dir(p.dir), "home", "config", "config.toml")
	for _, dir := range []string{"home/config", "home"} {
		if _, err := os.Stat(filepath.Join(filepath.Dir(p.dir), dir)); err == nil {
			config = filepath.Join(filepath.Dir(p.dir), dir, "config.toml")
			break
		}
	}
	if err := os.WriteFile(config, []byte("[trust\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.denies("the person's own configuration is broken", "cannot be read whole")
	if err := os.Remove(config); err != nil {
		t.Fatal(err)
	}
	p.denies("it is mended", "never")
}

// A program of a guard runs where its workspace is, not where the agent stands: what
// the agent has put there is not run in its place.
func TestLaw05_an_agent_brings_no_guard_of_its_own(t *testing.T) {
	t.Parallel()
	p := hooked(t, map[string]string{"acme": `sh ./acme/gate.sh`})
	p.executable("acme/gate.sh", "#!/bin/sh\necho never >&2; exit 2\n")
	p.must("trust", "--yes")
	p.write(map[string]string{"elsewhere/acme/gate.sh": "exit 0\n"})
	text := fmt.Sprintf(`{"session_id": "s", "cwd": %q, "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "ls"}}`, filepath.Join(p.dir, "elsewhere"))
	if out, errs, code := p.hook("claude-code", "PreToolUse", text, "CLAUDE_PROJECT_DIR="+p.dir); code != 2 {
		t.Errorf("got exit code %d, %s%s, want the guard that was adopted to deny", code, out, errs)
	}
}

// The code of the owner's own guard is part of what was adopted: who edits it has
// nothing of it run, and does not get rid of the denial.
func TestLaw05_the_code_of_the_owners_guard_is_adopted(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"mortise.toml": "", ".mortise/bin/gate.sh": "echo never >&2; exit 2\n",
		".mortise/hooks/client_event/gate.json": `{"ref": {"driver": "client-hook", "target": "sh .mortise/bin/gate.sh", "name": "command"}, "client": "claude-code", "event": "PreToolUse"}`,
	})
	p.must("trust", "--yes")
	p.denies("as it was adopted", "never")
	p.write(map[string]string{".mortise/bin/gate.sh": "exit 0\n"})
	if out, errs, code := p.hook("claude-code", "PreToolUse", p.shellCall("ls")); code != 2 {
		t.Errorf("its code was edited: got exit code %d, %s%s, want a denial", code, out, errs)
	}
}

// A new version of a person's own plugin narrows or removes its guard before anybody
// consented to it: the last version that was granted answers.
func TestLaw05_an_update_narrows_no_guard_by_itself(t *testing.T) {
	t.Parallel()
	for name, hooks := range map[string]string{
		"another matcher": `{"hooks": {"PreToolUse": [{"matcher": "NoSuch", "hooks": [{"type": "command", "command": "sh \"${CLAUDE_PLUGIN_ROOT}/gate.sh\""}]}]}}`,
		"no hook":         `{"hooks": {}}`,
		"another program": hooksOf("PreToolUse", "exit 0", ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := vetoed(t)
			p.write(map[string]string{"acme/hooks/hooks.json": hooks})
			p.denies("a new version that nobody consented to", "never")
			p.denies("again", "never")
			p.must("trust", "--yes")
			if name == "no hook" {
				p.passes("consented to")
			}
		})
	}
}

// Our own lines in a client's settings, read as a plugin's hooks, do not ask us about
// what they were asked.
func TestHookLinesOfOurOwnAskNobody(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": "[plugins.folder]\npath = \"./.claude\"\n"})
	p.must("hook", "claude-code", "--install")
	p.must("trust", "--yes")
	if out := p.must("list", "client_event"); strings.Contains(out, "PreToolUse") {
		t.Errorf("listed: got %s, want no handler of our own lines", out)
	}
	p.passes("our own lines")
	out, _, code := p.hook("claude-code", "PreToolUse", p.shellCall("ls"), "MORTISE_WITHIN_GUARD=1")
	if code != 0 || out != "" {
		t.Errorf("within a guard: got %d %s, want no opinion", code, out)
	}
}

// A host that is there and does not answer is no reason to look with other eyes: it
// denies.
func TestHookDeniesWhereTheHostIsSilent(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	s := p.serve()
	if err := s.cmd.Process.Signal(stopped); err != nil {
		t.Fatal(err)
	}
	out, errs, code := p.hook("claude-code", "PreToolUse", p.shellCall("ls"))
	_ = s.cmd.Process.Signal(continued)
	if code != 2 || !strings.Contains(errs, "does not answer") {
		t.Errorf("got %d %s %s, want a denial that says that the host does not answer", code, out, errs)
	}
	p.passes("it answers again")
}

// An agent may stop though nobody can tell whether it may.
func TestStopIsNeverBlockedByAFault(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	out, _, code := p.hook("claude-code", "Stop", `{"hook_event_name": "PreToolUse"}`)
	if code != 0 || strings.Contains(out, "block") {
		t.Errorf("got %d %s, want the agent to stop", code, out)
	}
}

const stopped, continued = syscall.SIGSTOP, syscall.SIGCONT
