package root

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// field is a tree with every kind of link, in base/tree.
func field(t *testing.T) (base, dir string) {
	base, dir = plant(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	write(t, filepath.Join(base, "secret/key"), "OUTSIDE")
	write(t, filepath.Join(base, "tree-2/key"), "OUTSIDE") // a sibling that shares a prefix
	write(t, in("skills/a/SKILL.md"), "inside")
	write(t, in("file"), "inside")
	link(t, "skills/a/SKILL.md", in("to-file"))
	link(t, "../../to-file", in("skills/a/chain"))
	link(t, "skills/a/chain", in("chain"))
	link(t, "skills", in("to-dir"))
	link(t, "../to-dir/a", in("skills/b"))
	link(t, in("file"), in("absolute"))
	link(t, in("to-dir"), in("absolute-dir"))
	link(t, dir, in("self"))
	link(t, "../tree/file", in("round"))
	link(t, filepath.Join(base, "secret/key"), in("out-file"))
	link(t, "../secret", in("out-dir"))
	link(t, "../tree-2/key", in("out-sibling"))
	link(t, "..", in("up"))
	link(t, "../..", in("skills/up"))
	link(t, "../out-dir", in("skills/via"))
	link(t, "tree/file", filepath.Join(base, "back"))
	link(t, "../back", in("there-and-back"))
	link(t, "loop-b", in("loop-a"))
	link(t, "loop-a", in("loop-b"))
	link(t, "loop-c/x", in("loop-c"))
	link(t, "../../.claude/skills/x", in(".agents/skills/x"))
	link(t, "../.claude/skills/x", in(".agents/skills/y"))
	link(t, ".agents/skills/x/deeper", in("dangling-chain"))
	link(t, "file/below", in("below-file"))
	link(t, "file/", in("slash"))
	return base, dir
}

func TestLinks_that_resolve_inside_are_followed(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := field(t)
		r := open(t, dir, opt)
		for _, name := range []string{
			"skills/a/SKILL.md", "file", "to-file", "skills/a/chain", "chain",
			"to-dir/a/SKILL.md", "skills/b/SKILL.md", "to-dir/b/chain", "absolute",
			"absolute-dir/a/SKILL.md", "self/file", "self/self/to-dir/b/SKILL.md",
			"round", "there-and-back",
		} {
			if got, err := r.ReadLimit(name, 6); err != nil || string(got) != "inside" {
				t.Errorf("ReadLimit(%s): got %q, %v", name, got, err)
			}
			if i, err := r.Stat(name); err != nil || i.Size() != 6 || !i.Mode().IsRegular() {
				t.Errorf("Stat(%s): got %v, %v", name, i, err)
			}
			want, err := filepath.EvalSymlinks(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if got, out, err := r.Real(name); err != nil || out || got != want {
				t.Errorf("Real(%s): got %q, %v, %v; want %q", name, got, out, err, want)
			}
		}
		for _, name := range []string{"to-dir", "absolute-dir", "self/skills"} {
			entries, err := r.ReadDir(name)
			if err != nil || len(entries) != 4 {
				t.Errorf("ReadDir(%s): got %v, %v; want the four of skills", name, entries, err)
				continue
			}
			if i, err := entries[0].Info(); err != nil || i.Name() != "a" || !i.IsDir() {
				t.Errorf("Info of %s/a: got %v, %v", name, i, err)
			}
		}
		if got, err := r.ReadLink("to-dir/b"); err != nil || got != "../to-dir/a" {
			t.Errorf("ReadLink(to-dir/b): got %q, %v", got, err)
		}
	})
}

