package discover_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/root"
)

func always(ext.Tree) bool { return true }

// later is a clock an hour ahead: nothing that a test made a moment ago is
// racy by it.
func later() time.Time { return time.Now().Add(time.Hour) }

// whole scans a tree of nothing but its directory.
func whole(t *testing.T, fsys fs.FS, m *discover.Memory) *discover.Candidate {
	t.Helper()
	tree := ext.Tree{Extension: "acme", FS: fsys, Origin: ext.Origin{Extension: "acme", Source: "path:./acme"}}
	c, err := discover.Scan(t.Context(), tree, discover.Options{Whole: always, Memory: m})
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

// contentOf is the digest of a directory, which there must be.
func contentOf(t *testing.T, dir string, m *discover.Memory) ext.Digest {
	t.Helper()
	c := whole(t, opened(t, dir), m)
	if c.Content() == (ext.Digest{}) || len(c.Tree().Findings) > 0 {
		t.Fatalf("Content: got %s and %v, want a digest and nothing found", c.Content(), c.Tree().Findings)
	}
	return c.Content()
}

func opened(t testing.TB, dir string) *root.Root {
	t.Helper()
	r, err := root.Open(dir, root.Options{Clock: later})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// pyc is a compiled file of Python that is run if its source has this time and
// size, and what it does.
func pyc(code string) string { return "\xcb\r\r\n\x00\x00\x00\x00timesize" + code }

// plot is a directory with one of everything that counts.
func plot(t *testing.T) string {
	t.Helper()
	dir := golden.Dir(t, golden.Files(
		"plugin.json", "{}", "bin/run", "#!/bin/sh", "lib/a.js", "a", "lib/node_modules/b/index.js", "b", "lib/empty/", "",
		"lib/here -> a.js", "", "lib/away -> ../../outside", "", "py/m.py", "m",
		"py/__pycache__/m.cpython-312.pyc", pyc("code"), ".git/HEAD", "ref", "lib/.git", "gitdir: x", "lib/.DS_Store", "f",
	))
	if err := os.Chmod(filepath.Join(dir, "bin/run"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestContentCoversTheWholeTree wants the digest of a tree to change with
// everything that could change what runs, and with nothing else.
func TestContentCoversTheWholeTree(t *testing.T) {
	put := func(name, text string) func(dir string) error {
		return func(dir string) error {
			file := filepath.Join(dir, name)
			return errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644))
		}
	}
	relink := func(name, target string) func(dir string) error {
		return func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, name)), os.Symlink(target, filepath.Join(dir, name)))
		}
	}
	mode := func(name string, m fs.FileMode) func(dir string) error {
		return func(dir string) error { return os.Chmod(filepath.Join(dir, name), m) }
	}
	for _, c := range []struct {
		name   string
		change func(dir string) error
		same   bool
	}{
		{"nothing, elsewhere", func(string) error { return nil }, true},
		{"other times", func(dir string) error {
			return os.Chtimes(filepath.Join(dir, "lib/a.js"), time.Unix(1, 0), time.Unix(1, 0))
		}, true},
		{"other permissions", mode("lib/a.js", 0o600), true},
		{"git's own", put(".git/index", "i"), true},
		{"a worktree's link to git", put("lib/.git", "gitdir: y"), true},
		{"what the Finder writes", put("lib/node_modules/.DS_Store", "x"), true},

		{"a file", put("lib/a.js", "A"), false},
		{"a file that nothing names", put("README.md", "r"), false},
		{"deep in node_modules", put("lib/node_modules/b/index.js", "B"), false},
		{"a directory", func(dir string) error { return os.Mkdir(filepath.Join(dir, "lib/more"), 0o755) }, false},
		{"an empty directory less", func(dir string) error { return os.Remove(filepath.Join(dir, "lib/empty")) }, false},
		{"another name", func(dir string) error {
			return os.Rename(filepath.Join(dir, "lib/a.js"), filepath.Join(dir, "lib/b.js"))
		}, false},
		{"executable", mode("lib/a.js", 0o755), false},
		{"executable no more", mode("bin/run", 0o644), false},
		{"where a link leads inside", relink("lib/here", "empty"), false},
		{"where a link leads outside", relink("lib/away", "../../elsewhere"), false},
		{"a file in a link's place", func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, "lib/here")), put("lib/here", "a")(dir))
		}, false},
		{"compiled, and forged to fit its source", put("py/__pycache__/m.cpython-312.pyc", pyc("other")), false},
		{"compiled, where nothing was", put("lib/__pycache__/n.cpython-312.pyc", pyc("n")), false},
		{"an empty directory for what Python compiles", func(dir string) error { return os.Mkdir(filepath.Join(dir, "lib/__pycache__"), 0o755) }, false},
		{"compiled, beside its source", put("py/m.pyc", pyc("code")), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := contentOf(t, plot(t), nil)
			dir, m := plot(t), discover.NewMemory(t.TempDir())
			if contentOf(t, dir, m) != want {
				t.Error("the same tree: got another digest, want the same")
			}
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			afresh := contentOf(t, dir, nil)
			if got := afresh == want; got != c.same {
				t.Errorf("the digest is the same: %v, want %v", got, c.same)
			}
			if contentOf(t, dir, m) != afresh {
				t.Error("what is remembered of the tree before: got another digest than read afresh, want the same")
			}
		})
	}
}

