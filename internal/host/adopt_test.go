package host_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/memstore"
)

// An adoption is to what its person was shown: text may be edited, and nothing
// else may change behind their back, whichever way it changes. What was adopted
// goes on as it was; what is new or changed waits.
func TestAdoptionLapsesWithItsEffects(t *testing.T) {
	link := func(target, name string) func(string) error {
		return func(dir string) error {
			at := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.RemoveAll(at)); err != nil {
				return err
			}
			return os.Symlink(target, at)
		}
	}
	outside := t.TempDir()
	write(t, outside, map[string]string{
		"secret.md":                  "A secret of the machine's.\n",
		"skills/evil/SKILL.md":       skillText("evil"),
		".claude-plugin/plugin.json": `{"name":"acme"}`,
	})
	file := func(name, text string) func(string) error {
		return func(dir string) error {
			write(t, dir, map[string]string{name: text})
			return nil
		}
	}
	const only = "[plugins.acme]\npath = \"./acme\"\n"
	const conf = only + "[plugins.zeta]\npath = \"./other\"\n"
	code := []string{"acme:js"} // waits when code changes that it names
	text := []string{"owner:review", "acme:deploy"}
	for _, c := range []struct {
		name   string
		change func(dir string) error
		holds  bool
		waits  []string // not in use afterwards, though adopted or declared
		goesOn []string // in use as before; nil: text
	}{
		{name: "nothing", change: func(string) error { return nil }, holds: true},
		{name: "the text of a skill", change: file(".mortise/skills/review/SKILL.md", skillText("review")+"More.\n"), holds: true},
		{name: "another skill", change: file(".mortise/skills/other/SKILL.md", skillText("other")), holds: true},
		{name: "a comment in the configuration", change: file("mortise.toml", conf+"# nothing\n"), holds: true},
		{name: "how results are shown", change: file("mortise.toml", conf+"[output]\ncolor = \"never\"\n"), holds: true},
		{name: "a default spelled out", change: file("mortise.toml", conf+"enabled = true\n[owner]\npath = \"./.mortise\"\n"), holds: true},
		// A grant is for the whole of a plugin's tree; its text goes on.
		{name: "text of a plugin", change: file("acme/skills/deploy/SKILL.md", skillText("deploy")+"More.\n"), holds: true, waits: code},

		{name: "the order of plugins", change: file("mortise.toml", "[plugins.zeta]\npath = \"./other\"\n"+only)},
		{name: "code named with two slashes", change: file("acme/twice.js", "process.exit(1)\n"), waits: code},
		{name: "code named within a text", change: file("acme/within.js", "process.exit(1)\n"), waits: code},
		{name: "code named in a list of paths", change: file("acme/listed.js", "process.exit(1)\n"), waits: code},
		{name: "code named by its bare name", change: file("acme/bare.js", "process.exit(1)\n"), waits: code},
		{name: "code that a link in a named directory leads to", change: file("acme/real/r.js", "process.exit(1)\n"), waits: code},
		{name: "code deep below a directory that is named", change: file("acme/lib/"+strings.Repeat("d/", 20)+"x.js", "process.exit(1)\n"), waits: code},
		{name: "code below a directory that is named", change: file("acme/lib/deep/x.js", "process.exit(1)\n"), waits: code},

		{name: "a server", change: file(".mortise/mcp.json", `{"mcpServers":{"own":{"command":"./run.sh"},"x":{"command":"true"}}}`), waits: []string{"owner:x"}, goesOn: append([]string{"owner:own"}, text...)},
		{name: "what a server is", change: file(".mortise/mcp.json", `{"mcpServers":{"own":{"command":"./run.sh","args":["more"]}}}`), waits: []string{"owner:own"}},
		{name: "the code of a server", change: file(".mortise/run.sh", "#!/bin/sh\nrm -r everything\n"), waits: []string{"owner:own"}},
		{name: "the code of a plugin's server", change: file("acme/serve.js", "process.exit(1)\n"), waits: code},
		{name: "a tool", change: file(".mortise/tools/t.json", `{"description":"T.","inputSchema":{"type":"object"},"ref":{"driver":"process"}}`), waits: []string{"owner:t"}},
		{name: "a guard", change: file(".mortise/hooks/before_tool_call/g.json", `{"ref":{"driver":"process"}}`), waits: []string{"owner:g"}},
		{name: "another plugin", change: file("mortise.toml", conf+"[plugins.more]\npath = \"./acme\"\n"), waits: []string{"more:deploy", "more:js"}},
		{name: "where a plugin lies", change: file("mortise.toml", "[plugins.acme]\npath = \"./other\"\n[plugins.zeta]\npath = \"./other\"\n")},
		{name: "what a plugin is set to", change: file("mortise.toml", "[plugins.acme]\npath = \"./acme\"\nsettings = { a = 1 }\n[plugins.zeta]\npath = \"./other\"\n")},
		{name: "a plugin switched off", change: file("mortise.toml", "[plugins.acme]\npath = \"./acme\"\nenabled = false\n[plugins.zeta]\npath = \"./other\"\n")},
		{name: "a plugin left out", change: file("mortise.toml", "")},
		{name: "no configuration at all", change: func(dir string) error { return os.Remove(filepath.Join(dir, "mortise.toml")) }},
		{name: "how strictly is admitted", change: file("mortise.toml", conf+"[trust]\nwhole = true\n")},
		{name: "a fragment that is a link outside", change: link(filepath.Join(outside, "secret.md"), ".mortise/prompts/p.md"), waits: []string{"owner:p"}},
		{name: "a skill that is a link outside", change: link(filepath.Join(outside, "skills/evil"), ".mortise/skills/evil"), waits: []string{"owner:evil"}},
		{name: "the owner's directory led outside", change: link(outside, ".mortise"), waits: []string{"owner:evil", "owner:review", "owner:own"}, goesOn: []string{"acme:deploy"}},
		{name: "a plugin's directory led outside", change: link(outside, "acme"), waits: []string{"acme:evil", "acme:deploy", "acme:js"}, goesOn: []string{"owner:review"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, map[string]string{
				"mortise.toml":                     conf,
				".mortise/skills/review/SKILL.md":  skillText("review"),
				".mortise/mcp.json":                `{"mcpServers":{"own":{"command":"./run.sh"}}}`,
				".mortise/run.sh":                  "#!/bin/sh\n",
				"acme/.claude-plugin/plugin.json":  `{"name":"acme"}`,
				"acme/skills/deploy/SKILL.md":      skillText("deploy"),
				"acme/.mcp.json":                   `{"mcpServers":{"js":{"command":"node","args":["${CLAUDE_PLUGIN_ROOT}/serve.js","${CLAUDE_PLUGIN_ROOT}//twice.js","--use=${CLAUDE_PLUGIN_ROOT}/within.js","${CLAUDE_PLUGIN_ROOT}/lib","${CLAUDE_PLUGIN_ROOT}/within.js:${CLAUDE_PLUGIN_ROOT}/listed.js","node bare.js","./"]}}}`,
				"acme/serve.js":                    "\n",
				"acme/twice.js":                    "\n",
				"acme/within.js":                   "\n",
				"acme/listed.js":                   "\n",
				"acme/bare.js":                     "\n",
				"acme/real/r.js":                   "\n",
				"acme/lib/deep/x.js":               "\n",
				"other/.claude-plugin/plugin.json": `{"name":"acme"}`,
			})
			if err := link("../real", "acme/lib/r")(dir); err != nil {
				t.Skip("no links here: ", err)
			}
			h := open(t, dir, memstore.New(), nil)
			adopt(t, h)
			before := refresh(t, h)
			if !before.Adopted || before.Lapsed != nil || status(before.Listing(), "owner:own") != "active" || status(before.Listing(), "acme:js") != "active" {
				t.Fatalf("after adopting, owner:own is %s and acme:js %s, want what adoption showed", status(before.Listing(), "owner:own"), status(before.Listing(), "acme:js"))
			}
			if err := c.change(dir); err != nil {
				t.Skip("not possible here: ", err)
			}
			g := refresh(t, h)
			if !g.Adopted || (g.Lapsed == nil) != c.holds {
				t.Errorf("the adoption holds: %v, want %v; the difference is %+v", g.Lapsed == nil, c.holds, g.Lapsed)
			}
			if told := slices.Contains(codes(g.Listing()), "adoption-lapsed"); told == c.holds {
				t.Errorf("a finding says that it lapsed: %v, want %v", told, !c.holds)
			}
			for _, name := range c.waits {
				if got := status(g.Listing(), name); got == "active" {
					t.Errorf("%s is %s, want it to wait", name, got)
				}
			}
			if c.goesOn == nil {
				c.goesOn = text
			}
			for _, name := range c.goesOn {
				if got := status(g.Listing(), name); got != "active" {
					t.Errorf("%s is %s, want it to go on as it was adopted", name, got)
				}
			}
			if g.Lapsed != nil && g.Config.Digest() != before.Config.Digest() {
				t.Error("the configuration in use is another than the one that was adopted")
			}
			if text := g.Session(false).Instructions("b"); strings.Contains(text, "secret") {
				t.Errorf("text from outside reaches an agent: %s", text)
			}
			if len(g.Lapsed) > 0 {
				adopt(t, h)
				if again := refresh(t, h); !again.Adopted || again.Lapsed != nil {
					t.Errorf("adopting it again: the difference is still %+v", again.Lapsed)
				}
			}
		})
	}
}

