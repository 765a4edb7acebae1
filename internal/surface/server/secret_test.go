package server_test

import (
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/server"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

// TestNoSecretInText wants what an address holds before its host, what a header
// says and what an environment sets to be in no text that is shown.
func TestNoSecretInText(t *testing.T) {
	const secret = "hunter2"
	for _, entry := range []string{
		`{"type": "sse", "url": "https://me:hunter2@example.com/x"}`,
		`{"type": "sse", "url": "ftp://me:hunter2@example.com/x"}`,
		`{"type": "sse", "url": "https://me:hunter2@exa mple.com/x"}`,
		`{"type": "sse", "url": "//hunter2@example.com"}`,
		`{"type": "sse", "url": "hunter2@example.com"}`,
		`{"type": "sse", "url": "https://${USER}:hunter2@example.com"}`,
		`{"type": "sse", "url": "https://example.com", "headers": {"X Key": "hunter2", "X-Key": "hunter2\n"}}`,
		`{"type": "stdio", "command": "s", "env": {"KEY=": "hunter2", "PLUGIN_ROOT": "hunter2", "K": "hunter2\u0000"}}`,
	} {
		for _, dialect := range []string{"", surface.DialectClaude} {
			d := surfacetest.Read("mcp.json", []byte(`{"$schema": "`+server.Schema+`", "mcpServers": {"s": `+entry+`}}`))
			d.Dialect = dialect
			for _, e := range server.Surface.Decode([]surface.Document{d}) {
				if len(d.Findings) > 0 {
					t.Fatal(d.Findings)
				}
				if strings.Contains(e.Description, secret) {
					t.Errorf("%s: described as %q, want no secret in it", entry, e.Description)
				}
				for _, f := range e.Findings {
					if strings.Contains(f.String()+f.Fix(), secret) {
						t.Errorf("%s: found %q, want no secret in it", entry, f)
					}
				}
			}
		}
	}
}
