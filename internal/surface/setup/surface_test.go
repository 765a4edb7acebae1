package setup_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/setup"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, setup.Surface.Spec) }

// FuzzSetupFile decodes any step's file.
func FuzzSetupFile(f *testing.F) {
	f.Add([]byte(`{"command": "npm", "args": ["ci", "--prefix", "${PLUGIN_DATA}"], "env": {"A": "b"}, "timeout": 60}`))
	f.Add([]byte(`{"command": ["npm"], "args": "ci", "env": [], "timeout": "soon"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		surfacetest.Fuzz(t, setup.Surface.Spec, "setup/s.json", "", data)
	})
}
