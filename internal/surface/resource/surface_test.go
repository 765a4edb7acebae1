package resource_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/resource"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

func TestSurface(t *testing.T) { surfacetest.Run(t, resource.Surface.Spec) }

// FuzzResourceFile decodes any resource's file.
func FuzzResourceFile(f *testing.F) {
	f.Add([]byte(`{"uri": "acme://x", "title": "t", "description": "d", "mimeType": "text/plain", "ref": {"driver": "process", "target": "./x", "name": "n"}}`))
	f.Add([]byte(`{"uri": ":", "ref": [], "x": null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		surfacetest.Fuzz(t, resource.Surface.Spec, "resources/r.json", "", data)
	})
}
