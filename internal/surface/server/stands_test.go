package server_test

import (
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/server"
)

// standing is the one server of a document in a dialect, below whose root the
// code that it names lies.
func standing(t *testing.T, dialect, entry string, code ...string) server.Server {
	t.Helper()
	d, findings := doc.JSON(ext.Origin{}, []byte(`{"mcpServers":{"s":`+entry+`}}`))
	if findings.Failed() {
		t.Fatal(findings)
	}
	document := surface.Document{Dialect: dialect, Doc: d, Code: map[string]ext.Digest{}}
	for _, c := range code {
		document.Code[c] = ext.Sum([]byte(c))
	}
	entries := server.Surface.Decode([]surface.Document{document})
	if len(entries) != 1 {
		t.Fatalf("%s: got %d servers, want one", entry, len(entries))
	}
	return entries[0].Value.(server.Server)
}

// TestStands wants two declarations to be one server when they say the same and
// nothing in them is their extension's own.
func TestStands(t *testing.T) {
	const loose, claude = surface.DialectLoose, surface.DialectClaude
	for _, c := range []struct {
		name            string
		dialect, one    string
		other, another  string
		same, dependent bool
	}{
		{"one address", claude, `{"type":"streamable-http","url":"https://x.example/mcp"}`, claude, `{"url":"https://x.example/mcp","type":"streamable-http"}`, true, false},
		{"one address in two dialects", claude, `{"url":"https://x.example/mcp"}`, loose, `{"type":"streamable-http","url":"https://x.example/mcp"}`, true, false},
		{"two addresses", claude, `{"url":"https://x.example/mcp"}`, claude, `{"url":"https://x.example/mcp/"}`, false, false},
		{"two transports", claude, `{"url":"https://x.example/mcp"}`, claude, `{"type":"sse","url":"https://x.example/mcp"}`, false, false},
		{"headers in another order", claude, `{"url":"https://x.example","headers":{"A":"1","B":"2"}}`, claude, `{"url":"https://x.example","headers":{"B":"2","A":"1"}}`, true, false},
		{"other headers", claude, `{"url":"https://x.example","headers":{"A":"1"}}`, claude, `{"url":"https://x.example","headers":{"A":"2"}}`, false, false},
		{"a header of the environment", claude, `{"url":"https://x.example","headers":{"A":"${TOKEN:-none}"}}`, claude, `{"url":"https://x.example","headers":{"A":"${TOKEN:-none}"}}`, true, false},
		{"a placeholder that one dialect replaces", claude, `{"url":"https://x.example","headers":{"A":"${TOKEN}"}}`, loose, `{"url":"https://x.example","headers":{"A":"${TOKEN}"}}`, false, false},
		{"a setting of the extension", claude, `{"url":"https://x.example","headers":{"A":"${user_config.key}"}}`, claude, `{"url":"https://x.example","headers":{"A":"${user_config.key}"}}`, false, true},
		{"a package", loose, `{"command":"npx","args":["-y","x@1.0.0"]}`, loose, `{"command":"npx","args":["-y","x@1.0.0"]}`, true, false},
		{"arguments in another order", loose, `{"command":"npx","args":["a","b"]}`, loose, `{"command":"npx","args":["b","a"]}`, false, false},
		{"arguments taken apart otherwise", loose, `{"command":"npx","args":["a","b"],"env":{}}`, loose, `{"command":"npx","args":["ab"],"env":{}}`, false, false},
		{"another environment", loose, `{"command":"x","env":{"A":"1"}}`, loose, `{"command":"x","env":{"A":"2"}}`, false, false},
		{"the root", loose, `{"command":"x","args":["${PLUGIN_ROOT}/a"]}`, loose, `{"command":"x","args":["${PLUGIN_ROOT}/a"]}`, false, true},
		{"the root as a client calls it", claude, `{"command":"x","args":["${CLAUDE_PLUGIN_ROOT}"]}`, claude, `{"command":"x","args":["${CLAUDE_PLUGIN_ROOT}"]}`, false, true},
		{"the data", loose, `{"command":"x","env":{"D":"${PLUGIN_DATA}"}}`, loose, `{"command":"x","env":{"D":"${PLUGIN_DATA}"}}`, false, true},
		{"a file without ./", loose, `{"command":"node","args":["server.js"]}`, loose, `{"command":"node","args":["server.js"]}`, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, okA := standing(t, c.dialect, c.one, "server.js").Stands()
			b, okB := standing(t, c.other, c.another, "server.js").Stands()
			if okA == c.dependent || okB == c.dependent {
				t.Fatalf("Stands: got %v and %v, want %v", okA, okB, !c.dependent)
			}
			if !c.dependent && (a == b) != c.same {
				t.Errorf("one server: got %v, want %v", a == b, c.same)
			}
		})
	}
	refs := surface.Document{Refs: map[string]surface.Presence{"./bin/x": surface.File}}
	refs.Doc, _ = doc.JSON(ext.Origin{}, []byte(`{"$schema":"`+server.Schema+`","mcpServers":{"s":{"type":"stdio","command":"./bin/x"}}}`))
	if _, ok := server.Surface.Decode([]surface.Document{refs})[0].Value.(server.Server).Stands(); ok {
		t.Error("a command below the root stands for others, want it not to")
	}
}
