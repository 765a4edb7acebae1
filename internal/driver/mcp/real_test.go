package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/driver/mcp"
	"github.com/mortise-dev/mortise/internal/npmtest"
)

// realTarget is a server of others over pipes.
func realTarget(t *testing.T, name, command string, args []string) mcp.Target {
	s := fixtureTarget(t, "normal")
	s.Key, s.Name, s.Command, s.Args, s.Env = name, "npm:"+name, command, args, nil
	return s
}

// TestRealEverything wants a peer to have all that a server of others has for
// it: what it asks the client, progress, logs and notices of resources.
func TestRealEverything(t *testing.T) {
	command, args := npmtest.Server(t, "everything")
	b, s := newBench(t, nil), realTarget(t, "everything", command, append(args, "stdio"))
	b.Run([]mcp.Target{s})
	d, _ := b.describe(s)
	if len(d.Tools) < 10 || len(d.Prompts) < 3 || len(d.Resources) < 3 || d.Instructions == "" {
		t.Errorf("description: got %d tools, %d prompts, %d resources; want all", len(d.Tools), len(d.Prompts), len(d.Resources))
	}
	l := b.linkFor(s, peer("a", `{"sampling":{},"elicitation":{"form":{}},"roots":{"listChanged":true}}`))
	answer := func(id, call string) (seen []string) {
		t.Helper()
		send(t, l, call)
		for {
			raw := recv(t, l)
			var f message
			decode(t, raw, &f)
			switch {
			case f.Method == "sampling/createMessage":
				send(t, l, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"role":"assistant","model":"m","content":{"type":"text","text":"sampled"}}}`, f.ID))
			case f.Method == "roots/list":
				send(t, l, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"roots":[{"uri":"file:///somewhere","name":"here"}]}}`, f.ID))
			}
			seen = append(seen, raw)
			if f.Method == "" && string(f.ID) == id {
				return seen
			}
		}
	}
	names := map[string]bool{}
	for _, raw := range append(d.Tools, tools(t, l)...) {
		var tool struct{ Name string }
		decode(t, string(raw), &tool)
		names[tool.Name] = true
	}
	if !names["trigger-sampling-request"] || !names["get-roots-list"] {
		t.Errorf("tools: got %v, want those for what the peer declared", names)
	}
	got := answer(`1`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"trigger-sampling-request","arguments":{"prompt":"x","maxTokens":5}}}`)
	if last := got[len(got)-1]; !strings.Contains(last, "sampled") {
		t.Errorf("sampling: got %s, want what the peer said", last)
	}
	got = answer(`2`, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"trigger-long-running-operation","arguments":{"duration":0.2,"steps":2},"_meta":{"progressToken":"tok"}}}`)
	if n := strings.Count(strings.Join(got, "\n"), `"progressToken":"tok"`); n != 2 {
		t.Errorf("progress: got %d notices, want 2", n)
	}
	got = answer(`3`, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"get-roots-list","arguments":{}}}`)
	if last := got[len(got)-1]; !strings.Contains(last, "file:///somewhere") {
		t.Errorf("roots: got %s, want the peer's", last)
	}
}

// tools are the tools that a lane lists.
func tools(t *testing.T, l *mcp.Talk) []json.RawMessage {
	t.Helper()
	send(t, l, `{"jsonrpc":"2.0","id":"tools","method":"tools/list"}`)
	for {
		raw := recv(t, l)
		var f struct {
			ID     json.RawMessage
			Method string
			Result struct{ Tools []json.RawMessage }
		}
		decode(t, raw, &f)
		switch {
		case f.Method == "roots/list":
			send(t, l, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"roots":[{"uri":"file:///somewhere","name":"here"}]}}`, f.ID))
		case string(f.ID) == `"tools"`:
			return f.Result.Tools
		}
	}
}

// TestRealRoots wants a server that asks for roots right after the start to get
// those of the one peer that it runs for.
func TestRealRoots(t *testing.T) {
	command, args := npmtest.Server(t, "filesystem")
	dir := t.TempDir()
	b, s := newBench(t, nil), realTarget(t, "filesystem", command, append(args, dir))
	b.Run([]mcp.Target{s})
	b.describe(s)
	mine := t.TempDir()
	l := b.linkFor(s, peer("a", `{"roots":{}}`))
	var f message
	for f.Method != "roots/list" {
		f = message{}
		decode(t, recv(t, l), &f)
	}
	send(t, l, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"roots":[{"uri":"file://%s"}]}}`, f.ID, mine))
	got := ""
	for range 1000 { // it looks at them before it uses them
		send(t, l, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_allowed_directories","arguments":{}}}`)
		if got = answerTo(t, l, `1`); strings.Contains(got, mine) {
			return
		}
	}
	t.Errorf("allowed: got %s, want %s", got, mine)
}

// TestRealModern wants a server of others that speaks 2026-07-28 to be found
// out over pipes and described.
func TestRealModern(t *testing.T) {
	command, args := npmtest.Context7(t)
	b, s := newBench(t, nil), realTarget(t, "context7", command, args)
	b.Run([]mcp.Target{s})
	if d, raw := b.describe(s); d.ProtocolVersion != "2026-07-28" || len(d.Tools) != 2 {
		t.Errorf("description: got %s, want two tools of 2026-07-28", raw)
	}
	l := b.linkFor(s, peer("a", `{"elicitation":{}}`))
	if got := tools(t, l); len(got) != 2 {
		t.Errorf("listed over a lane: got %d tools, want 2", len(got))
	}
}
