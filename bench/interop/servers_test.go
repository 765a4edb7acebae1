//go:build linux && amd64

package interop

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/npmtest"
)

// files are what servers find in their home.
var files = map[string]string{
	"letter.txt":        "Dear all.\n",
	"page.drawio":       `<mxfile><diagram id="one" name="First"><mxGraphModel><root><mxCell id="0"/></root></mxGraphModel></diagram></mxfile>`,
	"script.js":         "var a = 1\n",
	"eslint.config.mjs": "export default [{rules: {\"no-var\": \"error\"}}]\n",
	"memory.jsonl":      `{"type":"entity","name":"ledger","entityType":"service","observations":["is slow on Mondays"]}` + "\n",
}

// server is a server of others.
type server struct {
	name      string            // in the workspace
	pkg       string            // the package that has it
	entry     string            // what of that Node runs
	args      []string          // more, for it
	env       map[string]string // besides what all are told
	tool      string            // that is called
	arguments fields
	quirk     string // for the page

	*bench
	node, path string
}

// servers are all of them. None needs a network: those that would use one are sent
// to a server of the test, or are answered that there is none.
func servers(b *bench) []server {
	b.Helper()
	in := func(name string) string { return filepath.Join(b.home, name) }
	all := []server{
		{name: "everything", pkg: "@modelcontextprotocol/server-everything", entry: "dist/index.js", args: []string{"stdio"},
			tool: "echo", arguments: fields{"message": "héllo <&>"},
			quirk: "does not end with its input; lists a tool more to clients with roots"},
		{name: "filesystem", pkg: "@modelcontextprotocol/server-filesystem", entry: "dist/index.js", args: []string{b.home},
			tool: "read_text_file", arguments: fields{"path": in("letter.txt")},
			quirk: "asks for roots after the start"},
		{name: "memory", pkg: "@modelcontextprotocol/server-memory", entry: "dist/index.js", env: map[string]string{"MEMORY_FILE_PATH": in("memory.jsonl")},
			tool: "read_graph", quirk: "a resource that can be subscribed to"},
		{name: "thinking", pkg: "@modelcontextprotocol/server-sequential-thinking", entry: "dist/index.js",
			tool: "sequentialthinking", arguments: fields{"thought": "One.", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1},
			quirk: "counts thoughts in its process"},
		{name: "context7", pkg: "@upstash/context7-mcp", entry: "dist/index.js", env: map[string]string{"CONTEXT7_API_URL": b.web, "HTTP_PROXY": "", "HTTPS_PROXY": ""},
			tool: "resolve-library-id", arguments: fields{"query": "a router", "libraryName": "router"}},
		{name: "mongodb", pkg: "mongodb-mcp-server", entry: "dist/esm/index.js", env: map[string]string{"MDB_MCP_TELEMETRY": "disabled"},
			tool: "list-connections", quirk: "lists without a database"},
		{name: "shadcn", pkg: "shadcn", entry: "dist/index.js", args: []string{"mcp"},
			tool: "get_audit_checklist"},
		{name: "notion", pkg: "@notionhq/notion-mcp-server", entry: "bin/cli.mjs", env: map[string]string{"BASE_URL": b.web},
			tool: "API-get-self", quirk: "lists without a key"},
		{name: "chart", pkg: "@antv/mcp-server-chart", entry: "build/index.js", env: map[string]string{"VIS_REQUEST_SERVER": b.web},
			tool: "generate_pie_chart", arguments: fields{"data": []any{fields{"category": "a", "value": 1}}}},
		{name: "drawio", pkg: "@drawio/mcp", entry: "src/index.js",
			tool: "list_pages", arguments: fields{"path": in("page.drawio")}, quirk: "long definitions"},
		{name: "angular", pkg: "@angular/cli", entry: "bin/ng.js", args: []string{"mcp"}, env: map[string]string{"NG_CLI_ANALYTICS": "false"},
			tool: "get_best_practices", quirk: "schemas with and without $schema"},
		{name: "n8n", pkg: "n8n-mcp", entry: "dist/mcp/stdio-wrapper.js", env: map[string]string{"N8N_MCP_TELEMETRY_DISABLED": "true", "MCP_MODE": "stdio"},
			tool: "get_node", arguments: fields{"nodeType": "nodes-base.webhook"}, quirk: "answers an older revision than it is asked for"},
		{name: "mastra", pkg: "@mastra/mcp-docs-server", entry: "dist/stdio.js",
			tool: "mastraDocs", arguments: fields{"paths": []string{"course/"}}},
		{name: "nx", pkg: "nx-mcp", entry: "main.js", args: []string{b.home},
			tool: "nx_docs", arguments: fields{"userQuery": "caching"}, quirk: "says that it has resources, then that it knows no such method"},
		{name: "next", pkg: "next-devtools-mcp", entry: "dist/index.js", env: map[string]string{"NEXT_TELEMETRY_DISABLED": "1"},
			tool: "nextjs_call", arguments: fields{"port": "1", "toolName": "none"}},
		{name: "eslint", pkg: "@eslint/mcp", entry: "src/mcp-cli.js",
			tool: "lint-files", arguments: fields{"filePaths": []string{in("script.js")}}},
		{name: "hello", pkg: "mcp-hello-world", entry: "build/stdio.js",
			tool: "add", arguments: fields{"a": 1, "b": 2}, quirk: "writes a line that is no message when a tool is called"},
	}
	node := npmtest.Node(b)
	for i := range all {
		all[i].bench, all[i].node, all[i].path = b, node, filepath.Dir(node)+":/usr/bin:/bin"
	}
	return all
}

