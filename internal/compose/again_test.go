package compose_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/source/live"
	"github.com/mortise-dev/mortise/internal/spinetest"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/server"
	"github.com/mortise-dev/mortise/internal/surface/tool"
)

const (
	docs  = `{"mcpServers": {"docs": {"type": "streamable-http", "url": "https://docs.example/mcp"}}}`
	moved = `{"mcpServers": {"docs": {"type": "streamable-http", "url": "https://docs.example/v2"}}}`
	local = `{"mcpServers": {"docs": {"command": "docs", "args": ["${PLUGIN_ROOT}/data"]}}}`
)

// declaring are the candidates of trees that declare servers, with what the
// servers of those named said of themselves.
func declaring(t *testing.T, describe []ext.Name, files ...string) []discover.Candidate {
	t.Helper()
	o := spinetest.Options{}
	cs := spinetest.Scan(t, spinetest.Trees(t, golden.Dir(t, golden.Files(files...)), o), o)
	said := &live.Source{Surface: server.Surface.Name}
	for _, d := range admit.Decide(cs, spinetest.Used()) {
		for _, c := range d.Contributions() {
			if c.Spec == server.Surface.Spec && slices.Contains(describe, d.Tree().Extension) {
				said.Descriptions = append(said.Descriptions, live.Description{
					Extension: d.Tree().Extension, Server: c.Name, Declaration: c.Digest,
					Content: `{"instructions": "Ask.", "tools": [{"name": "find", "inputSchema": {"type": "object"}}]}`,
					Ref:     ext.Ref{Driver: "mcp", Target: ext.Qualified(d.Tree().Extension, c.Name)},
				})
			}
		}
	}
	for tree, err := range said.Trees(t.Context()) {
		c, failed := discover.Scan(t.Context(), tree, discover.Options{Specs: spinetest.Specs, Limits: ext.DefaultLimits, Enabled: true})
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		cs = append(cs, c)
	}
	return cs
}

// composing shows what is used and what is shadowed by what.
func composing(t *testing.T, roster []ext.Name, cs []discover.Candidate) (*compose.Composition, string) {
	t.Helper()
	ds := admit.Decide(cs, spinetest.Used())
	c := compose.Merge(spinetest.Specs, compose.Order(admit.Extensions(ds), roster))
	spinetest.Total(t, spinetest.Specs, ds, c)
	var out []string
	for _, s := range spinetest.Specs {
		for _, e := range c.Entries(s) {
			out = append(out, s.Name+" "+e.Qualified)
		}
	}
	for _, s := range c.Shadowed() {
		word := "by"
		if s.Same {
			word = "same as"
		}
		out = append(out, fmt.Sprintf("(%s %s %s %s)", s.Lost.Spec.Name, s.Lost.Qualified, word, s.Kept.Qualified))
	}
	return c, strings.Join(out, " ")
}

