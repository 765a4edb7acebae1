package root

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// visit asks r for one thing of each kind and returns the trace.
func visit(t *testing.T, r *Root) []Stamp {
	t.Helper()
	for _, name := range []string{"f", "to-f", "to-d/g", "none", "none/x", "broken", "f/x", "out"} {
		r.ReadLimit(name, 100)
	}
	for _, name := range []string{"d", "to-d", "none"} {
		r.ReadDir(name)
	}
	r.ReadLimit("f", 1) // too large
	return r.Trace()
}

func traced(t *testing.T) (base, dir string) {
	base, dir = plant(t)
	write(t, filepath.Join(dir, "f"), "text")
	write(t, filepath.Join(dir, "d/g"), "text")
	write(t, filepath.Join(base, "o"), "text")
	link(t, "f", filepath.Join(dir, "to-f"))
	link(t, "d", filepath.Join(dir, "to-d"))
	link(t, "gone", filepath.Join(dir, "broken"))
	link(t, "../o", filepath.Join(dir, "out"))
	return base, dir
}

func onEachTraced(t *testing.T, run func(t *testing.T, opt Options)) {
	for _, d := range doors {
		if d.opt.Trace {
			t.Run(d.name, func(t *testing.T) {
				opt := d.opt
				opt.Clock = later
				run(t, opt)
			})
		}
	}
}

func TestTrace_names_all_that_was_listed_read_and_looked_for(t *testing.T) {
	onEachTraced(t, func(t *testing.T, opt Options) {
		base, dir := traced(t)
		opt.Follow = true
		r := open(t, dir, opt)
		got := map[string]Kind{}
		for _, s := range visit(t, r) {
			got[s.Path] = s.Kind
			if s.Racy || s.Kind != Missing && !s.Coarse && s.Ino == 0 {
				t.Errorf("stamp %+v: want it settled and with its identity", s)
			}
		}
		want := map[string]Kind{
			"f": File, "d/g": File, "d": Dir, "none": Missing, "gone": Missing,
			"to-f": Link, "to-d": Link, "broken": Link, "out": Link, filepath.Join(base, "o"): File,
		}
		for path, kind := range want {
			if got[path] != kind {
				t.Errorf("Trace: %s is %v, want %v", path, got[path], kind)
			}
		}
		if !r.Unchanged(r.Trace()) || !Fresh(dir, r.Trace()) {
			t.Error("an untouched tree: got changed, want unchanged")
		}
	})
}

func TestTrace_sees_every_change_of_what_was_read(t *testing.T) {
	at := func(dir, name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		name   string
		change func(t *testing.T, base, dir string) error
		same   bool
	}{
		{"nothing", func(*testing.T, string, string) error { return nil }, true},
		{"another file edited", func(t *testing.T, _, dir string) error {
			return os.WriteFile(at(dir, "unread"), []byte("x"), 0o644)
		}, true},
		{"edited", func(t *testing.T, _, dir string) error { return os.WriteFile(at(dir, "f"), []byte("other"), 0o644) }, false},
		{"edited, same size and time", func(t *testing.T, _, dir string) error {
			i, err := os.Stat(at(dir, "f"))
			if err != nil {
				return err
			}
			write(t, at(dir, "f"), "TEXT")
			return os.Chtimes(at(dir, "f"), i.ModTime(), i.ModTime())
		}, false},
		{"replaced", func(t *testing.T, _, dir string) error {
			write(t, at(dir, "new"), "text")
			return os.Rename(at(dir, "new"), at(dir, "f"))
		}, false},
		{"removed", func(_ *testing.T, _, dir string) error { return os.Remove(at(dir, "d/g")) }, false},
		{"added to a listed directory", func(_ *testing.T, _, dir string) error { return os.Mkdir(at(dir, "d/h"), 0o755) }, false},
		{"what was missing appears", func(_ *testing.T, _, dir string) error { return os.Mkdir(at(dir, "none"), 0o755) }, false},
		{"a dangling link's target appears", func(t *testing.T, _, dir string) error {
			write(t, at(dir, "gone"), "")
			return nil
		}, false},
		{"a link pointed elsewhere", func(t *testing.T, _, dir string) error {
			write(t, at(dir, "e/g"), "text")
			link(t, "e", at(dir, "new"))
			return os.Rename(at(dir, "new"), at(dir, "to-d"))
		}, false},
		{"a file's link replaced by a file", func(t *testing.T, _, dir string) error {
			write(t, at(dir, "new"), "text")
			return os.Rename(at(dir, "new"), at(dir, "to-f"))
		}, false},
		{"the target outside edited", func(t *testing.T, base, _ string) error {
			return os.WriteFile(at(base, "o"), []byte("other"), 0o644)
		}, false},
		{"permissions", func(_ *testing.T, _, dir string) error { return os.Chmod(at(dir, "f"), 0o600) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			onEachTraced(t, func(t *testing.T, opt Options) {
				base, dir := traced(t)
				age(t, base)
				write(t, filepath.Join(dir, "unread"), "")
				opt.Follow = true
				r := open(t, dir, opt)
				stamps := visit(t, r)
				if err := c.change(t, base, dir); err != nil {
					t.Fatal(err)
				}
				if got := r.Unchanged(stamps); got != c.same {
					t.Errorf("Unchanged: got %v, want %v", got, c.same)
				}
				if got := Fresh(dir, stamps); got != c.same {
					t.Errorf("Fresh: got %v, want %v", got, c.same)
				}
			})
		})
	}
}

