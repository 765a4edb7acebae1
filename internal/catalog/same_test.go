package catalog_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/mcptest"
	"github.com/mortise-dev/mortise/internal/session"
)

// toolsOf are the names of the tools that an agent is offered, but for those of
// Mortise itself.
func toolsOf(t *testing.T, a *host.Agent) string {
	t.Helper()
	v, err := a.View(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range v.Offers.Tools {
		if name := v.Offers.Tools[i].Name; strings.HasSuffix(name, "__pid") {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// launcher puts this test's own program on the search path under the name of a
// launcher of packages, whatever package it is told.
func launcher(t *testing.T, name string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if err := os.Symlink(self, filepath.Join(bin, name)); err != nil {
		t.Skipf("no links here: %v", err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// TestOneServerRunsForAllThatDeclareIt wants one process and one set of tools for
// a server that three plugins declare, and the next of them to stand for the
// others once the first is disabled.
func TestOneServerRunsForAllThatDeclareIt(t *testing.T) {
	launcher(t, "uvx")
	const same = `{"mcpServers": {"s": {"command": "uvx", "args": ["mcptest"], "env": {"` + mcptest.ModesVar + `": "normal"}}}}`
	w := newWorkspace(t, map[string]string{
		"mortise.toml": "[plugins]\none = { path = \"./one\" }\ntwo = { path = \"./two\" }\nthree = { path = \"./three\" }\n",
		"one/mcp.json": same, "two/mcp.json": same, "three/mcp.json": same,
	})
	h := w.serve(t, adopt)
	ready(t, h, "one:s")
	approve(t, h)
	if all := h.Servers(); len(all) != 1 || all[0].Name != "one:s" {
		t.Fatalf("running: got %+v, want one:s alone", all)
	}
	a := h.Agent(session.OfferOptions{})
	if got := toolsOf(t, a); got != "one_s__pid" {
		t.Errorf("tools: got %q, want one set of them", got)
	}
	first, err := use(t, a, "one_s__pid", nil)
	if err != nil {
		t.Fatal(err)
	}

	if _, err := w.open(t, host.Changing).Disable(t.Context(), host.Change{Subject: "one", Reason: "not here"}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Current(t.Context()); err != nil {
		t.Fatal(err)
	}
	ready(t, h, "two:s")
	approve(t, h)
	await(t, h, "the first is ended", func() bool { return len(h.Servers()) == 1 })
	b := h.Agent(session.OfferOptions{})
	if got := toolsOf(t, b); got != "two_s__pid" {
		t.Errorf("tools after the first was disabled: got %q, want those of the next", got)
	}
	if second, err := use(t, b, "two_s__pid", nil); err != nil || second == first {
		t.Errorf("the next: got %q, %v, want another process than %s", second, err, first)
	}
	// What the first said of itself is remembered, and stands for nothing.
	for _, e := range h.Now().Listing().Entries {
		if e.Surface == "server" && e.Extension == "two" && (len(e.Also) != 1 || e.Also[0] != "three:s") {
			t.Errorf("two:s stands for %v, want three:s alone", e.Also)
		}
	}
}

// TestOneDeclarationOfTwoServers wants two plugins that declare their servers in
// the same words, and mean each its own program, to have two of them.
func TestOneDeclarationOfTwoServers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the declaration is a shell line")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const same = `{"mcpServers": {"s": {"command": "sh", "args": ["-c", "exec sh \"$PLUGIN_ROOT/server\""]}}}`
	program := mcptest.ModesVar + "=normal exec '" + self + "'\n"
	w := newWorkspace(t, map[string]string{
		"mortise.toml": "[plugins]\none = { path = \"./one\" }\ntwo = { path = \"./two\" }\n",
		"one/mcp.json": same, "two/mcp.json": same, "one/server": program, "two/server": program,
	})
	h := w.serve(t, adopt)
	ready(t, h, "one:s", "two:s")
	approve(t, h)
	if got := toolsOf(t, h.Agent(session.OfferOptions{})); got != "one_s__pid two_s__pid" {
		t.Errorf("tools: got %q, want those of both", got)
	}
	for _, e := range h.Now().Listing().Entries {
		if e.Surface == "resource" {
			continue // an address has one owner
		}
		if len(e.Also) > 0 || e.Status == "shadowed" {
			t.Errorf("%s %s: got %s, standing for %v, want both to stand for themselves", e.Surface, e.Qualified, e.Status, e.Also)
		}
	}
}

// TestListAndSessionAddUpTheSame wants a listing and a session to say the same of
// what an agent carries and what using everything adds: of tools, prompts and
// resources of servers, rules, skills and prompts, adopted or not.
func TestListAndSessionAddUpTheSame(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"mortise.toml":                 "[plugins]\none = { path = \"./one\" }\ntwo = { path = \"./two\" }\n",
		"one/skills/a/SKILL.md":        "---\nname: a\ndescription: Some skill.\n---\nBody.\n",
		"one/rules/r.md":               "---\nglobs: ['*.go', '*.mod']\n---\nShort names.\n",
		"one/prompts/p.md":             "Measure twice.\n",
		"one/mcp.json":                 owner(map[string]mcptest.Mode{"s": mcptest.Normal}),
		"two/mcp.json":                 owner(map[string]mcptest.Mode{"s": mcptest.Normal}),
		".mortise/skills/b/SKILL.md":   "---\nname: b\ndescription: Another.\n---\nBody.\n",
		".mortise/prompts/q.md":        "Cut once.\n",
		".mortise/commands/go/fast.md": "Go there.\n",
	})
	agree := func(when string, g *host.Generation) {
		t.Helper()
		v, l := g.Session(true).View(), g.Listing()
		carried := v.Total.Text.Add(v.Total.Catalogue).Add(v.Total.Tools)
		if l.Cost.Catalogue != carried || l.Cost.Body != v.Total.Bodies || carried.Tokens == 0 {
			t.Errorf("%s: list says %+v, session %+v carried and %+v in bodies, want the same", when, l.Cost, carried, v.Total.Bodies)
		}
	}
	before, err := w.open(t, host.Looking).Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	agree("not adopted", before)
	h := w.serve(t, adopt)
	ready(t, h, "one:s", "two:s")
	approve(t, h)
	if v := h.Now().Session(false).View(); len(v.Resources) == 0 || len(v.Rules) == 0 {
		t.Fatalf("got %d resources and %d rules, want some", len(v.Resources), len(v.Rules))
	}
	agree("adopted and running", h.Now())
}
