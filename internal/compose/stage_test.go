package compose_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/spinetest"
	"github.com/mortise-dev/mortise/internal/surface"
)

// ruled is a surface with nothing of its own but its rule: an entry is a file,
// described by its first line.
func ruled(name string, rule surface.Merge) *surface.Spec {
	return surface.Define(surface.Def[string]{
		Name: name, Doc: "Of a test.", Dir: name, Files: "**/*.md", Needs: ext.Project, Merge: rule,
		Read: func(d surface.Document, e *surface.Entry[string]) {
			e.Value = strings.TrimSpace(d.Body)
			e.Description = e.Value
		},
	}).Spec
}

// specs are one surface for each rule, in a fixed order.
var specs = []*surface.Spec{
	ruled("unique", surface.Unique),
	ruled("namespaced", surface.Namespaced),
	ruled("append", surface.Append),
	ruled("overlay", surface.Overlay),
	ruled("exclusive", surface.Exclusive),
	ruled("exclusive2", surface.Exclusive),
}

var options = spinetest.Options{Specs: specs}

func words(text string) []ext.Name {
	var out []ext.Name
	for _, w := range strings.Fields(text) {
		out = append(out, ext.Name(w))
	}
	return out
}

// TestMerge runs the stage on testdata: the roster, the trees, names to
// resolve, then the load order, what was composed and what the names stand for.
// Whatever order the extensions come in, and whatever order the files were made
// in, the outcome is the same.
func TestMerge(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", []string{"order", "composed", "resolved"}, func(t *testing.T, in []txtar.File) []string {
		roster, names := words(spinetest.Take(&in, "roster")), strings.Fields(spinetest.Take(&in, "names"))
		ds := spinetest.Decide(t, golden.Dir(t, in), spinetest.Used(), options)
		exts := compose.Order(admit.Extensions(ds), roster)
		c := compose.Merge(specs, exts)
		spinetest.Total(t, specs, ds, c)

		slices.Reverse(in)
		other, _ := spinetest.Compose(t, golden.Dir(t, in), roster, spinetest.Used(), options)
		if c.Digest() != other.Digest() {
			t.Errorf("files made in reverse order: got the digest %s, want %s", other.Digest().Short(), c.Digest().Short())
		}
		var order []string
		for _, x := range exts {
			order = append(order, string(x.Name()))
		}
		return []string{strings.Join(order, " "), spinetest.Composition(specs, c), resolved(c, names)}
	})
}

