package watch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// What happens to files, and below which roots it is told: the directory tree,
// or the file file, which has neighbours.
func TestChangesAreTold(t *testing.T) {
	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		act  func(t *testing.T, dir string)
		want string
	}{
		{"a file is written in place", func(t *testing.T, dir string) { write(t, dir+"/tree/a/one", "other") }, "tree"},
		{"a file is replaced by a new one", func(t *testing.T, dir string) {
			write(t, dir+"/tree/a/.one.tmp", "other")
			rename(t, dir+"/tree/a/.one.tmp", dir+"/tree/a/one")
		}, "tree"},
		{"a file is saved with a backup, as vim does", func(t *testing.T, dir string) {
			rename(t, dir+"/tree/a/one", dir+"/tree/a/one~")
			write(t, dir+"/tree/a/one", "other")
			remove(t, dir+"/tree/a/one~")
		}, "tree"},
		{"a file appears", func(t *testing.T, dir string) { write(t, dir+"/tree/new", "") }, "tree"},
		{"a file goes", func(t *testing.T, dir string) { remove(t, dir+"/tree/a/one") }, "tree"},
		{"a directory goes", func(t *testing.T, dir string) { remove(t, dir+"/tree/a") }, "tree"},
		{"a directory is moved in", func(t *testing.T, dir string) { rename(t, dir+"/other", dir+"/tree/other") }, "tree"},
		{"a directory is moved out", func(t *testing.T, dir string) { rename(t, dir+"/tree/a", dir+"/away") }, "tree"},
		{"a link appears", func(t *testing.T, dir string) { link(t, "nowhere", dir+"/tree/a/link") }, "tree"},
		{"a file becomes executable", func(t *testing.T, dir string) { chmod(t, dir+"/tree/a/one", 0o755) }, "tree"},
		{"a directory is closed", func(t *testing.T, dir string) { chmod(t, dir+"/tree/a", 0o700) }, "tree"},
		{"the root itself is closed", func(t *testing.T, dir string) { chmod(t, dir+"/tree", 0o700) }, "tree"},
		{"the time of writing is set", func(t *testing.T, dir string) { chtimes(t, dir+"/tree/a/one", time.Time{}, old) }, "tree"},
		{"both times are set", func(t *testing.T, dir string) { chtimes(t, dir+"/tree/a/one", old, old) }, "tree"},
		{"both times of the file are set", func(t *testing.T, dir string) { chtimes(t, dir+"/file", old, old) }, "file"},

		{"a file is read", func(t *testing.T, dir string) { read(t, dir+"/tree/a/one"); read(t, dir+"/file") }, ""},
		{"the time of reading is set", func(t *testing.T, dir string) {
			chtimes(t, dir+"/tree/a/one", old, time.Time{})
			chtimes(t, dir+"/file", old, time.Time{})
			chtimes(t, dir+"/tree", old, time.Time{})
		}, ""},
		{"times are set, that of writing as it was", func(t *testing.T, dir string) {
			for _, path := range []string{dir + "/tree/a/one", dir + "/file", dir + "/tree"} {
				info, err := os.Stat(path)
				if err != nil {
					t.Fatal(err)
				}
				chtimes(t, path, old, info.ModTime())
			}
		}, ""},
		{"a file gets its own mode", func(t *testing.T, dir string) { chmod(t, dir+"/tree/a/one", 0o644) }, ""},
		{"a file gets a name elsewhere", func(t *testing.T, dir string) { hardlink(t, dir+"/tree/a/one", dir+"/elsewhere") }, ""},
		{"something skipped", func(t *testing.T, dir string) {
			write(t, dir+"/tree/.git/index", "other")
			write(t, dir+"/tree/a/.git", "other")
		}, ""},

		{"the file is written in place", func(t *testing.T, dir string) { write(t, dir+"/file", "other") }, "file"},
		{"the file is replaced by a new one", func(t *testing.T, dir string) {
			write(t, dir+"/.file.tmp", "other")
			rename(t, dir+"/.file.tmp", dir+"/file")
		}, "file"},
		{"the file is saved with a backup", func(t *testing.T, dir string) {
			rename(t, dir+"/file", dir+"/file~")
			write(t, dir+"/file", "other")
		}, "file"},
		{"the file becomes executable", func(t *testing.T, dir string) { chmod(t, dir+"/file", 0o755) }, "file"},
		{"the file goes", func(t *testing.T, dir string) { remove(t, dir+"/file") }, "file"},
		{"a neighbour of the file", func(t *testing.T, dir string) {
			write(t, dir+"/neighbour", "")
			chmod(t, dir+"/neighbour", 0o755)
			mkdir(t, dir, "other/deep")
		}, ""},
		{"both", func(t *testing.T, dir string) { rename(t, dir+"/file", dir+"/tree/file") }, "file tree"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := own(t)
			mkdir(t, dir, "tree/.git")
			mkdir(t, dir, "tree/a/b")
			mkdir(t, dir, "other")
			mark := mkdir(t, dir, "mark")
			write(t, dir+"/tree/a/one", "one")
			write(t, dir+"/file", "file")
			w := start(t, Options{Skip: []string{".git"}})
			if added := w.Set([]string{dir + "/tree", dir + "/file", mark}); !added {
				t.Error("Set of new roots: got false, want true")
			}
			c.act(t, dir)
			var got []string
			for _, r := range toldBefore(t, w, mark) {
				got = append(got, filepath.Base(r))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %q told, want %q", got, c.want)
			}
			holdsAll(t, w)
			// And all goes on being watched.
			write(t, dir+"/file", "again")
			write(t, mkdir(t, dir, "tree/a/b")+"/two", "")
			if got := toldBefore(t, w, mark); len(got) != 2 {
				t.Errorf("then both roots change: got %q told, want both", got)
			}
		})
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func chtimes(t *testing.T, path string, read, written time.Time) {
	t.Helper()
	if err := os.Chtimes(path, read, written); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) {
	t.Helper()
	if _, err := os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
}

