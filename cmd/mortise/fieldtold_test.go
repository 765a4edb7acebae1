//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where something else stands in the place of what is in use, the plugin is refused, and
// an update of it that does not mend that says so: it is not "nothing newer", with 0.
func TestField_INS11_UpdateOfWhatWasReplacedSaysNothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	p.must("trust", "--yes")
	o := publish(t, map[string]string{"skills/count/SKILL.md": skillOf("count", "Says 1.")})
	p.must("plugin", "add", o.source())
	root := p.plugin("acme").Root
	if err := os.Rename(root, filepath.Join(t.TempDir(), "aside")); err != nil {
		t.Fatal(err)
	}
	write(t, root, "mine")
	p.ends(0, []string{"plugin", "list"}, "acme", "refused")
	p.ends(1, []string{"plugin", "update", "acme"}, root)
	if out, _, _ := p.run("plugin", "update", "acme", "--check"); strings.Contains(out, "There is nothing newer.") {
		t.Errorf("update --check: got\n%s, want it told that the plugin is not there", out)
	}
}

// The directory of data that a hook is told of is there, as it is for servers and in Claude
// Code: a hook that writes a file into it needs no mkdir, and a guard that does is not
// taken for one that broke.
func TestField_INS08_DataDirectoryOfHooksIsNotMade(t *testing.T) {
	t.Parallel()
	p := connected(t, nil)
	o := publish(t, map[string]string{"hooks/hooks.json": hooksOf("PreToolUse", `echo asked >>"${CLAUDE_PLUGIN_DATA}/kept"`, "")})
	p.must("plugin", "add", o.source())
	p.must("trust", "--yes")
	p.passes("a guard that keeps a note")
	if text, err := os.ReadFile(filepath.Join(p.home, "data", "plugin-data", "acme", "kept")); err != nil || string(text) != "asked\n" {
		t.Errorf("kept: got %q, %v, want the note", text, err)
	}
}

// What a plugin wants to run waits, and the command that its person is sent to shows that:
// mortise plugin add and update name mortise approve, which knows nothing of hooks.
func TestField_STA02_TheAdviceShowsNothing(t *testing.T) {
	t.Parallel()
	p := connected(t, nil)
	o := publish(t, map[string]string{"hooks/hooks.json": hooksOf("PreToolUse", "exit 0", "")})
	added := p.must("plugin", "add", o.source())
	if !strings.Contains(added, "mortise trust") && !strings.Contains(added, "mortise approve") {
		t.Errorf("added, and its guard waits and denies all until then: got\n%s, want the command that consents", added)
	}
	if denied, why := p.shell("ls"); denied && !strings.Contains(why, "mortise ") {
		t.Errorf("denied since it waits: got %q, want the command that consents", why)
	}
	for _, help := range [][]string{{"plugin", "add", "--help"}, {"plugin", "--help"}, {"plugin", "update", "--help"}} {
		if strings.Contains(p.must(help...), "approve") {
			if out, _, _ := p.run("approve"); strings.Contains(out, "Nothing waits for approval.") {
				t.Errorf("mortise %q names mortise approve, which says %q while the guard waits", help, out)
			}
		}
	}
}

// What keeps a plugin with its dependency from being installed says what to do: the guard
// of the dependency is one that no client's hooks ask yet.
func TestField_STA02_RefusedWithoutANextStep(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"mortise.toml":                           "[markets.team]\npath = \"./market\"\n",
		"market/.claude-plugin/marketplace.json": `{"name": "team", "owner": {"name": "t"}, "plugins": [{"name": "base", "source": "./base"}]}`,
		"market/base/.claude-plugin/plugin.json": `{"name": "base"}`,
		"market/base/hooks/hooks.json":           `{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 0"}]}]}}`,
		"acme/.claude-plugin/plugin.json":        `{"name": "acme", "dependencies": ["base@team"]}`,
	})
	p.must("trust", "--yes")
	if _, errs, code := p.run("plugin", "add", "./acme", "--with-dependencies"); code != 0 && !strings.Contains(errs, "mortise hook") && !strings.Contains(errs, "mortise trust") {
		t.Errorf("got exit code %d and %q, want what to do next", code, errs)
	}
}

// Whoever takes a plugin away that another one needs is told that the other one is refused
// by that.
func TestField_STA02_WhatElseGoesIsNotTold(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"disable", "remove"} {
		p := dependent(t)
		p.must("trust", "--yes")
		out, errs, code := p.run("plugin", verb, "base")
		if got := p.plugin("acme").Status; code == 0 && got == "refused" && !strings.Contains(out+errs, "acme") {
			t.Errorf("plugin %s base: got\n%s%s, want it told that acme, which needs it, is %s now", verb, out, errs, got)
		}
	}
}

// Where a switch holds is told by the looks, too, and not by the command that set it alone:
// else nobody can tell which command takes it back.
func TestField_STA06_ScopeOfASwitchIsNotShown(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	p.must("trust", "--yes")
	o := publish(t, map[string]string{"skills/hello/SKILL.md": skillOf("hello", "Says hello.")})
	p.must("plugin", "add", o.source())
	p.must("plugin", "disable", "acme", "--reason", "a try")
	for _, args := range [][]string{{"explain", "acme"}, {"plugin", "show", "acme"}} {
		out := p.must(args...)
		if !strings.Contains(out, "every workspace") && !strings.Contains(out, "--everywhere") {
			t.Errorf("mortise %q: got\n%s, want where it is disabled", args, out)
		}
		if !strings.Contains(out, "a try") {
			t.Errorf("mortise %q: got\n%s, want why it is disabled", args, out)
		}
	}
}

