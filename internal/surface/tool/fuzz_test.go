package tool_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
	"github.com/mortise-dev/mortise/internal/surface/tool"
)

// FuzzToolFile decodes any tool's file.
func FuzzToolFile(f *testing.F) {
	f.Add([]byte(`{"description": "d", "inputSchema": {"type": "object"}, "ref": {"driver": "process", "target": "./x", "name": "n"}}`))
	f.Add([]byte(`{"description": 1, "inputSchema": [], "ref": {"driver": 1}, "x": null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		surfacetest.Fuzz(t, tool.Surface.Spec, "tools/t.json", "", data)
	})
}
