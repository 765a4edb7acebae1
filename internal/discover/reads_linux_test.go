package discover_test

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mortise-dev/mortise/internal/spinetest"
)

// reads tells which files below a directory were read since it was last asked,
// by their paths there, each once.
type reads struct{ *spinetest.Touched }

func watch(t *testing.T, dir string) *reads {
	t.Helper()
	return &reads{spinetest.Watch(t, dir, unix.IN_ACCESS)}
}

func (r *reads) since(t *testing.T) []string {
	t.Helper()
	out := []string{}
	for _, touch := range r.Since(t) {
		out = append(out, touch.Path)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
