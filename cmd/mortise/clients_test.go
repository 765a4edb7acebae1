//go:build unix

package main

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/npmtest"
)

// realServers is a workspace with three servers as they are installed from npm,
// one of which may touch the directory files.
func realServers(t *testing.T) (p place, files string) {
	t.Helper()
	p = newPlace(t, map[string]string{"mortise.toml": ""})
	base := filepath.Dir(p.dir)
	files = filepath.Join(base, "files")
	write(t, filepath.Join(files, "letter.txt"), "Dear all.\n")
	declared := map[string]any{}
	for name, more := range map[string]struct {
		args []string
		env  map[string]string
	}{
		"everything": {}, "filesystem": {args: []string{files}},
		"memory": {env: map[string]string{"MEMORY_FILE_PATH": filepath.Join(base, "memory.jsonl")}},
	} {
		command, args := npmtest.Server(t, name)
		if more.env == nil {
			more.env = map[string]string{}
		}
		declared[name] = map[string]any{"command": command, "args": append(args, more.args...), "env": more.env}
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": declared})
	if err != nil {
		t.Fatal(err)
	}
	p.write(map[string]string{".mortise/mcp.json": string(raw)})
	p.must("trust", "--yes")
	return p, files
}

// The main job with real servers and real clients: everything that three servers
// offer goes through one address.
func TestRealServersAndClients(t *testing.T) {
	t.Parallel()
	p, files := realServers(t)
	s := p.serve()
	connect(t, s.url, nil).has("owner_everything__echo", "owner_filesystem__list_directory", "owner_memory__read_graph")
	t.Run("clients", func(t *testing.T) {
		t.Run("SDK", func(t *testing.T) { t.Parallel(); sdkCalls(connect(t, s.url, nil), files) })
		t.Run("inspector", func(t *testing.T) { t.Parallel(); inspectorCalls(t, s.url) })
		t.Run("Claude Code", func(t *testing.T) { t.Parallel(); claudeConnects(t, s.url) })
	})
	s.ends(t, syscall.SIGINT)
}

func sdkCalls(c client, files string) {
	c.Helper()
	const want = 13 + 14 + 9 // all but the one that everything has for clients with roots
	upstream := slices.DeleteFunc(c.tools(), func(name string) bool { return strings.HasPrefix(name, "mortise_") })
	if len(upstream) != want {
		c.Errorf("tools/list: got %d tools of servers, want %d: %q", len(upstream), want, upstream)
	}
	c.answers("owner_everything__echo", map[string]any{"message": "hello"}, "Echo: hello")
	c.answers("owner_filesystem__list_directory", map[string]any{"path": files}, "[FILE] letter.txt")
	entity := map[string]any{"name": "ledger", "entityType": "service", "observations": []string{"is slow on Mondays"}}
	c.answers("owner_memory__create_entities", map[string]any{"entities": []any{entity}}, "ledger")
	c.answers("owner_memory__read_graph", nil, "is slow on Mondays")
	if got, err := c.ask("owner_filesystem__list_directory", map[string]any{"path": "/"}); err == nil {
		c.Errorf("a directory that it may not touch: got %q, want the server's refusal", got)
	}
	c.prompts()
	c.resources()
}

// prompts has one of the everything server's prompts made.
func (c client) prompts() {
	c.Helper()
	list, err := c.ListPrompts(c.Context, nil)
	if err != nil {
		c.Fatalf("prompts/list: %v", err)
	}
	for _, p := range list.Prompts {
		if !strings.HasPrefix(p.Name, "owner_everything__") || len(p.Arguments) > 0 {
			continue
		}
		got, err := c.GetPrompt(c.Context, &mcp.GetPromptParams{Name: p.Name})
		if err != nil || len(got.Messages) == 0 {
			c.Errorf("prompts/get %s: got %+v, %v, want a message", p.Name, got, err)
		}
		return
	}
	c.Errorf("prompts/list: got %d prompts and none of the server's without arguments", len(list.Prompts))
}

// resources reads the resources of the everything server.
func (c client) resources() {
	c.Helper()
	list, err := c.ListResources(c.Context, nil)
	if err != nil {
		c.Fatalf("resources/list: %v", err)
	}
	read := 0
	for _, r := range list.Resources {
		if !strings.HasPrefix(r.URI, "demo://") {
			continue
		}
		got, err := c.ReadResource(c.Context, &mcp.ReadResourceParams{URI: r.URI})
		if err != nil || len(got.Contents) == 0 || got.Contents[0].Text+string(got.Contents[0].Blob) == "" {
			c.Errorf("resources/read %s: got %+v, %v, want its content", r.URI, got, err)
		}
		read++
	}
	if read == 0 {
		c.Errorf("resources/list: got %d resources and none of the server's", len(list.Resources))
	}
	templates, err := c.ListResourceTemplates(c.Context, nil)
	if err != nil || !slices.ContainsFunc(templates.ResourceTemplates, func(r *mcp.ResourceTemplate) bool { return strings.HasPrefix(r.URITemplate, "demo://") }) {
		c.Errorf("resources/templates/list: got %+v, %v, want the server's", templates, err)
	}
}

// foreign runs a client of somebody else's to its end.
func foreign(t *testing.T, env, line []string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, line[0], append(slices.Clone(line[1:]), args...)...)
	cmd.Env, cmd.Dir = env, t.TempDir()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v, want 0\n%s", args, err, out)
	}
	return string(out)
}

func inspectorCalls(t *testing.T, url string) {
	inspector, env := npmtest.Inspector(t), npmtest.Env(t)
	out := foreign(t, env, inspector, "--cli", url, "--transport", "http", "--method", "tools/list", "--format", "json")
	for _, tool := range []string{"mortise_list", "owner_everything__echo", "owner_memory__read_graph"} {
		if !strings.Contains(out, `"`+tool+`"`) {
			t.Errorf("inspector, tools/list: got %s, want %s", out, tool)
		}
	}
	out = foreign(t, env, inspector, "--cli", url, "--transport", "http", "--method", "tools/call", "--tool-name", "owner_everything__echo", "--tool-arg", "message=hello")
	if !strings.Contains(out, "Echo: hello") {
		t.Errorf("inspector, tools/call: got %s, want the echo", out)
	}
}

func claudeConnects(t *testing.T, url string) {
	claude, env := npmtest.Claude(t), npmtest.Env(t)
	foreign(t, env, claude, "mcp", "add", "--transport", "http", "--scope", "user", "mortise", url)
	if out := foreign(t, env, claude, "mcp", "list"); !strings.Contains(out, "✔ Connected") {
		t.Errorf("claude mcp list: got %s, want it connected", out)
	}
}

// A client that is told of mortise as a command starts it, and sees it
// connected; nothing stays behind.
func TestClaudeStartsMortise(t *testing.T) {
	t.Parallel()
	claude, env := npmtest.Claude(t), npmtest.Env(t)
	p := workshop(t)
	program, err := exec.LookPath("mortise")
	if err != nil {
		t.Fatal(err)
	}
	foreign(t, env, claude, "mcp", "add", "--scope", "user", "mortise", "-e", "MORTISE_HOME="+p.home, "--", program, "serve", "--stdio", "--workspace", p.dir)
	if out := foreign(t, env, claude, "mcp", "list"); !strings.Contains(out, "✔ Connected") {
		t.Errorf("claude mcp list: got %s, want it connected", out)
	}
	if out := p.must("refresh"); !strings.Contains(out, "No host serves") {
		t.Errorf("after the client ended: got %q, want no host left", out)
	}
}
