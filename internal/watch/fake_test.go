package watch

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// fake is a system that tells what a test says.
type fake struct {
	events  chan fsnotify.Event
	errors  chan error
	watched map[string]bool // belongs to the lookout
	add     func(dir string) error
}

func (f *fake) open() (*system, error) {
	f.events, f.errors, f.watched = make(chan fsnotify.Event), make(chan error), map[string]bool{}
	return &system{
		events: f.events,
		errors: f.errors,
		add: func(dir string) error {
			if f.add != nil {
				if err := f.add(dir); err != nil {
					return err
				}
			}
			f.watched[dir] = true
			return nil
		},
		remove: func(dir string) error { delete(f.watched, dir); return nil },
		close:  func() error { close(f.events); close(f.errors); return nil },
	}, nil
}

// watching is the directories that are watched.
func (f *fake) watching(w *Watcher) (dirs []string) {
	w.do(func(*lookout) { dirs = slices.Sorted(maps.Keys(f.watched)) })
	return dirs
}

func impossible() (*system, error) { return nil, errors.New("too many instances") }

// bubble runs a test whose clock moves only while all wait.
func bubble(t *testing.T, o Options, run func(t *testing.T, w *Watcher, dir string)) {
	t.Helper()
	dir := own(t)
	synctest.Test(t, func(t *testing.T) {
		w := New(o)
		defer w.Close()
		run(t, w, dir)
	})
}

// after is the change that is told within d, "" if there is none.
func after(w *Watcher, d time.Duration) (told string, took time.Duration) {
	began := time.Now()
	select {
	case c := <-w.Changes():
		for _, r := range c.Roots {
			told += " " + filepath.Base(r)
		}
		if c.All {
			told += " all"
		}
		return strings.TrimSpace(told), time.Since(began)
	case <-time.After(d):
		return "", d
	}
}

func TestChangesAreToldOncePaused(t *testing.T) {
	var f fake
	bubble(t, Options{Poll: never, open: f.open}, func(t *testing.T, w *Watcher, dir string) {
		w.Set([]string{mkdir(t, dir, "a"), mkdir(t, dir, "b")})
		change := func(root string) { f.events <- fsnotify.Event{Name: dir + "/" + root + "/file", Op: fsnotify.Write} }
		expect := func(what, want string, when time.Duration) {
			t.Helper()
			got, took := after(w, when+time.Millisecond)
			if got != want || got != "" && took != when {
				t.Errorf("%s: got %q told after %v, want %q after %v", what, got, took, want, when)
			}
		}
		change("a")
		expect("one change", "a", 100*time.Millisecond)

		change("a")
		<-time.After(60 * time.Millisecond)
		change("b")
		expect("a second one soon after", "a b", 100*time.Millisecond)

		for range 19 { // 950 ms
			change("a")
			<-time.After(50 * time.Millisecond)
		}
		change("a")
		expect("changes that go on", "a", 50*time.Millisecond)
		expect("and pause then", "", time.Minute)

		change("a")
		<-time.After(time.Second)
		change("b")
		<-time.After(time.Second)
		expect("changes that nobody received", "a b", 0)

		change("a")
		synctest.Wait()
		w.Set([]string{dir + "/b"})
		expect("of a root that is none any more", "", time.Minute)
	})
}

func TestOverflowIsTold(t *testing.T) {
	var f fake
	bubble(t, Options{Poll: never, open: f.open}, func(t *testing.T, w *Watcher, dir string) {
		w.Set([]string{mkdir(t, dir, "a")})
		mkdir(t, dir, "a/b/c") // whose events are lost
		f.errors <- fsnotify.ErrEventOverflow
		if got, _ := after(w, time.Minute); got != "all" {
			t.Errorf("after an overflow: got %q told, want all", got)
		}
		want := []string{dir, dir + "/a", dir + "/a/b", dir + "/a/b/c"}
		if got := f.watching(w); !slices.Equal(got, want) {
			t.Errorf("watched then: got %q, want %q", got, want)
		}
		if got := w.Polled(); len(got) > 0 {
			t.Errorf("Polled: got %q, want none", got)
		}
	})
}