// TestOneServerOfMany wants what several extensions declare in the same words to
// be one entry, the first in precedence, and the others named with it.
func TestOneServerOfMany(t *testing.T) {
	for _, c := range []struct {
		name     string
		roster   string
		describe string
		files    []string
		want     string
	}{
		{"the roster decides", "b a", "", []string{"a/mcp.json", docs, "b/mcp.json", docs, "c/mcp.json", docs},
			"server b:docs (server a:docs same as b:docs) (server c:docs same as b:docs)"},
		{"the owner's comes first", "a", "", []string{"a/mcp.json", docs, "owner/mcp.json", docs},
			"server owner:docs (server a:docs same as owner:docs)"},
		{"without the first the next stands", "b a", "", []string{"a/mcp.json", docs, "c/mcp.json", docs},
			"server a:docs (server c:docs same as a:docs)"},
		{"another address is another server", "", "", []string{"a/mcp.json", docs, "b/mcp.json", moved},
			"server a:docs server b:docs"},
		{"what names its own directory is its own", "", "", []string{"a/mcp.json", local, "b/mcp.json", local},
			"server a:docs server b:docs"},
		{"what was described goes with it", "", "a b", []string{"a/mcp.json", docs, "b/mcp.json", docs},
			"prompt a:docs server a:docs tool a:docs/find (server b:docs same as a:docs) (prompt b:docs same as a:docs) (tool b:docs/find same as a:docs/find)"},
		{"what was described of the one that lost", "", "b", []string{"a/mcp.json", docs, "b/mcp.json", docs},
			"server a:docs (server b:docs same as a:docs) (prompt b:docs same as a:docs) (tool b:docs/find same as a:docs)"},
		{"what another server described stays", "", "a b", []string{"a/mcp.json", docs, "b/mcp.json", moved},
			"prompt a:docs prompt b:docs server a:docs server b:docs tool a:docs/find tool b:docs/find"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, shown := composing(t, words(c.roster), declaring(t, words(c.describe), c.files...))
			if shown != c.want {
				t.Errorf("Merge: got\n%s\nwant\n%s", shown, c.want)
			}
			for _, f := range got.Findings() {
				if f.Check == compose.Again && f.Check.Severity != ext.Info {
					t.Errorf("got %s, want a note: nothing is lost", f)
				}
			}
			if n := strings.Count(shown, "(server "); n != len(got.Findings())-ambiguous(got) {
				t.Errorf("got %d findings for %d servers that another stands for: %v", len(got.Findings()), n, got.Findings())
			}
		})
	}
}

func ambiguous(c *compose.Composition) int {
	n := 0
	for _, f := range c.Findings() {
		if f.Check == compose.Ambiguous {
			n++
		}
	}
	return n
}

// TestDecided wants each entry that lost to say by which rule, in words that an
// owner reads: no merge rule unites what several extensions declare.
func TestDecided(t *testing.T) {
	c, _ := composing(t, nil, declaring(t, words("a b"), "a/mcp.json", docs, "b/mcp.json", docs))
	if len(c.Shadowed()) == 0 {
		t.Fatal("nothing lost, want what b declares")
	}
	for _, s := range c.Shadowed() {
		if word, doc := s.Decided(); word != "united" || !strings.Contains(doc, "stands for the others") {
			t.Errorf("%s lost by %q (%s), want united", s.Lost.Qualified, word, doc)
		}
	}
	lost := compose.Shadow{Rule: surface.Unique}
	if word, doc := lost.Decided(); word != "unique" || doc != surface.Unique.Doc() {
		t.Errorf("a name that is taken: got %q (%s), want the word of the merge rule", word, doc)
	}
}

// TestOneServerAnyOrder wants the same one to stand for all, in whatever order
// the extensions come, and the digest to tell who declares it.
func TestOneServerAnyOrder(t *testing.T) {
	cs := declaring(t, words("a b c"), "a/mcp.json", docs, "b/mcp.json", docs, "c/mcp.json", docs, "owner/mcp.json", moved)
	exts := admit.Extensions(admit.Decide(cs, spinetest.Used()))
	want := compose.Merge(spinetest.Specs, compose.Order(exts, words("c b")))
	if got := want.Resolve(tool.Surface.Spec, "docs/find"); len(got) != 1 || got[0].Extension != "c" {
		t.Fatalf("docs/find is of %v, want c alone", got)
	}
	rapid.Check(t, func(r *rapid.T) {
		got := compose.Merge(spinetest.Specs, compose.Order(rapid.Permutation(exts).Draw(r, "order"), words("c b")))
		if got.Digest() != want.Digest() {
			r.Fatal("Merge in another order: got another digest")
		}
	})
	fewer := declaring(t, nil, "a/mcp.json", docs, "owner/mcp.json", moved)
	if c, _ := composing(t, nil, fewer); c.Digest() == want.Digest() {
		t.Error("Digest with fewer that declare it: got the same, want another")
	}
}
