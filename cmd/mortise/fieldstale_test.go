//go:build unix

package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// STA-01: elsewhere a plugin that was switched off went on running its hook, which no
// list showed. Here the list of hooks is read from what is in use: a hook that runs is
// listed as active, and one that is not active does not run, without a host, in a host
// that ran already, and in one that is started later.
func TestField_STA01_off_is_off(t *testing.T) {
	t.Parallel()
	p := connected(t, nil)
	mark := filepath.Join(filepath.Dir(p.dir), "MARK")
	o := publish(t, map[string]string{
		"skills/hello/SKILL.md": skillOf("hello", "Says hello."),
		"agents/reviewer.md":    "---\nname: reviewer\ndescription: Reviews.\n---\nReview.\n",
		"hooks/hooks.json":      hooksOf("PostToolUse", "echo ran >>'"+mark+"'", ""),
	})
	p.must("plugin", "add", o.source())
	p.must("trust", "--yes")
	want := map[string]string{"skill hello": "active", "agent reviewer": "active", "client_event PostToolUse-1": "active"}
	ran := 0
	is := func(what string, on bool) {
		t.Helper()
		status := "active"
		if on {
			ran++
		} else {
			status = "disabled"
		}
		for name := range want {
			want[name] = status
		}
		p.edits(what)
		text, err := os.ReadFile(mark)
		if err != nil || string(text) != strings.Repeat("ran\n", ran) {
			t.Errorf("%s: the hook ran as %q tells, %v, want %d times", what, text, err, ran)
		}
		if got := p.entries("acme"); !maps.Equal(got, want) {
			t.Errorf("%s: listed is %v, want %v", what, got, want)
		}
		if out := p.must("session"); strings.Contains(out, "acme:hello") != on || strings.Contains(out, "acme:reviewer") != on {
			t.Errorf("%s: a session gets\n%s, want what acme has: %v", what, out, on)
		}
	}
	is("installed", true)
	p.must("plugin", "disable", "acme")
	is("off, without a host", false)
	p.must("plugin", "enable", "acme")
	is("on again", true)

	s := p.serve()
	c := connect(t, s.url, nil)
	eventually(t, "the skill is served", func() bool { return c.described("acme/hello") == "Says hello." })
	is("a host runs", true)
	p.must("plugin", "disable", "acme")
	is("off, in the host that runs", false)
	eventually(t, "the skill is served no more", func() bool { return c.described("acme/hello") == "" })
	s.ends(t, syscall.SIGTERM)
	s = p.serve()
	if got := connect(t, s.url, nil).described("acme/"); got != "" {
		t.Errorf("a new session of a new host is offered %q, want nothing of acme", got)
	}
	is("off, in a new host", false)
	s.ends(t, syscall.SIGTERM)
}

// dependent is a workspace in which a plugin is installed that another one was pulled in
// by: base, whose guard forbids a word.
func dependent(t *testing.T) place {
	t.Helper()
	p := connected(t, map[string]string{
		"mortise.toml":                           "[markets.team]\npath = \"./market\"\n",
		"market/.claude-plugin/marketplace.json": `{"name": "team", "owner": {"name": "t"}, "plugins": [{"name": "base", "source": "./base"}]}`,
		"market/base/.claude-plugin/plugin.json": `{"name": "base", "version": "1.0.0"}`,
		"market/base/skills/hi/SKILL.md":         skillOf("hi", "Says hi."),
		"market/base/hooks/hooks.json":           `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "sh \"${CLAUDE_PLUGIN_ROOT}/gate.sh\""}]}]}}`,
		"market/base/gate.sh":                    "case $(cat) in *--no-verify*) echo 'verify it' >&2; exit 2;; esac\n",
		"acme/.claude-plugin/plugin.json":        `{"name": "acme", "dependencies": ["base@team"]}`,
		"acme/skills/hello/SKILL.md":             skillOf("hello", "Says hello."),
	})
	p.must("plugin", "add", "./acme", "--with-dependencies")
	return p
}

