package server_test

import (
	"slices"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/server"
)

// root is what lies in the directory of the extension that declares a server:
// names of files, those of a package that answers for itself included.
type root []string

// standing is the one server of a document in a dialect.
func standing(t *testing.T, dialect, entry string, files root) server.Server {
	t.Helper()
	d, findings := doc.JSON(ext.Origin{}, []byte(`{"mcpServers":{"s":`+entry+`}}`))
	if findings.Failed() {
		t.Fatal(findings)
	}
	document := surface.Document{Dialect: dialect, Doc: d, Code: map[string]ext.Digest{}, Beside: map[string]surface.Presence{}}
	for _, name := range server.Beside {
		document.Beside[name] = surface.Missing
	}
	for _, f := range files {
		if slices.Contains(server.Beside, f) {
			document.Beside[f] = surface.File
		} else {
			document.Code[f] = ext.Sum([]byte(f))
		}
	}
	entries := server.Surface.Decode([]surface.Document{document})
	if len(entries) != 1 || entries[0].Findings.Failed() {
		t.Fatalf("%s: got %v, want one server", entry, entries)
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
		{"arguments taken apart otherwise", loose, `{"command":"npx","args":["a","b"]}`, loose, `{"command":"npx","args":["ab"]}`, false, false},
		{"another environment", loose, `{"command":"uvx","args":["x"],"env":{"A":"1"}}`, loose, `{"command":"uvx","args":["x"],"env":{"A":"2"}}`, false, false},
		{"variables in another order", loose, `{"command":"uvx","args":["x"],"env":{"A":"1","B":"2"}}`, loose, `{"env":{"B":"2","A":"1"},"args":["x"],"command":"uvx"}`, true, false},
		{"a package in two dialects", claude, `{"command":"uvx","args":["x"]}`, loose, `{"type":"stdio","command":"uvx","args":["x"]}`, true, false},
		{"the root", loose, `{"command":"x","args":["${PLUGIN_ROOT}/a"]}`, loose, `{"command":"x","args":["${PLUGIN_ROOT}/a"]}`, false, true},
		{"the root as a client calls it", claude, `{"command":"x","args":["${CLAUDE_PLUGIN_ROOT}"]}`, claude, `{"command":"x","args":["${CLAUDE_PLUGIN_ROOT}"]}`, false, true},
		{"the data", loose, `{"command":"x","env":{"D":"${PLUGIN_DATA}"}}`, loose, `{"command":"x","env":{"D":"${PLUGIN_DATA}"}}`, false, true},
		{"a file without ./", loose, `{"command":"node","args":["server.js"]}`, loose, `{"command":"node","args":["server.js"]}`, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, okA := standing(t, c.dialect, c.one, root{"server.js"}).Stands()
			b, okB := standing(t, c.other, c.another, root{"server.js"}).Stands()
			if okA == c.dependent || okB == c.dependent {
				t.Fatalf("Stands: got %v and %v, want %v", okA, okB, !c.dependent)
			}
			if !c.dependent && (a == b) != c.same {
				t.Errorf("one server: got %v, want %v", a == b, c.same)
			}
		})
	}
}

