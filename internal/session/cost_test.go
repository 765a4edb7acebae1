package session_test

import (
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/session"
)

// TestCosts wants of each kind of entry what is carried and what using it adds.
func TestCosts(t *testing.T) {
	s, _ := composed(t, nil,
		"acme/skills/a/SKILL.md", "---\nname: a\ndescription: Some skill.\n---\nBody of a.\n",
		"acme/agents/x.md", "---\ndescription: An agent.\n---\nPrompt.\n",
		"acme/commands/go.md", "---\ndescription: Go.\n---\nGo there.\n",
		"acme/prompts/p.md", "Measure twice.",
		"acme/tools/t.json", `{"description": "T.", "inputSchema": {"type": "object"}, "ref": {"driver": "process"}}`,
		"acme/mcp.json", `{"mcpServers": {"s": {"command": "s"}}}`,
		"acme/hooks/before_tool_call/g.json", `{"answer": {"verdict": "deny"}}`,
	)
	v := s.View()
	for _, c := range []struct {
		name            string
		items           []session.Item
		catalogue, body string
	}{
		{"skill", v.Skills, "acme:a: Some skill.", "Body of a.\n"},
		{"agent", v.Agents, "acme:x: An agent.", "Prompt.\n"},
		{"command", v.Commands, "acme:go: Go.", "Go there.\n"},
		{"prompt", v.Prompt, "Measure twice.", ""},
		{"tool", v.Tools, `{"name":"acme_t","description":"T.","inputSchema":{"type": "object"}}`, ""},
		{"server", v.Servers, "", ""},
		{"guard", v.Guards, "", ""},
	} {
		if len(c.items) != 1 {
			t.Fatalf("%s: got %d, want one", c.name, len(c.items))
		}
		want := session.Cost{Catalogue: session.SizeOf(c.catalogue), Body: session.SizeOf(c.body)}
		if got := c.items[0].Cost; got != want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, want)
		}
	}
}

// TestCostOfDefinitions wants what a server describes to cost what clients are
// shown of it.
func TestCostOfDefinitions(t *testing.T) {
	s := tooled(thing{"acme", "s", "x"})
	s.Tools[0].Contribution.Value = s.Tools[0].Value
	got := s.View().Tools[0].Cost
	shown := string(s.Offer(session.OfferOptions{}).Tools[0].Definition)
	if want := (session.Cost{Catalogue: session.SizeOf(shown)}); got != want || !strings.Contains(shown, "acme_s__x") {
		t.Errorf("a tool of a server: got %+v, want that of %s, %+v", got, shown, want)
	}
}