// STA-02: elsewhere a plugin that was pulled in by another gave its skills, and its hooks
// were never asked, without a word. Here it is a plugin like others: its guard denies all
// that it guards until somebody consents to it, and then what it forbids; and the list of
// hooks, and explain, have it.
func TestField_STA02_a_dependency_guards(t *testing.T) {
	t.Parallel()
	p := dependent(t)
	if got := p.plugin("base"); got.Status != "admitted" || got.Scope != "user" || got.Market != "base@team" {
		t.Fatalf("base: got %+v, want it installed like the one that needs it", got)
	}
	wants := func(what, status string, harmless bool) {
		t.Helper()
		if got := p.entries("base"); got["client_event PreToolUse-1"] != status || got["skill hi"] != "active" {
			t.Errorf("%s: base has %v, want its skill, and its guard %s", what, got, status)
		}
		p.ends(0, []string{"list", "client_event"}, "PreToolUse-1  base")
		if denied, why := p.shell("git commit --no-verify"); !denied || !strings.Contains(why, "base:PreToolUse-1") {
			t.Errorf("%s: what base forbids is denied: %v, for %q, want it denied by its guard", what, denied, why)
		}
		if denied, why := p.shell("git commit"); denied == harmless {
			t.Errorf("%s: what base does not forbid is denied: %v, for %q, want %v", what, denied, why, !harmless)
		}
	}
	wants("nobody consented", "pending", false)
	p.must("trust", "--yes")
	wants("consented to", "active", true)
	p.ends(0, []string{"explain", "base:PreToolUse-1"}, "client_event, active", "gate.sh", "about Bash", "market/base/hooks/hooks.json:1")
	s := p.serve()
	wants("in a host", "active", true)
	s.ends(t, syscall.SIGTERM)
	p.write(map[string]string{"market/base/gate.sh": "exit 0\n"})
	if denied, why := p.shell("git commit --no-verify"); !denied {
		t.Errorf("its gate was opened and nobody consented to that: it is not denied, %q", why)
	}
}

// orphaned is a workspace whose lock file wants a plugin with a guard, whose checkout is
// there, and whose state does not know it: the state is one from before.
func orphaned(t *testing.T) (p place, root string) {
	t.Helper()
	p = connected(t, nil)
	o := publish(t, map[string]string{
		"skills/hello/SKILL.md": skillOf("hello", "Says hello."),
		"hooks/hooks.json":      hooksOf("PreToolUse", `"${CLAUDE_PLUGIN_ROOT}/gate"`, ""),
		"gate":                  "#!/bin/sh\necho never >&2\nexit 2\n",
	})
	if err := os.Chmod(filepath.Join(o.dir, "gate"), 0o755); err != nil {
		t.Fatal(err)
	}
	o.put(nil)
	before := filepath.Join(t.TempDir(), "state")
	copyTree(t, filepath.Join(p.home, "state"), before)
	p.must("plugin", "add", o.source(), "--scope", "workspace")
	p.must("trust", "--yes")
	p.denies("as it was installed", "never")
	p.must("plugin", "lock")
	root = p.plugin("acme").Root
	copyTree(t, before, filepath.Join(p.home, "state"))
	return p, root
}

// STA-03: elsewhere what was enabled, not in the registry and still in the cache ran its
// hooks at every prompt, by a program that was gone. Here a checkout that no line of the
// state names is files and nothing else: none of its hooks is asked, in a host or
// without. That lock file and state differ is told by every look, with the command that
// mends it; and what is left over can be removed.
func TestField_STA03_orphans_run_nothing(t *testing.T) {
	t.Parallel()
	isNothing := func(t *testing.T, p place) {
		t.Helper()
		p.passes("a checkout without a line")
		if got := p.entries("acme"); len(got) > 0 {
			t.Errorf("listed is %v, want nothing of an orphan", got)
		}
		p.ends(0, []string{"list"}, "lock-drift", "acme is not installed, and mortise.lock wants it at", "mortise plugin sync")
		p.ends(0, []string{"plugin", "list"}, "No plugin is installed.")
		p.ends(1, []string{"plugin", "sync", "--check"}, "acme is not installed, and mortise.lock wants it at")
		s := p.serve()
		p.passes("in a host")
		s.ends(t, syscall.SIGTERM)
	}
	t.Run("it is mended by one command", func(t *testing.T) {
		t.Parallel()
		p, _ := orphaned(t)
		isNothing(t, p)
		p.must("plugin", "sync", "--yes")
		p.must("plugin", "sync", "--check")
		p.denies("before anybody consented", "acme:PreToolUse-1")
		p.must("trust", "--yes")
		p.denies("mended", "never")
	})
	t.Run("its program is gone", func(t *testing.T) {
		t.Parallel()
		p, root := orphaned(t)
		loosen(t, root)
		remove(t, filepath.Join(root, "gate"))
		isNothing(t, p)
		p.ends(1, []string{"plugin", "sync", "--yes"}, root, "was edited", "move it")
		isNothing(t, p)
		if err := os.Rename(root, filepath.Join(t.TempDir(), "aside")); err != nil {
			t.Fatal(err)
		}
		p.must("plugin", "sync", "--yes")
		p.must("trust", "--yes")
		p.denies("moved away and mended", "never")
	})
	t.Run("it is removed", func(t *testing.T) {
		t.Parallel()
		p, root := orphaned(t)
		p.ends(0, []string{"plugin", "remove", "acme"}, "acme is not installed; what was left of it is removed.")
		if _, err := os.Stat(root); !os.IsNotExist(err) {
			t.Errorf("%s: got %v, want it gone", root, err)
		}
		isNothing(t, p)
	})
}