// TestStandsAlone wants no process to stand for another one's that could be
// another program there: each starts in the directory of its own extension and is
// told that directory (two plugins once had one server of two, since both started
// theirs by "sh -c 'exec python3 $PLUGIN_ROOT/server'").
func TestStandsAlone(t *testing.T) {
	for _, entry := range []string{
		`{"command":"sh","args":["-c","exec python3 $PLUGIN_ROOT/server"]}`, `{"command":"sh","args":["-c","exec x"]}`,
		`{"command":"make","args":["-s","serve"]}`, `{"command":"npm","args":["start"]}`, `{"command":"npm","args":["exec","x"]}`,
		`{"command":"uv","args":["run","server"]}`, `{"command":"uv","args":["run","--directory",".","server"]}`, `{"command":"x"}`,
		`{"command":"python3","args":["-m","server"]}`, `{"command":"/usr/bin/npx","args":["x"]}`, `{"command":"cmd","args":["/c","npx","x"]}`,
		// A launcher that is told where to look, or given a shell line.
		`{"command":"npx"}`, `{"command":"npx","args":["-y"]}`, `{"command":"npx","args":["--prefix","sub","x"]}`, `{"command":"npx","args":["-c","x"]}`,
		`{"command":"npx","args":["-p","x","-c","serve"]}`, `{"command":"uvx","args":["--directory","sub","x"]}`, `{"command":"uvx","args":["--with-editable","sub","x"]}`,
		`{"command":"pnpm","args":["start"]}`, `{"command":"pnpm","args":["-C","sub","dlx","x"]}`, `{"command":"pipx","args":["run"]}`, `{"command":"pipx","args":["install","x"]}`,
		`{"command":"docker","args":["compose","run","x"]}`, `{"command":"docker","args":["run","-i"]}`,
		`{"command":"deno","args":["run","-A","server"]}`, `{"command":"deno","args":["run","-c","sub","npm:x"]}`,
		// A package that starts what lies there.
		`{"command":"npx","args":["-y","proxy","--","npm","start"]}`, `{"command":"npx","args":["-y","proxy","make","serve"]}`, `{"command":"npx","args":["-y","proxy","--stdio","make serve"]}`,
		`{"command":"npx","args":["tsx","src/index"]}`, `{"command":"npx","args":["-y","tsx@4.1.0","src/index"]}`, `{"command":"npx","args":["-p","x","node","server"]}`,
		// Paths, and variables.
		`{"command":"npx","args":["."]}`, `{"command":"npx","args":["x","."]}`, `{"command":"npx","args":["x",".."]}`, `{"command":"npx","args":["./x"]}`, `{"command":"npx","args":["x","/srv"]}`,
		`{"command":"npx","args":["x","~/notes"]}`, `{"command":"npx","args":["x","--dir=./notes"]}`, `{"command":"npx","args":["x","--dir=/notes"]}`, `{"command":"npx","args":["x","-I./lib"]}`,
		`{"command":"npx","args":["x","notes/../other"]}`, `{"command":"npx","args":["x","C:\\notes"]}`, `{"command":"npx","args":["x","server.js"]}`,
		`{"command":"npx","args":["x@file:./x"]}`, `{"command":"npx","args":["x@./x"]}`, `{"command":"uvx","args":["--from","git+file:///x","x"]}`, `{"command":"uvx","args":["--from=./x","x"]}`,
		`{"command":"docker","args":["run","-i","-v","data:/data","x"]}`, `{"command":"docker","args":["run","--mount","type=bind,src=./x,dst=/x","x"]}`,
		`{"command":"docker","args":["run","-e","PLUGIN_ROOT","x"]}`, `{"command":"docker","args":["run","-v","$PWD:/x","x"]}`,
		`{"command":"npx","args":["x","$CLAUDE_PLUGIN_ROOT/x"]}`, `{"command":"npx","args":["x","${TOKEN}"]}`, `{"command":"npx","args":["x","%PLUGIN_DATA%"]}`,
		`{"command":"npx","args":["x"],"env":{"TOKEN":"${TOKEN}"}}`, `{"command":"npx","args":["x"],"env":{"D":"./data"}}`, `{"command":"npx","args":["x"],"env":{"D":"server.js"}}`,
		`{"command":"npx","args":["x"],"env":{"NODE_OPTIONS":"--require ./x.js"}}`, `{"command":"npx","args":["x"],"env":{"Path":"bin"}}`,
		`{"command":"npx","args":["x"],"cwd":"./sub"}`, `{"command":"npx","args":["x"],"cwd":"${PLUGIN_ROOT}"}`, `{"command":"uvx","args":["x"],"cwd":"."}`,
	} {
		if _, ok := standing(t, surface.DialectClaude, entry, root{"server.js"}).Stands(); ok {
			t.Errorf("%s stands for others, want it to be its extension's own", entry)
		}
	}
	refs := surface.Document{Refs: map[string]surface.Presence{"./bin/x": surface.File}}
	refs.Doc, _ = doc.JSON(ext.Origin{}, []byte(`{"$schema":"`+server.Schema+`","mcpServers":{"s":{"type":"stdio","command":"./bin/x"}}}`))
	if _, ok := server.Surface.Decode([]surface.Document{refs})[0].Value.(server.Server).Stands(); ok {
		t.Error("a command below the root stands for others, want it not to")
	}
}