// The first text that a person writes into a workspace they adopted empty, and
// the last that they remove, are text like any other.
func TestAdoptionOfAnEmptyWorkspace(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"mortise.toml": "", ".mortise/prompts/.gitkeep": ""})
	h := open(t, dir, memstore.New(), nil)
	adopt(t, h)
	write(t, dir, map[string]string{".mortise/prompts/first.md": "Be kind.\n"})
	if g := refresh(t, h); !g.Adopted || !slices.Contains(texts(g), "Be kind.") {
		t.Error("the first text un-adopted the workspace")
	}
	if err := os.Remove(filepath.Join(dir, ".mortise/prompts/first.md")); err != nil {
		t.Fatal(err)
	}
	if !refresh(t, h).Adopted {
		t.Error("removing the last text un-adopted the workspace")
	}
}

// The owner's directory may hold nothing when it is adopted, and lead elsewhere
// later: where it leads is part of what was adopted.
func TestAdoptionOfWhereTheOwnersDirectoryLeads(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"mortise.toml": "", "one/.gitkeep": "", "two/prompts/p.md": "Obey.\n"})
	link := filepath.Join(dir, ".mortise")
	if err := os.Symlink("one", link); err != nil {
		t.Skip("no links here: ", err)
	}
	h := open(t, dir, memstore.New(), nil)
	adopt(t, h)
	if err := errors.Join(os.Remove(link), os.Symlink("two", link)); err != nil {
		t.Fatal(err)
	}
	if g := refresh(t, h); g.Lapsed == nil || slices.Contains(texts(g), "Obey.") {
		t.Error("the owner's directory leads to another, and its text reaches an agent")
	}
}

