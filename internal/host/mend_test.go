package host

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

// lay writes files below a new directory.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const marked, plain = "\ufeff---\nname: a\n---\n", "---\nname: a\n---\n"

// marks is a listing that finds a byte order mark in each file of an extension.
func marks(root string, files ...string) *Listing {
	l := &Listing{Extensions: []ExtensionRow{{Name: "x", Root: root}}}
	for _, f := range files {
		l.Findings = append(l.Findings, FindingRow{Code: "bom", Severity: "info", Extension: "x", Path: f, Line: 1})
	}
	return l
}

func text(t *testing.T, parts ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// filesOf are all files below a directory.
func filesOf(t *testing.T, dir string) string {
	t.Helper()
	var out []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			out = append(out, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(out, " ")
}

// TestMend writes what is mended in place of what was, with its mode and nothing
// left beside it.
func TestMend(t *testing.T) {
	dir := lay(t, map[string]string{"a.md": marked, "b.md": plain, "skills/x/SKILL.MD": marked})
	l := marks(dir, "a.md", "b.md", "skills/x/SKILL.MD", "gone.md")
	l.Findings = append(l.Findings, FindingRow{Code: "name-near-miss", Extension: "x", Path: "skills/x/SKILL.MD", Message: `the file is named "SKILL.MD", expected SKILL.md`})

	dry := Mending{Dirs: []string{dir}, Dry: true}.Run(l)
	if len(dry) != 3 || !strings.Contains(dry[0].Diff, "+---\n") || text(t, dir, "a.md") != marked || filesOf(t, dir) != "a.md b.md skills/x/SKILL.MD" {
		t.Fatalf("without writing: got %+v and the files %s, want what would be done and nothing done", dry, filesOf(t, dir))
	}

	done := Mending{Dirs: []string{dir}}.Run(l)
	if len(done) != 3 || done[0].Fault != "" || done[1].Fault == "" || done[2].Fault != "" {
		t.Fatalf("Run: got %+v, want two files mended and one that is not there", done)
	}
	if got := filesOf(t, dir); got != "a.md b.md skills/x/SKILL.md" {
		t.Errorf("files: got %s, want the same and one renamed", got)
	}
	if text(t, dir, "a.md") != plain || text(t, dir, "skills/x/SKILL.md") != plain {
		t.Errorf("a.md is %q, want %q", text(t, dir, "a.md"), plain)
	}
	if info, err := os.Stat(filepath.Join(dir, "a.md")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("mode: got %v, %v, want that of before", info.Mode(), err)
	}
	if again := (Mending{Dirs: []string{dir}}).Run(marks(dir, "a.md", "b.md")); len(again) != 0 {
		t.Errorf("once more: got %+v, want nothing to mend", again)
	}
}

// TestMendWritesNothingElse wants no file of a plugin, none behind a link that
// leads out, none that is a link, and none in another directory to be written.
func TestMendWritesNothingElse(t *testing.T) {
	outside := lay(t, map[string]string{"far/a.md": marked})
	dir := lay(t, map[string]string{"plugins/p/a.md": marked, "own/real.md": marked, "taken/SKILL.md": plain, "taken/skill.MD": plain})
	if err := os.Symlink(filepath.Join(outside, "far"), filepath.Join(dir, "own", "out")); err != nil {
		t.Skip("no links here: ", err)
	}
	for link, to := range map[string]string{"own/link.md": "real.md", "own/inside": "../plugins/p"} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	m := Mending{Dirs: []string{dir}, Not: map[string]ext.Name{filepath.Join(dir, "plugins", "p"): "p"}}
	for _, c := range []struct{ name, path, want string }{
		{"a plugin's", "plugins/p/a.md", "of the plugin p"},
		{"a plugin's behind a link", "own/inside/a.md", "of the plugin p"},
		{"behind a link that leads out", "own/out/a.md", "does not lie in a directory that may be written"},
		{"a link", "own/link.md", "it is a link"},
		{"one that is not there", "own/gone.md", "read it"},
		{"a directory that is not there", "gone/gone.md", "find it"},
		{"a directory", "own", "no regular file"},
	} {
		done := m.Run(marks(dir, c.path))
		if len(done) != 1 || !strings.Contains(done[0].Fault, c.want) || done[0].Diff != "" {
			t.Errorf("%s: got %+v, want it left with %q", c.name, done, c.want)
		}
	}
	if done := (Mending{Dirs: []string{filepath.Join(dir, "own")}}).Run(marks(dir, "plugins/p/a.md")); len(done) != 1 || done[0].Fault == "" {
		t.Errorf("a file in another directory: got %+v, want it left", done)
	}
	for _, p := range []string{filepath.Join(outside, "far/a.md"), filepath.Join(dir, "plugins/p/a.md"), filepath.Join(dir, "own/real.md")} {
		if text(t, p) != marked {
			t.Errorf("%s was written", p)
		}
	}
}

// TestReplaceOnlyWhatWasRead wants a file that changed since it was read to stay
// as it is, and nothing to be left beside it.
func TestReplaceOnlyWhatWasRead(t *testing.T) {
	dir := lay(t, map[string]string{"a.md": "one", "b.md": "two", ".c.md.mortise": "somebody's", "c.md": "three"})
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	info, data, err := readOwn(root, "a.md")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := replace(root, "a.md", info, data, []byte("mended")); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("replace of what changed: got %v, want it refused", err)
	}
	info, data, _ = readOwn(root, "b.md")
	if err := os.Rename(filepath.Join(dir, "a.md"), filepath.Join(dir, "b.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "b.md"), data, 0o600); err != nil { // the same text, another file
		t.Fatal(err)
	}
	if err := replace(root, "b.md", info, data, []byte("mended")); err == nil {
		t.Error("replace of another file with the same text: got no error, want it refused")
	}
	info, data, _ = readOwn(root, "c.md")
	if err := replace(root, "c.md", info, data, []byte("mended")); err == nil || text(t, dir, ".c.md.mortise") != "somebody's" {
		t.Errorf("replace where something lies beside: got %v, want it refused and that left alone", err)
	}
	if got := filesOf(t, dir); got != ".c.md.mortise b.md c.md" || text(t, dir, "b.md") != "two" || text(t, dir, "c.md") != "three" {
		t.Errorf("files: got %s, want nothing changed", got)
	}
}

// TestRenameTakesNoOthersPlace wants no file to lose its place to a renamed one.
func TestRenameTakesNoOthersPlace(t *testing.T) {
	dir := lay(t, map[string]string{"s/SKILL.md": "kept", "s/other.md": "other"})
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := renameOwn(root, "s/other.md", "s/SKILL.md"); err == nil || text(t, dir, "s/SKILL.md") != "kept" {
		t.Errorf("rename to a name that is taken: got %v, want it refused", err)
	}
	if err := renameOwn(root, "s/other.md", "s/third.md"); err != nil || filesOf(t, dir) != "s/SKILL.md s/third.md" {
		t.Errorf("rename: got %v and %s, want s/third.md", err, filesOf(t, dir))
	}
}
