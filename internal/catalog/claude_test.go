package catalog_test

import (
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

// TestClaude rebuilds what Claude Code plugins look like in the field, then
// says what is decided about each when it is in use and everything is granted.
func TestClaude(t *testing.T) {
	golden.Run(t, "testdata/claude/*.txtar", []string{"decided"}, func(t *testing.T, in []txtar.File) []string {
		return []string{spinetest.Decisions(spinetest.Decide(t, golden.Dir(t, in), spinetest.Used(), spinetest.Options{}))}
	})
}
