package affordance_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/affordance"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, affordance.Surface.Spec) }

// FuzzAffordance decodes any document.
func FuzzAffordance(f *testing.F) {
	f.Add([]byte("---\ntitle: T\nwhen: W\n---\nText.\n"))
	f.Add([]byte("---\ntitle: [T]\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		surfacetest.Fuzz(t, affordance.Surface.Spec, "affordances/a/AFFORDANCE.md", "", data)
	})
}