// TestStandsForAll wants a published package that a launcher starts to be one
// server, whoever declares it.
func TestStandsForAll(t *testing.T) {
	for _, entry := range []string{
		`{"command":"npx","args":["-y","@scope/x@1.0.0","--read-only","--toolsets=a,b"]}`, `{"command":"npx","args":["--package=x","x-server"]}`, `{"command":"npx","args":["-p","x","x-server"]}`,
		`{"command":"npx","args":["-y","mcp-remote","https://mcp.example/sse?a=1,2"]}`, `{"command":"npx","args":["-y","mcp-remote","--url=https://mcp.example/sse"]}`,
		`{"command":"bunx","args":["x@latest"]}`, `{"command":"pnpm","args":["dlx","x"]}`,
		`{"command":"uvx","args":["--from","git+https://git.example/x@v1","x"]}`, `{"command":"uvx","args":["x==1.0"],"env":{"LEVEL":"info","FASTMCP_LOG":"1"}}`, `{"command":"uv","args":["tool","run","x"]}`,
		`{"command":"pipx","args":["run","--spec","x==1","x"]}`,
		`{"command":"docker","args":["run","-i","--rm","-e","TOKEN","ghcr.io/a/x:1"]}`, `{"command":"deno","args":["run","-A","--allow-net=mcp.example","npm:x"]}`, `{"command":"deno","args":["run","https://deno.example/x.ts"]}`,
	} {
		a, okA := standing(t, surface.DialectClaude, entry, root{"server.js"}).Stands()
		b, okB := standing(t, surface.DialectLoose, entry, nil).Stands()
		if !okA || !okB || a != b {
			t.Errorf("%s: got %v and %v, equal %v, want one server", entry, okA, okB, a == b)
		}
	}
}

// TestStandsBesideAPackage wants nothing to stand for others that its own
// directory may answer for: npx takes what is installed there, or what lies there
// itself, before it asks anybody.
func TestStandsBesideAPackage(t *testing.T) {
	for _, entry := range []string{`{"command":"npx","args":["-y","x"]}`, `{"command":"bunx","args":["x"]}`, `{"command":"pnpm","args":["dlx","x"]}`, `{"command":"deno","args":["run","npm:x"]}`} {
		for _, name := range server.Beside {
			if _, ok := standing(t, surface.DialectLoose, entry, root{name}).Stands(); ok {
				t.Errorf("%s beside %s stands for others, want it to be its extension's own", entry, name)
			}
		}
	}
	if _, ok := standing(t, surface.DialectLoose, `{"command":"uvx","args":["x"]}`, root{"package.json"}).Stands(); !ok {
		t.Error("uvx beside a package.json is its extension's own, want it to stand for others: uvx looks at nothing there")
	}
	d, _ := doc.JSON(ext.Origin{}, []byte(`{"mcpServers":{"s":{"command":"npx","args":["x"]}}}`))
	unknown := surface.Document{Dialect: surface.DialectLoose, Doc: d}
	if _, ok := server.Surface.Decode([]surface.Document{unknown})[0].Value.(server.Server).Stands(); ok {
		t.Error("npx where nobody looked what lies there stands for others, want it not to")
	}
}