func TestField_DIS02_links_that_leave_an_untrusted_root_are_refused_and_say_where_they_lead(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		base, dir := field(t)
		r := open(t, dir, opt)
		for _, c := range []struct{ name, link, target string }{
			{"out-file", "out-file", "secret/key"},
			{"out-dir", "out-dir", "secret"},
			{"out-dir/key", "out-dir", "secret/key"},
			{"out-dir/none", "out-dir", "secret/none"},
			{"out-dir/none/x", "out-dir", "secret/none/x"},
			{"out-sibling", "out-sibling", "tree-2/key"},
			{"up", "up", ""},
			{"up/secret/key", "up", "secret/key"},
			{"skills/up/secret/key", "skills/up", "secret/key"},
			{"skills/via/key", "out-dir", "secret/key"},
			{"to-dir/via/key", "out-dir", "secret/key"},
		} {
			for _, call := range calls(r, c.name) {
				err := call.do()
				if itself := c.link == c.name; itself && (call.name == "Lstat" || call.name == "ReadLink") {
					if err != nil {
						t.Errorf("%s(%s): got %v, want the link itself", call.name, c.name, err)
					}
					continue
				}
				e, ok := errors.AsType[*EscapeError](err)
				if !ok || !errors.Is(err, ErrEscape) || errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s(%s): got %v, want ErrEscape", call.name, c.name, err)
				} else if e.Link != c.link || e.Target != atParent(call.name, c.name, filepath.Join(base, c.target)) {
					t.Errorf("%s(%s): link %s leads to %s, want %s to %s", call.name, c.name, e.Link, e.Target, c.link, c.target)
				}
			}
		}
	})
}

// atParent is where a call is led that only resolves the directory of name.
func atParent(call, name, target string) string {
	if (call == "Lstat" || call == "ReadLink") && strings.Contains(name, "/") {
		return filepath.Dir(target)
	}
	return target
}

func TestField_DIS02_links_that_leave_a_trusted_root_are_followed_and_say_where_they_lead(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		base, dir := field(t)
		link(t, "/dev/null", filepath.Join(dir, "device"))
		opt.Follow = true
		r := open(t, dir, opt)
		for _, name := range []string{"out-file", "out-dir/key", "out-sibling", "up/secret/key", "skills/via/key"} {
			if got, err := r.ReadLimit(name, 7); err != nil || string(got) != "OUTSIDE" {
				t.Errorf("ReadLimit(%s): got %q, %v", name, got, err)
			}
			got, out, err := r.Real(name)
			if err != nil || !out || filepath.Dir(filepath.Dir(got)) != base || filepath.Base(got) != "key" {
				t.Errorf("Real(%s): got %q, %v, %v", name, got, out, err)
			}
		}
		if entries, err := r.ReadDir("out-dir"); err != nil || len(entries) != 1 {
			t.Errorf("ReadDir(out-dir): got %v, %v", entries, err)
		} else if i, err := entries[0].Info(); err != nil || i.Size() != 7 {
			t.Errorf("Info of out-dir/key: got %v, %v", i, err)
		}
		if got, err := r.ReadFile("up/tree/file"); err != nil || string(got) != "inside" {
			t.Errorf("ReadFile(up/tree/file): got %q, %v", got, err)
		}
		if got, out, err := r.Real("up/tree/file"); err != nil || out || got != filepath.Join(dir, "file") {
			t.Errorf("Real(up/tree/file): got %q, %v, %v; want the file inside", got, out, err)
		}
		if _, err := r.ReadFile("out-dir/none"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("ReadFile(out-dir/none): got %v, want fs.ErrNotExist", err)
		}
		if _, err := r.ReadFile("device"); !isKind(err, "device") {
			t.Errorf("ReadFile(device): got %v, want a KindError", err)
		}
	})
}

func TestField_DIS03_a_dangling_link_says_where_it_leads(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := field(t)
		r := open(t, dir, opt)
		for _, c := range []struct{ name, link, target string }{
			{".agents/skills/x", ".agents/skills/x", ".claude"},
			{".agents/skills/x/SKILL.md", ".agents/skills/x", ".claude"},
			{".agents/skills/y", ".agents/skills/y", ".agents/.claude/skills/x"},
			{"dangling-chain", ".agents/skills/x", ".claude/skills/x/deeper"},
			{"below-file", "below-file", "file/below"},
			{"slash", "slash", "file"},
		} {
			_, err := r.ReadFile(c.name)
			e, ok := errors.AsType[*DanglingError](err)
			if !ok || !errors.Is(err, fs.ErrNotExist) || e.Name != c.name || e.Link != c.link ||
				!strings.HasPrefix(e.Target, filepath.Join(dir, c.target)) {
				t.Errorf("ReadFile(%s): got %v (%+v), want a link to %s", c.name, err, e, c.target)
			}
		}
		for _, name := range []string{"none", "none/x", "skills/none", "to-dir/none", "skills/b/none"} {
			_, err := r.ReadFile(name)
			if _, dangling := errors.AsType[*DanglingError](err); dangling || !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("ReadFile(%s): got %v, want plain fs.ErrNotExist", name, err)
			}
		}
	})
}

