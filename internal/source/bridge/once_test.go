package bridge_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

// counting counts how often each file is opened.
type counting struct {
	fstest.MapFS
	opens map[string]int
}

func (c counting) Open(name string) (fs.File, error) {
	c.opens[name]++
	return c.MapFS.Open(name)
}

// The further methods of MapFS go around Open.
func (c counting) ReadFile(name string) ([]byte, error) {
	c.opens[name]++
	return c.MapFS.ReadFile(name)
}

// ReadDir is counted as one opening of the directory.
func (c counting) ReadDir(name string) ([]fs.DirEntry, error) {
	c.opens[name]++
	return c.MapFS.ReadDir(name)
}

// TestReadOnce lays a directory out that is of six formats, compares them and
// reads every document: no file is opened twice, and no directory listed twice
// but for what one skill's files are looked for.
func TestReadOnce(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s), Mode: 0o644} }
	c := counting{fstest.MapFS{
		"plugin.json":                 file(`{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "acme"}`),
		"mcp.json":                    file(`{"$schema": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json", "mcpServers": {"s": {"type": "stdio", "command": "s"}}}`),
		".claude-plugin/plugin.json":  file(`{"name": "acme"}`),
		".mcp.json":                   file(`{"s": {"command": "other"}}`),
		".codex-plugin/plugin.json":   file(`{"name": "acme", "hooks": "./hooks/hooks.json"}`),
		".cursor-plugin/plugin.json":  file(`{"name": "acme"}`),
		".github/plugin/plugin.json":  file(`{"name": "acme"}`),
		"gemini-extension.json":       file(`{"name": "acme", "version": "1"}`),
		"GEMINI.md":                   file("Be brief."),
		"hooks/hooks.json":            file(`{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}`),
		"skills/a/SKILL.md":           file(skill),
		"skills/flat.md":              file(skill),
		"commands/c.md":               file("Do it."),
		"agents/b.md":                 file(skill),
		".lsp.json":                   file(`{}`),
		"monitors/monitors.json":      file(`[]`),
		"com.github.copilot/lsp.json": file(`{"lspServers": {}}`),
	}, map[string]int{}}
	tree := ext.Tree{Extension: "acme", FS: c, Origin: ext.Origin{Extension: "acme", Source: "path:acme", Trust: ext.Plugin}}
	if !source.Lay(bridge.Formats, bridge.Loose, &tree, "", source.Env{Specs: spinetest.Specs, Limits: ext.DefaultLimits}) {
		t.Fatal("Lay: got no extension, want one")
	}
	if len(tree.Also) != 5 {
		t.Errorf("Lay: got %v beside %s, want five further formats", tree.Also, tree.Format)
	}
	told := 0
	for _, f := range tree.Findings {
		if f.Check == source.Disagree {
			told++
		}
	}
	if told != 5 {
		t.Errorf("Lay: got %d findings of formats that disagree, want one for each of five", told)
	}
	if _, ok := tree.FS.(counting); !ok {
		t.Errorf("Lay: got a file system of type %T, want the tree's own", tree.FS)
	}
	if _, err := discover.Scan(t.Context(), tree, discover.Options{Specs: spinetest.Specs, Limits: ext.DefaultLimits, Enabled: true}); err != nil {
		t.Fatal(err)
	}
	for name, n := range c.opens {
		if n > 1 && !strings.HasPrefix(name, "skills/a") {
			t.Errorf("%s: got opened %d times, want once", name, n)
		}
	}
	if n := c.opens["skills/a/SKILL.md"]; n != 1 {
		t.Errorf("skills/a/SKILL.md: got opened %d times, want once", n)
	}
}
