// Package monorepo is the source for a design monorepo: a working tree that declares
// plugins, agents, deployments, tools, profiles and missions below .colony, most of them
// as Python. The Python is read and never run.
//
// Each file, skill folder, catalogue entry and profile is a tree of its own, so that a
// broken one does not take its neighbours with it; all share the extension's name. What
// was noticed about the working tree as a whole, such as a manifest that is broken, goes
// with a tree that has no place.
package monorepo

import (
	"context"
	"iter"
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
)

// Format is what a tree of a monorepo is laid out in.
const Format = "monorepo"

// Source is one design monorepo.
type Source struct {
	Dir   string // of the working tree, absolute
	Shown string // as somebody wrote it
	// Named: somebody said that it is there, so that it must be. Else a directory without
	// .colony is no monorepo, and yields nothing.
	Named bool
	// Within is the workspace, when Dir must lie in it: until the person vouches for it,
	// Dir must not lead elsewhere through links. "" allows any place.
	Within  string
	Adopted bool // a person vouches for where Dir leads
	Known   Known
	// Manifest is what says where surfaces lie; nil: the working tree's own.
	Manifest *colony.Manifest
	Env      source.Env
	// Workers read Python at once; fewer than two: one.
	Workers int
	Memory  *Memory // nil: nothing is remembered
	Open    root.Options
}

var _ ext.Source = (*Source)(nil)

// Name is "monorepo".
func (s *Source) Name() string { return string(ext.MonorepoName) }

// Watched are the places in which everything lies that the monorepo is read from, where
// nothing is known of it.
func Watched(dir string) []string { return []string{filepath.Join(dir, colony.Dir)} }

// Trees yields a tree for each unit, in the order of the surfaces and then of the names.
// A working tree that is named and not there is one tree, which is refused and has no
// root, so that nobody remembers it.
func (s *Source) Trees(ctx context.Context) iter.Seq2[ext.Tree, error] {
	return func(yield func(ext.Tree, error) bool) {
		if ctx.Err() != nil {
			return
		}
		base := ext.Tree{
			Extension: ext.MonorepoName, Format: Format,
			Origin: ext.Origin{Extension: ext.MonorepoName, Source: s.Name(), Trust: ext.Project},
			FS:     source.Nothing{},
		}
		r, fault := s.open(base.Origin)
		if fault != nil {
			base.Findings.Add(*fault)
			yield(base, nil)
		}
		if r == nil {
			return
		}
		base.FS, base.Root, base.Leads = r, s.Dir, r.Dir()
		if led := s.led(r, base.Origin); led != nil {
			base.Findings.Add(*led)
			if led.Check == source.Escape {
				base.FS, base.Close = source.Nothing{}, func() { _ = r.Close() }
				yield(base, nil)
				return
			}
		}
		found, err := s.read(ctx, r, base.Origin)
		if err != nil { // ctx ended
			_ = r.Close()
			return
		}
		source.Give(ctx, split(base, found, r), yield)
	}
}

// split makes a tree of every unit, behind one of what was noticed about the whole.
func split(base ext.Tree, found *reading, r *root.Root) []ext.Tree {
	notes := append(base.Findings, found.notes...)
	base.Findings, base.Watch = nil, found.watched(base.Root)
	var out []ext.Tree
	if len(notes) > 0 || len(found.units) == 0 { // it is there, whatever is in it
		t := base
		t.Findings = notes
		out = append(out, t)
	}
	for _, u := range found.units {
		t := base
		t.Places, t.Findings = u.places, u.findings
		out = append(out, t)
	}
	source.Share(out, func() { _ = r.Close() })
	return out
}
