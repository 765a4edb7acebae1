package plan_test

import (
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

// TestResolve wants a plan to hold the servers of the composition, and its
// digest to depend on the composition and the mode and on nothing else.
func TestResolve(t *testing.T) {
	c, _ := spinetest.Compose(t, golden.Dir(t, golden.Files("acme/mcp.json", `{"mcpServers": {"b": {"command": "b"}, "a": {"command": "a"}}}`)), nil, spinetest.Used(), spinetest.Options{})
	none := compose.Merge(spinetest.Specs, nil)
	mode := ext.Mode{"data": "real", "net": "off"}
	want := plan.Resolve(c, "/w", mode)
	if len(want.Servers) != 2 || want.Servers[0].Name != "b" || want.Worktree != "/w" || want.Mode["net"] != "off" {
		t.Errorf("Resolve: got %+v, want both servers in the order of the file", want)
	}
	for _, x := range []struct {
		name string
		p    *plan.Plan
		same bool
	}{
		{"again", plan.Resolve(c, "/w", ext.Mode{"net": "off", "data": "real"}), true},
		{"elsewhere", plan.Resolve(c, "/elsewhere", mode), true},
		{"in the default mode", plan.Resolve(c, "/w", nil), false},
		{"in another mode", plan.Resolve(c, "/w", ext.Mode{"data": "real", "net": "on"}), false},
		{"with axis and level the other way round", plan.Resolve(c, "/w", ext.Mode{"real": "data", "off": "net"}), false},
		{"of another composition", plan.Resolve(none, "/w", mode), false},
	} {
		if got := x.p.Digest == want.Digest; got != x.same {
			t.Errorf("the plan %s: equal digests is %v, want %v", x.name, got, x.same)
		}
	}
	mode["net"] = "changed"
	if want.Mode["net"] != "off" {
		t.Error("changing the mode that was given changed the plan, want it to keep its own")
	}
	if a, b := plan.Resolve(c, "/w", nil).Digest, plan.Resolve(c, "/w", ext.Mode{}).Digest; a != b {
		t.Error("nil and the empty mode: got two digests, want one: both are the default mode")
	}
}
