package server_test

import (
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/spinetest"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/server"
)

// servers is a server file.
func servers(entries string) string {
	return `{"$schema": "` + server.Schema + `", "mcpServers": {` + entries + `}}`
}

const (
	subject   = `"a": {"type": "stdio", "command": "./bin/a", "args": ["--lib", "${PLUGIN_ROOT}/lib/deep", "x"]}`
	neighbour = `"b": {"type": "stdio", "command": "./bin/b", "args": ["${PLUGIN_ROOT}/lib"]}`
)

// declared is a plugin's directory: its files, with some of them changed, added
// or (by the content "-") removed.
func declared(changes ...string) []txtar.File {
	files := map[string]string{
		"a/plugin.json": `{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "a", "version": "1.0.0", "description": "d"}`,
		"a/mcp.json":    servers(subject + "," + neighbour),
		"a/bin/a":       "a", "a/bin/b": "b", "a/lib/one": "1", "a/lib/deep/two": "2", "a/lib/deep/er/three": "3",
	}
	for i := 0; i < len(changes); i += 2 {
		files[changes[i]] = changes[i+1]
	}
	var out []txtar.File
	for name, text := range files {
		if text != "-" {
			out = append(out, golden.Files(name, text)...)
		}
	}
	return out
}

// digestOf reads the plugin and returns the digest of one of its servers.
func digestOf(t *testing.T, files []txtar.File, name string, o spinetest.Options) ext.Digest {
	t.Helper()
	for _, c := range spinetest.Scan(t, spinetest.Trees(t, golden.Dir(t, files), o), o) {
		for _, f := range c.Found() {
			if f.Spec.Name != "server" || f.Broken {
				continue
			}
			for _, e := range server.Surface.Decode([]surface.Document{f.Document}) {
				if e.Name == name {
					return e.Digest
				}
			}
		}
	}
	t.Fatalf("no server %s, want one", name)
	return ext.Digest{}
}

// TestDigestIsOfTheServerAlone wants what a person consents to, and what is
// started anew when it changes, to be one server with its own code: not its
// neighbours in the file, nor theirs.
func TestDigestIsOfTheServerAlone(t *testing.T) {
	const other = `"b": {"type": "stdio", "command": "./bin/b", "args": ["changed"]}`
	const renamed = `"c": {"type": "stdio", "command": "./bin/a", "args": ["--lib", "${PLUGIN_ROOT}/lib/deep", "x"]}`
	const argument = `"a": {"type": "stdio", "command": "./bin/a", "args": ["--lib", "${PLUGIN_ROOT}/lib/deep", "y"]}`
	const order = `"a": {"command": "./bin/a", "type": "stdio", "args": ["--lib", "${PLUGIN_ROOT}/lib/deep", "x"]}`
	for _, c := range []struct {
		name    string
		changes []string
		same    bool
	}{
		{"nothing", nil, true},
		{"a neighbour removed", []string{"a/mcp.json", servers(subject)}, true},
		{"a neighbour before it", []string{"a/mcp.json", servers(neighbour + "," + subject)}, true},
		{"a neighbour added", []string{"a/mcp.json", servers(subject + "," + neighbour + "," + renamed)}, true},
		{"a neighbour changed", []string{"a/mcp.json", servers(subject + "," + other)}, true},
		{"a neighbour's code changed", []string{"a/bin/b", "changed"}, true},
		{"a neighbour's directory changed", []string{"a/lib/one", "changed"}, true},
		{"a neighbour's code removed", []string{"a/bin/b", "-"}, true},
		{"spelled with other spaces", []string{"a/mcp.json", servers("\n\n" + subject + "  , " + neighbour)}, true},
		{"its argument", []string{"a/mcp.json", servers(argument + "," + neighbour)}, false},
		{"its order of keys", []string{"a/mcp.json", servers(order + "," + neighbour)}, false},
		{"its code", []string{"a/bin/a", "changed"}, false},
		{"its code removed", []string{"a/bin/a", "-"}, false},
		{"its directory", []string{"a/lib/deep/two", "changed"}, false},
		{"further down in its directory", []string{"a/lib/deep/er/three", "changed"}, false},
		{"a file more in its directory", []string{"a/lib/deep/er/four", "4"}, false},
	} {
		want := digestOf(t, declared(), "a", spinetest.Options{})
		if got := digestOf(t, declared(c.changes...), "a", spinetest.Options{}) == want; got != c.same {
			t.Errorf("%s: the digest is the same: %v, want %v", c.name, got, c.same)
		}
	}
}

// TestDigestTellsServersApart wants a name and a dialect to count.
func TestDigestTellsServersApart(t *testing.T) {
	const plain = `"a": {"type": "stdio", "command": "x"}, "b": {"type": "stdio", "command": "x"}`
	files := declared("a/mcp.json", servers(plain))
	a, b := digestOf(t, files, "a", spinetest.Options{}), digestOf(t, files, "b", spinetest.Options{})
	if a == b {
		t.Error("two servers that differ by name alone: got one digest, want two")
	}
	claude := golden.Files("a/.claude-plugin/plugin.json", `{"name": "a"}`, "a/.mcp.json", servers(plain))
	if digestOf(t, claude, "a", spinetest.Options{}) == a {
		t.Error("the same declaration in another dialect: got the same digest, want another")
	}
}

// TestDigestOfAnIdleServer wants code to count only where it may run.
func TestDigestOfAnIdleServer(t *testing.T) {
	idle := spinetest.Options{Idle: true}
	if digestOf(t, declared(), "a", idle) != digestOf(t, declared("a/bin/a", "changed"), "a", idle) {
		t.Error("a server that is only looked at, its code changed: got another digest, want the same")
	}
}
