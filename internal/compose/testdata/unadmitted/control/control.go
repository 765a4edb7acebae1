// Package control goes the one way there is.
package control

import (
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Merge decides first.
func Merge(specs []*surface.Spec, found []discover.Candidate) *compose.Composition {
	return compose.Merge(specs, compose.Order(admit.Extensions(admit.Decide(found, admit.Rules{})), nil))
}
