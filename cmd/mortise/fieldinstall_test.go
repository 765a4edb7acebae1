//go:build unix

package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// INS-02: elsewhere a package with a skill of a name that its person already had a folder
// for removed that folder. Here nothing is installed into a folder of the person's: both
// skills are there, each by its name, the short name tells of both, and no command of the
// plugin's life, and no way to insist, touches what is theirs.
func TestField_INS02_a_folder_of_the_persons_is_left(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"mortise.toml":                        "[plugins.folder]\npath = \"./.claude\"\n",
		".mortise/skills/tdd/SKILL.md":        skillOf("tdd", "My own way."),
		".mortise/skills/tdd/notes/mine.md":   "edited by hand\n",
		".claude/skills/tdd/SKILL.md":         skillOf("tdd", "My own way with Claude."),
		".claude/skills/tdd/examples/mine.go": "package mine\n",
	})
	p.must("trust", "--yes")
	mine := treeOf(t, p.dir)
	o := publish(t, map[string]string{"skills/tdd/SKILL.md": skillOf("tdd", "Their way.")})
	for n, step := range [][]string{
		{"plugin", "add", o.source()}, {"plugin", "update", "acme"}, {"plugin", "rollback", "acme"}, {"plugin", "remove", "acme", "--purge"}, {"plugin", "add", o.source(), "--scope", "workspace"},
	} {
		if n == 1 {
			o.put(map[string]string{"skills/tdd/SKILL.md": skillOf("tdd", "Their new way."), "skills/tdd/examples/mine.go": "package theirs\n"})
		}
		p.must(step...)
		if now := treeOf(t, p.dir); !maps.Equal(mine, now) {
			t.Fatalf("%q: %q is not as it was, want nothing of the person's touched", step, differ(mine, now))
		}
		for qualified, want := range map[string]string{"owner:tdd": "active", "folder:tdd": "active", "acme:tdd": map[bool]string{true: "", false: "active"}[step[1] == "remove"]} {
			if got := p.status(qualified); got != want {
				t.Errorf("%q: %s is %q, want %q", step, qualified, got, want)
			}
		}
	}
	p.ends(0, []string{"explain", "tdd"}, "owner:tdd", "folder:tdd", "acme:tdd")
}

// INS-05: elsewhere one entry of a kind that was unknown made all sixty of its catalogue
// unavailable, and a catalogue that was gone took the switches of all others along. Here
// an entry costs itself, a marketplace costs itself, both are named, and what a person
// installed and switched stays what it is.
func TestField_INS05_each_entry_and_each_marketplace_by_itself(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": "[markets.team]\npath = \"./market\"\n[markets.other]\npath = \"./other\"\n"})
	var entries []string
	for n := range 60 {
		name := fmt.Sprintf("p%02d", n)
		if n == 30 {
			entries = append(entries, `{"name": "`+name+`", "source": {"source": "teleport", "to": "moon"}}`)
			continue
		}
		entries = append(entries, `{"name": "`+name+`", "source": "./`+name+`"}`)
		p.write(map[string]string{
			"market/" + name + "/.claude-plugin/plugin.json": `{"name": "` + name + `"}`,
			"market/" + name + "/skills/s/SKILL.md":          skillOf("s", "Says "+name+"."),
		})
	}
	p.write(map[string]string{
		"market/.claude-plugin/marketplace.json": `{"name": "team", "owner": {"name": "t"}, "plugins": [` + strings.Join(entries, ",\n") + `]}`,
		"other/.claude-plugin/marketplace.json":  `{"name": "other", "owner": {"name": "t"}, "plugins": [{"name": "gone", "source": "./gone"}]}`,
		"other/gone/.claude-plugin/plugin.json":  `{"name": "gone"}`, "other/gone/skills/s/SKILL.md": skillOf("s", "Says gone."),
	})
	p.must("trust", "--yes")
	p.must("plugin", "add", "p07@team")
	p.must("plugin", "add", "p08@team")
	p.must("plugin", "disable", "p08")
	p.must("plugin", "add", "gone@other")
	p.must("plugin", "disable", "gone", "--reason", "not now")
	if err := os.Rename(filepath.Join(p.dir, "other"), filepath.Join(p.dir, "..", "other")); err != nil {
		t.Fatal(err)
	}

	out, _, code := p.run("market", "list", "--entries", "--json")
	all := document[struct {
		Markets []struct {
			Name                     string
			Entries, InPlace, Broken int
		}
		Entries []struct {
			Name, Market, Status string
			Line                 int
		}
		Findings []struct{ Code, Message, Path string }
	}](t, out)
	if code != 1 || len(all.Entries) != 60 {
		t.Errorf("market list: got exit code %d and %d entries, want 1 and all 60", code, len(all.Entries))
	}
	for _, e := range all.Entries {
		if want := map[bool]string{true: "broken", false: "in-place"}[e.Name == "p30"]; e.Status != want {
			t.Errorf("%s of %s is %s, want %s", e.Name, e.Market, e.Status, want)
		}
	}
	if len(all.Findings) != 2 || all.Findings[0].Code+all.Findings[1].Code != "market-source-kindmarket-missing" || !strings.Contains(all.Findings[0].Message, `"teleport"`) {
		t.Errorf("market list: got %+v, want the unknown kind, and the directory that is gone", all.Findings)
	}

	p.must("plugin", "add", "p59@team")
	p.ends(1, []string{"plugin", "add", "p30@team"}, "p30@team cannot be installed", "market show")
	p.ends(0, []string{"plugin", "update", "--all"}, "p07", "p08", "gone")
	for name, want := range map[string]string{"p07": "admitted", "p59": "admitted", "p08": "disabled"} {
		if got := p.plugin(name).Status; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	// What lay in the marketplace that is gone is still installed, and once it is back it
	// is as it was: switched off.
	if got := p.plugin("gone"); got.Name == "" || got.Status == "admitted" {
		t.Errorf("what is gone: got %+v, want its line kept", got)
	}
	if err := os.Rename(filepath.Join(p.dir, "..", "other"), filepath.Join(p.dir, "other")); err != nil {
		t.Fatal(err)
	}
	if got := p.plugin("gone"); got.Status != "disabled" {
		t.Errorf("what was gone is back: got %+v, want it disabled as it was", got)
	}
	p.ends(0, []string{"explain", "gone"}, "disabled: not now")
}

