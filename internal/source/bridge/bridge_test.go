package bridge_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/spinetest"
	"github.com/mortise-dev/mortise/internal/surface"
)

// TestLay lays trees of every format out, and shows what a format made of each
// and what is then decided where it is in use and everything is granted.
func TestLay(t *testing.T) {
	golden.Run(t, "testdata/lay/*.txtar", []string{"laid", "decided"}, func(t *testing.T, in []txtar.File) []string {
		dir := golden.Dir(t, in)
		return []string{laid(t, dir), decided(t, dir)}
	})
}

// laid shows the places of each tree: what lies where, and, where a format made
// the document, what it holds.
func laid(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	for _, tree := range spinetest.Trees(t, dir, spinetest.Options{}) {
		fmt.Fprintf(&b, "%s: %s\n", tree.Extension, tree.Format)
		holds := held(tree.Format)
		for i := range tree.Places {
			p := &tree.Places[i]
			if holds != nil && !slices.Contains(holds, p.Surface) {
				t.Errorf("%s lays %s, which its Holds lacks: the comparison of formats relies on that", tree.Format, p.Surface)
			}
			fmt.Fprintf(&b, "\t%s %s = %s", p.Surface, p.Path, p.File)
			if p.Dialect != "" {
				fmt.Fprintf(&b, " (%s)", p.Dialect)
			}
			if p.Doc != nil {
				fmt.Fprintf(&b, ":%d %s", p.Doc.Line, plain(p.Doc))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// held are the surfaces of a format; nil for all.
func held(format string) []string {
	for i := range bridge.Formats {
		if bridge.Formats[i].Name == format {
			return bridge.Formats[i].Holds
		}
	}
	return nil
}

// plain is a document as JSON in one line.
func plain(d *ext.Doc) string {
	switch d.Kind {
	case ext.Map:
		parts := make([]string, len(d.Map))
		for i := range d.Map {
			parts[i] = quote(d.Map[i].Key) + ": " + plain(&d.Map[i].Value)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case ext.List:
		parts := make([]string, len(d.List))
		for i := range d.List {
			parts[i] = plain(&d.List[i])
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case ext.String:
		return quote(d.Text)
	case ext.Null:
		return "null"
	}
	return d.Text
}

func quote(s string) string {
	data, _ := json.Marshal(s)
	return string(data)
}

func decided(t *testing.T, dir string) string {
	t.Helper()
	rules := spinetest.Used()
	rules.Asked["client_event"] = true // what a guard costs is the admission's matter
	return spinetest.Decisions(spinetest.Decide(t, dir, rules, spinetest.Options{}))
}

// TestFormatsAreTold holds the list of formats to what the docs are made of.
func TestFormatsAreTold(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range bridge.Formats {
		if f.Name == "" || f.Marker == "" || !strings.HasSuffix(f.Doc, ".") || seen[f.Name] {
			t.Errorf("format %q: marker %q, doc %q: want a name of its own, a marker and a sentence", f.Name, f.Marker, f.Doc)
		}
		seen[f.Name] = true
		if filepath.ToSlash(f.Marker) != f.Marker {
			t.Errorf("format %q: marker %q, want slashes", f.Name, f.Marker)
		}
	}
}

// TestPathsThatLeave wants every way out of a plugin's directory to refuse it,
// whatever the format and the key.
func TestPathsThatLeave(t *testing.T) {
	for _, p := range []string{"..", "../x", "./../x", "a/../../x", "/etc", `..\\x`, `.\\..\\x`, `C:\\x`, "c:/x", ""} {
		for _, c := range []struct{ manifest, key, value string }{
			{".claude-plugin/plugin.json", "agents", `["%s"]`}, {".claude-plugin/plugin.json", "hooks", `"%s"`}, {".claude-plugin/plugin.json", "mcpServers", `["%s"]`},
			{".claude-plugin/plugin.json", "lspServers", `"%s"`}, {".claude-plugin/plugin.json", "commands", `{"a": {"source": "%s"}}`},
			{".codex-plugin/plugin.json", "skills", `"%s"`}, {".codex-plugin/plugin.json", "apps", `"%s"`},
			{".cursor-plugin/plugin.json", "rules", `["%s"]`}, {".plugin/plugin.json", "commands", `["%s"]`},
		} {
			manifest := `{"name": "acme", "` + c.key + `": ` + strings.ReplaceAll(c.value, "%s", p) + `}`
			dir := golden.Dir(t, golden.Files("acme/"+c.manifest, manifest, "x/a/SKILL.md", "x"))
			got := decided(t, dir)
			if !strings.Contains(got, "refused: at fault") || !strings.Contains(got, "leaves the plugin's directory (manifest-field)") {
				t.Errorf("%s with %s: got %s, want it refused", c.manifest, manifest, got)
			}
		}
	}
}

// TestSurfacesThatAreMissing wants a build without a surface to tell once what
// it would have read there.
func TestSurfacesThatAreMissing(t *testing.T) {
	dir := golden.Dir(t, golden.Files(
		"acme/.claude-plugin/plugin.json", `{"name": "acme", "userConfig": {"a": {}, "b": {}}, "dependencies": ["x"], "lspServers": {"go": {"command": "gopls"}}, "channels": [{"server": "s"}], "mcpServers": {"a": {"command": "s"}}}`,
		"acme/skills/a/SKILL.md", "x", "acme/agents/a.md", "x", "acme/themes/a.json", "{}", "acme/themes/b.json", "{}", "acme/output-styles/x.md", "x",
		"acme/workflows/w.md", "x", "acme/bin/a", "x", "acme/bin/b", "x", "acme/monitors/monitors.json", `[{"name": "a", "command": "b"}]`,
		"acme/hooks/hooks.json", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}`,
	))
	trees := spinetest.Trees(t, dir, spinetest.Options{Specs: []*surface.Spec{spinetest.Specs[0]}})
	want := []string{"agent", "server", "output-style", "workflow", "language-server", "theme", "monitor", "setting", "app", "dependency", "executable", "client_event"}
	var got []string
	for _, f := range trees[0].Findings {
		if f.Check == source.NotRead {
			_, kind, _ := strings.Cut(f.Message, "does not know: ")
			got = append(got, kind)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("told: got %q, want %q", got, want)
	}
}

// TestRootManifestOfNothing wants a root plugin.json that is none to keep no
// directory from being read as what another manifest says it is, and to be told.
func TestRootManifestOfNothing(t *testing.T) {
	for i := range bridge.Formats {
		f := &bridge.Formats[i]
		if f.Lay == nil || f.Doubtful || f.Folder() != "" {
			continue
		}
		for _, marker := range f.Markers() {
			if marker == "plugin.json" {
				continue
			}
			for _, junk := range []string{"", "[]", "null", "{"} {
				dir := golden.Dir(t, golden.Files("x/"+marker, `{"name": "x", "version": "1"}`, "x/plugin.json", junk))
				tree := spinetest.Trees(t, dir, spinetest.Options{})[0]
				told := slices.ContainsFunc(tree.Findings, func(f ext.Finding) bool { return f.Check == bridge.ManifestUnusable && f.Origin.Path == "plugin.json" })
				if tree.Format != f.Name || tree.Findings.Failed() || !told {
					t.Errorf("%s beside a plugin.json of %q: read as %s with %v, want it read as %s and told", marker, junk, tree.Format, tree.Findings, f.Name)
				}
			}
		}
	}
}
