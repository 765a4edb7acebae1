// Package spinetest walks trees that are written down in txtar through the
// stages, and holds what comes out to what must hold of every outcome.
package spinetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/catalog"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/hook/toolcall"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Specs are the surfaces and hooks that trees are read with where a test needs
// no others.
var Specs = catalog.Specs

// Options are how trees are read. The zero value reads with Specs and the
// default limits, as extensions that are in use.
type Options struct {
	Specs  []*surface.Spec
	Limits ext.Limits
	Idle   bool // the extensions are looked at and not in use
}

func (o Options) filled() Options {
	if o.Specs == nil {
		o.Specs = Specs
	}
	if o.Limits == (ext.Limits{}) {
		o.Limits = ext.DefaultLimits
	}
	return o
}

// whole: the digest of a plugin's whole tree is what a grant is for.
func (o Options) whole(t ext.Tree) bool { return !o.Idle && t.Origin.Trust == ext.Plugin }

// Trees lays out each directory below dir as one tree, sorted by name. The
// directory's name up to a plus sign is the extension's: "owner+2" is a second
// tree of the owner's. "mortise" is built in, "owner" the owner's, what begins
// with "project" a project's, all else a plugin's.
func Trees(t testing.TB, dir string, o Options) []ext.Tree {
	t.Helper()
	o = o.filled()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []ext.Tree
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, tree(t, filepath.Join(dir, e.Name()), o))
		}
	}
	return out
}

func tree(t testing.TB, dir string, o Options) ext.Tree {
	base, _, _ := strings.Cut(filepath.Base(dir), "+")
	r, err := root.Open(dir, root.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	name := ext.Name(base)
	x := ext.Tree{
		Extension: name, Root: dir, FS: r,
		Origin: ext.Origin{Extension: name, Source: "path:./" + filepath.Base(dir), Trust: trust(base)},
	}
	source.Lay(bridge.Formats, bridge.Loose, &x, "", source.Env{Specs: o.Specs, Limits: o.Limits})
	return x
}

func trust(name string) ext.Trust {
	switch {
	case name == string(ext.BuiltinName):
		return ext.Builtin
	case name == string(ext.OwnerName):
		return ext.Owner
	case strings.HasPrefix(name, "project"):
		return ext.Project
	}
	return ext.Plugin
}

// Scan reads trees.
func Scan(t testing.TB, trees []ext.Tree, o Options) []discover.Candidate {
	t.Helper()
	o = o.filled()
	out := make([]discover.Candidate, len(trees))
	for i := range trees {
		c, err := discover.Scan(t.Context(), trees[i], discover.Options{Specs: o.Specs, Limits: o.Limits, Enabled: !o.Idle, Whole: o.whole})
		if err != nil {
			t.Fatal(err)
		}
		out[i] = c
	}
	return out
}

// Decide reads and judges the trees below dir.
func Decide(t testing.TB, dir string, rules admit.Rules, o Options) []admit.Decision {
	t.Helper()
	ds := admit.Decide(Scan(t, Trees(t, dir, o), o), rules)
	Hold(t, ds)
	return ds
}

// Used are the rules for extensions in use: adopted, everything granted, every
// hook asked.
func Used() admit.Rules {
	return admit.Rules{Adopted: true, Granted: true, Asked: map[string]bool{toolcall.Before.Name: true}}
}

// Compose reads, judges and merges the trees below dir.
func Compose(t testing.TB, dir string, roster []ext.Name, rules admit.Rules, o Options) (*compose.Composition, []admit.Decision) {
	t.Helper()
	o = o.filled()
	ds := Decide(t, dir, rules, o)
	c := compose.Merge(o.Specs, compose.Order(admit.Extensions(ds), roster))
	Total(t, o.Specs, ds, c)
	return c, ds
}
