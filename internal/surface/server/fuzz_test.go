package server_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/server"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

// FuzzServerFile decodes any server file in every dialect.
func FuzzServerFile(f *testing.F) {
	f.Add([]byte(`{"$schema": "` + server.Schema + `", "mcpServers": {"s": {"type": "stdio", "command": "./x", "args": ["${PLUGIN_ROOT}"], "env": {"A": "b"}, "cwd": "${PLUGIN_DATA}/x"}}}`))
	f.Add([]byte(`{"mcpServers": {"s": {"type": "sse", "url": "http://[::1]:80/#x", "headers": {"A": "1", "a": "2"}}, "t": {"command": "npx", "args": ["-y", "x@1.2"]}}}`))
	f.Add([]byte(`{"mcpServers": []}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, dialect := range []string{"", surface.DialectLoose, surface.DialectClaude} {
			surfacetest.Fuzz(t, server.Surface.Spec, "mcp.json", dialect, data)
		}
	})
}
