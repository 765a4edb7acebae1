package admit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/source/live"
	"github.com/mortise-dev/mortise/internal/spinetest"
	"github.com/mortise-dev/mortise/internal/surface/server"
)

// described adds to candidates what each server among them says of itself, as
// it is declared there.
func described(t testing.TB, cs []discover.Candidate, content string) []discover.Candidate {
	t.Helper()
	s := &live.Source{Surface: server.Surface.Name}
	for _, d := range admit.Decide(cs, spinetest.Used()) {
		for _, c := range d.Contributions() {
			if c.Spec == server.Surface.Spec {
				s.Descriptions = append(s.Descriptions, live.Description{
					Extension: d.Tree().Extension, Server: c.Name, Declaration: c.Digest, Content: content,
					Ref: ext.Ref{Driver: "mcp", Target: ext.Qualified(d.Tree().Extension, c.Name) + "@" + c.Digest.String()},
				})
			}
		}
	}
	return append(cs, scan(t, s)...)
}

func scan(t testing.TB, s *live.Source) []discover.Candidate {
	t.Helper()
	var out []discover.Candidate
	for x, err := range s.Trees(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		c, err := discover.Scan(t.Context(), x, discover.Options{Specs: spinetest.Specs, Limits: ext.DefaultLimits, Enabled: true})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

func candidates(t testing.TB, files ...string) []discover.Candidate {
	t.Helper()
	return spinetest.Scan(t, spinetest.Trees(t, golden.Dir(t, golden.Files(files...)), spinetest.Options{}), spinetest.Options{})
}

// TestDescribed runs the stage on testdata/describe: the rules, what every
// server says of itself, the trees, then what was decided.
func TestDescribed(t *testing.T) {
	golden.Run(t, "testdata/describe/*.txtar", []string{"decided"}, func(t *testing.T, in []txtar.File) []string {
		rules, said := spinetest.Take(&in, "rules"), spinetest.Take(&in, "said")
		cs := spinetest.Scan(t, spinetest.Trees(t, golden.Dir(t, in), spinetest.Options{}), spinetest.Options{})
		r := spinetest.Rules(t, rules, cs) // grants are for what was found
		ds := admit.Decide(described(t, cs, said), r)
		spinetest.Hold(t, ds)
		return []string{spinetest.Decisions(ds)}
	})
}

// What a server of a refused extension once said is refused with it.
func TestDescribedOfARefusedExtension(t *testing.T) {
	cs := candidates(t, "acme/mcp.json", search, "acme/tools/bad.json", `{"description": "B."}`)
	ds := admit.Decide(described(t, cs, `{"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}`), spinetest.Used())
	if len(ds) != 2 || ds[0].Status() != admit.Refused || ds[1].Status() != admit.Refused || ds[1].Reason() == "" {
		t.Fatalf("got\n%swant both refused, with a reason", spinetest.Decisions(ds))
	}
	for _, c := range ds[1].Contributions() {
		if c.Status != admit.EntryRefused || c.Reason == "" {
			t.Errorf("%s is %s with the reason %q, want it refused and why", c.Name, c.Status, c.Reason)
		}
	}
	if xs := admit.Extensions(ds); len(xs) != 0 {
		t.Errorf("got %d extensions, want none", len(xs))
	}
}

const search = `{"mcpServers": {"search": {"command": "s"}}}`

// TestOutdated wants a description of what is declared otherwise, of what is not
// declared, and of an extension that is not there to be no part of the outcome.
func TestOutdated(t *testing.T) {
	cs := candidates(t, "acme/mcp.json", search, "acme/commands/search.md", "Search.")
	declared := admit.Decide(cs, spinetest.Used())[0].Contributions()[1].Digest
	for _, c := range []struct {
		name string
		of   live.Description
	}{
		{"declared otherwise", live.Description{Extension: "acme", Server: "search", Declaration: ext.Sum([]byte("before"))}},
		{"not declared", live.Description{Extension: "acme", Server: "gone", Declaration: declared}},
		{"another surface's entry", live.Description{Extension: "acme", Server: "Search", Declaration: declared}},
		{"no such extension", live.Description{Extension: "gone", Server: "search", Declaration: declared}},
		{"no digest", live.Description{Extension: "acme", Server: "search"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.of.Content = `{"instructions": "i", "tools": [{"name": "t", "inputSchema": {"type": "object"}}]}`
			ds := admit.Decide(append(cs[:1:1], scan(t, &live.Source{Surface: server.Surface.Name, Descriptions: []live.Description{c.of}})...), spinetest.Used())
			d := &ds[1]
			if _, ok := d.Extension(); d.Status() != admit.Outdated || ok || len(d.Contributions()) != 0 {
				t.Errorf("got %s with %d entries, want it outdated", d.Status(), len(d.Contributions()))
			}
			if ds[0].Status() != admit.Admitted {
				t.Errorf("what it seems to describe is %s, want it admitted", ds[0].Status())
			}
		})
	}
	good := live.Description{Extension: "acme", Server: "search", Declaration: declared, Content: `{}`}
	ds := admit.Decide(append(cs[:1:1], scan(t, &live.Source{Surface: server.Surface.Name, Descriptions: []live.Description{good}})...), spinetest.Used())
	if ds[1].Status() != admit.Admitted {
		t.Errorf("what is declared as it was: got %s, want it admitted", ds[1].Status())
	}
}

// A description needs no grant and adds no effect: what its person consented to
// is the server.
func TestDescribedNeedsNoConsent(t *testing.T) {
	cs := candidates(t, "acme/mcp.json", search, "project/mcp.json", search, "owner/mcp.json", search)
	alone := admit.Decide(cs, spinetest.Used())
	ds := admit.Decide(described(t, cs, `{"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}`), spinetest.Used())
	if len(ds) != 2*len(alone) {
		t.Fatalf("got %d decisions, want a description for each of %d", len(ds), len(alone))
	}
	if got, want := fmt.Sprint(admit.Effects(ds)), fmt.Sprint(admit.Effects(alone)); got != want {
		t.Errorf("Effects: got %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(admit.Consents(ds)), fmt.Sprint(admit.Consents(alone)); got != want {
		t.Errorf("Consents: got %s, want %s", got, want)
	}
	if len(admit.Effects(alone)) == 0 || len(admit.Consents(alone)) == 0 {
		t.Error("the servers alone have no effects or no consents, want some to compare with")
	}
}

// TestDescribedAnyOrder wants one outcome, whether a description comes before or
// after what it describes.
func TestDescribedAnyOrder(t *testing.T) {
	cs := described(t, candidates(t, "acme/mcp.json", search), `{"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}`)
	for _, order := range [][]discover.Candidate{cs, {cs[1], cs[0]}} {
		ds := admit.Decide(order, spinetest.Used())
		c := compose.Merge(spinetest.Specs, compose.Order(admit.Extensions(ds), nil))
		spinetest.Total(t, spinetest.Specs, ds, c)
		s := session.Resolve(c)
		if len(s.Tools) != 1 || s.Tools[0].Qualified != "acme:search/t" || s.Tools[0].Value.Ref.Name != "t" || s.Tools[0].Origin.Path != "mcp.json" {
			t.Errorf("got the tools %+v, want acme:search/t, which lies where its server is declared", s.Tools)
		}
	}
}

// A server with many tools of many words costs none of them: what it says names
// no code of its extension.
func TestDescribedOfManyWords(t *testing.T) {
	var tools []string
	for i := range 1_000 {
		var words []string
		for w := range 40 {
			words = append(words, fmt.Sprintf("word%dx%d", i, w))
		}
		tools = append(tools, fmt.Sprintf(`{"name": "t%d", "description": "./run ${PLUGIN_ROOT}/run %s", "inputSchema": {"type": "object"}}`, i, strings.Join(words, " ")))
	}
	began := time.Now()
	ds := admit.Decide(described(t, candidates(t, "acme/mcp.json", search, "acme/run", "#!/bin/sh\n"), `{"tools": [`+strings.Join(tools, ",")+`]}`), spinetest.Used())
	t.Logf("read and judged in %v", time.Since(began))
	d := &ds[1]
	if d.Incomplete() != 0 || len(d.Contributions()) != 1_000 {
		t.Errorf("%d of %d tools are refused, want none: %v", d.Incomplete(), len(d.Contributions()), d.Contributions()[len(d.Contributions())-1].Findings)
	}
}