func TestEventsThatEndAreReplacedByPolling(t *testing.T) {
	var f fake
	bubble(t, Options{open: f.open}, func(t *testing.T, w *Watcher, dir string) {
		w.Set([]string{mkdir(t, dir, "a")})
		for range mostFailures {
			f.errors <- errors.New("bad descriptor")
		}
		if got, _ := after(w, time.Minute); got != "all" {
			t.Errorf("when the events end: got %q told, want all", got)
		}
		if got := w.Polled()[dir+"/a"]; !strings.Contains(got, "bad descriptor") {
			t.Errorf("Polled: got %q, want the error in it", got)
		}
		write(t, dir+"/a/file", "")
		if got, _ := after(w, time.Minute); got != "a" {
			t.Errorf("then a file is written: got %q told, want a", got)
		}
	})
}

// Where nothing can be watched, everything is told as well.
func TestPollingTellsChanges(t *testing.T) {
	bubble(t, Options{Skip: []string{".git"}, open: impossible}, func(t *testing.T, w *Watcher, dir string) {
		write(t, mkdir(t, dir, "tree/sub")+"/file", "one")
		mkdir(t, dir, "tree/.git")
		write(t, dir+"/file", "one")
		mkdir(t, dir, "real/one")
		mkdir(t, dir, "real/two")
		link(t, "real/one", dir+"/link")
		roots := []string{dir + "/tree", dir + "/file", dir + "/link", dir + "/later/deep"}
		w.Set(roots)
		if got := w.Polled(); len(got) != len(roots) || !strings.Contains(got[roots[0]], "too many instances") {
			t.Errorf("Polled: got %q, want each of the %d roots with the error", got, len(roots))
		}
		for _, c := range []struct {
			name string
			act  func()
			want string
		}{
			{"nothing", func() {}, ""},
			{"a file is written", func() { write(t, dir+"/tree/sub/file", "other") }, "tree"},
			{"a file is replaced by one like it", func() {
				info, _ := os.Stat(dir + "/tree/sub/file")
				write(t, dir+"/tree/sub/new", "OTHER")
				chtimes(t, dir+"/tree/sub/new", info.ModTime(), info.ModTime())
				rename(t, dir+"/tree/sub/new", dir+"/tree/sub/file")
			}, "tree"},
			{"a file becomes executable", func() { chmod(t, dir+"/tree/sub/file", 0o755) }, "tree"},
			{"the time of writing is set", func() { chtimes(t, dir+"/tree/sub/file", time.Time{}, time.Unix(1, 0)) }, "tree"},
			{"the time of reading is set", func() { chtimes(t, dir+"/tree/sub/file", time.Now(), time.Time{}) }, ""},
			{"directories appear deep", func() { mkdir(t, dir, "tree/a/b/c") }, "tree"},
			{"a file appears deep", func() { write(t, dir+"/tree/a/b/c/file", "") }, "tree"},
			{"directories go", func() { remove(t, dir+"/tree/a") }, "tree"},
			{"directories come again", func() { mkdir(t, dir, "tree/a/b/c") }, "tree"},
			{"a file appears deep again", func() { write(t, dir+"/tree/a/b/c/file", "") }, "tree"},
			{"something skipped", func() { write(t, dir+"/tree/.git/file", "") }, ""},
			{"a neighbour", func() { write(t, dir+"/neighbour", "") }, ""},
			{"the file", func() { write(t, dir+"/file", "other") }, "file"},
			{"the file goes", func() { remove(t, dir+"/file") }, "file"},
			{"the file comes", func() { write(t, dir+"/file", "") }, "file"},
			{"the link leads elsewhere", func() { remove(t, dir+"/link"); link(t, "real/two", dir+"/link") }, "link"},
			{"a file behind the link", func() { write(t, dir+"/real/two/file", "") }, "link"},
			{"a file where it led", func() { write(t, dir+"/real/one/file", "") }, ""},
			{"the missing root comes half", func() { mkdir(t, dir, "later") }, ""},
			{"the missing root comes", func() { mkdir(t, dir, "later/deep/er") }, "deep"},
			{"a file in it", func() { write(t, dir+"/later/deep/er/file", "") }, "deep"},
			{"the tree goes", func() { remove(t, dir+"/tree") }, "tree"},
		} {
			synctest.Wait() // a look at this very moment would see half of what is done
			c.act()
			got, took := after(w, 10*time.Second)
			if got != c.want || got != "" && took > 3*time.Second {
				t.Errorf("%s: got %q told after %v, want %q after one look", c.name, got, took, c.want)
			}
			if again, _ := after(w, 10*time.Second); again != "" {
				t.Errorf("%s: got %q told again, want it once", c.name, again)
			}
		}
	})
}

