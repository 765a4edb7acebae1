// Package plan resolves a composition for one place: what should run for a
// worktree in a mode. A plan can be made for a mode that nobody has set, and
// making one changes nothing.
package plan

import (
	"maps"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/surface/server"
)

// Plan is what should be. It is immutable.
type Plan struct {
	Worktree string // absolute directory of the worktree it is for
	Mode     ext.Mode
	Servers  []compose.Typed[server.Server] // what would be started or reached, in load order
	Digest   ext.Digest                     // of the composition, the mode and nothing else
}

// Resolve makes the plan of a worktree in a mode; nil is the default mode.
func Resolve(c *compose.Composition, worktree string, mode ext.Mode) *Plan {
	h := ext.NewHash("plan").Digest(c.Digest())
	for _, axis := range sorted(mode) {
		h.Text(axis, mode[axis])
	}
	return &Plan{
		Worktree: worktree,
		Mode:     maps.Clone(mode),
		Servers:  compose.Of(c, server.Surface),
		Digest:   h.Sum(),
	}
}

func sorted(mode ext.Mode) []string { return slices.Sorted(maps.Keys(mode)) }
