package session_test

import (
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

func fragment(tier, order, text string) string {
	return "---\ntier: " + tier + "\norder: " + order + "\n---\n" + text + "\n"
}

// composed is the session of trees that are in use.
func composed(t *testing.T, roster []ext.Name, files ...string) (*session.Session, *compose.Composition) {
	t.Helper()
	c, _ := spinetest.Compose(t, golden.Dir(t, golden.Files(files...)), roster, spinetest.Used(), spinetest.Options{})
	return session.Resolve(c), c
}

// TestTextOrder wants fragments by layer, which follows from the source alone,
// then by tier, then by order, then in load order.
func TestTextOrder(t *testing.T) {
	s, c := composed(t, []ext.Name{"zeta", "alpha"},
		"alpha/prompts/a.md", fragment("rule", "-5", "alpha rule"), "alpha/prompts/b.md", "alpha guidance",
		"zeta/prompts/a.md", fragment("rule", "-5", "zeta rule"), "zeta/prompts/b.md", fragment("guidance", "-1", "zeta guidance"),
		"owner/prompts/a.md", fragment("reference", "9", "owner reference"), "owner/prompts/b.md", fragment("rule", "0", "owner rule"),
		"mortise/prompts/a.md", fragment("reference", "99", "mortise reference"), "project/prompts/a.md", fragment("rule", "-99", "project rule"),
	)
	want := "mortise reference|owner rule|owner reference|project rule|zeta rule|alpha rule|zeta guidance|alpha guidance"
	var texts []string
	for _, f := range s.Prompt {
		texts = append(texts, f.Value.Text)
	}
	if got := strings.Join(texts, "|"); got != want {
		t.Errorf("Prompt: got\n%s\nwant\n%s", got, want)
	}
	v := s.View()
	_, inside, err := fenced(v.Text, v.Boundary)
	if got := strings.Join(inside, "|"); err != nil || got != want[strings.Index(want, "project"):] {
		t.Errorf("inside the fences: got %s, %v, want the same order", got, err)
	}
	if s.Digest != c.Digest() {
		t.Errorf("Digest: got %s, want the composition's %s", s.Digest.Short(), c.Digest().Short())
	}
	if v.Text != s.Instructions(s.Boundary()) || v.Total.Text.Characters != len(strings.Join(texts, "")) || len(v.Prompt) != 8 || v.Prompt[0].Layer != "mortise" || v.Prompt[1].Tier != "rule" {
		t.Errorf("View: got %+v, want the text as agents get it, the size of its fragments, and whose each is", v.Total)
	}
}

// TestViewTotals wants the totals of a view to be the sums of its items: of
// everything that clients list, resources and rules included, as a listing of the
// same entries adds them up.
func TestViewTotals(t *testing.T) {
	s, c := composed(t, nil,
		"acme/skills/a/SKILL.md", "---\nname: a\ndescription: Some skill.\n---\nBody of a.\n", "acme/skills/b/SKILL.md", "---\ndescription: Another.\n---\nBody of b, longer.\n",
		"acme/agents/x.md", "---\ndescription: An agent.\n---\nPrompt.\n", "acme/commands/go.md", "Go there.\n",
		"acme/tools/t.json", `{"description": "T.", "inputSchema": {"type": "object"}, "ref": {"driver": "process"}}`,
		"acme/mcp.json", `{"mcpServers": {"s": {"command": "s"}}}`, "acme/hooks/before_tool_call/g.json", `{"answer": {"verdict": "deny"}}`,
		"acme/hooks/before_tool_call/o.json", `{"ref": {"driver": "process"}, "role": "observer"}`,
		"acme/rules/r.md", "---\nglobs: '*.go'\n---\nShort names.\n", "acme/prompts/p.md", "Measure twice.",
		"acme/resources/x.json", `{"uri": "acme://x", "description": "X.", "ref": {"driver": "process", "target": "x", "name": "x"}}`,
	)
	v := s.View()
	var catalogue, bodies session.Size
	for _, list := range [][]session.Item{v.Skills, v.Agents, v.Commands, v.Rules, v.Resources} {
		for _, it := range list {
			if it.Path == "" || it.Line == 0 || it.Extension != "acme" || it.Qualified != "acme:"+it.Name {
				t.Errorf("item %+v: want its extension, path and line", it)
			}
			catalogue, bodies = catalogue.Add(it.Catalogue), bodies.Add(it.Body)
		}
	}
	if v.Total.Catalogue != catalogue || v.Total.Bodies != bodies || catalogue.Characters == 0 || bodies.Characters == 0 {
		t.Errorf("totals: got %+v, want catalogue %+v and bodies %+v", v.Total, catalogue, bodies)
	}
	carried := v.Total.Text.Add(v.Total.Catalogue).Add(v.Total.Tools)
	if all := adding(c); all.Catalogue != carried || all.Body != v.Total.Bodies {
		t.Errorf("totals: got %+v carried and %+v in bodies, want what the entries add up to, %+v", carried, v.Total.Bodies, all)
	}
	if len(v.Rules) != 1 || len(v.Resources) != 1 || len(v.Skills) != 2 || len(v.Agents) != 1 || len(v.Commands) != 1 || len(v.Tools) != 1 || len(v.Servers) != 1 {
		t.Errorf("View: got %d skills, %d agents, %d commands, %d tools, %d servers", len(v.Skills), len(v.Agents), len(v.Commands), len(v.Tools), len(v.Servers))
	}
	if len(v.Guards) != 1 || v.Guards[0].Name != "g" {
		t.Errorf("guards: got %v, want g alone: an observer may not deny", v.Guards)
	}
	if one := v.Tools[0].Catalogue; one.Characters == 0 || v.Total.Tools != one {
		t.Errorf("tools: got %+v and %+v in total, want the size of the one definition", one, v.Total.Tools)
	}
}

// adding is the cost of every entry of a composition, as listings add it up.
func adding(c *compose.Composition) (all session.Cost) {
	for _, spec := range spinetest.Specs {
		for _, e := range c.Entries(spec) {
			all = all.Add(session.CostOf(e.Extension, &e.Contribution))
		}
	}
	return all
}

// TestEmpty wants a session of nothing to be one, with no list missing.
func TestEmpty(t *testing.T) {
	s := session.Resolve(compose.Merge(spinetest.Specs, nil))
	v := s.View()
	if v.Text != "" || v.Prompt == nil || v.LeftOut == nil || v.Skills == nil || v.Agents == nil || v.Commands == nil || v.Servers == nil || v.Tools == nil || v.Guards == nil {
		t.Errorf("View of nothing: got %+v, want empty lists and no text", v)
	}
}