// What the limit leaves out is what lies deepest, and it is watched when there
// is room.
func TestTooManyDirectories(t *testing.T) {
	var f fake
	bubble(t, Options{Dirs: 4, open: f.open}, func(t *testing.T, w *Watcher, dir string) {
		deep := mkdir(t, dir, "a/b/c/d")
		mkdir(t, dir, "a/x")
		mkdir(t, dir, "small")
		w.Set([]string{dir + "/a"})
		want := []string{dir, dir + "/a", dir + "/a/b", dir + "/a/x"}
		if got := f.watching(w); !slices.Equal(got, want) {
			t.Errorf("watched: got %q, want %q", got, want)
		}
		if got := w.Polled(); len(got) != 1 || !strings.Contains(got[dir+"/a"], "at most 4 directories") {
			t.Errorf("Polled: got %q, want a, and the limit", got)
		}
		write(t, deep+"/file", "")
		if got, _ := after(w, 10*time.Second); got != "a" {
			t.Errorf("what is not watched changes: got %q told, want a", got)
		}
		remove(t, dir+"/a/x")
		f.events <- fsnotify.Event{Name: dir + "/a/x", Op: fsnotify.Remove}
		if got, _ := after(w, time.Second); got != "a" {
			t.Errorf("what is watched goes: got %q told, want a", got)
		}
		<-time.After(10 * time.Second)
		if got := f.watching(w); len(got) != 4 || w.Polled()[dir+"/a"] == "" {
			t.Errorf("watched when there is room for one: got %q, want 4 and the rest polled", got)
		}
		remove(t, deep)
		if got, _ := after(w, 10*time.Second); got != "a" {
			t.Errorf("what is not watched goes: got %q told, want a", got)
		}
		<-time.After(10 * time.Second)
		if got := w.Polled(); len(got) > 0 {
			t.Errorf("Polled when there is room for all: got %q, want none", got)
		}
	})
}

func TestTooManyFiles(t *testing.T) {
	bubble(t, Options{entries: 6, open: impossible}, func(t *testing.T, w *Watcher, dir string) {
		for i := range 4 {
			write(t, mkdir(t, dir, fmt.Sprint("a/", i))+"/file", "")
		}
		w.Set([]string{dir + "/a"})
		if got := w.Polled()[dir+"/a"]; !strings.Contains(got, "more than the 6 files") {
			t.Errorf("Polled: got %q, want the limit", got)
		}
		write(t, dir+"/a/0/file", "1")
		if got, _ := after(w, 10*time.Second); got != "a" {
			t.Errorf("a change within the limit: got %q told, want a", got)
		}
		for i := range 3 {
			remove(t, fmt.Sprint(dir, "/a/", i))
		}
		if got, _ := after(w, 10*time.Second); got != "a" {
			t.Errorf("directories go: got %q told, want a", got)
		}
		write(t, dir+"/a/3/file", "1")
		if got, _ := after(w, 10*time.Second); got != "a" {
			t.Errorf("a change of what was beyond: got %q told, want a", got)
		}
	})
}

