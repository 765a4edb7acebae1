package git

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A commit is written as it is, and nothing else is left anywhere.
func TestFetch(t *testing.T) {
	s := serve(t)
	r, src := s.repo("a.git")
	want := r.commit("main",
		file{"100644", "README.md", "hello\n"}, file{"100755", "bin/run", "#!/bin/sh\n"},
		file{"120000", "docs/link", "../README.md"}, file{"100644", "docs/sub/x", ""})
	r.commit("main", file{"100644", "README.md", "later\n"})
	g := newGit(t)
	top := t.TempDir()
	var phases []string
	f, err := g.Fetch(context.Background(), src, want, filepath.Join(top, "tree"), Fetching{Progress: func(p Progress) { phases = append(phases, p.Phase) }})
	if err != nil {
		t.Fatal(err)
	}
	got := lies(t, top)
	if wanted := []string{
		"tree/", "tree/README.md false \"hello\\n\"", "tree/bin/", "tree/bin/run true \"#!/bin/sh\\n\"", "tree/docs/",
		"tree/docs/link -> ../README.md", "tree/docs/sub/", "tree/docs/sub/x false \"\"",
	}; !slices.Equal(got, wanted) {
		t.Errorf("got %q, want %q", got, wanted)
	}
	if f.Files != 4 || f.Commit != want || f.When.Unix() != 1700000000 {
		t.Errorf("got %+v, want 4 files of %s", f, want)
	}
	if !slices.Contains(phases, "writing") || !slices.Contains(phases, "receiving") {
		t.Errorf("was told of %q, want receiving and writing among them", phases)
	}
	if _, err := os.Stat(filepath.Join(top, "tree", ".git")); err == nil {
		t.Error("there is a .git")
	}
}