// STA-04: elsewhere a second file, made for each session, still had the hook of a plugin
// that was switched off, and its script was gone. Here all that is derived, the index of
// what was read and the code of guards that is kept, is looked up by what is in use now:
// an index from before a switch takes nothing back, and none of the places brings a hook
// to life.
func TestField_STA04_no_second_truth(t *testing.T) {
	t.Parallel()
	p := connected(t, nil)
	o := publish(t, map[string]string{
		"hooks/hooks.json":      hooksOf("PreToolUse", `sh "${CLAUDE_PLUGIN_ROOT}/gate.sh"`, ""),
		"skills/hello/SKILL.md": skillOf("hello", "Says hello."),
		"gate.sh":               "echo never >&2\nexit 2\n",
	})
	p.must("plugin", "add", o.source())
	p.must("trust", "--yes")
	s := p.serve()
	c := connect(t, s.url, nil)
	eventually(t, "the plugin is served", func() bool { return c.described("acme/hello") == "Says hello." })
	p.denies("in a session", "never")
	cache, old := filepath.Join(p.home, "cache"), filepath.Join(t.TempDir(), "cache")
	p.must("list")
	copyTree(t, cache, old)
	if kept, err := filepath.Glob(filepath.Join(p.home, "state", "guards", "trees", "*", "gate.sh")); err != nil || len(kept) != 1 {
		t.Fatalf("kept of the guard is %q, %v, want its code: else this tests nothing", kept, err)
	}

	p.must("plugin", "disable", "acme")
	root := p.plugin("acme").Root
	loosen(t, root)
	remove(t, filepath.Join(root, "gate.sh"))
	off := func(what string) {
		t.Helper()
		p.passes(what)
		if got := p.entries("acme"); !slices.Equal(slices.Sorted(maps.Values(got)), []string{"disabled", "disabled"}) {
			t.Errorf("%s: listed is %v, want both entries disabled", what, got)
		}
	}
	off("in the session that was there before")
	s.ends(t, syscall.SIGTERM)
	off("without a host")
	copyTree(t, old, cache)
	off("with the index from before")
	s = p.serve()
	off("a new host, with the index from before")
	s.ends(t, syscall.SIGTERM)
	remove(t, cache)
	off("without an index")

	// Switched on again it guards again, by the code that was consented to.
	p.must("plugin", "enable", "acme")
	p.denies("on again, and its script is gone", "never")
	p.ends(0, []string{"plugin", "list"}, "acme", "edited")
}