func TestWhatCannotBeWatchedIsPolled(t *testing.T) {
	for _, c := range []struct {
		name string
		add  func(dir string) error
		on   string
		want string
	}{
		{"the system's limit", func(string) error { return syscall.ENOSPC }, "", "max_user_watches"},
		{"forbidden", func(string) error { return errors.New("not\x1b allowed") }, "", `not\x1b allowed`},
		{"one directory", func(dir string) error {
			if filepath.Base(dir) == "sub" {
				return syscall.EACCES
			}
			return nil
		}, "", "permission denied"},
		{"the parent of a root", func(dir string) error {
			if filepath.Base(dir) != "a" {
				return syscall.EACCES
			}
			return nil
		}, "", "permission denied"},
		{"a file system of others", nil, "NFS", "(NFS)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := fake{add: c.add}
			bubble(t, Options{open: f.open, remote: func(string) string { return c.on }}, func(t *testing.T, w *Watcher, dir string) {
				mkdir(t, dir, "a/sub")
				w.Set([]string{dir + "/a"})
				if got := w.Polled()[dir+"/a"]; !strings.Contains(got, c.want) {
					t.Errorf("Polled: got %q, want %q in it", got, c.want)
				}
				write(t, dir+"/a/sub/file", "")
				if got, _ := after(w, 10*time.Second); got != "a" {
					t.Errorf("a change: got %q told, want a", got)
				}
			})
		})
	}
}

// What changes while the watches are being put in place is told.
func TestChangesDuringSet(t *testing.T) {
	for _, c := range []struct {
		name string
		when string // which directory is about to be watched
		act  func(t *testing.T, dir string)
	}{
		{"a file is written", "sub", func(t *testing.T, dir string) { write(t, dir+"/a/sub/file", "other") }},
		{"a directory appears", "a", func(t *testing.T, dir string) { mkdir(t, dir, "a/sub/new") }},
		{"a directory goes", "sub", func(t *testing.T, dir string) { remove(t, dir+"/a/sub") }},
		{"the root goes", "a", func(t *testing.T, dir string) { remove(t, dir+"/a") }},
		{"the root is replaced", "", func(t *testing.T, dir string) {
			rename(t, dir+"/a", dir+"/old")
			write(t, mkdir(t, dir, "a")+"/file", "")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var f fake
			bubble(t, Options{Poll: never, open: f.open}, func(t *testing.T, w *Watcher, dir string) {
				write(t, mkdir(t, dir, "a/sub")+"/file", "one")
				done := false
				f.add = func(path string) error {
					if !done && path == filepath.Join(dir, strings.TrimSuffix("a/"+c.when, "/a")) || !done && c.when == "" {
						done = true
						c.act(t, dir)
					}
					if _, err := os.Stat(path); err != nil {
						return err
					}
					return nil
				}
				w.Set([]string{dir + "/a"})
				if got, _ := after(w, time.Second); got != "a" || !done {
					t.Errorf("got %q told, want a (it happened: %v)", got, done)
				}
			})
		})
	}
}

func TestWithoutChangesNothingIsTold(t *testing.T) {
	var f fake
	for name, o := range map[string]Options{"watching": {open: f.open}, "polling": {open: impossible}} {
		t.Run(name, func(t *testing.T) {
			bubble(t, o, func(t *testing.T, w *Watcher, dir string) {
				mkdir(t, dir, "a/b")
				w.Set([]string{dir + "/a", dir + "/missing"})
				if got, _ := after(w, time.Hour); got != "" {
					t.Errorf("in an hour: got %q told, want nothing", got)
				}
			})
		})
	}
}

func TestClosed(t *testing.T) {
	var f fake
	bubble(t, Options{open: f.open}, func(t *testing.T, w *Watcher, dir string) {
		w.Set([]string{dir})
		f.events <- fsnotify.Event{Name: dir + "/file", Op: fsnotify.Create}
		w.Close()
		w.Close()
		if c, ok := <-w.Changes(); ok {
			t.Errorf("Changes after Close: got %v, want it closed", c)
		}
		if added, polled := w.Set([]string{dir, "other"}), w.Polled(); added || polled != nil {
			t.Errorf("Set and Polled after Close: got %v and %v, want nothing", added, polled)
		}
	})
}