func (s server) argv() []string {
	return append([]string{s.node, filepath.Join(s.bench.pkg(s.pkg), filepath.FromSlash(s.entry))}, s.args...)
}

// environment is what the server is told: its home, and that there is no network.
func (s server) environment() map[string]string {
	const nobody = "http://127.0.0.1:9"
	env := map[string]string{
		"HOME": s.home, "PATH": s.path, "CI": "1",
		"NODE_USE_ENV_PROXY": "1", "HTTP_PROXY": nobody, "HTTPS_PROXY": nobody, "NO_PROXY": "127.0.0.1,localhost",
	}
	maps.Copy(env, s.env)
	return env
}

// prefix is what Mortise puts before the names of the server.
func (s server) prefix() string { return "owner_" + s.name + "__" }

// kinds are what is listed, and whether it goes by a name that Mortise makes.
var kinds = []struct {
	method, key string
	named       bool
}{
	{"tools/list", "tools", true},
	{"prompts/list", "prompts", true},
	{"resources/list", "resources", false},
	{"resources/templates/list", "resourceTemplates", false},
}

// row is what was seen of a server.
type row struct {
	server
	revision string
	counts   [4]int // of kinds
}

// compare holds what the server offers and answers through Mortise to what it
// does directly.
func (s server) compare(t *testing.T, through served) row {
	d := s.direct(t)
	seen := row{server: s, revision: d.revision}
	clients := map[string]*web{legacy: through.peer(t, legacy), modern: through.peer(t, modern)}
	offered := map[string][]json.RawMessage{}
	for i, k := range kinds {
		want, err := all(t, d, k.method, k.key)
		if err != nil && !strings.Contains(err.Error(), "-32601") {
			t.Fatal(err)
		}
		offered[k.key], seen.counts[i] = want, len(want)
		for revision, w := range clients {
			s.same(t, revision+" "+k.method, k.named, must(t, w, k.method, k.key), want)
		}
	}
	if seen.counts[0] == 0 {
		t.Error("got no tools")
	}
	for _, q := range s.questions(t, offered) {
		// Each is put once to each side for each client, so that both sides have
		// been asked as often.
		for _, revision := range []string{legacy, modern} {
			want := d.ask(t, q.method, q.params)
			got := clients[revision].ask(t, q.method, s.exposed(q.params))
			alike(t, revision+" "+q.method, (revision == modern) == (d.revision == modern), got, want)
		}
	}
	return seen
}

// same wants the definitions of the server to be among those that are listed, and
// no others of its prefix.
func (s server) same(t *testing.T, what string, named bool, listed, want []json.RawMessage) {
	t.Helper()
	got := map[string]bool{}
	for _, raw := range listed {
		def := string(raw)
		if named {
			var d struct{ Name string }
			decode(t, raw, &d)
			own, ok := strings.CutPrefix(d.Name, s.prefix())
			if !ok {
				continue
			}
			def = strings.Replace(def, `"name":`+text(d.Name), `"name":`+text(own), 1)
		}
		got[def] = true
	}
	if named && len(got) != len(want) {
		t.Errorf("%s: got %d of the server, want %d", what, len(got), len(want))
	}
	for _, raw := range want {
		if !got[string(raw)] {
			t.Errorf("%s: is not there as the server says it: %.500s", what, raw)
		}
	}
}

// question is a request whose answer is compared.
type question struct {
	method string
	params fields
}

// exposed are the parameters as a client of Mortise gives them.
func (s server) exposed(params fields) fields {
	params = maps.Clone(params)
	if name, ok := params["name"].(string); ok {
		params["name"] = s.prefix() + name
	}
	return params
}

// questions are the call, the first prompt that takes no arguments, and the first
// resource.
func (s server) questions(t *testing.T, offered map[string][]json.RawMessage) []question {
	t.Helper()
	arguments := s.arguments
	if arguments == nil {
		arguments = fields{}
	}
	all := []question{{"tools/call", fields{"name": s.tool, "arguments": arguments}}}
	for _, raw := range offered["prompts"] {
		var p struct {
			Name      string
			Arguments []any
		}
		if decode(t, raw, &p); len(p.Arguments) == 0 {
			all = append(all, question{"prompts/get", fields{"name": p.Name}})
			break
		}
	}
	for _, raw := range offered["resources"][:min(1, len(offered["resources"]))] {
		var r struct{ URI string }
		decode(t, raw, &r)
		all = append(all, question{"resources/read", fields{"uri": r.URI}})
	}
	return all
}

// alike wants an answer to be the other's, byte for byte; between two eras, what
// of it is not about the era.
func alike(t *testing.T, what string, sameEra bool, got, want answer) {
	t.Helper()
	g, w := members(t, got.Result), members(t, want.Result)
	if !sameEra {
		got, want = answer{nil, got.Error}, answer{nil, want.Error}
		for _, era := range []string{"resultType", "ttlMs", "cacheScope", "_meta"} {
			delete(g, era)
			delete(w, era)
		}
	}
	if !bytes.Equal(got.Result, want.Result) || !bytes.Equal(got.Error, want.Error) || !maps.Equal(g, w) {
		t.Errorf("%s: got %.1000s %s, want %.1000s %s", what, g, got.Error, w, want.Error)
	}
}

// members are the members of an object, as they came; none where there is none.
func members(t *testing.T, raw json.RawMessage) map[string]string {
	t.Helper()
	out := map[string]string{}
	if raw == nil {
		return out
	}
	var all map[string]json.RawMessage
	decode(t, raw, &all)
	for name, value := range all {
		out[name] = string(value)
	}
	return out
}
