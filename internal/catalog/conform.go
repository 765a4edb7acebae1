package catalog

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/conform"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/source/bridge"
	"github.com/mortise-dev/mortise/internal/source/dir"
	"github.com/mortise-dev/mortise/internal/source/roots"
	"github.com/mortise-dev/mortise/internal/surface"
)

// one is the source for a look at one directory as what a profile judges; nil:
// as an extension of whatever format it is. as: as if these had been made.
func one(path string, l ext.Limits, p *conform.Profile, as *root.Changes) ext.Source {
	abs, err := filepath.Abs(path)
	if err != nil {
		abs = path
	}
	s := &dir.Plugin{
		Extension: source.NameOf("", abs), Dir: abs, Shown: path, Trust: ext.Plugin, Formats: bridge.Formats, Loose: bridge.Loose,
		Env: source.Env{Specs: known(p), Limits: l}, Labelled: true, Open: root.Options{Changes: as},
	}
	if p != nil {
		s.Format = p.Format
	}
	if p != nil && p.Only != "" {
		s.Formats, s.Loose = nil, bridge.Folders
	}
	return s
}

// below is the source for a look at every extension below a directory. What is
// laid out in several formats is read as that of the profile. as: likewise.
func below(path string, l ext.Limits, workers int, trace bool, p *conform.Profile, as *root.Changes) ext.Source {
	formats := bridge.Formats
	if p != nil {
		formats = slices.SortedStableFunc(slices.Values(formats), func(a, b source.Format) int { return rank(a, p) - rank(b, p) })
	}
	return &roots.Source{
		Dir: path, Formats: formats, Folders: bridge.Folders, Components: bridge.FolderSurfaces,
		Env: source.Env{Specs: known(p), Limits: l}, Workers: workers, Open: root.Options{Trace: trace, Changes: as},
	}
}

func rank(f source.Format, p *conform.Profile) int {
	if family, _, _ := strings.Cut(f.Name, "/"); family == p.Format {
		return 0
	}
	return 1
}

// known are the surfaces that a profile knows; all for nil.
func known(p *conform.Profile) []*surface.Spec {
	if p == nil || p.Only == "" {
		return Specs
	}
	return slices.DeleteFunc(slices.Clone(Specs), func(s *surface.Spec) bool { return s.Name != p.Only })
}

// AllChecks are everything that can be found, each once, in the order of Checks.
func AllChecks() []*ext.Check {
	var all []*ext.Check
	for _, g := range Checks() {
		for _, c := range g.Checks {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	return all
}
