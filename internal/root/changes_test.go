package root

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// What a look with changes sees is what a look sees once they were made.
func TestChanges_are_answered_as_if_they_were_made(t *testing.T) {
	onEach(t, func(t *testing.T, opt Options) {
		_, dir := plant(t)
		write(t, filepath.Join(dir, "skills/a/SKILL.MD"), "old")
		write(t, filepath.Join(dir, "skills/a/more.md"), "more")
		write(t, filepath.Join(dir, "plugin.json"), "{}")
		link(t, "skills/a", filepath.Join(dir, "way"))

		var as Changes
		as.Set(filepath.Join(dir, "skills/a/SKILL.MD"), []byte("the new text"), "SKILL.md")
		as.Set(filepath.Join(dir, "plugin.json"), []byte(`{"name": "a"}`), "")
		opt.Changes = &as
		r := open(t, dir, opt)
		sub, err := r.Sub("skills", opt)
		if err != nil {
			t.Fatal(err)
		}
		defer sub.Close()
		for _, c := range []struct {
			r          *Root
			name, want string
		}{
			{r, "skills/a/SKILL.md", "the new text"},
			{r, "skills/a/more.md", "more"},
			{r, "plugin.json", `{"name": "a"}`},
			{r, "way/SKILL.md", "the new text"},
			{sub, "a/SKILL.md", "the new text"},
		} {
			data, err := c.r.ReadFile(c.name)
			info, statErr := c.r.Stat(c.name)
			if err = errors.Join(err, statErr); err != nil || string(data) != c.want || info.Size() != int64(len(c.want)) {
				t.Errorf("%s: got %q and %v, %v, want %q", c.name, data, info, err, c.want)
			}
			f, err := c.r.Open(c.name)
			if err != nil {
				t.Fatal(err)
			}
			if data, err := io.ReadAll(f); err != nil || string(data) != c.want {
				t.Errorf("open %s: got %q, %v, want %q", c.name, data, err, c.want)
			}
			f.Close()
		}
		if _, err := r.ReadLimit("plugin.json", 3); !errors.As(err, new(*TooLargeError)) {
			t.Errorf("a text that would be too large: got %v, want that said", err)
		}
		for _, name := range []string{"skills/a/SKILL.MD", "way/SKILL.MD"} {
			if _, err := r.Stat(name); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s, which has another name: got %v, want nothing there", name, err)
			}
		}
		names := ""
		entries, err := r.ReadDir("skills/a")
		for _, e := range entries {
			names += e.Name() + " "
		}
		if err != nil || names != "SKILL.md more.md " {
			t.Errorf("list: got %s, %v, want the new names in order", names, err)
		}
		seen := map[string]int64{}
		err = r.Survey(t.Context(), 10, func(i Item) error {
			seen[i.Path] = i.Size
			return nil
		})
		if _, old := seen["skills/a/SKILL.MD"]; err != nil || old || seen["skills/a/SKILL.md"] != int64(len("the new text")) {
			t.Errorf("survey: got %v, %v, want the new name and size", seen, err)
		}
		if _, _, s, err := r.ReadStamped("plugin.json", 100); err != nil || s != (Stamp{}) {
			t.Errorf("stamp of what is not there yet: got %+v, %v, want none", s, err)
		}
		if data, err := os.ReadFile(filepath.Join(dir, "skills/a/SKILL.MD")); err != nil || string(data) != "old" {
			t.Errorf("the file itself: got %q, %v, want it untouched", data, err)
		}
	})
}

// A root with changes is a file system like any other.
func TestChanges_leave_a_file_system(t *testing.T) {
	_, dir := plant(t)
	write(t, filepath.Join(dir, "d/b.MD"), strings.Repeat("x", 9000))
	write(t, filepath.Join(dir, "d/c.md"), "c")
	var as Changes
	as.Set(filepath.Join(dir, "d/b.MD"), []byte("short"), "b.md")
	as.Set(filepath.Join(dir, "d/c.md"), []byte(strings.Repeat("long", 9000)), "")
	if err := fstest.TestFS(open(t, dir, Options{Changes: &as}), "d/b.md", "d/c.md"); err != nil {
		t.Error(err)
	}
}
