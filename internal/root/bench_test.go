package root

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// benchTree is 250 directories of 8 files each: 2,000 files of about 3 kB.
func benchTree(b *testing.B) (dir string, files, dirs []string) {
	b.Helper()
	dir = b.TempDir()
	body := []byte(strings.Repeat("Every entry has an origin.\n", 110))
	for d := range 250 {
		sub := fmt.Sprintf("skills/skill-%03d", d)
		dirs = append(dirs, sub)
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			b.Fatal(err)
		}
		for f := range 8 {
			name := fmt.Sprintf("%s/file-%d.md", sub, f)
			files = append(files, name)
			if err := os.WriteFile(filepath.Join(dir, name), body, 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	return dir, files, dirs
}

func benchRoots(b *testing.B, dir string, run func(b *testing.B, r *Root)) {
	for _, c := range []struct {
		name string
		opt  Options
	}{
		{"Root", Options{}},
		{"Root-traced", Options{Trace: true}},
		{"Root-portable", Options{portable: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			r, err := Open(dir, c.opt)
			if err != nil {
				b.Fatal(err)
			}
			defer r.Close()
			run(b, r)
		})
	}
}

func each(b *testing.B, names []string, do func(name string) error) {
	b.Helper()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if err := do(names[i]); err != nil {
			b.Fatal(err)
		}
		if i++; i == len(names) {
			i = 0
		}
	}
}

func BenchmarkRead(b *testing.B) {
	dir, files, _ := benchTree(b)
	b.Run("os.ReadFile", func(b *testing.B) {
		each(b, files, func(name string) error {
			_, err := os.ReadFile(filepath.Join(dir, name))
			return err
		})
	})
	b.Run("os.Root", func(b *testing.B) {
		r, err := os.OpenRoot(dir)
		if err != nil {
			b.Fatal(err)
		}
		defer r.Close()
		each(b, files, func(name string) error {
			_, err := r.ReadFile(name)
			return err
		})
	})
	benchRoots(b, dir, func(b *testing.B, r *Root) {
		each(b, files, func(name string) error {
			_, err := r.ReadLimit(name, 1<<20)
			return err
		})
	})
}

func BenchmarkReadDir(b *testing.B) {
	dir, _, dirs := benchTree(b)
	b.Run("os.ReadDir", func(b *testing.B) {
		each(b, dirs, func(name string) error {
			_, err := os.ReadDir(filepath.Join(dir, name))
			return err
		})
	})
	b.Run("os.Root", func(b *testing.B) {
		r, err := os.OpenRoot(dir)
		if err != nil {
			b.Fatal(err)
		}
		defer r.Close()
		fsys := r.FS()
		each(b, dirs, func(name string) error {
			_, err := fs.ReadDir(fsys, name)
			return err
		})
	})
	benchRoots(b, dir, func(b *testing.B, r *Root) {
		each(b, dirs, func(name string) error {
			_, err := r.ReadDir(name)
			return err
		})
	})
}

func BenchmarkMissing(b *testing.B) {
	dir, _, dirs := benchTree(b)
	var names []string
	for _, d := range dirs {
		names = append(names, d+"/plugin.json")
	}
	absent := func(err error) error {
		if err == nil {
			return fs.ErrExist
		}
		return nil
	}
	b.Run("os.ReadFile", func(b *testing.B) {
		each(b, names, func(name string) error {
			_, err := os.ReadFile(filepath.Join(dir, name))
			return absent(err)
		})
	})
	benchRoots(b, dir, func(b *testing.B, r *Root) {
		each(b, names, func(name string) error {
			_, err := r.ReadLimit(name, 1<<20)
			return absent(err)
		})
	})
}

func BenchmarkLinked(b *testing.B) {
	dir, files, _ := benchTree(b)
	if err := os.Symlink("skills", filepath.Join(dir, "linked")); err != nil {
		b.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, "linked"+strings.TrimPrefix(f, "skills"))
	}
	b.Run("os.ReadFile", func(b *testing.B) {
		each(b, names, func(name string) error {
			_, err := os.ReadFile(filepath.Join(dir, name))
			return err
		})
	})
	benchRoots(b, dir, func(b *testing.B, r *Root) {
		each(b, names, func(name string) error {
			_, err := r.ReadLimit(name, 1<<20)
			return err
		})
	})
}

// One operation re-stats all 2,250 stamps.
func BenchmarkFresh(b *testing.B) {
	dir, files, dirs := benchTree(b)
	r, err := Open(dir, Options{Trace: true, Clock: later})
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	for _, name := range files {
		if _, err := r.ReadLimit(name, 1<<20); err != nil {
			b.Fatal(err)
		}
	}
	for _, name := range dirs {
		if _, err := r.ReadDir(name); err != nil {
			b.Fatal(err)
		}
	}
	stamps := r.Trace()
	b.ReportAllocs()
	for b.Loop() {
		if !Fresh(dir, stamps) {
			b.Fatal("Fresh: got false for an untouched tree, want true")
		}
	}
}
