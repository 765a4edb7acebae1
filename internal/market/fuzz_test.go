package market_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/market"
)

// FuzzRead holds that no marketplace file, whatever is in it, stops the reader
// or has it look outside, and that what is told is fit to be shown.
func FuzzRead(f *testing.F) {
	names, err := filepath.Glob("testdata/read/*.txtar")
	if err != nil || len(names) == 0 {
		f.Fatalf("seeds: got %d, %v", len(names), err)
	}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for i, at := range market.Places {
			for _, file := range a.Files {
				if file.Name == "market/"+at.Path {
					f.Add(uint8(i), file.Data)
				}
			}
		}
	}
	base := golden.Dir(f, append(golden.Files("secret", "outside", "market/plugins/a/.claude-plugin/plugin.json", `{"name": "a"}`, "market/plugins/b.md", "text"),
		txtar.File{Name: "market/empty/"}, txtar.File{Name: "market/out -> ../"}))
	f.Fuzz(func(t *testing.T, at uint8, data []byte) {
		dir := filepath.Join(base, "market")
		place := filepath.Join(dir, filepath.FromSlash(market.Places[int(at)%len(market.Places)].Path))
		if err := os.MkdirAll(filepath.Dir(place), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(place, data, 0o666); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(place)
		m := read(t, dir)
		hold(t, m)
		for i := range m.Entries {
			m.Entries[i].Score([]string{"a", m.Entries[i].Name})
			m.Find(m.Entries[i].Name)
			if p := m.Entries[i].Place; p != nil && p.There && p.Dir != "." && p.Dir != "plugins" && p.Dir != "plugins/a" && !filepath.IsLocal(p.Dir) {
				t.Errorf("%q lies in %q, want inside", m.Entries[i].Name, p.Dir)
			}
		}
	})
}