// INS-06: elsewhere an update listed less than the install had, and removed what it did
// not list; the next install put it back, for ever. Here a plugin is its directory at one
// commit, listed by the same code whoever asks: updates change what upstream changed, and
// a second one in a row nothing.
func TestField_INS06_updates_come_to_rest(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	p.must("trust", "--yes")
	files := map[string]string{".claude-plugin/plugin.json": `{"name": "acme", "skills": ["./skills"]}`}
	want := map[string]map[string]string{"acme": {}, "folder": {}}
	for n := range 6 {
		one, other := fmt.Sprintf("listed-%d", n), fmt.Sprintf("unlisted-%d", n)
		files["skills/"+one+"/SKILL.md"], files[".claude/skills/"+other+"/SKILL.md"] = skillOf(one, "Listed."), skillOf(other, "Not listed.")
		want["acme"]["skill "+one], want["folder"]["skill "+other] = "active", "active"
	}
	o := publish(t, files)
	p.must("plugin", "add", o.source())
	p.must("plugin", "add", o.source(), "--path", ".claude", "--name", "folder")
	holds := func(what string) {
		t.Helper()
		for name := range want {
			if got := p.entries(name); !maps.Equal(got, want[name]) {
				t.Errorf("%s: %s has %v, want %v", what, name, got, want[name])
			}
		}
	}
	holds("installed")
	p.ends(0, []string{"plugin", "update", "--all"}, "There is nothing newer.")
	holds("nothing is new")
	o.put(map[string]string{"README.md": "Text.\n"})
	for n := range 3 {
		if n == 0 {
			if out := p.must("plugin", "update", "--all"); strings.Contains(out, "removed") || !strings.Contains(out, "README.md") {
				t.Errorf("updated: got\n%s, want the file that is new, and nothing removed", out)
			}
			holds("updated")
			continue
		}
		was := treeOf(t, filepath.Join(p.home, "data"))
		p.ends(0, []string{"plugin", "update", "--all"}, "There is nothing newer.")
		if now := treeOf(t, filepath.Join(p.home, "data")); !maps.Equal(was, now) {
			t.Errorf("updated once more: %q is not as it was", differ(was, now))
		}
	}
	holds("updated three times")
}

