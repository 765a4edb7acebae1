package root

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// survey lists what lies below r: the path, and the kind where it is no file.
func survey(t *testing.T, r *Root, visit func(Item) error) (seen []Item, err error) {
	t.Helper()
	err = r.Survey(t.Context(), 1000, func(i Item) error {
		if visit != nil {
			if err := visit(i); err != nil {
				return err
			}
		}
		seen = append(seen, i)
		return nil
	})
	return seen, err
}

func names(items []Item) []string {
	out := []string{}
	for _, i := range items {
		name := i.Path
		if i.Kind != File {
			name += " " + i.Kind.String()
		}
		out = append(out, name)
	}
	return out
}

func TestSurvey_visits_all_in_order_and_follows_nothing(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		base, dir := plant(t)
		write(t, filepath.Join(base, "out/secret"), "s")
		for _, name := range []string{"b", "a/z", "a/b/c", "a-", "skipped/x"} {
			write(t, filepath.Join(dir, name), "text")
		}
		link(t, "../out", filepath.Join(dir, "away"))
		link(t, "a", filepath.Join(dir, "here"))
		opt.Follow = true // which a survey does not
		opt.Listing = func(string) ([]fs.DirEntry, bool) { return nil, true }
		got, err := survey(t, open(t, dir, opt), func(i Item) error {
			if i.Path == "skipped" {
				return fs.SkipDir
			}
			return nil
		})
		want := []string{"a directory", "a/b directory", "a/b/c", "a/z", "a-", "away link", "b", "here link"}
		if err != nil || !slices.Equal(names(got), want) {
			t.Errorf("Survey: got %q, %v, want %q", names(got), err, want)
		}
	})
}

func TestSurvey_ends_with_what_visit_and_the_context_say(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		write(t, filepath.Join(dir, "d/f"), "")
		write(t, filepath.Join(dir, "e"), "")
		r := open(t, dir, opt)
		ours := errors.New("ours")
		if got, err := survey(t, r, func(i Item) error {
			if i.Path == "d/f" {
				return ours
			}
			return nil
		}); err != ours || len(got) != 1 {
			t.Errorf("Survey, visit fails at d/f: got %q, %v, want d alone and that error", names(got), err)
		}
		if err := r.Survey(t.Context(), 1, func(Item) error { return nil }); !errors.Is(err, ErrCrowded) {
			t.Errorf("Survey of two entries, at most one: got %v, want ErrCrowded", err)
		}
		if _, err := survey(t, r, func(i Item) error {
			if i.Path != "d" {
				return nil
			}
			return os.RemoveAll(filepath.Join(dir, "d"))
		}); !errors.Is(err, ErrChanged) {
			t.Errorf("Survey, a directory goes after it was seen: got %v, want ErrChanged", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := r.Survey(ctx, 9, func(Item) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("Survey, cancelled: got %v, want context.Canceled", err)
		}
		r.Close()
		if _, err := survey(t, r, nil); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Survey of a closed root: got %v, want fs.ErrClosed", err)
		}
	})
}

func TestCopyStamped_gives_the_file_that_was_seen_or_nothing(t *testing.T) {
	other := func(t *testing.T, dir string) {
		write(t, filepath.Join(dir, "new"), "sext")
		if err := os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "f")); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string)
		want   error
	}{
		{"untouched", func(*testing.T, string) {}, nil},
		{"longer", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "f"), "a longer text") }, ErrChanged},
		{"replaced", other, ErrChanged},
		{"gone", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "f")) }, ErrChanged},
		{"now a directory", func(t *testing.T, dir string) {
			os.Remove(filepath.Join(dir, "f"))
			write(t, filepath.Join(dir, "f/x"), "")
		}, ErrChanged},
		{"now a link to the same", func(t *testing.T, dir string) {
			os.Rename(filepath.Join(dir, "f"), filepath.Join(dir, "g"))
			link(t, "g", filepath.Join(dir, "f"))
		}, ErrChanged},
	} {
		t.Run(c.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, opt Options) {
				_, dir := plant(t)
				write(t, filepath.Join(dir, "f"), "text")
				r := open(t, dir, opt)
				if opt.portable && c.name == "now a link to the same" {
					t.Skip("os.Root follows links that stay inside, to the very same file")
				}
				seen, err := survey(t, r, nil)
				if err != nil {
					t.Fatal(err)
				}
				c.change(t, dir)
				var got bytes.Buffer
				err = r.CopyStamped(t.Context(), &got, seen[0].Stamp, make([]byte, 3))
				if !errors.Is(err, c.want) || (err == nil) != (got.String() == "text") {
					t.Errorf("CopyStamped: got %q, %v, want %v", got.String(), err, c.want)
				}
			})
		})
	}
}

func TestTargetStamped_is_of_the_link_that_was_seen(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		link(t, "../x/y", filepath.Join(dir, "l"))
		r := open(t, dir, opt)
		seen, err := survey(t, r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.TargetStamped(seen[0].Stamp); got != "../x/y" || err != nil {
			t.Errorf("TargetStamped: got %q, %v, want ../x/y", got, err)
		}
		os.Remove(filepath.Join(dir, "l"))
		write(t, filepath.Join(dir, "l"), "")
		if _, err := r.TargetStamped(seen[0].Stamp); !errors.Is(err, ErrChanged) {
			t.Errorf("TargetStamped, now a file: got %v, want ErrChanged", err)
		}
	})
}
