package live_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source/live"
	"github.com/mortise-dev/mortise/internal/surface"
)

var reached = ext.Ref{Driver: "mcp", Target: "acme:search@1"}

// tree is the one tree of a description of acme's server search.
func tree(t testing.TB, content string, most int) ext.Tree {
	t.Helper()
	s := &live.Source{Surface: "server", Files: most, Descriptions: []live.Description{
		{Extension: "acme", Server: "search", Declaration: ext.Sum([]byte("d")), Content: content, Ref: reached},
	}}
	var out []ext.Tree
	for tree, err := range s.Trees(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, tree)
	}
	if len(out) != 1 {
		t.Fatalf("got %d trees, want one for each description", len(out))
	}
	return out[0]
}

// shown is what a tree holds, a line for each place and each finding.
func shown(x ext.Tree) string {
	var b strings.Builder
	for _, p := range x.Places {
		fmt.Fprintf(&b, "%s %s", p.Surface, p.Path)
		if p.Doc != nil {
			fmt.Fprintf(&b, ": %s", p.Doc.Raw)
		}
		if p.Fault != nil {
			fmt.Fprintf(&b, ": fault: %s", p.Fault.Message)
		}
		b.WriteByte('\n')
	}
	for _, f := range x.Findings {
		fmt.Fprintf(&b, "- %s: %s\n", f.Check.Code, f.Message)
	}
	return b.String()
}

func TestDescription(t *testing.T) {
	for _, c := range []struct {
		name, content string
		most          int
		want          []string
	}{
		{name: "all there is", content: `{
			"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s"},
			"instructions": "Use \u0066ind.", "tools": [{"name": "find", "inputSchema": {"type": "object"}, "n": 1.0}, {"x":  1, "name": "a/b"}],
			"prompts": [{"name": "ask"}], "resources": [{"uri": "s://1", "name": "one"}], "resourceTemplates": [{"uriTemplate": "s://{x}"}], "notes": ["one was dropped"]
		}`, want: []string{
			`prompt search: "Use \u0066ind."`,
			`tool search/find: {"name": "find", "inputSchema": {"type": "object"}, "n": 1.0}`, `tool search/a/b: {"x":  1, "name": "a/b"}`,
			`command search/ask: {"name": "ask"}`,
			`resource s://1: {"uri": "s://1", "name": "one"}`, `resource s://{x}: {"uriTemplate": "s://{x}"}`,
			`- description-odd: "search": one was dropped`,
		}},
		{name: "nothing", content: `{}`},
		{name: "nothing to say", content: `{"instructions": " \n", "tools": [], "notes": []}`},
		{name: "null is nothing", content: `{"instructions": null, "tools": null, "resources": null, "notes": null}`},
		{name: "broken definitions", content: `{"tools": [{"name": "a", "name": "b"}, {"title": "no name"}, {"name": ""}, {"name": 1}, "text", null, [], {"name": "ok", "deep": {"x": 1, "x": 2}}, {"name": "ok"}], "resources": [{"name": "no address"}]}`, want: []string{
			`tool search/tools[0]: fault: tools[0] of "search" has no "name", or is no object without repeated members`,
			`tool search/tools[1]: fault: tools[1] of "search" has no "name", or is no object without repeated members`,
			`tool search/tools[2]: fault: tools[2] of "search" has no "name", or is no object without repeated members`,
			`tool search/tools[3]: fault: tools[3] of "search" has no "name", or is no object without repeated members`,
			`tool search/tools[4]: fault: tools[4] of "search" has no "name", or is no object without repeated members`,
			`tool search/tools[5]: fault: tools[5] of "search" has no "name", or is no object without repeated members`,
			`tool search/tools[6]: fault: tools[6] of "search" has no "name", or is no object without repeated members`,
			`tool search/tools[7]: fault: tools[7] of "search" has no "name", or is no object without repeated members`,
			`tool search/ok: {"name": "ok"}`,
			`resource search/resources[0]: fault: resources[0] of "search" has no "uri", or is no object without repeated members`,
		}},
		{name: "lists and texts that are none", content: `{"instructions": ["a"], "tools": {"name": "t"}, "prompts": 3, "resources": [{"uri": "s://1"}], "notes": "n"}`, want: []string{
			`resource s://1: {"uri": "s://1"}`,
			`- description-odd: "search": its instructions are no text, and are left out`,
			`- description-odd: "search": its tools are no list, and are left out`,
			`- description-odd: "search": its prompts are no list, and are left out`,
			`- description-odd: "search": its notes are no list, and are left out`,
		}},
		{name: "too much", most: 3, content: `{"instructions": "i", "tools": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {}], "prompts": [{"name": "p"}]}`, want: []string{
			`prompt search: "i"`, `tool search/a: {"name": "a"}`, `tool search/b: {"name": "b"}`,
			`- description-odd: "search": it describes 3 things more than the 3 that one extension may have; they are left out`,
		}},
		{name: "as much as there may be", most: 1, content: `{"tools": [{"name": "a"}]}`, want: []string{`tool search/a: {"name": "a"}`}},
		{name: "notes are made safe", content: `{"notes": ["a\u001b[2J\nb", 1]}`, want: []string{`- description-odd: "search": a\x1b[2J\nb`}},
		{name: "no object", content: `[1]`, want: []string{`- description-malformed: what "search" says of itself is no object`}},
		{name: "no JSON", content: `banner {}`, want: []string{`- description-malformed: what "search" says of itself is no object`}},
		{name: "cut off", content: `{"tools": [{"name": "a"}`, want: []string{`- description-malformed: what "search" says of itself is no object`}},
		{name: "closed by something else", content: `{"tools": []]`, want: []string{`- description-malformed: what "search" says of itself is no object`}},
		{name: "more after it", content: `{} {}`, want: []string{`- description-malformed: what "search" says of itself is no object`}},
		{name: "empty", content: ``, want: []string{`- description-malformed: what "search" says of itself is no object`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := tree(t, c.content, c.most)
			want := strings.Join(c.want, "\n")
			if want != "" {
				want += "\n"
			}
			if diff := cmp.Diff(want, shown(x)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.content, diff)
			}
			holds(t, x)
		})
	}
}

