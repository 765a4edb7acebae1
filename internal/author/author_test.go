package author_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/author"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/root"
)

// doc is the document of a task that says something.
func doc(says string) []byte {
	return []byte("---\ndescription: A task.\n---\n" + says + "\n")
}

// store is one over the owner's directory of a workspace.
func store(t testing.TB, work string) author.Store {
	t.Helper()
	return author.Store{Dir: filepath.Join(work, ".mortise"), Within: work, Locks: filepath.Join(t.TempDir(), "locks"), Limit: 1 << 20}
}

func says(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestNewEditRemove wants the round of a task: it is made whole, edited from what
// it is, and removed with its files; nothing is left of how that was done.
func TestNewEditRemove(t *testing.T) {
	work := golden.Dir(t, nil)
	s := store(t, work)
	at := filepath.Join(s.Dir, "tasks", "tidy")
	if err := s.New(t.Context(), "tidy", doc("Tidy.")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(at, "TASK.md"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := s.New(t.Context(), "TIDY", doc("Again.")); ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), "already") {
		t.Errorf("New of a name that differs by case alone: got %v, want a refusal", err)
	}
	if err := s.Edit(t.Context(), "tidy", ext.Sum(doc("Tidy.")), doc("Tidy up.")); err != nil {
		t.Fatal(err)
	}
	if got := says(t, filepath.Join(at, "TASK.md")); got != string(doc("Tidy up.")) {
		t.Errorf("the document: got %q", got)
	}
	if info, err := os.Stat(filepath.Join(at, "TASK.md")); err != nil || info.Mode().Perm() != 0o640 && filepath.Separator == '/' {
		t.Errorf("the document: got mode %v and error %v, want the mode it had", info.Mode(), err)
	}
	if got := names(t, at); !slices.Equal(got, []string{"TASK.md"}) {
		t.Errorf("the task's directory: got %q, want the document alone", got)
	}
	if err := s.Remove(t.Context(), "tidy", ext.Sum(nil)); !isChanged(err) {
		t.Errorf("Remove of other files than there are: got %v, want to be told", err)
	}
	whole := wholeOf(t, s, "tidy")
	if err := s.Remove(t.Context(), "tidy", whole); err != nil {
		t.Fatal(err)
	}
	if got := names(t, filepath.Dir(at)); len(got) != 0 {
		t.Errorf("the directory of tasks: got %q, want nothing", got)
	}
}

// wholeOf is the digest of all files of a task.
func wholeOf(t testing.TB, s author.Store, name string) ext.Digest {
	t.Helper()
	var d ext.Digest
	if err := d.UnmarshalText([]byte(shown(t, s, name).Whole)); err != nil {
		t.Fatal(err)
	}
	return d
}

func names(t testing.TB, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func isChanged(err error) bool {
	var changed *author.ChangedError
	return errors.As(err, &changed) && ext.KindOf(err) == ext.Refused
}

// TestChangedMeanwhile wants an edit that was made from something else to be told,
// and both versions to be there.
func TestChangedMeanwhile(t *testing.T) {
	work := golden.Dir(t, golden.Files(".mortise/tasks/a/TASK.md", string(doc("First.")), ".mortise/tasks/b/more.txt", "more"))
	s := store(t, work)
	for _, c := range []struct{ name, task, there, where string }{
		{"another text", "a", "First.", "tasks/a/TASK.md.conflict-"},
		{"no document", "b", "", "tasks/b/TASK.md.conflict-"},
		{"no task", "gone", "", "tasks/gone.conflict-"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 2 { // again is no harm
				err := s.Edit(t.Context(), c.task, ext.Sum(doc("Zeroth.")), doc("Mine."))
				var changed *author.ChangedError
				if !errors.As(err, &changed) || ext.KindOf(err) != ext.Refused {
					t.Fatalf("Edit: got %v, want to be told", err)
				}
				if got := says(t, changed.Kept); got != string(doc("Mine.")) || !strings.Contains(filepath.ToSlash(changed.Kept), c.where) {
					t.Errorf("kept in %s: %q, want mine in %s", changed.Kept, got, c.where)
				}
				if c.there != "" && (says(t, filepath.Join(s.Dir, "tasks", "a", "TASK.md")) != string(doc(c.there)) || changed.Digest != ext.Sum(doc(c.there))) {
					t.Error("what was there is not, or its digest was not told")
				}
			}
		})
	}
}

// TestFaultyIsNotWritten wants a document that would be refused to be told with
// line and way out, and nothing to be written.
func TestFaultyIsNotWritten(t *testing.T) {
	work := golden.Dir(t, nil)
	s := store(t, work)
	for name, text := range map[string]string{
		"no front matter": "Do.", "no description": "---\ntitle: T\n---\nDo.\n", "no instructions": "---\ndescription: D.\n---\n", "binary": "\x00\x01", "twice": "---\ndescription: D.\ndescription: E.\n---\nDo.\n",
	} {
		err := s.New(t.Context(), "x", []byte(text))
		var fault *author.FaultError
		if text = fmt.Sprint(err); name != "twice" && (!errors.As(err, &fault) || !strings.Contains(text, "line ") || !strings.Contains(text, "nothing was written")) {
			t.Errorf("%s: got %v, want what is wrong, where and what to do", name, err)
		}
	}
	if err := s.New(t.Context(), "x", make([]byte, s.Limit+1)); err == nil || !strings.Contains(err.Error(), "bytes long") {
		t.Errorf("too large: got %v", err)
	}
	if got := names(t, work); len(got) > 0 && !slices.Equal(got, []string{".mortise"}) {
		t.Errorf("the workspace: got %q", got)
	}
}

// TestNames wants names to be directories on every system, and nothing else.
func TestNames(t *testing.T) {
	for _, name := range []string{"", ".", "..", ".git", "a/b", `a\b`, "-rf", "a ", "a.", "con", "NUL.txt", "ä", "a\x00", "a\nb", strings.Repeat("a", 65), "a:b"} {
		if err := author.ValidName(name); ext.KindOf(err) != ext.Usage || err == nil {
			t.Errorf("ValidName(%q): got %v, want a usage error", name, err)
		}
	}
	for _, name := range []string{"a", "A-1", "weekly_report.v2", "0", strings.Repeat("a", 64), "console"} {
		if err := author.ValidName(name); err != nil {
			t.Errorf("ValidName(%q): got %v", name, err)
		}
	}
}

// TestCopy wants a copy to have all files of a task, as files, with what makes a
// script one, and to be recorded before it has its name.
func TestCopy(t *testing.T) {
	base := golden.Dir(t, golden.Files(
		"acme/tasks/a/TASK.md", string(doc("Do.")), "acme/tasks/a/lib/run.sh", "#!/bin/sh\n", "acme/shared.txt", "shared", "acme/tasks/a/shared.txt -> ../../shared.txt", "",
		"acme/tasks/out/TASK.md", string(doc("Do.")), "acme/tasks/out/secret -> ../../../secret", "", "secret", "secret",
		"work/.mortise/tasks/taken/TASK.md", string(doc("Mine.")),
	))
	if err := os.Chmod(filepath.Join(base, "acme/tasks/a/lib/run.sh"), 0o555); err != nil {
		t.Fatal(err)
	}
	from, err := root.Open(filepath.Join(base, "acme"), root.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	s := store(t, filepath.Join(base, "work"))
	var recorded ext.Digest
	record := func(whole ext.Digest) error {
		if _, err := os.Lstat(filepath.Join(s.Dir, "tasks", "a")); err == nil {
			t.Error("it has its name before it was recorded")
		}
		recorded = whole
		return nil
	}
	if err := s.Copy(t.Context(), "a", from, "tasks/a", record); err != nil {
		t.Fatal(err)
	}
	if recorded != wholeOf(t, s, "a") {
		t.Error("the digest that was recorded is not that of the copy")
	}
	at := filepath.Join(s.Dir, "tasks", "a")
	if says(t, filepath.Join(at, "shared.txt")) != "shared" || says(t, filepath.Join(at, "lib", "run.sh")) != "#!/bin/sh\n" {
		t.Error("the copy has not all files of the task")
	}
	if info, err := os.Lstat(filepath.Join(at, "shared.txt")); err != nil || !info.Mode().IsRegular() {
		t.Errorf("a link to a file: got %v, want the file", info.Mode())
	}
	if info, err := os.Stat(filepath.Join(at, "lib", "run.sh")); err != nil || filepath.Separator == '/' && info.Mode().Perm()&0o300 != 0o300 {
		t.Errorf("a script: got mode %v, want it to be one, and the owner's to change", info.Mode())
	}
	failing := func(ext.Digest) error { return errors.New("no room to remember") }
	for name, err := range map[string]error{
		"a name that is taken":      s.Copy(t.Context(), "taken", from, "tasks/a", record),
		"a link out of the plugin":  s.Copy(t.Context(), "out", from, "tasks/out", record),
		"what cannot be remembered": s.Copy(t.Context(), "b", from, "tasks/a", failing),
		"what is not there":         s.Copy(t.Context(), "c", from, "tasks/none", record),
	} {
		if err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if got := names(t, filepath.Dir(at)); !slices.Equal(got, []string{"a", "taken"}) {
		t.Errorf("the directory of tasks: got %q, want nothing of what was not copied", got)
	}
}

// TestNothingIsLost has many writers count in one document: each edit is made from
// what it replaces, or told, so that none is lost, and no writer sees half of one.
func TestNothingIsLost(t *testing.T) {
	const writers, each = 8, 15
	work := golden.Dir(t, golden.Files(".mortise/tasks/n/TASK.md", string(doc("0"))))
	s := store(t, work)
	at := filepath.Join(s.Dir, "tasks", "n", "TASK.md")
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for done := 0; done < each; {
				data := says(t, at)
				n, who := 0, 0
				if _, err := fmt.Sscanf(strings.TrimPrefix(data, string(doc("")[:len(doc(""))-1])), "%d %d", &n, &who); err != nil && data != string(doc("0")) {
					t.Errorf("half a document: %q", data)
					return
				}
				err := s.Edit(t.Context(), "n", ext.Sum([]byte(data)), doc(fmt.Sprint(n+1, w)))
				switch {
				case err == nil:
					done++
				case !isChanged(err):
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if got := says(t, at); !strings.Contains(got, fmt.Sprintf("\n%d ", writers*each)) {
		t.Errorf("the document: got %q, want the count of all edits, %d", got, writers*each)
	}
}