// texts are the fragments that an agent gets.
func texts(g *host.Generation) []string {
	var out []string
	for _, f := range g.Session(false).Prompt {
		out = append(out, f.Value.Text)
	}
	return out
}

// Adopting is refused when the workspace is not what was shown.
func TestAdoptTakesWhatWasShown(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"mortise.toml": "", ".mortise/skills/review/SKILL.md": skillText("review")})
	h := open(t, dir, memstore.New(), nil)
	shown := propose(t, h)
	write(t, dir, map[string]string{".mortise/mcp.json": `{"mcpServers":{"x":{"command":"true"}}}`})
	if err := h.Adopt(context.Background(), "tester", shown); ext.KindOf(err) != ext.Refused {
		t.Errorf("adopting what was not shown: %v, want a refusal", err)
	}
	if refresh(t, h).Adopted {
		t.Error("the workspace is adopted all the same")
	}
}

// Another directory at the place of an adopted one is another workspace.
func TestAdoptionDoesNotPassToWhatTakesThePlace(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "work")
	files := map[string]string{"mortise.toml": "", ".mortise/skills/review/SKILL.md": skillText("review")}
	write(t, dir, files)
	store := memstore.New()
	adopt(t, open(t, dir, store, nil))
	if err := os.Rename(dir, filepath.Join(base, "away")); err != nil {
		t.Fatal(err)
	}
	write(t, dir, files)
	if ws, err := config.FindWorkspace(dir, ""); err != nil || ws.Mark == "" {
		t.Skip("directories are known by their place alone here")
	}
	if refresh(t, open(t, dir, store, nil)).Adopted {
		t.Error("another directory at an adopted place is adopted, want its person asked again")
	}
}

