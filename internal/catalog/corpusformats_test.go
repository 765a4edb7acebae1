package catalog_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mortise-dev/mortise/internal/corpus/tally"
	"github.com/mortise-dev/mortise/internal/host"
)

// tallied is the corpus, counted by what lists it and by what knows nothing of
// that; the two must be equal in every file.
func tallied(t *testing.T, dir string) []*tally.Repository {
	t.Helper()
	all, err := tally.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		for _, what := range r.Amiss {
			t.Error(what)
		}
	}
	return all
}

// TestCorpusReadsAll wants the whole program to read what has front matter: every
// skill, and nearly every agent and command. What is no entry is told, and a
// skill that lies where nobody looks is read once somebody does.
func TestCorpusReadsAll(t *testing.T) {
	dir := corpus(t)
	counts := map[string]*count{"skill": {least: 1}, "agent": {least: .99}, "command": {least: .99}}
	for _, r := range tallied(t, dir) {
		for i := range r.Files {
			if f := &r.Files[i]; counts[f.Kind] != nil && f.Is("front") {
				counts[f.Kind].add(t, f, filepath.Join(dir, r.Name, f.Path))
			}
		}
	}
	for surface, n := range counts {
		t.Logf("%ss with front matter: %d, of which %d are entries that were read, %d are not, %d are read by themselves, %d lie where none is looked for", surface, n.with, n.read, n.lost, n.alone, n.elsewhere)
		if n.with == 0 || float64(n.read+n.alone) < n.least*float64(n.read+n.alone+n.lost) {
			t.Errorf("%ss: %d of %d are read, want %v of them", surface, n.read+n.alone, n.read+n.alone+n.lost, n.least)
		}
	}
	if n := counts["skill"]; n.elsewhere != 0 {
		t.Errorf("%d skills were not read at all, want every one looked into", n.elsewhere)
	}
}

// TestCorpusPage wants docs/corpus.md to say what the corpus holds now, where it
// is of the same repositories.
func TestCorpusPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/corpus.md")
	if err != nil {
		t.Fatal(err)
	}
	got, all := string(page), tallied(t, corpus(t))
	if !slices.ContainsFunc(all, func(r *tally.Repository) bool { return strings.Contains(got, "| "+r.Name+" |") }) {
		t.Skip("docs/corpus.md is of other repositories than this corpus")
	}
	if diff := cmp.Diff(got, string(tally.Page(all))); diff != "" {
		t.Errorf("docs/corpus.md is stale; run make corpus (-is +ought):\n%s", diff)
	}
}

// count is what became of the files of one surface.
type count struct {
	with, read, lost, alone, elsewhere int
	least                              float64
}

// add counts one file. What is refused with its extension, or since its guard
// would not be asked, was read all the same.
func (n *count) add(t *testing.T, f *tally.File, file string) {
	n.with++
	switch {
	case f.Place == tally.Entry && (!f.Alone || f.Is("guarded")):
		n.read++
	case f.Place == tally.Entry:
		n.lost++
	case f.Kind == "skill" && alone(t, file):
		n.alone++
	default:
		n.elsewhere++
	}
}

// alone reports whether the skill of a directory is read where the directory is
// looked at by itself.
func alone(t *testing.T, file string) bool {
	l := looked(t, filepath.Dir(file))
	for _, e := range l.Of("skill").Entries {
		if filepath.Base(e.Root) == filepath.Base(filepath.Dir(file)) && e.Path == "SKILL.md" {
			return e.Status == "active" && !failed(l.Findings, e.Path)
		}
	}
	return false
}

func failed(fs []host.FindingRow, file string) bool {
	for _, f := range fs {
		if f.Path == file && f.Severity == "error" {
			return true
		}
	}
	return false
}
