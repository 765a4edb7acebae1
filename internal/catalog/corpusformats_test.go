package catalog_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/host"
)

// TestCorpusReadsAll counts on its own the skills, agents and commands that have
// front matter, and holds the whole program to reading them: every skill, and
// nearly every agent and command. What is no entry is told, and a skill that
// lies where nobody looks is read once somebody does.
func TestCorpusReadsAll(t *testing.T) {
	dir, err := filepath.EvalSymlinks(corpus(t))
	if err != nil {
		t.Fatal(err)
	}
	l := reading{Listing: looked(t, dir), refused: map[string]bool{}, entries: map[string]host.EntryRow{}, told: map[string][]host.FindingRow{}, roots: map[string]bool{}}
	l.index()
	counts := map[string]*count{"skill": {least: 1}, "agent": {least: .99}, "command": {least: .99}}
	err = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		surface := kind(filepath.ToSlash(p))
		if err != nil || surface == "" || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil || !strings.HasPrefix(strings.TrimPrefix(string(data), "\ufeff"), "---") {
			return err
		}
		l.judge(t, counts[surface], surface, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
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

// kind is the surface of a file by its name and place; "" for any other file.
func kind(p string) string {
	base := path.Base(p)
	switch {
	case base == "SKILL.md":
		return "skill"
	case path.Ext(base) != ".md":
		return ""
	case strings.HasSuffix(base, ".agent.md") || strings.Contains(p, "/agents/"):
		return "agent"
	case strings.Contains(p, "/commands/"):
		return "command"
	}
	return ""
}

// count is what became of the files of one surface.
type count struct {
	with, read, lost, alone, elsewhere int
	least                              float64
}

// reading is a listing with what is asked of it.
type reading struct {
	*host.Listing
	roots   map[string]bool              // of extensions
	refused map[string]bool              // of those, the refused ones
	entries map[string]host.EntryRow     // by surface and file
	told    map[string][]host.FindingRow // warnings and more by root, and whatever is told of unclaimed documents
}

func (l *reading) index() {
	for _, x := range l.Extensions {
		l.roots[x.Root] = true
		l.refused[x.Root] = x.Status == "refused"
	}
	for _, e := range l.Entries {
		l.entries[e.Surface+" "+filepath.Join(e.Root, e.Path)] = e
	}
	for _, f := range l.Findings {
		if f.Severity != "info" || f.Code == "document-unclaimed" {
			l.told[f.Root] = append(l.told[f.Root], f)
		}
	}
}

// judge counts one file. An entry is read unless an error stands against its
// file: what is refused with its extension was read all the same.
func (l *reading) judge(t *testing.T, n *count, surface, file string) {
	n.with++
	e, entry := l.entries[surface+" "+file]
	switch {
	case entry && !failed(l.told[e.Root], e.Path):
		n.read++
	case entry:
		n.lost++
		if e.Status != "refused" {
			t.Errorf("%s has an error and is %s, want it refused", file, e.Status)
		}
	case !l.tells(surface, file):
		t.Errorf("%s is no %s, and no finding says why", file, surface)
	case surface == "skill" && alone(t, file):
		n.alone++
	default:
		n.elsewhere++
	}
}

func failed(fs []host.FindingRow, file string) bool {
	for _, f := range fs {
		if f.Path == file && f.Severity == "error" {
			return true
		}
	}
	return false
}

// tells reports whether it is said why a file is no entry: its extension is
// refused, a finding names the file or the directory it lies in, it belongs to
// a skill, or it is a skill among those that are counted as unclaimed.
func (l *reading) tells(surface, file string) bool {
	root := filepath.Dir(file)
	for !l.roots[root] {
		if surface != "skill" && l.holdsSkill(root) {
			return true
		}
		if root == filepath.Dir(root) {
			return false
		}
		root = filepath.Dir(root)
	}
	for _, f := range l.told[root] {
		at := filepath.Join(root, f.Path)
		if f.Path != "" && (at == file || strings.HasPrefix(file, at+"/")) || surface == "skill" && f.Code == "document-unclaimed" {
			return true
		}
	}
	return l.refused[root] && len(l.told[root]) > 0
}

func (l *reading) holdsSkill(dir string) bool {
	_, ok := l.entries["skill "+filepath.Join(dir, "SKILL.md")]
	return ok
}

// alone reports whether the skill of a directory is read where the directory is
// looked at by itself.
func alone(t *testing.T, file string) bool {
	l := looked(t, filepath.Dir(file))
	for _, e := range l.Of("skill").Entries {
		if filepath.Join(e.Root, e.Path) == file {
			return e.Status == "active" && !failed(l.Findings, e.Path)
		}
	}
	return false
}