// Worktrees of one repository may differ in what runs; each is adopted for
// itself and none un-adopts another.
func TestWorktreesAreAdoptedSideBySide(t *testing.T) {
	base := t.TempDir()
	one, two := filepath.Join(base, "one"), filepath.Join(base, "two")
	write(t, one, map[string]string{"mortise.toml": "", ".mortise/skills/review/SKILL.md": skillText("review")})
	git(t, one, "init", "-q")
	git(t, one, "add", "-A")
	git(t, one, "commit", "-qm", "one")
	git(t, one, "worktree", "add", "-q", two)
	write(t, two, map[string]string{".mortise/mcp.json": `{"mcpServers":{"x":{"command":"true"}}}`})
	store := memstore.New()
	a, b := open(t, one, store, nil), open(t, two, store, nil)
	adopt(t, a)
	g := refresh(t, b)
	if got := status(g.Listing(), "owner:x"); got != "pending" {
		t.Fatalf("a worktree's own server is %s with another's consent, want pending", got)
	}
	if got := status(g.Listing(), "owner:review"); got != "active" {
		t.Errorf("owner:review is %s, want active: its repository was adopted", got)
	}
	adopt(t, b)
	for _, h := range []*host.Host{a, b} {
		if g := refresh(t, h); !g.Adopted || g.Lapsed != nil {
			t.Errorf("after both were adopted one is not: %+v", g.Lapsed)
		}
	}
	// Each goes back to its own, also when both were adopted alike.
	write(t, one, map[string]string{".mortise/mcp.json": `{"mcpServers":{"x":{"command":"true"}}}`})
	adopt(t, a)
	write(t, one, map[string]string{".mortise/mcp.json": `{"mcpServers":{"x":{"command":"true"},"y":{"command":"true"}}}`})
	for h, want := range map[*host.Host]string{a: "pending", b: "absent"} {
		g := refresh(t, h)
		if x, y := status(g.Listing(), "owner:x"), status(g.Listing(), "owner:y"); x != "active" || y != want {
			t.Errorf("owner:x is %s and owner:y %s, want active and %s", x, y, want)
		}
	}
}

// Going back to what was adopted earlier takes nothing away that was adopted
// since: whoever can do that could take a guard away.
func TestGoingBackToAnEarlierAdoptionIsAChange(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"mortise.toml": "", ".mortise/skills/review/SKILL.md": skillText("review"), "guard/skills/watch/SKILL.md": skillText("watch")})
	h := open(t, dir, memstore.New(), nil)
	adopt(t, h)
	write(t, dir, map[string]string{"mortise.toml": "[plugins.guard]\npath = \"./guard\"\n"})
	adopt(t, h)
	write(t, dir, map[string]string{"mortise.toml": ""})
	g := refresh(t, h)
	if got := status(g.Listing(), "guard:watch"); g.Lapsed == nil || got != "active" {
		t.Errorf("guard:watch is %s with the difference %+v, want it to go on", got, g.Lapsed)
	}
	adopt(t, h)
	if g := refresh(t, h); g.Lapsed != nil || status(g.Listing(), "guard:watch") != "absent" {
		t.Errorf("adopted once more: %s, want it gone with its person's consent", status(g.Listing(), "guard:watch"))
	}
}

// What was read under another configuration is not taken for what is there now.
func TestWhatIsKeptIsMarkedWhereverItIsKept(t *testing.T) {
	dir := t.TempDir()
	first := "[plugins.acme]\npath = \"./acme\"\n"
	write(t, dir, map[string]string{
		"mortise.toml": first, "acme/.claude-plugin/plugin.json": `{"name":"acme"}`, "acme/run.sh": "#!/bin/sh\n",
		"acme/.mcp.json": `{"mcpServers":{"s":{"command":"${CLAUDE_PLUGIN_ROOT}/run.sh"}}}`,
	})
	h := open(t, dir, memstore.New(), nil)
	adopt(t, h)
	if got := status(refresh(t, h).Listing(), "acme:s"); got != "active" {
		t.Fatalf("acme:s is %s, want active", got)
	}
	reread := func(roots ...string) *host.Generation {
		g, err := h.Reread(context.Background(), roots)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	write(t, dir, map[string]string{"mortise.toml": first + "[trust]\nwhole = true\n"})
	reread()
	write(t, dir, map[string]string{"acme/run.sh": "#!/bin/sh\nrm -r everything\n"})
	reread(filepath.Join(dir, "acme"))
	write(t, dir, map[string]string{"mortise.toml": first})
	if got := status(reread().Listing(), "acme:s"); got != "pending" {
		t.Errorf("acme:s is %s after its code changed under another configuration, want pending", got)
	}
}

// A pass that fails loses no change: the next one reads it.
func TestAFailedPassLosesNoChange(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"mortise.toml": "[plugins.acme]\npath = \"./acme\"\n", "acme/.claude-plugin/plugin.json": `{"name":"acme"}`, "acme/skills/a/SKILL.md": skillText("a")})
	store := &failing{Store: memstore.New()}
	h := open(t, dir, store, nil)
	adopt(t, h)
	refresh(t, h)
	write(t, dir, map[string]string{"acme/skills/b/SKILL.md": skillText("b")})
	store.fail = true
	if _, err := h.Reread(context.Background(), []string{filepath.Join(dir, "acme")}); err == nil {
		t.Fatal("the pass did not fail")
	}
	store.fail = false
	g, err := h.Reread(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := status(g.Listing(), "acme:b"); got != "active" {
		t.Errorf("acme:b is %s, want active: the failed pass was told of it", got)
	}
}

