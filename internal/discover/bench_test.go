package discover_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

// bulk makes a tree of 5,000 files and 50 MiB, in 250 directories.
func bulk(b *testing.B) (dir, one string) {
	b.Helper()
	dir = b.TempDir()
	data := bytes.Repeat([]byte("0123456789abcdef"), 50<<20/5000/16)
	for i := range 5000 {
		one = filepath.Join(dir, fmt.Sprintf("node_modules/m%03d/f%d.js", i/20, i%20))
		if err := os.MkdirAll(filepath.Dir(one), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(one, append(data, fmt.Sprint(i)...), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return dir, one
}

// BenchmarkContent digests a tree: first, unchanged, and with one file edited,
// by a process that knows it and by the next one; and walks it as the floor.
func BenchmarkContent(b *testing.B) {
	dir, one := bulk(b)
	r := opened(b, dir)
	digest := func(b *testing.B, m *discover.Memory) {
		c, err := discover.Scan(b.Context(), ext.Tree{FS: r}, discover.Options{Whole: always, Memory: m})
		if err != nil || c.Content() == (ext.Digest{}) {
			b.Fatal(err, c.Tree().Findings)
		}
	}
	n := 0
	edit := func(b *testing.B) {
		b.StopTimer()
		n++
		if err := os.WriteFile(one, fmt.Append(nil, n), 0o644); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	kept := b.TempDir()
	m := discover.NewMemory(kept)
	digest(b, m)
	b.Run("floor=WalkDir+Lstat", func(b *testing.B) {
		for b.Loop() {
			err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
				if err == nil {
					_, err = os.Lstat(name)
				}
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			digest(b, discover.NewMemory(""))
		}
	})
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			digest(b, m)
		}
	})
	b.Run("unchanged,next-process", func(b *testing.B) {
		for b.Loop() {
			digest(b, discover.NewMemory(kept))
		}
	})
	b.Run("edited", func(b *testing.B) {
		for b.Loop() {
			edit(b)
			digest(b, m)
		}
	})
	b.Run("edited,next-process", func(b *testing.B) {
		for b.Loop() {
			edit(b)
			digest(b, discover.NewMemory(kept))
		}
	})
}

// BenchmarkScan scans 10,000 skills in 10 trees, cold and warm.
func BenchmarkScan(b *testing.B) {
	dir := b.TempDir()
	body := bytes.Repeat([]byte("Every entry has an origin.\n"), 110)
	for i := range 10_000 {
		name := filepath.Join(dir, fmt.Sprintf("plugin-%d/skills/s%03d/SKILL.md", i/1000, i%1000))
		text := fmt.Appendf(nil, "---\nname: s%03d\ndescription: Does what %d wants.\nallowed-tools: [Read, Write]\n---\n%s", i%1000, i, body)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	trees := spinetest.Trees(b, dir, spinetest.Options{})
	for i := range trees {
		trees[i].FS = opened(b, trees[i].Root)
	}
	scan := func(b *testing.B, m *discover.Memory) {
		found := 0
		for _, t := range trees {
			c, err := discover.Scan(b.Context(), t, discover.Options{Specs: spinetest.Specs, Limits: ext.DefaultLimits, Enabled: true, Memory: m})
			if err != nil {
				b.Fatal(err)
			}
			found += len(c.Found())
		}
		if found != 10_000 {
			b.Fatalf("found %d documents, want 10000", found)
		}
	}
	b.Run("floor=ReadFile", func(b *testing.B) {
		for b.Loop() {
			for _, t := range trees {
				for i := range t.Places {
					if _, err := os.ReadFile(filepath.Join(t.Root, t.Places[i].File)); err != nil {
						b.Fatal(err)
					}
				}
			}
		}
	})
	b.Run("cold", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			scan(b, nil)
		}
	})
	m := discover.NewMemory("")
	scan(b, m)
	b.Run("warm", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			scan(b, m)
		}
	})
}
