package root

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestReadStamped_stamps_what_can_be_known_again(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		write(t, filepath.Join(dir, "d/f"), "text")
		link(t, "d", filepath.Join(dir, "way"))
		link(t, "d/f", filepath.Join(dir, "l"))
		for _, c := range []struct {
			name, file string
			clock      func() time.Time
			holds      bool
		}{
			{"settled", "d/f", later, true},
			{"changed a moment ago", "d/f", func() time.Time { return time.Now().Add(-time.Hour) }, false},
			{"a link", "l", later, false},
			{"through a link", "way/f", later, false},
		} {
			opt.Clock = c.clock
			r := open(t, dir, opt)
			i, statErr := r.Stat("d/f")
			data, outside, s, err := r.ReadStamped(c.file, 100)
			if err = errors.Join(err, statErr); string(data) != "text" || outside != "" || err != nil {
				t.Errorf("ReadStamped, %s: got %q, %q, %v, want the text", c.name, data, outside, err)
			}
			if opt.portable && c.file == "way/f" {
				continue // os.Root says nothing of links on the way, and leaves by none
			}
			want := c.holds && !r.vague() && !i.(*info).coarse
			if got := r.Again().Holds(s); got != want || c.file == "d/f" && got != (s != Stamp{}) {
				t.Errorf("Holds, %s: got %v of %+v, want %v", c.name, got, s, want)
			}
		}
		if open(t, dir, opt).Again().Holds(Stamp{}) {
			t.Error("Holds of a zero stamp: got true, want false")
		}
	})
}

func TestHolds_no_longer_what_changed_or_is_come_to_by_another_way(t *testing.T) {
	at := func(dir, name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		name   string
		change func(t *testing.T, base, dir string) error
		same   bool
	}{
		{"nothing", func(*testing.T, string, string) error { return nil }, true},
		{"another file beside it", func(t *testing.T, _, dir string) error { return os.WriteFile(at(dir, "d/g"), nil, 0o644) }, true},
		{"edited, same size and time", func(t *testing.T, _, dir string) error {
			i, err := os.Stat(at(dir, "d/f"))
			if err != nil {
				return err
			}
			write(t, at(dir, "d/f"), "TEXT")
			return os.Chtimes(at(dir, "d/f"), i.ModTime(), i.ModTime())
		}, false},
		{"replaced", func(t *testing.T, _, dir string) error {
			write(t, at(dir, "new"), "text")
			return os.Rename(at(dir, "new"), at(dir, "d/f"))
		}, false},
		{"removed", func(_ *testing.T, _, dir string) error { return os.Remove(at(dir, "d/f")) }, false},
		{"its directory moved outside, a link in its place", func(t *testing.T, base, dir string) error {
			if err := os.Rename(at(dir, "d"), at(base, "moved")); err != nil {
				return err
			}
			link(t, "../moved", at(dir, "d"))
			return nil
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, opt := range []Options{{}, {portable: true}} {
				base, dir := plant(t)
				write(t, at(dir, "d/f"), "text")
				age(t, base)
				opt.Clock = later
				r := open(t, dir, opt)
				_, _, s, err := r.ReadStamped("d/f", 100)
				if err != nil {
					t.Fatal(err)
				}
				if s == (Stamp{}) {
					t.Skip("files have no identity here")
				}
				if err := c.change(t, base, dir); err != nil {
					t.Fatal(err)
				}
				if got := r.Again().Holds(s); got != c.same {
					t.Errorf("Holds: got %v, want %v", got, c.same)
				}
			}
		})
	}
}

func TestListStamped_stamps_the_names_in_a_directory(t *testing.T) {
	at := func(dir, name string) string { return filepath.Join(dir, name) }
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string) error
		same   bool
	}{
		{"nothing", func(*testing.T, string) error { return nil }, true},
		{"a file edited", func(t *testing.T, dir string) error { return os.WriteFile(at(dir, "d/f"), []byte("x"), 0o644) }, true},
		{"further down", func(t *testing.T, dir string) error { return os.WriteFile(at(dir, "d/e/g"), nil, 0o644) }, true},
		{"a name more", func(t *testing.T, dir string) error { return os.WriteFile(at(dir, "d/g"), nil, 0o644) }, false},
		{"a name less", func(t *testing.T, dir string) error { return os.Remove(at(dir, "d/f")) }, false},
		{"a link in a file's place", func(t *testing.T, dir string) error {
			return errors.Join(os.Remove(at(dir, "d/f")), os.Symlink("e", at(dir, "d/f")))
		}, false},
		{"a link in its place", func(t *testing.T, dir string) error {
			return errors.Join(os.Rename(at(dir, "d"), at(dir, "c")), os.Symlink("c", at(dir, "d")))
		}, false},
		{"gone", func(t *testing.T, dir string) error { return os.RemoveAll(at(dir, "d")) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, opt Options) {
				base, dir := plant(t)
				write(t, at(dir, "d/f"), "text")
				write(t, at(dir, "d/e/x"), "")
				age(t, base)
				opt.Clock = later
				r := open(t, dir, opt)
				entries, s, err := r.ListStamped("d")
				if err != nil || len(entries) != 2 || entries[0].Name() != "e" {
					t.Fatalf("ListStamped: got %v, %v, want e and f", entries, err)
				}
				if s == (Stamp{}) && (opt.portable || r.blind) {
					t.Skip("nothing can be known again here")
				}
				if err := c.change(t, dir); err != nil {
					t.Fatal(err)
				}
				look := r.Again()
				if got := look.Holds(s); got != c.same {
					t.Errorf("Holds: got %v, want %v", got, c.same)
				}
				if there := look.way("d"); c.same && !there {
					t.Error("the way to what is in it: got none, want one")
				}
			})
		})
	}
}

func TestListStamped_of_a_known_listing_and_of_a_link_has_no_stamp(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		write(t, filepath.Join(dir, "d/f"), "text")
		link(t, "d", filepath.Join(dir, "l"))
		opt.Clock = later
		if entries, s, err := open(t, dir, opt).ListStamped("l"); err != nil || len(entries) != 1 || s != (Stamp{}) && !opt.portable {
			t.Errorf("ListStamped of a link: got %v, %+v, %v, want f and no stamp", entries, s, err)
		}
		opt.Listing = func(name string) ([]fs.DirEntry, bool) { return nil, name == "d" }
		if entries, s, err := open(t, dir, opt).ListStamped("d"); err != nil || len(entries) != 0 || s != (Stamp{}) {
			t.Errorf("ListStamped of a known listing: got %v, %+v, %v, want it and no stamp", entries, s, err)
		}
	})
}