// A plugin that lies in a marketplace's directory is left alone by updates, for a reason
// that holds: where the marketplace lies elsewhere by now, it is not "nothing newer".
func TestField_STA07_UpdateFromWhereTheMarketplaceWas(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": "[markets.team]\npath = \"./one\"\n"})
	for dir, version := range map[string]string{"one": "1.0.0", "two": "2.0.0"} {
		p.write(map[string]string{
			dir + "/.claude-plugin/marketplace.json": `{"name": "team", "owner": {"name": "t"}, "plugins": [{"name": "near", "source": "./near"}]}`,
			dir + "/near/.claude-plugin/plugin.json": `{"name": "near", "version": "` + version + `"}`,
			dir + "/near/skills/near/SKILL.md":       skillOf("near", "Says "+version+"."),
		})
	}
	p.must("trust", "--yes")
	p.must("plugin", "add", "near@team")
	p.write(map[string]string{"mortise.toml": "[markets.team]\npath = \"./two\"\n"})
	p.must("trust", "--yes")
	out, errs, _ := p.run("plugin", "update", "near")
	if got := p.plugin("near"); strings.Contains(got.Root, "/one/") && !strings.Contains(out+errs, "two") {
		t.Errorf("plugin update near: got\n%s%s, want it told that near@team lies in two by now, and that %s is in use", out, errs, got.Root)
	}
}

// A marketplace that is known and gone is not one that nobody knows: who installs from it
// is told what is the matter, as mortise market show does.
func TestField_INS05_AMarketplaceThatIsGoneIsCalledUnknown(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": "[markets.gone]\npath = \"./gone\"\n"})
	p.must("trust", "--yes")
	p.ends(1, []string{"market", "show", "tools@gone"}, "there is no such directory")
	if _, errs, _ := p.run("plugin", "add", "tools@gone"); !strings.Contains(errs, "there is no such directory") {
		t.Errorf("plugin add: got %q, want that the directory of the marketplace is gone", errs)
	}
}

// What a marketplace's entry declares besides the manifest, and what the directory holds
// besides what an entry declares that is the whole of its plugin: who installs by the
// entry gets neither less nor more without a word (law 4). mortise market show tells of
// the second.
func TestField_INS13_MoreOrLessThanTheEntrySays(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"mortise.toml": "[markets.team]\npath = \"./market\"\n",
		"market/.claude-plugin/marketplace.json": `{"name": "team", "owner": {"name": "t"}, "plugins": [
			{"name": "less", "source": "./less", "commands": ["./extra/deploy.md"]},
			{"name": "more", "source": "./more", "strict": false, "skills": ["./skills/a"]}]}`,
		"market/less/.claude-plugin/plugin.json": `{"name": "less"}`,
		"market/less/commands/build.md":          "---\ndescription: Builds.\n---\nBuild.\n",
		"market/less/extra/deploy.md":            "---\ndescription: Deploys.\n---\nDeploy.\n",
		"market/more/skills/a/SKILL.md":          skillOf("a", "Offered."),
		"market/more/skills/b/SKILL.md":          skillOf("b", "Not offered."),
	})
	p.must("trust", "--yes")
	out, errs, code := p.run("plugin", "add", "less@team")
	if got := p.entries("less"); code == 0 && got["command deploy"] != "active" && !strings.Contains(out+errs, "deploy") {
		t.Errorf("less: got %v and\n%s%s, want the command that its entry declares, or that it is left out told", got, out, errs)
	}
	out, errs, code = p.run("plugin", "add", "more@team")
	if got := p.entries("more"); code == 0 && got["skill b"] == "active" && !strings.Contains(out+errs, "does not declare") {
		t.Errorf("more: got %v and\n%s%s, want the skill that its entry offers alone, or the other one told", got, out, errs)
	}
}

// A plugin that asks its person for settings can be given them when it is installed with
// mortise plugin add: there is no other place for them than its table in a configuration,
// and that takes an installed plugin out of use, or is an error.
func TestField_INS08_AnInstalledPluginTakesNoSettings(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"the person's", "the workspace's"} {
		p := newPlace(t, map[string]string{"mortise.toml": ""})
		p.must("trust", "--yes")
		o := publish(t, map[string]string{
			".claude-plugin/plugin.json": `{"name": "acme", "userConfig": {"name": {"type": "string", "title": "Name", "description": "Whom to greet.", "required": true}}}`,
			"skills/hello/SKILL.md":      skillOf("hello", "Says hello."),
		})
		p.must("plugin", "add", o.source())
		file := filepath.Join(p.home, "config.toml")
		if at == "the workspace's" {
			file = filepath.Join(p.dir, "mortise.toml")
		}
		write(t, file, "[plugins.acme.settings]\nname = \"Ada\"\n")
		p.run("trust", "--yes") // and tells what is at fault
		out, errs, _ := p.run("list")
		if got := p.plugin("acme"); got.Status != "admitted" || strings.Contains(out+errs, "config-plugin-path") {
			t.Errorf("settings in %s configuration: acme is %s, and listed is\n%s%s, want it in use with them", at, got.Status, out, errs)
		}
	}
}
