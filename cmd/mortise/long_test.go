//go:build unix

package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// What is endless in a workspace is shown as far as a person reads it, and said
// to be cut; the documents have it whole.
func TestPagesAreNotEndless(t *testing.T) {
	t.Parallel()
	argument := strings.Repeat("y", 200_000)
	servers, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"long": map[string]any{"command": "/bin/true", "args": []string{argument}}, "short": map[string]any{"command": "/bin/true"}}})
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t, map[string]string{"mortise.toml": "", ".mortise/mcp.json": string(servers)})
	for _, args := range [][]string{{"list"}, {"list", "server"}, {"session"}, {"explain", "long"}, {"server", "list"}, {"server", "show", "long"}} {
		out := p.must(args...)
		if len(out) > 6000 || !strings.Contains(out, "more characters; --json shows all)") {
			t.Errorf("mortise %q: got %d bytes, want a page, and that it was cut", args, len(out))
		}
		for line := range strings.Lines(out) {
			if strings.Contains(line, "short") && strings.Contains(line, strings.Repeat(" ", 100)) {
				t.Errorf("mortise %q: got %q, want it not padded to what is beside it", args, line)
			}
		}
		if out := p.must(append(args, "--json")...); !strings.Contains(out, argument) {
			t.Errorf("mortise %q --json: got %d bytes, want all of it", args, len(out))
		}
	}
}