// age sets all times back, so that a change shows however coarse the clock of
// the file system is: the times that a test cannot set must differ by then.
func age(t *testing.T, base string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(base, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type()&fs.ModeSymlink == 0 {
			err = os.Chtimes(path, old, old)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	// The clock of the file system has moved on once a new file is younger.
	tick := filepath.Join(t.TempDir(), "tick")
	write(t, tick, "")
	first, err := os.Stat(tick)
	if err != nil {
		t.Fatal(err)
	}
	for now := first; !now.ModTime().After(first.ModTime()); {
		write(t, tick, "")
		if now, err = os.Stat(tick); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTrace_what_changed_a_moment_ago_never_counts_as_unchanged(t *testing.T) {
	for _, c := range []struct {
		name string
		ago  time.Duration
		racy bool
	}{
		{"the same moment", 0, true},
		{"within a tick", 49 * time.Millisecond, true},
		{"settled", 51 * time.Millisecond, false},
		{"in the future", -time.Hour, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			onEachTraced(t, func(t *testing.T, opt Options) {
				_, dir := plant(t)
				write(t, filepath.Join(dir, "f"), "text")
				i, err := os.Stat(filepath.Join(dir, "f"))
				if err != nil {
					t.Fatal(err)
				}
				opt.Clock = func() time.Time { return i.ModTime().Add(c.ago) }
				r := open(t, dir, opt)
				if _, err := r.ReadFile("f"); err != nil {
					t.Fatal(err)
				}
				stamps := r.Trace()
				if len(stamps) != 1 || stamps[0].Racy != c.racy || r.Unchanged(stamps) == c.racy {
					t.Errorf("Trace: got %+v, want racy %v", stamps, c.racy)
				}
			})
		})
	}
}

func TestTrace_keeps_both_when_a_file_changed_between_two_reads(t *testing.T) {
	onEachTraced(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		r := open(t, dir, opt)
		for _, text := range []string{"a", "a longer text"} {
			write(t, filepath.Join(dir, "f"), text)
			if _, err := r.ReadFile("f"); err != nil {
				t.Fatal(err)
			}
		}
		if stamps := r.Trace(); len(stamps) != 2 || r.Unchanged(stamps) {
			t.Errorf("Trace: got %+v, want two stamps that never hold at once", stamps)
		}
	})
}

func TestTrace_is_in_the_order_of_paths_whoever_read_first(t *testing.T) {
	_, dir := plant(t)
	r := open(t, dir, Options{Trace: true})
	for _, name := range []string{"c", "a", "b", "a", "c"} {
		r.ReadFile(name)
	}
	got := []string{}
	for _, s := range r.Trace() {
		got = append(got, s.Path)
	}
	if want := []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("Trace: got %v, want %v", got, want)
	}
	if open(t, dir, Options{}).Trace() != nil {
		t.Error("Trace without Options.Trace: got stamps, want nil")
	}
}
