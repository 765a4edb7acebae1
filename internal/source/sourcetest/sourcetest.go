// Package sourcetest holds every source to the contract of ext.Source: trees
// come in an order that depends on names alone, what is opened is closed, and
// looking leaves no trace.
package sourcetest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/source"
)

// Missing is what a source makes of a directory that is not there.
type Missing uint8

const (
	// Nothing: no tree and no error; the directory need not exist.
	Nothing Missing = iota + 1
	// Refused: one tree with an error finding.
	Refused
	// Failed: an error.
	Failed
)

// Case is one source to be held.
type Case struct {
	Open  func(dir string) ext.Source // a source over the directory
	Files []txtar.File                // what is there, with names as golden.Write takes them
	Want  []string                    // each tree as Show gives it, in order
	// Missing is what comes where the directory is not there.
	Missing Missing
}

// Run checks a source.
func Run(t *testing.T, c Case) {
	t.Run("trees in a fixed order", func(t *testing.T) { order(t, c) })
	t.Run("what is opened is closed", func(t *testing.T) { closed(t, c) })
	t.Run("stopping early closes all", func(t *testing.T) { stopped(t, c) })
	t.Run("nothing is written", func(t *testing.T) { untouched(t, c) })
	t.Run("a missing directory", func(t *testing.T) { missing(t, c) })
	t.Run("cancelled", func(t *testing.T) { cancelled(t, c) })
}

// order lays the same tree out twice, the second time in the reverse order of
// creation, and wants the same trees.
func order(t *testing.T, c Case) {
	reversed := slices.Clone(c.Files)
	slices.Reverse(reversed)
	for _, files := range [][]txtar.File{c.Files, reversed} {
		dir := golden.Dir(t, files)
		var got []string
		each(t, c.Open(dir), t.Context(), func(tree ext.Tree) bool {
			got = append(got, Show(&tree))
			return true
		})
		if !slices.Equal(got, c.Want) {
			t.Errorf("Trees: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.Want, "\n"))
		}
	}
}

// each hands the trees of a source to take until it says no, closing each.
func each(t *testing.T, s ext.Source, ctx context.Context, take func(ext.Tree) bool) (n int) {
	t.Helper()
	for tree, err := range s.Trees(ctx) {
		if err != nil {
			t.Fatalf("Trees: got error %v, want none", err)
		}
		n++
		if tree.Extension == "" || tree.FS == nil || tree.Origin.Extension != tree.Extension ||
			tree.Origin.Source == "" || tree.Origin.Trust == 0 || tree.Origin.Path != "" || tree.Origin.Line != 0 {
			t.Errorf("tree %s: got the origin %+v, want extension, source and trust, and no place", tree.Extension, tree.Origin)
		}
		for _, f := range tree.Findings {
			if f.Origin.Extension != tree.Extension || f.Origin.Source == "" || f.Fix() == "" {
				t.Errorf("tree %s: finding %s has the origin %+v, want the tree's", tree.Extension, f.Check.Code, f.Origin)
			}
		}
		more := take(tree)
		if tree.Close != nil {
			tree.Close()
		}
		if !more {
			return n
		}
	}
	return n
}

// rounds is how often a source is read to see whether anything leaks.
const rounds = 200

func closed(t *testing.T, c Case) {
	dir := golden.Dir(t, c.Files)
	leak(t, func() { each(t, c.Open(dir), t.Context(), func(ext.Tree) bool { return true }) })
}

func stopped(t *testing.T, c Case) {
	dir := golden.Dir(t, c.Files)
	leak(t, func() { each(t, c.Open(dir), t.Context(), func(ext.Tree) bool { return false }) })
}

// leak wants as many open descriptors after many rounds as after the first.
func leak(t *testing.T, round func()) {
	t.Helper()
	round()
	before := descriptors(t)
	for range rounds {
		round()
	}
	if after := descriptors(t); after > before {
		t.Errorf("open descriptors: got %d after %d rounds, want the %d before", after, rounds, before)
	}
}

func descriptors(t *testing.T) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("descriptors are counted on Linux only")
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(entries)
}

func untouched(t *testing.T, c Case) {
	dir := golden.Dir(t, c.Files)
	before := Snapshot(t, dir)
	each(t, c.Open(dir), t.Context(), func(tree ext.Tree) bool {
		for _, p := range tree.Places {
			_ = source.Read(tree.FS, tree.Origin.At(p.File, 1), ext.DefaultLimits)
		}
		return true
	})
	if after := Snapshot(t, dir); !slices.Equal(before, after) {
		t.Errorf("the directory: got %q, want it as it was, %q", after, before)
	}
}

// Snapshot lists everything below dir with its mode, size, time and links.
func Snapshot(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		target, _ := os.Readlink(name)
		out = append(out, fmt.Sprintf("%s %s %d %s %s", name, info.Mode(), info.Size(), info.ModTime(), target))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func missing(t *testing.T, c Case) {
	if c.Missing == 0 {
		t.Skip("the source has no directory")
	}
	var trees []ext.Tree
	var errs []error
	for tree, err := range c.Open(filepath.Join(t.TempDir(), "gone")).Trees(t.Context()) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if tree.Close != nil {
			tree.Close()
		}
		trees = append(trees, tree)
	}
	switch c.Missing {
	case Nothing:
		if len(trees)+len(errs) != 0 {
			t.Errorf("Trees: got %d trees, errors %v, want neither", len(trees), errs)
		}
	case Refused:
		if len(errs) != 0 || len(trees) != 1 || !trees[0].Findings.Failed() {
			t.Errorf("Trees: got %d trees, errors %v, want one tree with an error finding", len(trees), errs)
		}
	case Failed:
		if len(trees) != 0 || len(errs) != 1 {
			t.Errorf("Trees: got %d trees, errors %v, want one error", len(trees), errs)
		}
	}
}

func cancelled(t *testing.T, c Case) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := golden.Dir(t, c.Files)
	if len(c.Want) > 1 {
		n := each(t, c.Open(dir), ctx, func(ext.Tree) bool {
			cancel()
			return true
		})
		if n != 1 {
			t.Errorf("Trees, cancelled at the first: got %d trees, want 1", n)
		}
	}
	cancel()
	if n := each(t, c.Open(dir), ctx, func(ext.Tree) bool { return true }); n != 0 {
		t.Errorf("Trees, cancelled before: got %d trees, want none", n)
	}
	leak(t, func() { each(t, c.Open(dir), ctx, func(ext.Tree) bool { return true }) })
}

// Show is a tree in one line: its name, format, trust, places and findings.
func Show(tree *ext.Tree) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", tree.Extension, tree.Format, tree.Origin.Trust)
	for _, p := range tree.Places {
		fmt.Fprintf(&b, " %s=%s", p.Path, p.File)
		if p.Fault != nil {
			fmt.Fprintf(&b, "!%s", p.Fault.Check.Code)
		}
	}
	for _, f := range tree.Findings {
		fmt.Fprintf(&b, " [%s %s]", f.Check.Code, f.Origin.Path)
	}
	return b.String()
}
