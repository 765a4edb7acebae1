package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/golden"
)

// TestRun writes a page, finds it fresh, and finds it stale once a file is
// added. What differs from what was counted is told, and leaves the page alone.
func TestRun(t *testing.T) {
	dir := golden.Dir(t, golden.Files("x/skills/s/SKILL.md", "---\nname: s\ndescription: S.\n---\n"))
	page := filepath.Join(t.TempDir(), "corpus.md")
	run := func(check bool) error { return run(t.Context(), dir, page, check) }

	if err := run(true); err == nil || !strings.Contains(err.Error(), "stale") {
		t.Errorf("a page that is not there: got %v, want it stale", err)
	}
	if err := run(false); err != nil {
		t.Fatal(err)
	}
	if err := run(true); err != nil {
		t.Errorf("a page as it was written: got %v, want it fresh", err)
	}
	was, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(was), "| x | skill | 1 |") {
		t.Errorf("got %s, %v, want a page with one skill", was, err)
	}

	golden.Write(t, dir, golden.Files("x/skills/t/SKILL.md", "---\nname: t\ndescription: T.\n---\n"))
	if err := run(true); err == nil || !strings.Contains(err.Error(), "stale") {
		t.Errorf("one skill more: got %v, want the page stale", err)
	}

	golden.Write(t, dir, golden.Files("y/notes/a.agent.md", "---\nname: a\ndescription: A.\n---\n"))
	if err := run(false); err == nil || !strings.Contains(err.Error(), "differs from what was counted in 1 places") {
		t.Errorf("an agent in no extension: got %v, want the difference", err)
	}
	if is, err := os.ReadFile(page); err != nil || string(is) != string(was) {
		t.Errorf("got the page %s, %v, want it left as it was", is, err)
	}
}

func TestRunUsage(t *testing.T) {
	for name, err := range map[string]error{
		"no directory": run(t.Context(), "", "corpus.md", false),
		"no page":      run(t.Context(), t.TempDir(), "", false),
	} {
		if err == nil || !strings.Contains(err.Error(), "MORTISE_CORPUS") {
			t.Errorf("%s: got %v, want what to set", name, err)
		}
	}
}
