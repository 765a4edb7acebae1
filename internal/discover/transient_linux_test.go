package discover_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/fulltest"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/server"
)

// TestTransient has the code that a server's file names not be read because too
// many files are open. What is passed over in silence where it is met, as a file
// that is perhaps not there, must still be told: else the code would count as
// gone.
func TestTransient(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"mcp.json": `{"mcpServers":{"s":{"command":"./run.sh"}}}`, "run.sh": "true\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := root.Open(dir, root.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := r.ReadFile("mcp.json")
	if err != nil {
		t.Fatal(err)
	}
	document := source.Parse(ext.Origin{Path: "mcp.json"}, text).Doc
	tree := ext.Tree{Extension: "acme", FS: r, Places: []ext.Place{{Surface: "server", Path: "mcp.json", File: "mcp.json", Doc: &document}}}
	room := fulltest.Files(t)
	c, err := discover.Scan(t.Context(), tree, discover.Options{Specs: []*surface.Spec{server.Surface.Spec}, Enabled: true})
	room()
	if err != nil {
		t.Fatal(err)
	}
	if told := c.Tree().Findings; !slices.ContainsFunc(told, func(f ext.Finding) bool { return f.Check == source.Busy }) {
		t.Errorf("got %v, want %s: the digest of run.sh is of nothing", told, source.Busy.Code)
	}
}
