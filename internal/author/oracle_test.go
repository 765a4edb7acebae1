package author_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/root"
)

// picture is everything below a directory but what lies below some of its paths:
// each path with its kind, mode and content.
func picture(t interface{ Fatal(...any) }, dir string, but ...string) map[string]string {
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		for _, b := range but {
			if name == filepath.Join(dir, b) {
				if d.IsDir() {
					return filepath.SkipDir
				}
				return nil
			}
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		what := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			what += " " + ext.Sum(data).String()
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(name)
			if err != nil {
				return err
			}
			what += " " + to
		}
		out[name] = what
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// planted are links that somebody else put where tasks are written.
var planted = []struct{ at, to string }{
	{"work/.mortise/tasks/a", "../../../outside/dir"}, {"work/.mortise/tasks/b", "/"}, {"work/.mortise/tasks/c/TASK.md", "../../../../outside/file"},
	{"work/.mortise/tasks/d/TASK.md", "../a/TASK.md"}, {"work/.mortise/tasks/e", "../skills/s"}, {"work/.mortise/tasks/f/sub", "../../../../outside/dir"},
	{"work/.mortise/tasks", "../../outside/dir"}, {"work/.mortise/tasks", "skills"}, {"work/.mortise", "../outside/dir"}, {"work/.mortise/tasks/g/TASK.md", "/dev/null"},
}

// TestLaw01_In_place_no_write_leads_outside writes, edits, copies and removes under any name,
// with links planted wherever one could be, and compares everything outside the
// directory of tasks, byte by byte, with what was there before. Where that directory
// is itself a link nothing at all is another.
func TestLaw01_In_place_no_write_leads_outside(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		base, err := os.MkdirTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		golden.Write(t, base, golden.Files(
			"outside/file", "secret", "outside/dir/TASK.md", string(doc("Outside.")), "outside/dir/tasks/a/TASK.md", string(doc("Outside.")),
			"work/mortise.toml", "", "work/keep.txt", "keep", "plugin/tasks/p/TASK.md", string(doc("Plugin.")), "plugin/tasks/p/link -> ../../../outside/file", "", "plugin/tasks/q/TASK.md", string(doc("Plugin.")),
		))
		if rapid.Bool().Draw(r, "owner") {
			golden.Write(t, base, golden.Files("work/.mortise/skills/s/TASK.md", string(doc("Inside."))))
		}
		if rapid.Bool().Draw(r, "tasks") {
			golden.Write(t, base, golden.Files("work/.mortise/tasks/own/TASK.md", string(doc("Own.")), "work/.mortise/tasks/own/more.txt", "more"))
		}
		for _, l := range rapid.SliceOfN(rapid.SampledFrom(planted), 0, 4).Draw(r, "links") {
			at := filepath.Join(base, filepath.FromSlash(l.at))
			if os.MkdirAll(filepath.Dir(at), 0o755) == nil {
				_ = os.Symlink(l.to, at) // where something is already, that stays
			}
		}
		s := store(t, filepath.Join(base, "work"))
		if rapid.Bool().Draw(r, "vouched") {
			if info, err := os.Lstat(s.Dir); err != nil || info.IsDir() { // else its person says that it is elsewhere
				s.Within = ""
			}
		}
		tasks := filepath.Join("work", ".mortise", "tasks")
		if info, err := os.Lstat(s.Dir); err == nil && !info.IsDir() {
			tasks = "none" // nothing is to be another
		} else if info, err := os.Lstat(filepath.Join(s.Dir, "tasks")); err == nil && !info.IsDir() {
			tasks = "none"
		}
		before := picture(t, base, tasks)
		from, err := root.Open(filepath.Join(base, "plugin"), root.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer from.Close()
		name := rapid.OneOf(
			rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f", "g", "own", "new", "p"}),
			rapid.SampledFrom([]string{"..", ".", "../../outside/dir", "/etc", "own/../../skills/s", `..\..\outside`, "", "own/TASK.md", "tasks", "\x00", "C:", "own\n", ".new-x", "TASK.md"}),
			rapid.String(),
		)
		for range rapid.IntRange(1, 6).Draw(r, "steps") {
			n := name.Draw(r, "name")
			text := doc(rapid.StringMatching(`[a-z]{1,8}`).Draw(r, "text"))
			was := ext.Sum(rapid.SampledFrom([][]byte{doc("Own."), doc("Outside."), doc("Inside."), text}).Draw(r, "was"))
			switch rapid.IntRange(0, 3).Draw(r, "step") {
			case 0:
				err = s.New(t.Context(), n, text)
			case 1:
				err = s.Edit(t.Context(), n, was, text)
			case 2:
				whole := was
				if files, lookErr := s.Files(n); lookErr == nil {
					whole = files.Whole
				}
				err = s.Remove(t.Context(), n, whole)
			case 3:
				err = s.Copy(t.Context(), n, from, rapid.SampledFrom([]string{"tasks/p", "tasks/q", "..", "tasks"}).Draw(r, "from"), func(ext.Digest) error { return nil })
			}
			if err != nil && strings.ContainsAny(err.Error(), "\x00\x1b") {
				r.Fatalf("the message %q has characters that do not show", err)
			}
		}
		after := picture(t, base, tasks)
		delete(after, filepath.Join(base, "work", ".mortise")) // it may have been made
		delete(before, filepath.Join(base, "work", ".mortise"))
		if !maps.Equal(before, after) {
			r.Fatalf("something outside is another: %s", differs(before, after))
		}
		if dir, err := os.ReadDir(filepath.Join(base, tasks)); err == nil {
			for _, e := range dir {
				if strings.HasPrefix(e.Name(), ".") {
					r.Fatalf("%s was left", e.Name())
				}
			}
		} else if !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	})
}

func differs(before, after map[string]string) string {
	var out []string
	for name := range before {
		if after[name] != before[name] {
			out = append(out, fmt.Sprintf("%s: %q, was %q", name, after[name], before[name]))
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			out = append(out, name+" is new")
		}
	}
	return strings.Join(out, "; ")
}
