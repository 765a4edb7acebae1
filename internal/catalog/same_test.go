package catalog_test

import (
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

// TestOneServerRunsForAllThatDeclareIt wants one process and one set of tools for
// a server that three plugins declare, and the next of them to stand for the
// others once the first is disabled.
func TestOneServerRunsForAllThatDeclareIt(t *testing.T) {
	same := owner(map[string]mcptest.Mode{"s": mcptest.Normal})
	w := newWorkspace(t, map[string]string{
		"mortise.toml": "[plugins]\none = { path = \"./one\" }\ntwo = { path = \"./two\" }\nthree = { path = \"./three\" }\n",
		"one/mcp.json": same, "two/mcp.json": same, "three/mcp.json": same,
	})
	h := w.serve(t, adopt)
	ready(t, h, "one:s")
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
