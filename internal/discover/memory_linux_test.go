package discover_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/golden"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/spinetest"
)

func overwrite(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// want fails unless exactly these files were read.
func (r *reads) want(t *testing.T, why string, files ...string) {
	t.Helper()
	if got := r.since(t); !slices.Equal(got, files) {
		t.Errorf("%s: read %q, want %q", why, got, files)
	}
}

// TestMemoryReadsATreeOnce wants the digest of a tree to cost one reading of
// each content of each file: in one process, and in the next.
func TestMemoryReadsATreeOnce(t *testing.T) {
	tree := golden.Dir(t, golden.Files("a", "a", "d/b", "b", "d/e/c", "c", "l -> a", ""))
	kept, all := filepath.Join(t.TempDir(), "kept"), []string{"a", "d/b", "d/e/c"}
	seen, m := watch(t, tree), discover.NewMemory(kept)

	first := contentOf(t, tree, m)
	seen.want(t, "first", all...)
	if contentOf(t, tree, m) != first {
		t.Error("unchanged: got another digest, want the same")
	}
	seen.want(t, "unchanged")
	m = discover.NewMemory(kept)
	if contentOf(t, tree, m) != first {
		t.Error("unchanged, in the next process: got another digest, want the same")
	}
	seen.want(t, "unchanged, in the next process")

	overwrite(t, filepath.Join(tree, "d/b"), "B")
	second := contentOf(t, tree, m)
	seen.want(t, "one file edited, where nothing was read yet", "d/b")
	overwrite(t, filepath.Join(tree, "d/b"), "b")
	if back := contentOf(t, tree, m); second == first || back != first {
		t.Errorf("edited and back: got %s, %s, %s, want the first and the last alike", first, second, back)
	}
	seen.want(t, "one file edited back", "d/b")
	overwrite(t, filepath.Join(tree, "new"), "n")
	contentOf(t, tree, discover.NewMemory(kept))
	seen.want(t, "a file more, in the next process", "new")
	if err := os.Rename(filepath.Join(tree, "d"), filepath.Join(tree, "f")); err != nil {
		t.Fatal(err)
	}
	contentOf(t, tree, discover.NewMemory(kept))
	seen.want(t, "a directory renamed")
	contentOf(t, tree, discover.NewMemory(""))
	seen.want(t, "a memory that keeps nothing", "a", "d/b", "d/e/c", "new") // by the names that are watched
}

// TestMemoryIsNotBelievedWhereItIsDamaged wants damage to cost a reading, and
// never another answer.
func TestMemoryIsNotBelievedWhereItIsDamaged(t *testing.T) {
	tree := golden.Dir(t, golden.Files("a", "a", "b", "b"))
	kept := t.TempDir()
	want := contentOf(t, tree, discover.NewMemory(kept))
	files, err := filepath.Glob(filepath.Join(kept, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("kept: got %q, %v, want one file", files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	seen := watch(t, tree)
	for at := range whole {
		damaged := slices.Clone(whole)
		damaged[at] ^= 1
		overwrite(t, files[0], string(damaged))
		if got := contentOf(t, tree, discover.NewMemory(kept)); got != want {
			t.Errorf("byte %d damaged: got another digest, want the same", at)
		}
		if head := at < 128; head != (len(seen.since(t)) == 2) {
			t.Errorf("byte %d damaged: read again: %v, want %v", at, !head, head)
		}
	}
	for _, at := range []int{0, 127, 128, len(whole) - 1} {
		overwrite(t, files[0], string(whole[:at]))
		if got := contentOf(t, tree, discover.NewMemory(kept)); got != want {
			t.Errorf("cut at %d: got another digest, want the same", at)
		}
	}
	damaged := slices.Clone(whole)
	damaged[len(damaged)-1] ^= 1 // of a sum: the head is right
	overwrite(t, files[0], string(damaged))
	overwrite(t, filepath.Join(tree, "a"), "A")
	got := contentOf(t, tree, discover.NewMemory(kept))
	if got != contentOf(t, tree, nil) {
		t.Error("the sums damaged, then a file edited: got another digest than read afresh, want the same")
	}
}

// TestMemoryOfAnotherTreeIsNotBelieved wants what is kept of one directory not
// to answer for another.
func TestMemoryOfAnotherTreeIsNotBelieved(t *testing.T) {
	one, two := golden.Dir(t, golden.Files("a", "a")), golden.Dir(t, golden.Files("a", "b"))
	kept := t.TempDir()
	if contentOf(t, one, discover.NewMemory(kept)) == contentOf(t, two, discover.NewMemory(kept)) {
		t.Fatal("two trees: got one digest, want two")
	}
	files, err := filepath.Glob(filepath.Join(kept, "*"))
	if err != nil || len(files) != 2 {
		t.Fatalf("kept: got %q, %v, want two files", files, err)
	}
	if err := os.Rename(files[0], files[1]); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{one, two} {
		if contentOf(t, dir, discover.NewMemory(kept)) != contentOf(t, dir, nil) {
			t.Error("what is kept of another tree in its place: got another digest than read afresh, want the same")
		}
	}
}

// TestMemoryThatCannotBeKept wants it to cost time, a note, and nothing else:
// also where what lies in the folder would make a reader wait.
func TestMemoryThatCannotBeKept(t *testing.T) {
	tree := golden.Dir(t, golden.Files("a", "a"))
	file := filepath.Join(t.TempDir(), "file")
	overwrite(t, file, "")
	m := discover.NewMemory(file)
	if contentOf(t, tree, m) != contentOf(t, tree, nil) {
		t.Error("a memory with a file for its folder: got another digest, want the same")
	}
	if first, second := m.Sweep(), m.Sweep(); first == nil || second != nil {
		t.Errorf("Sweep, twice: got %v, %v, want the fault once", first, second)
	}
	kept := t.TempDir()
	contentOf(t, tree, discover.NewMemory(kept))
	files, _ := filepath.Glob(filepath.Join(kept, "*"))
	if err := errors.Join(os.Remove(files[0]), mkfifo(files[0])); err != nil {
		t.Fatal(err)
	}
	if contentOf(t, tree, discover.NewMemory(kept)) != contentOf(t, tree, nil) {
		t.Error("a pipe in the folder: got another digest, want the same")
	}
}

// TestMemoryIsOfWhatWasAskedFor wants memory to hold on to nothing that is
// scanned no more.
func TestMemoryIsOfWhatWasAskedFor(t *testing.T) {
	tree := golden.Dir(t, golden.Files("a/plugin.json", "{}", "a/skills/x/SKILL.md", "---\ndescription: d\n---\n", "a/.mcp.json", `{"s": {"command": "./run"}}`, "a/run", "r"))
	seen, m := watch(t, filepath.Join(tree, "a")), discover.NewMemory("")
	all := []string{".mcp.json", "plugin.json", "run", "skills/x/SKILL.md"}
	for _, c := range []struct {
		name string
		want []string
	}{
		{"first", all},
		{"again", nil},
		{"after a sweep", nil},
	} {
		scanWith(t, tree, m, seen)
		if got := seen.since(t); !slices.Equal(got, append([]string{}, c.want...)) {
			t.Errorf("%s: read %q, want %q", c.name, got, c.want)
		}
		if err := m.Sweep(); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Sweep(); err != nil { // nothing was scanned since the last
		t.Fatal(err)
	}
	scanWith(t, tree, m, seen)
	seen.want(t, "after a pass without it", all...)
}

// scanWith scans the trees below dir, whole. seen, which may be nil, is told of
// what that reads, and not of what laying them out did.
func scanWith(t *testing.T, dir string, m *discover.Memory, seen *reads) []ext.Digest {
	t.Helper()
	var out []ext.Digest
	for _, c := range scanOf(t, dir, ext.DefaultLimits, m, later, seen) {
		out = append(out, c.Digest(), c.Content())
	}
	return out
}

func scanOf(t *testing.T, dir string, limits ext.Limits, m *discover.Memory, clock func() time.Time, seen *reads) []discover.Candidate {
	t.Helper()
	var out []discover.Candidate
	trees := spinetest.Trees(t, dir, spinetest.Options{})
	if seen != nil {
		seen.since(t)
	}
	for _, tree := range trees {
		r, err := root.Open(tree.Root, root.Options{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		tree.FS = r
		c, err := discover.Scan(t.Context(), tree, discover.Options{Specs: spinetest.Specs, Limits: limits, Enabled: true, Whole: always, Memory: m})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// TestMemoryReadsADocumentWhenItChanged wants a scan with a memory to find what
// one without finds, and to read no more than what changed.
func TestMemoryReadsADocumentWhenItChanged(t *testing.T) {
	base := golden.Files(
		"a/.claude-plugin/plugin.json", `{"name": "a"}`,
		"a/skills/x/SKILL.md", "---\ndescription: d\nodd: 1\n---\nBody.\n", "a/skills/y/SKILL.md", "---\ndescription: d\n---\n",
		"a/.mcp.json", `{"s": {"command": "./run", "args": ["./lib"]}}`, "a/run", "r", "a/lib/one", "1",
		"a/other/z/SKILL.md", "---\ndescription: z\n---\n", "a/skills/z -> ../other/z", "",
		"a/skills/y/data -> ../../other/data", "", "a/other/data", "d", "a/skills/y/deep/x", "x",
	)
	for _, c := range []struct {
		name   string
		change func(dir string) error
		want   []string // read again, beside what a link leads to
	}{
		{"nothing", func(string) error { return nil }, nil},
		{"a skill edited", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "skills/x/SKILL.md"), []byte("---\ndescription: e\n---\n"), 0o644)
		}, []string{"skills/x/SKILL.md"}},
		{"a skill edited, same size and time", func(dir string) error {
			file := filepath.Join(dir, "skills/y/SKILL.md")
			i, err := os.Stat(file)
			return errors.Join(err, os.WriteFile(file, []byte("---\ndescription: e\n---\n"), 0o644), os.Chtimes(file, i.ModTime(), i.ModTime()))
		}, []string{"skills/y/SKILL.md"}},
		{"a skill removed", func(dir string) error { return os.RemoveAll(filepath.Join(dir, "skills/x")) }, nil},
		{"a skill moved and led to", func(dir string) error {
			return errors.Join(os.Rename(filepath.Join(dir, "skills/x"), filepath.Join(dir, "other/x")), os.Symlink("../other/x", filepath.Join(dir, "skills/x")))
		}, []string{"skills/x/SKILL.md"}}, // by the name that is watched
		{"a skill moved outside and led to", func(dir string) error {
			return errors.Join(os.Rename(filepath.Join(dir, "skills/x"), filepath.Join(dir, "../../x")), os.Symlink("../../../x", filepath.Join(dir, "skills/x")))
		}, nil},
		{"what a link beside a skill leads to removed", func(dir string) error { return os.Remove(filepath.Join(dir, "other/data")) }, nil},
		{"a link further down beside a skill", func(dir string) error { return os.Symlink("nowhere", filepath.Join(dir, "skills/y/deep/l")) }, nil},
		{"code edited", func(dir string) error { return os.WriteFile(filepath.Join(dir, "run"), []byte("R"), 0o644) }, []string{"run"}},
		{"code in a directory edited", func(dir string) error { return os.WriteFile(filepath.Join(dir, "lib/one"), []byte("2"), 0o644) }, []string{"lib/one"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			top := t.TempDir()
			dir := filepath.Join(top, "trees")
			golden.Write(t, dir, base)
			m := discover.NewMemory("")
			scanWith(t, dir, m, nil)
			seen := watch(t, filepath.Join(dir, "a"))
			if err := c.change(filepath.Join(dir, "a")); err != nil {
				t.Fatal(err)
			}
			got := scanOf(t, dir, ext.DefaultLimits, m, later, seen)
			again := slices.DeleteFunc(seen.since(t), func(name string) bool { return name == "other/z/SKILL.md" })
			if !slices.Equal(again, append([]string{}, c.want...)) {
				t.Errorf("read again: got %q, want %q", again, c.want)
			}
			fresh := scanOf(t, dir, ext.DefaultLimits, nil, later, nil)
			if got[0].Digest() != fresh[0].Digest() || got[0].Content() != fresh[0].Content() || spinetest.Candidates(got) != spinetest.Candidates(fresh) {
				t.Errorf("with a memory:\n%s\nwithout:\n%s\nwant the same", spinetest.Candidates(got), spinetest.Candidates(fresh))
			}
		})
	}
}

// TestMemoryKnowsWhatWasReadHow wants nothing to be remembered that was changed
// a moment ago, and nothing across other limits or another origin.
func TestMemoryKnowsWhatWasReadHow(t *testing.T) {
	dir := golden.Dir(t, golden.Files("a/skills/x/SKILL.md", "only/a/path")) // which is found to be one
	seen := watch(t, filepath.Join(dir, "a"))
	file := "skills/x/SKILL.md"
	now := func() time.Time { return time.Now().Add(-time.Hour) } // as if all changed an hour later
	m := discover.NewMemory(t.TempDir())
	for range 2 {
		scanOf(t, dir, ext.DefaultLimits, m, now, seen)
		seen.want(t, "changed a moment ago", file)
	}
	scanOf(t, dir, ext.DefaultLimits, m, later, seen)
	seen.want(t, "settled, first", file)
	scanOf(t, dir, ext.DefaultLimits, m, later, seen)
	seen.want(t, "settled")
	small := ext.DefaultLimits
	small.FileBytes = 10
	if got := scanOf(t, dir, small, m, later, seen); !got[0].Found()[0].Broken {
		t.Error("a document over the limit now: got it read, want it broken")
	}
	tree := spinetest.Trees(t, dir, spinetest.Options{})[0]
	tree.Origin.Trust = ext.Project
	tree.FS = opened(t, tree.Root)
	c, err := discover.Scan(t.Context(), tree, discover.Options{Specs: spinetest.Specs, Limits: ext.DefaultLimits, Memory: m})
	if err != nil {
		t.Fatal(err)
	}
	if fs := c.Found()[0].Document.Findings; len(fs) != 1 || fs[0].Origin.Trust != ext.Project {
		t.Errorf("of another trust: got %+v, want one finding with the trust that the tree has now", fs)
	}
}

// TestMemoryBelievesNoTreeThatChangedAMomentAgo wants such a tree to be read
// again, by its parts too, and not to be kept for the next process.
func TestMemoryBelievesNoTreeThatChangedAMomentAgo(t *testing.T) {
	tree, kept := golden.Dir(t, golden.Files("a", "a", "d/b", "b")), t.TempDir()
	seen, m := watch(t, tree), discover.NewMemory(kept)
	r, err := root.Open(tree, root.Options{Clock: func() time.Time { return time.Now().Add(-time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for range 2 {
		if whole(t, r, m).Content() == (ext.Digest{}) {
			t.Fatal("Content: got none, want one: only remembering it is in doubt")
		}
		seen.want(t, "changed a moment ago", "a", "d/b")
	}
	if files, _ := filepath.Glob(filepath.Join(kept, "*")); len(files) > 0 {
		t.Errorf("kept: got %q, want nothing", files)
	}
}

// TestMemoryOfSeveralScansAtOnce wants scans that share a memory to share
// nothing else, and a tree that all ask for to be read by one of them.
func TestMemoryOfSeveralScansAtOnce(t *testing.T) {
	dir := golden.Dir(t, golden.Files(
		"a/skills/x/SKILL.md", "---\ndescription: d\nunknown: 1\n---\n", "a/skills/x/link -> nowhere", "", "a/skills/x/other -> gone", "",
		"a/.mcp.json", `{"s": {"command": "./run"}}`, "a/run", "r",
	))
	want, m := scanWith(t, dir, nil, nil), discover.NewMemory("")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if got := scanWith(t, dir, m, nil); !slices.Equal(got, want) {
					t.Errorf("one of several scans: got %v, want %v", got, want)
				}
			}
		})
	}
	wg.Wait()
}