func TestLoops_end(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := field(t)
		for i := range 60 {
			link(t, fmt.Sprintf("long-%d", i+1), filepath.Join(dir, fmt.Sprintf("long-%d", i)))
		}
		write(t, filepath.Join(dir, "long-60"), "inside")
		r := open(t, dir, opt)
		for _, name := range []string{"loop-a", "loop-b/x", "loop-c", "long-0"} {
			if _, err := r.ReadFile(name); !errors.Is(err, ErrLoop) {
				t.Errorf("ReadFile(%s): got %v, want ErrLoop", name, err)
			}
		}
		if got, err := r.ReadFile("long-20"); err != nil || string(got) != "inside" {
			t.Errorf("ReadFile(long-20): got %q, %v; want it followed through 40 links", got, err)
		}
	})
}

func TestKinds_other_than_wanted_are_refused(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := field(t)
		r := open(t, dir, opt)
		for _, c := range []struct {
			name string
			do   func(string) error
			kind string
		}{
			{"skills", func(n string) error { _, err := r.ReadFile(n); return err }, "skills"},
			{"to-dir", func(n string) error { _, err := r.ReadFile(n); return err }, "to-dir"},
			{".", func(n string) error { _, err := r.ReadFile(n); return err }, "."},
			{"file", func(n string) error { _, err := r.ReadDir(n); return err }, "file"},
			{"to-file", func(n string) error { _, err := r.ReadDir(n); return err }, "to-file"},
			{"file/below", func(n string) error { _, err := r.ReadFile(n); return err }, "file"},
			{"to-file/below/more", func(n string) error { _, err := r.ReadDir(n); return err }, "to-file"},
			{"to-file/below", func(n string) error { _, err := r.Stat(n); return err }, "to-file"},
			{"to-file/below", func(n string) error { _, err := r.Lstat(n); return err }, "to-file"},
			{"file", func(n string) error { _, err := r.ReadLink(n); return err }, "file"},
		} {
			if err := c.do(c.name); !isKind(err, c.kind) {
				t.Errorf("%s: got %v, want a KindError for %s", c.name, err, c.kind)
			}
		}
	})
}

func isKind(err error, name string) bool {
	e, ok := errors.AsType[*KindError](err)
	return ok && e.Name == name
}

func TestNames_that_are_no_valid_paths_are_refused(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := field(t)
		r := open(t, dir, opt)
		for _, name := range []string{"", "/", "/etc/passwd", "..", "../secret/key", "skills/../../secret/key", "./file", "file/", "skills//a", "a\xff", "skills/.", "nul\x00"} {
			for _, c := range calls(r, name) {
				err := c.do()
				if err == nil || name != "nul\x00" && !errors.Is(err, fs.ErrInvalid) {
					t.Errorf("%s(%q): got %v, want fs.ErrInvalid", c.name, name, err)
				}
			}
		}
	})
}

func TestUnreadable_files_say_so(t *testing.T) {
	if os.Getuid() <= 0 {
		t.Skip("needs a user whom permissions hold")
	}
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		write(t, filepath.Join(dir, "f"), "")
		if err := os.Chmod(filepath.Join(dir, "f"), 0); err != nil {
			t.Fatal(err)
		}
		if _, err := open(t, dir, opt).ReadFile("f"); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("ReadFile: got %v, want fs.ErrPermission", err)
		}
	})
}

// Links are laid at random; where each name leads is compared with what the
// system's own resolution says.
func TestLaw_in_place_nothing_outside_is_read_through_random_links(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		rng := rand.New(rand.NewPCG(1, 2))
		for range 15 {
			base, dir := plant(t)
			names := randomTree(t, rng, base, dir)
			r := open(t, dir, opt)
			for _, name := range names {
				compare(t, r, name)
			}
			r.Close()
		}
	})
}

