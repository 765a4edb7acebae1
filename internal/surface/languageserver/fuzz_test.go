package languageserver_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/languageserver"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

// FuzzLanguageServerFile decodes any file of language servers.
func FuzzLanguageServerFile(f *testing.F) {
	f.Add([]byte(`{"lspServers": {"go": {"command": "gopls", "args": ["serve"], "extensionToLanguage": {".go": "go"}, "maxRestarts": 3}}}`))
	f.Add([]byte(`{"lspServers": {"": null, "x": []}, "y": 1}`))
	f.Add([]byte(`{"lspServers": []}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		surfacetest.Fuzz(t, languageserver.Surface.Spec, "lsp.json", "", data)
	})
}
