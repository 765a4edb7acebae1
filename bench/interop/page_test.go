//go:build linux && amd64

package interop

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

var update = flag.Bool("update", false, "rewrite the tables in docs/mcp.md")

// page wants docs/mcp.md to say what was seen.
func (b *bench) page(rows []row) {
	b.Helper()
	var servers, clients strings.Builder
	servers.WriteString("| server | version | revision | tools | prompts | resources | templates | what is odd about it |\n|---|---|---|--:|--:|--:|--:|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&servers, "| `%s` | %s | %s | %d | %d | %d | %d | %s |\n", r.pkg, b.version(r.pkg), r.revision, r.counts[0], r.counts[1], r.counts[2], r.counts[3], r.quirk)
	}
	clients.WriteString("| client | version | what is tried |\n|---|---|---|\n")
	for _, c := range [][2]string{
		{"@modelcontextprotocol/client", "lists and calls, by default, with `mode: 'auto'` and pinned to 2026-07-28, over HTTP and stdio"},
		{"@modelcontextprotocol/sdk", "lists and calls, over HTTP and stdio"},
		{"@modelcontextprotocol/inspector", "lists and calls, with `--protocol-era legacy` and `modern`"},
		{"@anthropic-ai/claude-code-linux-x64", "`claude mcp list` says that it is connected"},
		{"@google/gemini-cli", "`gemini mcp list` says that it is connected"},
		{"opencode-linux-x64", "`opencode mcp list` says that it is connected"},
		{"@openai/codex-linux-x64", "`codex mcp list` has it; it connects to nothing"},
	} {
		fmt.Fprintf(&clients, "| `%s` | %s | %s |\n", c[0], b.version(c[0]), c[1])
	}
	const file = "../../docs/mcp.md"
	raw, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	had := string(raw)
	has := between(between(had, "servers", servers.String()), "clients", clients.String())
	switch {
	case has == had:
	case *update:
		if err := os.WriteFile(file, []byte(has), 0o644); err != nil {
			b.Fatal(err)
		}
	default:
		b.Errorf("the tables of docs/mcp.md are not what was seen; make interop INTEROP=-update rewrites them:\n%s\n%s", &servers, &clients)
	}
}

// between puts a table between its marks.
func between(text, name, table string) string {
	before, rest, _ := strings.Cut(text, "<!-- "+name+": make interop checks this -->\n\n")
	_, after, ok := strings.Cut(rest, "\n<!-- end of "+name+" -->")
	if !ok {
		return text + "(no marks for " + name + ")"
	}
	return before + "<!-- " + name + ": make interop checks this -->\n\n" + table + "\n<!-- end of " + name + " -->" + after
}