// STA-06: elsewhere a switch was written and not obeyed, and a name that nobody has was
// taken without a word. This is the case with the commands for plugins; the script has it
// with those for all extensions. A plugin is switched where it is installed for, which is
// said; the other workspace shows that.
func TestField_STA06_plugins(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	p.must("trust", "--yes")
	other := place{t, filepath.Join(filepath.Dir(p.dir), "other"), p.home}
	other.write(map[string]string{"mortise.toml": ""})
	other.must("trust", "--yes")
	o := publish(t, map[string]string{"skills/hello/SKILL.md": skillOf("hello", "Says hello.")})
	p.must("plugin", "add", o.source(), "--name", "everyones")
	p.must("plugin", "add", o.source(), "--name", "mine", "--scope", "workspace")
	other.must("plugin", "add", o.source(), "--name", "mine", "--scope", "workspace")

	wants := func(what string, where place, name, status string) {
		t.Helper()
		entry := map[string]string{"admitted": "active"}[status]
		if entry == "" {
			entry = status
		}
		if got, is := where.plugin(name), where.entries(name)["skill hello"]; got.Status != status || is != entry {
			t.Errorf("%s: %s is %s with a skill that is %s, want %s", what, name, got.Status, is, status)
		}
		if out := where.must("session"); strings.Contains(out, name+":hello") != (status == "admitted") {
			t.Errorf("%s: a session gets\n%s, want %s %s", what, out, name, status)
		}
	}
	p.ends(0, []string{"plugin", "disable", "mine", "--reason", "a try"}, "Disabled mine in this workspace", "reason: a try", "mortise enable mine")
	wants("off here", p, "mine", "disabled")
	wants("off here", other, "mine", "admitted")
	p.ends(0, []string{"explain", "mine"}, "disabled: a try")
	p.ends(0, []string{"plugin", "disable", "everyones"}, "Disabled everyones in every workspace", "mortise enable everyones --everywhere")
	wants("off everywhere", p, "everyones", "disabled")
	wants("off everywhere", other, "everyones", "disabled")
	other.ends(0, []string{"plugin", "enable", "everyones"}, "Enabled everyones in every workspace")
	wants("on everywhere", p, "everyones", "admitted")
	p.ends(0, []string{"plugin", "enable", "mine"}, "Enabled mine in this workspace")
	wants("on here", p, "mine", "admitted")

	was := treeOf(t, filepath.Join(p.home, "data"))
	for _, verb := range []string{"disable", "enable"} {
		p.ends(2, []string{"plugin", verb, "no-such-name"}, `no plugin "no-such-name" is installed`, "mortise plugin list")
		p.ends(2, []string{"plugin", verb, "everyone"}, `did you mean "everyones"?`)
	}
	wants("after names that nobody has", p, "everyones", "admitted")
	if now := treeOf(t, filepath.Join(p.home, "data")); !maps.Equal(was, now) {
		t.Errorf("%q is not as it was", differ(was, now))
	}
}

// STA-07: elsewhere a marketplace that was removed and added from another path was still
// shown, and installed from, as it was, even without its cache. Here nothing of a
// marketplace is kept: the next look reads the directory that is named then.
func TestField_STA07_a_marketplace_is_read_afresh(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	team := func(dir, version string) {
		p.write(map[string]string{
			dir + "/.claude-plugin/marketplace.json": `{"name": "team", "owner": {"name": "t"}, "plugins": [{"name": "near", "source": "./near"}]}`,
			dir + "/near/.claude-plugin/plugin.json": `{"name": "near", "version": "` + version + `"}`,
			dir + "/near/skills/near/SKILL.md":       skillOf("near", "Says "+version+"."),
		})
	}
	team("one", "1.0.0")
	p.write(map[string]string{"mortise.toml": "[markets.team]\npath = \"./one\"\n"})
	p.must("trust", "--yes")
	p.ends(0, []string{"market", "show", "near@team"}, "1.0.0")
	p.must("plugin", "add", "near@team")
	p.must("plugin", "remove", "near")

	p.write(map[string]string{"mortise.toml": ""})
	p.ends(2, []string{"plugin", "add", "near@team"}, "no marketplace that is known offers")
	if out := p.must("market", "list"); strings.Contains(out, "team") {
		t.Errorf("removed: listed is\n%s, want nothing of it", out)
	}

	team("two", "2.0.0")
	p.write(map[string]string{"mortise.toml": "[markets.team]\npath = \"./two\"\n"})
	p.must("trust", "--yes")
	p.ends(0, []string{"market", "show", "near@team"}, "2.0.0", "two/near")
	p.must("plugin", "add", "near@team")
	if got := p.plugin("near"); got.Status != "admitted" || got.Root != filepath.Join(p.dir, "two", "near") {
		t.Errorf("added again: got %+v, want it from the new directory", got)
	}
	p.ends(0, []string{"list", "skill"}, "Says 2.0.0.")
	if out := p.must("list", "skill"); strings.Contains(out, "Says 1.0.0.") {
		t.Errorf("added again: listed is\n%s, want nothing of the old one", out)
	}
}
