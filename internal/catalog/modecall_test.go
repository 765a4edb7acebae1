package catalog_test

import (
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/mcptest"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/session"
)

// A policy knows the mode of the worktree, and a mode that another process sets holds for
// the very next call.
func TestPoliciesKnowTheMode(t *testing.T) {
	w := newWorkspace(t, map[string]string{
		"mortise.toml":               "[[axis]]\nname = \"data\"\nlevels = [\"fake\", \"real\"]\nblurb = { fake = \"made up\", real = \"true\" }\n",
		".mortise/mcp.json":          owner(map[string]mcptest.Mode{"good": mcptest.Normal}),
		".mortise/policies/pol.yaml": "outcome: deny\nmessage: Not with real data.\ntools: [\"owner:good/*\"]\nwhen: mode.data == \"real\"\n",
	})
	h := w.serve(t, adopt)
	ready(t, h, "owner:good")
	a := h.Agent(session.OfferOptions{})
	decide := func() error {
		v, err := a.View(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Decide(t.Context(), host.Use{Offer: v.Offers.Tool("owner_good__echo"), Arguments: []byte(`{"text": "x"}`), Session: "s"})
		return err
	}
	allowed := func(when string) {
		t.Helper()
		if err := decide(); err != nil {
			t.Fatalf("%s: got %v, want the call allowed", when, err)
		}
	}
	allowed("at the default")
	other := w.open(t, host.Changing)
	set := func(level string) {
		t.Helper()
		g, err := other.Refresh(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.SetMode(t.Context(), g, plan.Change{Updates: []plan.Update{{Axis: "data", Level: level}}}, "test"); err != nil {
			t.Fatal(err)
		}
	}
	set("real")
	if err := decide(); ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), "Not with real data.") {
		t.Fatalf("with data=real: got %v, want the policy's denial", err)
	}
	set("fake")
	allowed("back at the default")
}
