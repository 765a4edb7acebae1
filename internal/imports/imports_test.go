package imports

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/internal/golden"
)

// TestLook reads what the clients themselves wrote, as their users left it: several scopes,
// what was switched off or is gone, links, old and unknown forms. What is uninstalled is not
// found, though it lies there, and no secret is read out.
func TestLook(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", []string{"want"}, func(t *testing.T, in []txtar.File) []string {
		root := lay(t, in)
		found, faults := Look(Place{Home: filepath.Join(root, "home"), Workspace: filepath.Join(root, "proj")}, nil)
		var b strings.Builder
		for _, f := range found {
			on, note := "on ", ""
			if !f.On {
				on = "off"
			}
			if f.Moves {
				note += " moves"
			}
			if f.Local {
				note += " here"
			}
			if f.Why != "" {
				note += " (" + f.Why + ")"
			}
			fmt.Fprintf(&b, "%s %s %s %s%s\n", f.Client, on, f.ID, strings.ReplaceAll(f.Dir, root, "@ROOT@"), note)
		}
		for _, err := range faults {
			fmt.Fprintf(&b, "fault: %s\n", strings.ReplaceAll(err.Error(), root, "@ROOT@"))
		}
		if strings.Contains(b.String(), "SECRET") {
			t.Errorf("a secret is told:\n%s", b.String())
		}
		return []string{b.String()}
	})
}

// lay writes files, with the directory that they lie in where they say @ROOT@.
func lay(t *testing.T, files []txtar.File) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text := strings.ReplaceAll(string(f.Data), "@ROOT@", filepath.ToSlash(root))
		if f.Name == "LINKS" {
			defer links(t, root, text)
			continue
		}
		at := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func links(t *testing.T, root, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		from, to, _ := strings.Cut(strings.TrimSpace(line), " -> ")
		at := filepath.Join(root, from)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, at); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
}
