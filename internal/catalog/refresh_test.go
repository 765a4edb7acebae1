package catalog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/mortise-dev/mortise/internal/host"
)

// many is a workspace of plugins with skills.
func many(t testing.TB, dir string, plugins, skills int) (config string) {
	t.Helper()
	for p := range plugins {
		name := fmt.Sprintf("p%03d", p)
		config += fmt.Sprintf("[plugins.%s]\npath = \"./%s\"\n", name, name)
		write(t, filepath.Join(dir, name, ".claude-plugin", "plugin.json"), `{"name":"`+name+`"}`)
		for s := range skills {
			write(t, skillFile(dir, p, s), skillOf(p, s, "first"))
		}
	}
	return config
}

func skillFile(dir string, p, s int) string {
	return filepath.Join(dir, fmt.Sprintf("p%03d", p), "skills", fmt.Sprintf("s%03d", s), "SKILL.md")
}

func skillOf(p, s int, word string) string {
	return fmt.Sprintf("---\nname: s%03d\ndescription: Skill %d of plugin %d, the %s.\n---\nDo it.\n", s, s, p, word)
}

func write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A pass that is told what changed reads that and nothing else, and comes to the
// same as one that reads everything.
func TestRereadingIsReading(t *testing.T) {
	w := newWorkspace(t, map[string]string{"mortise.toml": ""})
	w.write(t, map[string]string{"mortise.toml": many(t, w.dir, 5, 3)})
	h := w.open(t, host.Changing)
	adopt(t, h)
	if _, err := h.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for round := range 5 {
		write(t, skillFile(w.dir, round, 1), skillOf(round, 1, fmt.Sprint("round ", round)))
		again, err := h.Reread(t.Context(), []string{filepath.Join(w.dir, fmt.Sprintf("p%03d", round))})
		if err != nil {
			t.Fatal(err)
		}
		whole, err := w.open(t, host.Looking).Refresh(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if again.Digest() != whole.Digest() {
			t.Fatalf("round %d: rereading gives %s, reading everything %s", round, again.Digest().Short(), whole.Digest().Short())
		}
	}
	// What is not told of is not seen: that is what a watcher is for.
	before := h.Now().Digest()
	write(t, skillFile(w.dir, 0, 0), skillOf(0, 0, "unseen"))
	if g, err := h.Reread(t.Context(), nil); err != nil || g.Digest() != before {
		t.Errorf("rereading nothing: got %v, another digest or an error, want what there was", err)
	}
	if g, err := h.Refresh(t.Context()); err != nil || g.Digest() == before {
		t.Errorf("refreshing: got %v, or the same digest, want what changed", err)
	}
}

// BenchmarkRefresh is a pass over 10,000 entries after one edited file.
func BenchmarkRefresh(b *testing.B) {
	for _, c := range []struct {
		name            string
		plugins, skills int
	}{{"100x100", 100, 100}, {"10x1000", 10, 1000}} {
		b.Run(c.name, func(b *testing.B) {
			w := newWorkspace(b, map[string]string{"mortise.toml": ""})
			write(b, filepath.Join(w.dir, "mortise.toml"), many(b, w.dir, c.plugins, c.skills))
			h := w.open(b, host.Changing)
			adopt(b, h)
			if _, err := h.Refresh(b.Context()); err != nil {
				b.Fatal(err)
			}
			i := 0
			for b.Loop() {
				i++
				write(b, skillFile(w.dir, i%c.plugins, 1), skillOf(i%c.plugins, 1, fmt.Sprint("round ", i)))
				if _, err := h.Reread(b.Context(), []string{filepath.Join(w.dir, fmt.Sprintf("p%03d", i%c.plugins))}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