// INS-07: elsewhere a command that was said to write the lock file alone deleted what was
// deployed. Here commands that look, and the one that writes the lock file, change nothing
// else: not the workspace, not the owner's directory, not what is kept; also where what
// is installed was narrowed, is newer upstream, or differs from the lock file.
func TestField_INS07_looking_changes_nothing(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"mortise.toml":                 "[plugins.near]\npath = \"./near\"\n",
		"near/plugin.json":             `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "near"}`,
		"near/skills/near/SKILL.md":    skillOf("near", "Near."),
		".mortise/skills/own/SKILL.md": skillOf("own", "Own."),
	})
	p.must("trust", "--yes")
	o := publish(t, map[string]string{"skills/hello/SKILL.md": skillOf("hello", "Says hello."), "skills/bye/SKILL.md": skillOf("bye", "Says bye.")})
	p.must("plugin", "add", o.source(), "--scope", "workspace")
	p.must("plugin", "add", o.source(), "--name", "more", "--scope", "workspace")
	p.must("plugin", "add", o.source(), "--name", "everyones")
	write(t, filepath.Join(p.home, "data", "plugin-data", "everyones", "kept"), "kept")
	all := func() map[string]string {
		t.Helper()
		out := treeOf(t, p.dir)
		for path, text := range treeOf(t, filepath.Join(p.home, "data")) {
			out["data"+path] = text
		}
		return out
	}
	lock := "/mortise.lock"
	change := func(what string, code int, may []string, args ...string) {
		t.Helper()
		was := all()
		p.ends(code, args)
		if got := differ(was, all()); !slices.Equal(got, may) {
			t.Errorf("%s, mortise %q: changed is %q, want %q", what, args, got, may)
		}
	}
	look := func(what string, differs int) {
		t.Helper()
		for _, args := range [][]string{{"list"}, {"plugin", "list"}, {"plugin", "show", "acme"}, {"plugin", "update", "--all", "--check"}} {
			change(what, 0, nil, args...)
		}
		change(what, differs, nil, "plugin", "sync", "--check")
	}
	change("at first", 0, []string{lock}, "plugin", "lock")
	change("again", 0, nil, "plugin", "lock")
	look("as it is", 0)
	o.put(map[string]string{"skills/bye/SKILL.md": ""})
	look("newer upstream", 0)
	p.must("plugin", "update", "acme")
	look("not as the lock file says", 1)
	// Narrowed: a plugin is switched off, one is not for this workspace any more, and one
	// of the configuration is gone.
	p.must("plugin", "disable", "acme")
	p.must("plugin", "remove", "more")
	p.write(map[string]string{"mortise.toml": ""})
	look("narrowed", 1)
	change("narrowed", 0, []string{lock}, "plugin", "lock")
	look("narrowed and locked", 0)
}

// INS-08: elsewhere what a plugin had kept beside its code was lost with the next update.
// Here code and what a plugin keeps are in two places: what it wrote into its directory of
// data is there after an update, going back, removing it and installing it again, and goes
// where its person says so.
func TestField_INS08_what_a_plugin_kept_survives(t *testing.T) {
	t.Parallel()
	p := connected(t, nil)
	hook := func(n string) map[string]string {
		return map[string]string{"hooks/hooks.json": hooksOf("PostToolUse", `mkdir -p "${CLAUDE_PLUGIN_DATA}" && echo `+n+` >>"${CLAUDE_PLUGIN_DATA}/kept"`, "")}
	}
	o := publish(t, hook("one"))
	kept, said := filepath.Join(p.home, "data", "plugin-data", "acme", "kept"), ""
	holds := func(what string) {
		t.Helper()
		if got, err := os.ReadFile(kept); err != nil || string(got) != said {
			t.Errorf("%s: kept is %q, %v, want %q", what, got, err, said)
		}
	}
	adds := func(what, n string) {
		t.Helper()
		holds(what)
		p.must("trust", "--yes") // what is new is consented to
		p.edits(what)
		said += n + "\n"
		holds(what + ", and it ran")
	}
	p.must("plugin", "add", o.source())
	p.must("trust", "--yes")
	p.edits("installed")
	said = "one\n"
	o.put(hook("two"))
	p.must("plugin", "update", "acme")
	adds("updated", "two")
	p.must("plugin", "rollback", "acme")
	adds("gone back", "one")
	p.must("plugin", "rollback", "acme")
	adds("gone forward", "two")
	p.must("plugin", "disable", "acme")
	holds("switched off")
	p.must("plugin", "enable", "acme")
	p.must("plugin", "remove", "acme")
	holds("removed")
	p.must("plugin", "add", o.source())
	adds("installed again", "two")
	p.must("plugin", "remove", "acme", "--purge")
	if _, err := os.Stat(filepath.Dir(kept)); !os.IsNotExist(err) {
		t.Errorf("removed with what it kept: got %v, want it gone", err)
	}
}

