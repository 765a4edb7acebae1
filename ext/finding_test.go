package ext_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
)

func TestOriginString(t *testing.T) {
	for _, c := range []struct {
		o    ext.Origin
		want string
	}{
		{ext.Origin{}, ""},
		{ext.Origin{Extension: "acme", Source: "path:./acme"}, "acme"},
		{ext.Origin{Extension: "acme", Path: "skills/a/SKILL.md", Line: 3}, "acme:skills/a/SKILL.md:3"},
		{ext.Origin{Source: "mortise.toml", Line: 3}, "mortise.toml:3"},
		{ext.Origin{Path: "a"}, "a"},
	} {
		if got := c.o.String(); got != c.want {
			t.Errorf("String of %+v: got %q, want %q", c.o, got, c.want)
		}
	}
}

// TestFindingsSort wants one order whatever the order of the work.
func TestFindingsSort(t *testing.T) {
	a, b := &ext.Check{Code: "a", Severity: ext.Info}, &ext.Check{Code: "b", Severity: ext.Error, Fix: "Mend it."}
	var all ext.Findings
	for _, x := range []ext.Name{"x", "y"} {
		for _, path := range []string{"", "p"} {
			for line := range 2 {
				o := ext.Origin{Extension: x, Path: path, Line: line}
				all.Add(a.At(o, "one"), a.At(o, "two"), b.At(o, "one"))
			}
		}
	}
	want := slices.Clone(all)
	want.Sort()
	rapid.Check(t, func(r *rapid.T) {
		got := rapid.Permutation(all).Draw(r, "order")
		got.Sort()
		if !slices.Equal(got, want) {
			r.Fatalf("Sort: got %v, want %v", got, want)
		}
	})
	if !all.Failed() || (ext.Findings{a.At(ext.Origin{}, "x")}).Failed() {
		t.Error("Failed: want it for an error and for nothing less")
	}
	if f := b.At(ext.Origin{}, "x"); f.Fix() != "Mend it." || f.With("Mend %s.", "this").Fix() != "Mend this." || f.Fix() != "Mend it." {
		t.Error("With: want a fix for this case, and the finding it came from unchanged")
	}
}

func TestErrorKinds(t *testing.T) {
	err := errors.New("x")
	for _, c := range []struct {
		err  error
		want ext.ErrorKind
	}{
		{err, ext.Failed}, {nil, ext.Failed}, {ext.AsUsage(err), ext.Usage}, {ext.AsRefused(err), ext.Refused},
		{fmt.Errorf("y: %w", ext.AsUsage(err)), ext.Usage}, {ext.AsRefused(ext.AsUsage(err)), ext.Refused},
	} {
		if got := ext.KindOf(c.err); got != c.want {
			t.Errorf("KindOf(%v): got %d, want %d", c.err, got, c.want)
		}
	}
	if ext.AsUsage(nil) != nil || !errors.Is(ext.AsUsage(err), err) {
		t.Error("AsUsage: want nil of nil, and the error it marks to be found in it")
	}
}

// TestRename wants a tree's findings and faults to go by its new name too.
func TestRename(t *testing.T) {
	c := &ext.Check{Code: "a", Severity: ext.Info}
	f := c.At(ext.Origin{Extension: "old"}, "x")
	tree := ext.Tree{Extension: "old", Findings: ext.Findings{f}, Places: []ext.Place{{Fault: &f}, {}}}
	tree.Rename("new")
	if tree.Extension != "new" || tree.Origin.Extension != "new" || tree.Findings[0].Origin.Extension != "new" || tree.Places[0].Fault.Origin.Extension != "new" {
		t.Errorf("Rename: got %+v, want the new name everywhere", tree)
	}
}
