// Package contribution composes entries without an extension.
package contribution

import (
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/surface"
)

func merge(specs []*surface.Spec, entries []admit.Contribution) *compose.Composition {
	return compose.Merge(specs, entries) // want: cannot use entries (variable of type []admit.Contribution) as []admit.Extension value in argument to compose.Merge
}