func randomTree(t *testing.T, rng *rand.Rand, base, dir string) (names []string) {
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	part := func() string { return pick("a", "b", "c", "d", "..", "..", "tree", ".") }
	for _, d := range []string{"", "a", "a/b", "b", "b/c"} {
		write(t, filepath.Join(dir, d, "f"), "inside")
		write(t, filepath.Join(base, d, "f"), "OUTSIDE")
	}
	for _, at := range []string{"c", "d", "a/c", "a/d", "a/b/d", "b/a", "b/c/d"} {
		target := part() + "/" + part() + "/" + pick(part(), "f")
		if rng.IntN(4) == 0 {
			target = filepath.Join(pick(dir, base), target)
		}
		link(t, target, filepath.Join(dir, at))
		for _, below := range []string{"", "/f", "/b/f", "/c", "/c/f", "/d/d/f"} {
			names = append(names, at+below)
		}
	}
	link(t, pick("tree", "tree/a", "a", "."), filepath.Join(base, "c"))
	return names
}

func compare(t *testing.T, r *Root, name string) {
	t.Helper()
	got, err := r.ReadLimit(name, 100)
	end, wrong := filepath.EvalSymlinks(filepath.Join(r.Dir(), name))
	inside := end == r.Dir() || strings.HasPrefix(end, r.Dir()+"/")
	info, _ := os.Stat(end)
	switch {
	case err == nil && string(got) != "inside":
		t.Errorf("ReadLimit(%s): got %q", name, got)
	case wrong == nil && inside && info.Mode().IsRegular() && err != nil:
		t.Errorf("ReadLimit(%s): got %v, want the content of %s", name, err, end)
	case wrong == nil && inside && info.IsDir():
		if _, ok := errors.AsType[*KindError](err); !ok {
			t.Errorf("ReadLimit(%s): got %v, want a KindError for %s", name, err, end)
		}
	case wrong == nil && !inside && !errors.Is(err, ErrEscape):
		t.Errorf("ReadLimit(%s): got %v, want ErrEscape to %s", name, err, end)
	case wrong != nil && err == nil:
		t.Errorf("ReadLimit(%s): got content, want what the system says: %v", name, wrong)
	}
}

func TestLaw_nothing_outside_is_read_while_a_directory_is_swapped_for_a_link(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		base, dir := plant(t)
		write(t, filepath.Join(base, "secret/key"), "OUTSIDE")
		write(t, filepath.Join(base, "secret/only-outside"), "OUTSIDE")
		write(t, filepath.Join(dir, "d/key"), "inside")
		link(t, "../secret", filepath.Join(dir, "l"))
		link(t, "d/key", filepath.Join(dir, "k"))
		r := open(t, dir, opt)
		var readers sync.WaitGroup
		done := make(chan struct{})
		for range 4 {
			readers.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
						attack(t, r)
					}
				}
			})
		}
		at := func(name string) string { return filepath.Join(dir, name) }
		for range 1000 {
			for _, move := range [][2]string{{"d", "kept"}, {"l", "d"}, {"d", "l"}, {"kept", "d"}} {
				if err := os.Rename(at(move[0]), at(move[1])); err != nil {
					t.Error(err)
				}
			}
		}
		close(done)
		readers.Wait()
	})
}

func attack(t *testing.T, r *Root) {
	for _, name := range []string{"d/key", "k", "d/only-outside"} {
		if got, err := r.ReadLimit(name, 100); err == nil && string(got) != "inside" {
			t.Errorf("ReadLimit(%s): got %q", name, got)
		}
		if i, err := r.Stat(name); err == nil && i.Size() != int64(len("inside")) {
			t.Errorf("Stat(%s): got the size of what lies outside, %d", name, i.Size())
		}
	}
	entries, _ := r.ReadDir("d")
	for _, e := range entries {
		if e.Name() == "only-outside" {
			t.Errorf("ReadDir(d): got %v", entries)
		}
	}
}
