package admit_test

import (
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

// TestDecide runs the stage on testdata: the rules, the trees, then what was
// decided.
func TestDecide(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", []string{"decided"}, func(t *testing.T, in []txtar.File) []string {
		rules := spinetest.Take(&in, "rules")
		o := spinetest.Options{Idle: rules == "alone\n"}
		cs := spinetest.Scan(t, spinetest.Trees(t, golden.Dir(t, in), o), o)
		ds := admit.Decide(cs, spinetest.Rules(t, rules, cs))
		spinetest.Hold(t, ds)
		return []string{spinetest.Decisions(ds)}
	})
}
