package root

import (
	"context"
	"io"
	"io/fs"
	"path/filepath"
	"testing"
)

func TestLeft_says_whether_anything_outside_was_looked_at(t *testing.T) {
	all := func(name string) func(r *Root) {
		return func(r *Root) {
			for _, c := range calls(r, name) {
				_ = c.do() // whether it fails is for other tests
			}
		}
	}
	each := func(name string, do func(r *Root, name string)) func(r *Root) {
		return func(r *Root) { do(r, name) }
	}
	for _, c := range []struct {
		name             string
		do               func(r *Root)
		followed, wanted bool // with Follow, and without
	}{
		{"nothing", func(*Root) {}, false, false},
		{"a file inside", all("file"), false, false},
		{"nothing inside", all("none/file"), false, false},
		{"a link inside", all("in"), false, false},
		{"a link that leads nowhere inside", all("nowhere"), false, false},
		{"a way above the root and back", all("up/tree/file"), false, false},
		{"links themselves", func(r *Root) {
			_, _ = r.Lstat("out")
			_, _ = r.ReadLink("out")
			_, _ = r.ReadDir(".")
		}, false, false},
		{"a survey", func(r *Root) {
			_ = r.Survey(context.Background(), 100, func(i Item) error {
				_ = r.CopyStamped(context.Background(), io.Discard, i.Stamp, make([]byte, 8))
				_, _ = r.TargetStamped(i.Stamp)
				return nil
			})
		}, false, false},

		{"a way outside and back", all("back"), true, true},
		{"a way outside and back to nothing", all("back-nowhere"), true, true},
		{"a file outside", all("out"), true, false},
		{"a file outside, named from the top", all("out-absolute"), true, false},
		{"nothing outside, named from the top", all("lost-absolute"), true, false},
		{"a directory outside", all("up"), true, false},
		{"a file in a directory outside", all("away/key"), true, false},
		{"nothing in a directory outside", all("away/none"), true, false},
		{"a link that leads nowhere outside", all("lost"), true, false},
		{"what cannot be entered outside", all("out/key"), true, false},

		{"Stat", each("out", func(r *Root, n string) { _, _ = r.Stat(n) }), true, false},
		{"Lstat", each("away/key", func(r *Root, n string) { _, _ = r.Lstat(n) }), true, false},
		{"ReadFile", each("out", func(r *Root, n string) { _, _ = r.ReadFile(n) }), true, false},
		{"ReadStamped", each("out", func(r *Root, n string) { _, _, _, _ = r.ReadStamped(n, 9) }), true, false},
		{"ListStamped", each("away", func(r *Root, n string) { _, _, _ = r.ListStamped(n) }), true, false},
		{"Real", each("away", func(r *Root, n string) { _, _, _ = r.Real(n) }), true, false},
		{"StampOf", each("out", func(r *Root, n string) {
			f, err := r.Open(n)
			if err == nil {
				_, _ = r.StampOf(f)
				_ = f.Close()
			}
		}), true, false},
		{"Sub", each("away", func(r *Root, n string) {
			if s, err := r.Sub(n, r.opt); err == nil {
				_ = s.Close()
			}
		}), true, false},
		{"io/fs", func(r *Root) { _ = fs.WalkDir(r, "away", func(string, fs.DirEntry, error) error { return nil }) }, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, opt Options) {
				dir := leave(t)
				for _, follow := range []bool{true, false} {
					opt.Follow = follow
					r, want := open(t, dir, opt), follow && c.followed || !follow && c.wanted
					if c.do(r); r.Left() != want {
						t.Errorf("Left with Follow %v: got %v, want %v", follow, r.Left(), want)
					}
				}
			})
		})
	}
}

// leave is a tree with ways out.
func leave(t *testing.T) (dir string) {
	base, dir := plant(t)
	write(t, filepath.Join(base, "secret/key"), "OUTSIDE")
	write(t, filepath.Join(dir, "file"), "inside")
	link(t, filepath.Join(dir, "file"), filepath.Join(base, "secret/back"))
	link(t, filepath.Join(dir, "none"), filepath.Join(base, "secret/back-nowhere"))
	for name, target := range map[string]string{
		"in": "file", "nowhere": "none", "up": "..", "back": "../secret/back", "back-nowhere": "../secret/back-nowhere",
		"out": "../secret/key", "away": "../secret", "lost": "../secret/none",
		"out-absolute": filepath.Join(base, "secret/key"), "lost-absolute": filepath.Join(base, "secret/none"),
	} {
		link(t, target, filepath.Join(dir, name))
	}
	return dir
}

func TestLeft_after_looking_again_at_what_lies_outside(t *testing.T) {
	dir := leave(t)
	r := open(t, dir, Options{Follow: true, Trace: true, Clock: later})
	if _, err := r.ReadFile("out"); err != nil {
		t.Fatal(err)
	}
	fresh := open(t, dir, Options{})
	if !fresh.Unchanged(r.Trace()) || !fresh.Left() {
		t.Errorf("Left after Unchanged of what was read outside: got %v, want true", fresh.Left())
	}
}