// What the person's own configuration forbids is not known while it is broken,
// so nothing of the workspace is in use then.
func TestBrokenOwnConfigurationFailsClosed(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	write(t, dir, map[string]string{"mortise.toml": "", ".mortise/skills/review/SKILL.md": skillText("review")})
	user := filepath.Join(home, "config.toml")
	ws, err := config.FindWorkspace(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	h := openPlace(t, host.Place{Workspace: ws, Paths: config.Paths{User: user}}, memstore.New(), nil)
	adopt(t, h)
	write(t, home, map[string]string{"config.toml": "[trust]\nwhole = \"yes\"\n"})
	g := refresh(t, h)
	if g.Adopted || status(g.Listing(), "owner:review") != "pending" {
		t.Errorf("owner:review is %s, want pending: what its person forbids is not known", status(g.Listing(), "owner:review"))
	}
	if !slices.Contains(codes(g.Listing()), "own-configuration-broken") {
		t.Errorf("nothing says why: %v", codes(g.Listing()))
	}
}

// A plugin that the person's own configuration names is theirs in every
// workspace, adopted or not; what it runs still waits for a grant.
func TestOwnPluginsNeedNoAdoption(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	write(t, dir, map[string]string{"mortise.toml": "", ".mortise/skills/review/SKILL.md": skillText("review")})
	write(t, home, map[string]string{
		"config.toml":                     "[plugins.mine]\npath = \"./mine\"\n",
		"mine/.claude-plugin/plugin.json": `{"name":"mine"}`,
		"mine/skills/tidy/SKILL.md":       skillText("tidy"),
		"mine/.mcp.json":                  `{"mcpServers":{"s":{"command":"true"}}}`,
	})
	ws, err := config.FindWorkspace(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	place := host.Place{Workspace: ws, Paths: config.Paths{User: filepath.Join(home, "config.toml")}}
	l := refresh(t, openPlace(t, place, memstore.New(), nil)).Listing()
	for name, want := range map[string]string{"mine:tidy": "active", "mine:s": "pending", "owner:review": "pending"} {
		if got := status(l, name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	write(t, home, map[string]string{"mine/skills/bad/SKILL.md": "no front matter\n"})
	for _, conf := range []string{
		"plugins.mine.path = \"./other\"", "plugins.mine.format = \"agent-plugins\"", "plugins.mine.enabled = false",
		"plugins.mine.bogus = 1", "plugins.mine.path = 3", "limits.file_bytes = 1", "limits.files = 1", "trust.whole = true",
	} {
		write(t, dir, map[string]string{"mortise.toml": conf + "\n"})
		l := refresh(t, openPlace(t, place, memstore.New(), nil)).Listing()
		for _, name := range []string{"mine:tidy", "mortise:mortise"} {
			if got := status(l, name); got != "active" {
				t.Errorf("%s is %s when the workspace says %s, want active", name, got, conf)
			}
		}
	}
	// What a workspace sets it to is for its adoption; the plugin goes on without.
	write(t, dir, map[string]string{"mortise.toml": "[plugins.mine.settings]\nhost = \"elsewhere\"\n"})
	h := openPlace(t, place, memstore.New(), nil)
	if got := status(refresh(t, h).Listing(), "mine:tidy"); got != "active" {
		t.Errorf("mine:tidy is %s when the workspace sets it up, want active", got)
	}
	if !slices.ContainsFunc(propose(t, h).Effects, func(e host.Effect) bool { return e.Name == "plugins.mine.settings.host" }) {
		t.Error("what the workspace sets the plugin to is no effect of adopting it")
	}
}

// State that cannot be read stops nobody from looking, and gives nothing away.
func TestLaw08_Looking_goes_on_without_a_state(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"mortise.toml": "", ".mortise/skills/review/SKILL.md": skillText("review")})
	store := &failing{Store: memstore.New()}
	h := open(t, dir, store, nil)
	adopt(t, h)
	store.fail = true
	ws, err := config.FindWorkspace(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	look := host.New(optionsOf(host.Place{Workspace: ws}, store, nil, true))
	g := refresh(t, look)
	if g.Adopted || status(g.Listing(), "owner:review") != "pending" || !slices.Contains(codes(g.Listing()), "state-unreadable") {
		t.Errorf("without a state owner:review is %s and the findings %v, want it pending and told", status(g.Listing(), "owner:review"), codes(g.Listing()))
	}
}

// The totals of an extension of many trees add up whatever became of each.
func TestOwnersStatus(t *testing.T) {
	good, broken := skillText("good"), "---\nname: broken\n---\n"
	tool := `{"description":"T."}`
	for _, c := range []struct {
		name       string
		files      map[string]string
		status     string
		entries    int
		incomplete int
	}{
		{"one good", map[string]string{".mortise/skills/good/SKILL.md": good}, "admitted", 1, 0},
		{"good and broken", map[string]string{".mortise/skills/good/SKILL.md": good, ".mortise/skills/broken/SKILL.md": broken}, "admitted", 2, 1},
		{"broken alone", map[string]string{".mortise/skills/broken/SKILL.md": broken}, "admitted", 1, 1},
		{"broken code alone", map[string]string{".mortise/tools/t.json": tool}, "refused", 1, 1},
		{"broken code and a stray directory", map[string]string{".mortise/tools/t.json": tool, ".mortise/skills/empty/x": ""}, "refused", 1, 1},
		{"broken code and a good skill", map[string]string{".mortise/tools/t.json": tool, ".mortise/skills/good/SKILL.md": good}, "admitted", 2, 1},
		{"whole, one of three servers broken", map[string]string{"mortise.toml": "[trust]\nwhole = true\n",
			".mortise/mcp.json": `{"mcpServers":{"a":{"command":"true"},"b":{"command":"true"},"c":{}}}`}, "refused", 3, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, c.files)
			h := open(t, dir, memstore.New(), nil)
			adopt(t, h)
			l := refresh(t, h).Listing()
			row := l.Extensions[1]
			refused := 0
			for _, e := range l.Entries {
				if e.Extension == "owner" && e.Status == "refused" {
					refused++
				}
			}
			if row.Status != c.status || row.Entries != c.entries || row.Incomplete != c.incomplete || refused != c.incomplete {
				t.Errorf("owner is %s with %d of %d refused and lists %d; want %s, %d of %d", row.Status, row.Incomplete, row.Entries, refused, c.status, c.incomplete, c.entries)
			}
			if l.Found != l.Admitted+l.Refused+l.Disabled+l.Pending {
				t.Errorf("totals do not add up: %+v", l)
			}
		})
	}
}

// Enable takes back exactly what disable did, however it was spelled.
func TestEnableTakesBack(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		off, on string
		left    int
		kind    ext.ErrorKind
		err     bool
	}{
		{"owner:skill/review", "owner:review", 0, 0, false},
		{"owner:review", "owner:review", 0, 0, false},
		{"owner:skill/review", "owner:skill/review", 0, 0, false},
		{"owner:review", "owner:reviev", 1, ext.Usage, true},
		{"owner", "owner:review", 1, ext.Refused, true},
		{"owner:review", "owner", 1, 0, false},
	} {
		t.Run(c.off+" then "+c.on, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, map[string]string{".mortise/skills/review/SKILL.md": skillText("review")})
			store := memstore.New()
			h := open(t, dir, store, nil)
			if _, err := h.Disable(ctx, host.Change{Subject: c.off, Reason: "r"}); err != nil {
				t.Fatal(err)
			}
			before, _ := state.RevisionOf(ctx, store)
			removed, err := h.Enable(ctx, host.Change{Subject: c.on})
			if (err != nil) != c.err || err != nil && ext.KindOf(err) != c.kind {
				t.Errorf("Enable(%s): %v", c.on, err)
			}
			snap, _ := store.Load(ctx)
			if len(snap.Switches) != c.left {
				t.Errorf("%d switches are left, want %d", len(snap.Switches), c.left)
			}
			if len(removed) == 0 && snap.Revision != before {
				t.Error("taking nothing back changed the state")
			}
		})
	}
}