// holds checks what must hold of every tree of the source.
func holds(t testing.TB, x ext.Tree) {
	t.Helper()
	if x.Extension != "acme" || x.Format != surface.DialectMCP || x.Origin.Source != "live" || x.Origin.Trust != ext.Project {
		t.Errorf("the tree is %+v, want it of acme, in the dialect mcp, trusted as a project's", x.Origin)
	}
	if want := (ext.Described{Surface: "server", Entry: "search", Declaration: ext.Sum([]byte("d")), Ref: reached}); x.Describes == nil || *x.Describes != want {
		t.Errorf("it describes %+v, want %+v", x.Describes, want)
	}
	found := x.Findings
	for _, p := range x.Places {
		if (p.Doc == nil) == (p.Fault == nil) || p.Path == "" || p.Dialect != surface.DialectMCP {
			t.Errorf("the place %+v: want a path, the dialect, and a document or a fault", p)
		}
		if p.Fault != nil {
			found = append(found, *p.Fault)
		}
	}
	for _, f := range found {
		if f.Origin.Extension != "acme" || f.Origin.Source != "live" || f.Fix() == "" {
			t.Errorf("finding %s is at %+v, want its origin and a fix", f.Check.Code, f.Origin)
		}
		if strings.ContainsFunc(f.Message, ext.Hidden) {
			t.Errorf("finding %q holds characters that do not show", f.Message)
		}
	}
	if _, err := x.FS.Open("."); err == nil {
		t.Error("the tree has files, want none: what a server says names nothing here")
	}
}

// TestTreesInOrder wants a tree for each description in their order, and none
// once the context ended.
func TestTreesInOrder(t *testing.T) {
	s := &live.Source{Surface: "server", Descriptions: []live.Description{
		{Extension: "b", Server: "x", Content: "{}"}, {Extension: "a", Server: "y", Content: "{"}, {Extension: "a", Server: "x", Content: "{}"},
	}}
	var got []string
	for x, err := range s.Trees(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, ext.Qualified(x.Extension, x.Label))
	}
	if want := "b:x a:y a:x"; strings.Join(got, " ") != want {
		t.Errorf("Trees: got %v, want %s", got, want)
	}
	if s.Name() != "live" {
		t.Errorf("Name: got %s", s.Name())
	}
}