func hardlink(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Link(from, to); err != nil {
		t.Skip(err)
	}
}

// holdsAll is that exactly the directories of the roots' trees, and those that
// roots lie in, are watched.
func holdsAll(t *testing.T, w *Watcher) {
	t.Helper()
	var got, want []string
	w.do(func(l *lookout) {
		l.hear(l.inbox.take())
		for path, d := range l.dirs {
			if !d.watched {
				t.Errorf("%s: not watched: %s", path, d.why)
			}
			got = append(got, path)
		}
		held := 0
		for _, d := range l.dirs {
			held += d.entries
		}
		if l.spent != len(l.dirs) || l.held != held {
			t.Errorf("got %d watches and %d entries counted, want %d and %d", l.spent, l.held, len(l.dirs), held)
		}
		for _, r := range l.roots {
			for _, h := range r.way.hinges {
				want = append(want, h.dir)
			}
			_ = filepath.WalkDir(r.path, func(path string, d os.DirEntry, err error) error {
				if d == nil || !d.IsDir() {
					return nil
				}
				if l.skip[d.Name()] {
					return filepath.SkipDir
				}
				want = append(want, path)
				return err
			})
		}
	})
	slices.Sort(got)
	slices.Sort(want)
	if want = slices.Compact(want); !slices.Equal(got, want) {
		t.Errorf("watched directories: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What a root is may change altogether, and it is noticed nevertheless.
func TestRootsComeAndGo(t *testing.T) {
	type step struct {
		name string
		act  func(t *testing.T, dir string)
		told bool
	}
	for _, c := range []struct {
		name  string
		setup func(t *testing.T, dir string)
		root  string
		steps []step
	}{
		{"a directory that is not there", nil, "a/b/c", []step{
			{"its parent's parent appears", func(t *testing.T, dir string) { mkdir(t, dir, "a") }, false},
			{"a neighbour appears", func(t *testing.T, dir string) { mkdir(t, dir, "a/d") }, false},
			{"it appears deep", func(t *testing.T, dir string) { write(t, mkdir(t, dir, "a/b/c/d")+"/file", "") }, true},
			{"a file deep in it", func(t *testing.T, dir string) { write(t, dir+"/a/b/c/d/file", "1") }, true},
			{"it goes with its parents", func(t *testing.T, dir string) { remove(t, dir+"/a") }, true},
			{"it comes again", func(t *testing.T, dir string) { mkdir(t, dir, "a/b/c") }, true},
			{"a file in it", func(t *testing.T, dir string) { write(t, dir+"/a/b/c/file", "1") }, true},
			{"it is moved away", func(t *testing.T, dir string) { rename(t, dir+"/a/b/c", dir+"/c") }, true},
			{"a file in it where it is now", func(t *testing.T, dir string) { write(t, dir+"/c/file", "2") }, false},
			{"it is moved back", func(t *testing.T, dir string) { rename(t, dir+"/c", dir+"/a/b/c") }, true},
			{"a file in it again", func(t *testing.T, dir string) { write(t, dir+"/a/b/c/file", "3") }, true},
			{"it becomes a file", func(t *testing.T, dir string) { remove(t, dir+"/a/b/c"); write(t, dir+"/a/b/c", "") }, true},
			{"it is written", func(t *testing.T, dir string) { write(t, dir+"/a/b/c", "1") }, true},
			{"its parent becomes a file", func(t *testing.T, dir string) { remove(t, dir+"/a/b"); write(t, dir+"/a/b", "") }, true},
			{"it comes again", func(t *testing.T, dir string) { remove(t, dir+"/a/b"); mkdir(t, dir, "a/b/c") }, true},
		}},
		{"a file that is not there", nil, "a/file", []step{
			{"its parent appears", func(t *testing.T, dir string) { mkdir(t, dir, "a") }, false},
			{"it appears", func(t *testing.T, dir string) { write(t, dir+"/a/file", "") }, true},
			{"a neighbour", func(t *testing.T, dir string) { write(t, dir+"/a/other", "") }, false},
			{"it goes", func(t *testing.T, dir string) { remove(t, dir+"/a/file") }, true},
			{"it comes by a rename", func(t *testing.T, dir string) { rename(t, dir+"/a/other", dir+"/a/file") }, true},
		}},
		{"a link to a directory", func(t *testing.T, dir string) {
			mkdir(t, dir, "real/one")
			mkdir(t, dir, "real/two")
			mkdir(t, dir, "links")
			link(t, "../real/one", dir+"/links/link")
		}, "links/link", []step{
			{"a file behind it", func(t *testing.T, dir string) { write(t, dir+"/real/one/file", "1") }, true},
			{"a file beside what it leads to", func(t *testing.T, dir string) { write(t, dir+"/real/two/file", "1") }, false},
			{"it leads elsewhere", func(t *testing.T, dir string) {
				link(t, dir+"/real/two", dir+"/links/new")
				rename(t, dir+"/links/new", dir+"/links/link")
			}, true},
			{"a file behind it now", func(t *testing.T, dir string) { write(t, dir+"/real/two/file", "2") }, true},
			{"a file where it led", func(t *testing.T, dir string) { write(t, dir+"/real/one/file", "2") }, false},
			{"what it leads to goes", func(t *testing.T, dir string) { remove(t, dir+"/real/two") }, true},
			{"and comes again", func(t *testing.T, dir string) { mkdir(t, dir, "real/two/deep") }, true},
			{"a file deep behind it", func(t *testing.T, dir string) { write(t, dir+"/real/two/deep/file", "1") }, true},
		}},
		{"a file through links of directories", func(t *testing.T, dir string) {
			write(t, mkdir(t, dir, "v1")+"/file", "1")
			write(t, mkdir(t, dir, "v2")+"/file", "22")
			link(t, "v1", dir+"/current")
			link(t, "current/../current/file", dir+"/link")
		}, "link", []step{
			{"it is written", func(t *testing.T, dir string) { write(t, dir+"/v1/file", "2") }, true},
			{"a neighbour", func(t *testing.T, dir string) { write(t, dir+"/v1/other", "2") }, false},
			{"a link on the way leads elsewhere", func(t *testing.T, dir string) {
				link(t, "v2", dir+"/new")
				rename(t, dir+"/new", dir+"/current")
			}, true},
			{"it is written", func(t *testing.T, dir string) { write(t, dir+"/v2/file", "2") }, true},
			{"where it was", func(t *testing.T, dir string) { write(t, dir+"/v1/file", "3") }, false},
			{"a loop", func(t *testing.T, dir string) { remove(t, dir+"/current"); link(t, "current", dir+"/current") }, true},
			{"no loop", func(t *testing.T, dir string) { remove(t, dir+"/current"); link(t, "v2", dir+"/current") }, true},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir, mark := own(t), own(t)
			if c.setup != nil {
				c.setup(t, dir)
			}
			w := start(t, Options{})
			root := filepath.Join(dir, c.root)
			w.Set([]string{root, mark})
			for _, s := range c.steps {
				s.act(t, dir)
				got := toldBefore(t, w, mark)
				if want := []string{root}; s.told != slices.Equal(got, want) || len(got) > 1 {
					t.Errorf("%s: got %q told, want it told: %v", s.name, got, s.told)
				}
			}
		})
	}
}

func TestSetIsExact(t *testing.T) {
	dir, mark := own(t), own(t)
	for _, d := range []string{"a/deep", "b", "a/.git/hooks"} {
		mkdir(t, dir, d)
	}
	w := start(t, Options{Skip: []string{".git"}})
	a, b, deep, hooks := dir+"/a", dir+"/b", dir+"/a/deep", dir+"/a/.git/hooks"
	for _, c := range []struct {
		name  string
		roots []string
		added bool
		write string
		want  []string
	}{
		{"one", []string{a}, true, deep, []string{a}},
		{"the same", []string{a, a}, false, deep, []string{a}},
		{"one within it", []string{a, deep}, true, deep, []string{a, deep}},
		{"one beside it", []string{a, deep, b}, true, b, []string{b}},
		{"fewer", []string{deep, b}, false, a, nil},
		{"the one within remains", []string{deep, b}, false, deep, []string{deep}},
		{"around it again", []string{a, deep, b}, true, deep, []string{a, deep}},
		{"one that is skipped below another", []string{a, hooks}, true, hooks, []string{hooks}},
		{"another spelling", []string{a + "/../a/"}, true, deep, []string{a + "/../a/"}},
		{"none", nil, false, a, nil},
	} {
		if got := w.Set(append([]string{mark}, c.roots...)); got != c.added && c.name != "one" {
			t.Errorf("%s: Set: got %v, want %v", c.name, got, c.added)
		}
		write(t, c.write+"/file", c.name)
		if got := toldBefore(t, w, mark); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q told, want %q", c.name, got, c.want)
		}
		holdsAll(t, w)
	}
}

// A checkout of another branch is one change, or few.
func TestCheckoutIsFewChanges(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := own(t)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "gc.auto=0"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	fill := func(dirs string, n int) {
		for i := range n {
			write(t, mkdir(t, dir, dirs, fmt.Sprint(i/10))+fmt.Sprintf("/%d", i), dirs)
		}
	}
	git("init", "-q", "-b", "main")
	fill("both", 200)
	fill("main", 200)
	git("add", ".")
	git("commit", "-q", "-m", "one")
	git("checkout", "-q", "-b", "other")
	remove(t, dir+"/main")
	fill("other/deep", 200)
	write(t, dir+"/both/0/0", "other")
	git("add", ".")
	git("commit", "-q", "-m", "two")

	mark := own(t)
	w := start(t, Options{Quiet: 100 * time.Millisecond, Skip: []string{".git"}})
	w.Set([]string{dir, mark})
	git("checkout", "-q", "main")
	changes := 0
	mkdir(t, mark, "mark")
	for seen := false; !seen; changes++ {
		seen = slices.Contains(next(t, w).Roots, mark)
	}
	if changes > 3 {
		t.Errorf("a checkout: got %d changes, want one or few", changes)
	}
	holdsAll(t, w)
	git("status")
	git("fetch", "-q", ".")
	if got := toldBefore(t, w, mark); len(got) > 0 {
		t.Errorf("git status and fetch: got %q told, want nothing: they change no file", got)
	}
}