// resolved shows what each SURFACE/NAME stands for.
func resolved(c *compose.Composition, names []string) string {
	var b strings.Builder
	for _, word := range names {
		s, name, _ := strings.Cut(word, "/")
		b.WriteString(word + " is")
		at := slices.IndexFunc(specs, func(spec *surface.Spec) bool { return spec.Name == s })
		for _, e := range c.Resolve(specs[at], name) {
			b.WriteString(" " + e.Qualified)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// pool are trees that disagree in every way that rules know of.
func pool(t *testing.T) []admit.Decision {
	return spinetest.Decide(t, golden.Dir(t, golden.Files(
		"mortise/unique/a.md", "built in", "mortise/append/a.md", "m", "mortise/overlay/k.md", "m", "mortise/namespaced/a.md", "m",
		"owner/unique/a.md", "owner", "owner/overlay/k.md", "o", "owner/append/z.md", "z",
		"owner+2/unique/b.md", "owner 2", "owner+2/append/b.md", "b", "owner+3/unique/a.md", "owner 3", "owner+3/namespaced/a.md", "o3",
		"p1/unique/a.md", "p1", "p1/unique/A2.md", "p1", "p1/overlay/k.md", "p1", "p1/overlay/j.md", "j", "p1/exclusive/x.md", "x", "p1/namespaced/a.md", "p1",
		"p2/unique/a2.md", "p2", "p2/exclusive/x.md", "x", "p2/exclusive2/y.md", "y", "p2/namespaced/A.md", "p2", "p2/append/a.md", "p2",
		"p3/exclusive2/Y.md", "y", "p3/unique/c.md", "p3", "p3/overlay/j.md", "3",
		"p4/exclusive/alone.md", "alone", "p4/unique/c.md", "p4", "p4/append/p.md", "p4",
		"project-1/unique/c.md", "project", "project-1/exclusive/w.md", "w",
		"project-2/unique/d.md", "project", "project-2/exclusive/W.md", "w",
		"empty/readme.txt", "nothing",
	)), spinetest.Used(), options)
}

// TestMergeAnyOrder wants one digest, one set of refusals and totals that add
// up for whatever of the pool is there, in whatever order it comes.
func TestMergeAnyOrder(t *testing.T) {
	ds := pool(t)
	rapid.Check(t, func(r *rapid.T) {
		var some []admit.Decision
		for i := range ds {
			if rapid.IntRange(0, 4).Draw(r, "in") > 0 {
				some = append(some, ds[i])
			}
		}
		roster := rapid.Permutation([]ext.Name{"p1", "p2", "p3", "gone"}).Draw(r, "roster")[:rapid.IntRange(0, 4).Draw(r, "length")]
		exts := admit.Extensions(some)
		want := compose.Merge(specs, compose.Order(exts, roster))
		spinetest.Total(t, specs, some, want)
		got := compose.Merge(specs, compose.Order(rapid.Permutation(exts).Draw(r, "order"), roster))
		if got.Digest() != want.Digest() {
			r.Fatalf("Merge in another order: got\n%s\nwant\n%s", spinetest.Composition(specs, got), spinetest.Composition(specs, want))
		}
		if a, b := refused(got), refused(want); !slices.Equal(a, b) {
			r.Fatalf("Merge in another order refuses %v, want %v", a, b)
		}
		if t.Failed() {
			r.Fatal("the totals do not add up")
		}
	})
}

func refused(c *compose.Composition) []ext.Name {
	var out []ext.Name
	for _, r := range c.Refused() {
		out = append(out, r.Extension)
	}
	return out
}

// TestExclusiveAnyOrder wants what Exclusive refuses to depend on who is there
// and on nothing else, even where Merge is given extensions in no load order.
func TestExclusiveAnyOrder(t *testing.T) {
	exts := admit.Extensions(pool(t))
	want := refused(compose.Merge(specs, exts))
	if len(want) < 5 {
		t.Fatalf("Merge refuses %v, want the owners of x, y and w", want)
	}
	rapid.Check(t, func(r *rapid.T) {
		if got := refused(compose.Merge(specs, rapid.Permutation(exts).Draw(r, "order"))); !slices.Equal(got, want) {
			r.Fatalf("Merge refuses %v, want %v", got, want)
		}
	})
}

// TestPrecedenceTotal wants precedence to be total: of any two extensions that
// declare one unique name, one wins, the same whoever else is there and in
// whatever order they come.
func TestPrecedenceTotal(t *testing.T) {
	var files []string
	for _, name := range []string{"mortise", "owner", "p1", "p2", "p3", "project-1", "project-2"} {
		files = append(files, name+"/unique/a.md", name)
	}
	exts := admit.Extensions(spinetest.Decide(t, golden.Dir(t, golden.Files(files...)), spinetest.Used(), options))
	want := []ext.Name{"owner", "p3", "p1", "p2", "project-1", "project-2", "mortise"}
	rapid.Check(t, func(r *rapid.T) {
		some := rapid.Permutation(exts).Draw(r, "order")[:rapid.IntRange(1, len(exts)).Draw(r, "number")]
		c := compose.Merge(specs, compose.Order(some, []ext.Name{"p3"}))
		first := slices.IndexFunc(want, func(n ext.Name) bool {
			return slices.ContainsFunc(some, func(x admit.Extension) bool { return x.Name() == n })
		})
		got := c.Entries(specs[0])
		if len(got) != 1 || got[0].Extension != want[first] {
			r.Fatalf("the name goes to %v, want %s alone", got, want[first])
		}
		if len(c.Shadowed()) != len(some)-1 || len(c.Findings()) != len(some)-1 {
			r.Fatalf("got %d shadowed and %d findings, want %d each", len(c.Shadowed()), len(c.Findings()), len(some)-1)
		}
	})
}

// TestOfNothing wants a composition of nothing to be one.
func TestOfNothing(t *testing.T) {
	c := compose.Merge(specs, nil)
	if c.Digest() == (ext.Digest{}) || len(c.Shadowed())+len(c.Refused())+len(c.Findings()) != 0 {
		t.Errorf("Merge of nothing: got %s with %v, want a digest and nothing else", c.Digest(), c.Findings())
	}
	if c.Digest() != compose.Merge(specs, []admit.Extension{{}}).Digest() {
		t.Error("Merge of the zero Extension: got another digest than of nothing, want the same")
	}
	if got := c.Resolve(specs[0], "a"); len(got) != 0 {
		t.Errorf("Resolve in nothing: got %v, want none", got)
	}
}

// TestDigestOfContent wants the digest to change with what an entry says.
func TestDigestOfContent(t *testing.T) {
	digest := func(files ...string) ext.Digest {
		c, _ := spinetest.Compose(t, golden.Dir(t, golden.Files(files...)), nil, spinetest.Used(), options)
		return c.Digest()
	}
	want := digest("a/unique/x.md", "x", "b/unique/x.md", "y")
	for name, got := range map[string]ext.Digest{
		"another text":     digest("a/unique/x.md", "z", "b/unique/x.md", "y"),
		"another name":     digest("a/unique/z.md", "x", "b/unique/x.md", "y"),
		"another owner":    digest("c/unique/x.md", "x", "b/unique/x.md", "y"),
		"one shadow fewer": digest("a/unique/x.md", "x"),
	} {
		if got == want {
			t.Errorf("Digest with %s: got the same, want another", name)
		}
	}
}
