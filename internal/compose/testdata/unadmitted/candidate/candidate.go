// Package candidate composes what was found and not decided about.
package candidate

import (
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/surface"
)

func merge(specs []*surface.Spec, found []discover.Candidate) *compose.Composition {
	return compose.Merge(specs, found) // want: cannot use found (variable of type []discover.Candidate) as []admit.Extension value in argument to compose.Merge
}