// INS-11: elsewhere a person had replaced what was deployed, the upgrade failed on that,
// and the receipt already said that it was done. Here the line of the state is written
// last: where a file of the person's stands where the new version has to lie, the update
// fails, everything says and is the old one, the next one tries again, and the file stays.
func TestField_INS11_the_receipt_comes_last(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"mortise.toml": ""})
	p.must("trust", "--yes")
	o := publish(t, map[string]string{"skills/count/SKILL.md": skillOf("count", "Says 1.")})
	p.must("plugin", "add", o.source())
	was := p.plugin("acme")
	is := func(what string, want installed, says string) {
		t.Helper()
		if got := p.plugin("acme"); got != want {
			t.Errorf("%s: got %+v, want %+v", what, got, want)
		}
		p.ends(0, []string{"list", "skill"}, says)
		p.ends(0, []string{"plugin", "show", "acme"}, want.Commit, want.Root)
	}
	o.put(map[string]string{"skills/count/SKILL.md": skillOf("count", "Says 2.")})
	commit := o.head()
	place := filepath.Join(filepath.Dir(was.Root), commit)
	write(t, place, "mine")
	for range 2 {
		p.ends(1, []string{"plugin", "update", "acme"}, "acme  failed: ", place)
		is("a file stands there", was, "Says 1.")
		p.ends(0, []string{"plugin", "update", "acme", "--check"}, "1 plugin can be updated")
	}
	if text, err := os.ReadFile(place); err != nil || string(text) != "mine" {
		t.Errorf("the file: got %q, %v, want it left", text, err)
	}
	if err := os.Rename(place, filepath.Join(t.TempDir(), "mine")); err != nil {
		t.Fatal(err)
	}
	p.must("plugin", "update", "acme")
	now := was
	now.Commit, now.Root = commit, place
	is("moved away", now, "Says 2.")

	// And where what is in use was replaced, that is told, and nothing of it is used.
	if err := os.Rename(place, filepath.Join(t.TempDir(), "aside")); err != nil {
		t.Fatal(err)
	}
	write(t, place, "mine")
	now.Status = "refused"
	if got := p.plugin("acme"); got != now {
		t.Errorf("replaced: got %+v, want %+v", got, now)
	}
	p.ends(0, []string{"plugin", "show", "acme"}, place, "is no directory")
	p.run("plugin", "update", "acme")
	if text, err := os.ReadFile(place); err != nil || string(text) != "mine" {
		t.Errorf("the file in the place of what is in use: got %q, %v, want it left", text, err)
	}
	if err := os.Remove(place); err != nil {
		t.Fatal(err)
	}
	p.must("plugin", "update", "acme")
	now.Status = "admitted"
	is("moved away, and fetched again", now, "Says 2.")
}

// head is the newest commit.
func (o *origin) head() string {
	o.t.Helper()
	text, err := os.ReadFile(filepath.Join(o.dir, ".git", "refs", "heads", "main"))
	if err != nil {
		o.t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// INS-13: elsewhere a catalogue whose entries and manifests both said what a plugin holds
// failed to load whole. Reading it is held in the package market; here each of its plugins
// is installed, or is not, by itself: two that share a directory are two plugins, each by
// its name, and the entry that contradicts its manifest is refused alone.
func TestField_INS13_installed_by_entry(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"mortise.toml": "[markets.team]\npath = \"./market\"\n",
		"market/.claude-plugin/marketplace.json": `{"name": "team", "owner": {"name": "t"}, "plugins": [
			{"name": "shared", "source": "./shared", "commands": ["./commands"]},
			{"name": "against", "source": "./shared", "strict": false, "agents": ["./agents"]},
			{"name": "twin", "source": "./shared"}]}`,
		"market/shared/.claude-plugin/plugin.json": `{"name": "shared", "commands": ["./commands"]}`,
		"market/shared/commands/build.md":          "---\ndescription: Builds.\n---\nBuild.\n",
		"market/shared/agents/reviewer.md":         "---\nname: reviewer\ndescription: Reviews.\n---\nReview.\n",
	})
	p.must("trust", "--yes")
	p.ends(0, []string{"market", "show", "against"}, "market-strict", "declares commands")
	for range 2 { // before the others are installed, and after
		p.ends(1, []string{"plugin", "add", "against@team"}, "against@team cannot be installed", "market show")
		for _, name := range []string{"shared", "twin"} {
			if p.plugin(name).Name == "" {
				p.must("plugin", "add", name+"@team")
			}
		}
	}
	want := map[string]string{"command build": "active", "agent reviewer": "active"}
	for _, name := range []string{"shared", "twin"} {
		if got := p.plugin(name); got.Status != "admitted" || got.Root != filepath.Join(p.dir, "market", "shared") || !maps.Equal(p.entries(name), want) {
			t.Errorf("%s: got %+v with %v, want it where it lies, with %v", name, got, p.entries(name), want)
		}
	}
	if got := p.plugin("against"); got.Name != "" {
		t.Errorf("against: got %+v, want it not installed", got)
	}
}