// TestContentDoesNotReadOutside wants what a link leads to outside not to
// count, since it is not read.
func TestContentDoesNotReadOutside(t *testing.T) {
	base := golden.Dir(t, golden.Files("in/away -> ../outside", "", "in/f", "f", "outside", "o"))
	want := contentOf(t, filepath.Join(base, "in"), nil)
	if err := os.WriteFile(filepath.Join(base, "outside"), []byte("O"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := contentOf(t, filepath.Join(base, "in"), nil); got != want {
		t.Error("what lies outside changed: got another digest, want the same")
	}
}

// TestContentIsTheSameInAnyFileSystem wants a tree that is compiled in to have
// the digest that it has as a directory.
func TestContentIsTheSameInAnyFileSystem(t *testing.T) {
	dir := golden.Dir(t, golden.Files("a/b", "b", "a.txt", "a", "l -> a/b", ""))
	in := fstest.MapFS{
		"a/b": {Data: []byte("b")}, "a.txt": {Data: []byte("a")},
		"l": {Data: []byte("a/b"), Mode: fs.ModeSymlink},
	}
	if got, want := whole(t, in, nil).Content(), contentOf(t, dir, nil); got != want || got == (ext.Digest{}) {
		t.Errorf("Content of the same in memory: got %s, want %s", got, want)
	}
}

// crowd is a file system of one directory.
type crowd struct {
	entries []fs.DirEntry
	open    func(name string) (fs.File, error)
}

func (c crowd) ReadDir(string) ([]fs.DirEntry, error) { return c.entries, nil }

func (c crowd) Open(name string) (fs.File, error) { return c.open(name) }

func (c crowd) Stat(string) (fs.FileInfo, error) { return thing{name: ".", mode: fs.ModeDir}, nil }

// thing is an entry, its information, and an open file.
type thing struct {
	name string
	mode fs.FileMode
	size int64
}

func (i thing) Name() string               { return i.name }
func (i thing) Size() int64                { return i.size }
func (i thing) Mode() fs.FileMode          { return i.mode }
func (i thing) Type() fs.FileMode          { return i.mode.Type() }
func (i thing) ModTime() time.Time         { return time.Time{} }
func (i thing) IsDir() bool                { return i.mode.IsDir() }
func (i thing) Sys() any                   { return nil }
func (i thing) Info() (fs.FileInfo, error) { return i, nil }
func (i thing) Stat() (fs.FileInfo, error) { return i, nil }
func (i thing) Read([]byte) (int, error)   { return 0, io.EOF }
func (i thing) Close() error               { return nil }

// TestContentOrNothing wants no digest of a part: a tree that cannot be read
// whole has none, and a warning says what stands in the way.
func TestContentOrNothing(t *testing.T) {
	many := make([]fs.DirEntry, 200_001)
	for i := range many {
		many[i] = thing{name: "d", mode: fs.ModeNamedPipe}
	}
	one := []fs.DirEntry{thing{name: "f"}}
	big := golden.Dir(t, golden.Files("f", "", "g", ""))
	for _, name := range []string{"f", "g"} {
		if err := os.Truncate(filepath.Join(big, name), 1<<30+1); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, path, want string
		fsys             fs.FS
	}{
		{"too many entries", "", "more than 2048 MiB or 200000 entries", crowd{entries: many}},
		{"too many bytes", "", "more than 2048 MiB or 200000 entries", opened(t, big)},
		{"a file that cannot be read", "f", "permission denied", crowd{one, func(name string) (fs.File, error) {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
		}}},
		{"a file that never is what it was", "f", "changes while it is read", crowd{one, func(string) (fs.File, error) {
			return thing{name: "f", size: 1}, nil
		}}},
		{"a link of a system without links", "l", "", crowd{entries: []fs.DirEntry{thing{name: "l", mode: fs.ModeSymlink}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := whole(t, c.fsys, discover.NewMemory(""))
			fs := got.Tree().Findings
			if got.Content() != (ext.Digest{}) || len(fs) != 1 || fs[0].Check != discover.NotDigested {
				t.Fatalf("Content: got %s, %v, want none and tree-not-digested", got.Content(), fs)
			}
			if o := fs[0].Origin; o.Extension != "acme" || o.Path != c.path || !strings.Contains(fs[0].Message, c.want) {
				t.Errorf("found %s, want it at %q and to say %q", fs[0], c.path, c.want)
			}
			if got.Digest() == whole(t, fstest.MapFS{}, nil).Digest() {
				t.Error("a candidate with that finding: got the digest of one without, want another")
			}
		})
	}
}

// TestContentOfATreeThatChangedOnce wants a tree that comes to rest to have a
// digest.
func TestContentOfATreeThatChangedOnce(t *testing.T) {
	opens := 0
	got := whole(t, crowd{[]fs.DirEntry{thing{name: "f"}}, func(string) (fs.File, error) {
		opens++
		return thing{name: "f", size: int64(2 - min(opens, 2))}, nil
	}}, nil)
	if got.Content() == (ext.Digest{}) || opens != 2 {
		t.Errorf("Content: got %s after %d looks, want a digest after 2", got.Content(), opens)
	}
}

// TestContentOnlyWhereItIsWanted wants a tree to be read whole for a reason.
func TestContentOnlyWhereItIsWanted(t *testing.T) {
	for _, o := range []discover.Options{{}, {Whole: func(ext.Tree) bool { return false }}} {
		opened := crowd{open: func(name string) (fs.File, error) {
			t.Errorf("opened %s, want nothing opened", name)
			return nil, fs.ErrNotExist
		}}
		c, err := discover.Scan(t.Context(), ext.Tree{FS: opened}, o)
		if err != nil || c.Content() != (ext.Digest{}) {
			t.Errorf("Content, not asked for: got %s, %v, want none", c.Content(), err)
		}
	}
}

// TestContentOfATreeThatIsNotThere wants what was said once not to be said
// again.
func TestContentOfATreeThatIsNotThere(t *testing.T) {
	failed := &ext.Check{Code: "x", Severity: ext.Error, Doc: "d", Fix: "f"}
	gone := crowd{open: func(string) (fs.File, error) { return nil, fs.ErrNotExist }, entries: []fs.DirEntry{thing{name: "f"}}}
	tree := ext.Tree{FS: gone, Findings: ext.Findings{failed.At(ext.Origin{}, "m")}}
	c, err := discover.Scan(t.Context(), tree, discover.Options{Whole: always})
	if err != nil || len(c.Tree().Findings) != 1 || c.Content() != (ext.Digest{}) {
		t.Errorf("a refused tree: got %v, %v, want what was found before alone", c.Tree().Findings, err)
	}
}

// TestContentCancelled wants digesting to end with its context.
func TestContentCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tree := ext.Tree{FS: opened(t, plot(t))}
	_, err := discover.Scan(ctx, tree, discover.Options{Whole: func(ext.Tree) bool { cancel(); return true }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Scan, cancelled before the tree is digested: got %v, want context.Canceled", err)
	}
}
