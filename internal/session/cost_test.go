package session_test

import (
	"encoding/json"
	"fmt"
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
		"acme/rules/r.md", "---\nglobs: ['*.go', '*.mod']\ndescription: How Go is written.\n---\nShort names.\n",
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
		{"rule", v.Rules, "acme:r: Rule, applies when working on files that match *.go, *.mod: How Go is written.", "Applies: when working on files that match *.go, *.mod.\n\nShort names.\n"},
		{"prompt", v.Prompt, "Measure twice.", ""},
		{"tool", v.Tools, `{"name":"acme_t","description":"T.","inputSchema":{"type":"object"}}`, ""},
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

// TestCostOfALongRule wants a rule to cost what clients are shown of it, which has
// a bound, and its text what they are served.
func TestCostOfALongRule(t *testing.T) {
	var globs []string
	for i := range 2500 {
		globs = append(globs, fmt.Sprintf("'src/module%d/**'", i))
	}
	s, _ := composed(t, nil, "acme/rules/r.md", "---\nglobs: ["+strings.Join(globs, ", ")+"]\ntrigger: \"a\\nb\"\n---\nText.\n")
	o := s.Offer(session.OfferOptions{}).Resource("rule://acme/r")
	var shown struct{ Name, Description string }
	if err := json.Unmarshal(o.Definition, &shown); err != nil {
		t.Fatal(err)
	}
	if len(shown.Description) > 2000 || strings.Contains(shown.Description, "\n") {
		t.Errorf("shown: got %d bytes, %q, want one short line", len(shown.Description), shown.Description)
	}
	want := session.Cost{Catalogue: session.SizeOf(shown.Name + ": " + shown.Description), Body: session.SizeOf(o.Text)}
	if got := s.View().Rules[0].Cost; got != want {
		t.Errorf("cost: got %+v, want that of what is shown and served, %+v", got, want)
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
