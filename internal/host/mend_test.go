package host

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/root"
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

// mended plans what is to be mended, with looks that find nothing more, and does
// it.
func mended(t *testing.T, m Mending, l *Listing) []Mended {
	t.Helper()
	if _, err := m.Plan(l, func(*root.Changes) (*Listing, error) { return &Listing{}, nil }); err != nil {
		t.Fatal(err)
	}
	planned := m.Planned()
	done, err := m.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range done {
		if !done[i].Failed && !cmp.Equal(done[i], planned[i]) {
			t.Errorf("what was done is not what was planned: %s", cmp.Diff(planned[i], done[i]))
		}
	}
	return done
}

// wants is a finding that says what should stand there.
func wants(code, path, want string, line int) FindingRow {
	return FindingRow{Code: code, Severity: "warning", Extension: "x", Path: path, Line: line, Want: want}
}

// TestMend writes what is mended in place of what was, with its mode and nothing
// left beside it. A file that is in order is not told.
func TestMend(t *testing.T) {
	dir := lay(t, map[string]string{"a.md": marked, "b.md": plain, "skills/x/SKILL.MD": marked, "skills/y/SKILL.md": "---\nname: y\n---\n"})
	l := marks(dir, "a.md", "b.md", "skills/x/SKILL.MD", "gone.md")
	l.Findings = append(l.Findings, wants("name-near-miss", "skills/x/SKILL.MD", "SKILL.md", 0), wants("skill-name-differs", "skills/y/SKILL.md", "y", 2))
	if err := os.Chmod(filepath.Join(dir, "a.md"), 0o640|fs.ModeSetuid); err != nil {
		t.Fatal(err)
	}

	m := Mending{Dirs: []string{dir}}
	if _, err := m.Plan(l, func(*root.Changes) (*Listing, error) { return &Listing{}, nil }); err != nil {
		t.Fatal(err)
	}
	if dry := m.Planned(); len(dry) != 3 || !strings.Contains(dry[0].Diff, "+---\n") || text(t, dir, "a.md") != marked || filesOf(t, dir) != "a.md b.md skills/x/SKILL.MD skills/y/SKILL.md" {
		t.Fatalf("without writing: got %+v and the files %s, want what would be done and nothing done", dry, filesOf(t, dir))
	}

	done := mended(t, Mending{Dirs: []string{dir}}, l)
	if len(done) != 3 || done[0].Fault != "" || done[1].Fault == "" || done[2].Fault != "" {
		t.Fatalf("Write: got %+v, want two files mended and one that is not there", done)
	}
	if got := filesOf(t, dir); got != "a.md b.md skills/x/SKILL.md skills/y/SKILL.md" {
		t.Errorf("files: got %s, want the same and one renamed", got)
	}
	if text(t, dir, "a.md") != plain || text(t, dir, "skills/x/SKILL.md") != plain {
		t.Errorf("a.md is %q, want %q", text(t, dir, "a.md"), plain)
	}
	if info, err := os.Stat(filepath.Join(dir, "a.md")); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o640|fs.ModeSetuid {
		t.Errorf("mode: got %v, %v, want that of before", info.Mode(), err)
	}
	if again := mended(t, Mending{Dirs: []string{dir}}, marks(dir, "a.md", "b.md")); len(again) != 0 {
		t.Errorf("once more: got %+v, want nothing to mend", again)
	}
}

// TestMendLooksAgain mends what comes to light when something was mended, all of
// it before anything is written, and gives up a file that does not come to rest.
func TestMendLooksAgain(t *testing.T) {
	dir := lay(t, map[string]string{"skills/x/SKILL.MD": "---\nname: other\n---\n", "plugin.json": `{"skills": "a"}`})
	l := &Listing{Extensions: []ExtensionRow{{Name: "x", Root: dir}}, Findings: []FindingRow{wants("name-near-miss", "skills/x/SKILL.MD", "SKILL.md", 0)}}
	looks := 0
	look := func(as *root.Changes) (*Listing, error) {
		looks++
		r, err := root.Open(dir, root.Options{Changes: as})
		if err != nil {
			return nil, err
		}
		defer r.Close()
		again := &Listing{Extensions: l.Extensions}
		switch data, err := r.ReadFile("skills/x/SKILL.md"); {
		case err != nil:
			return nil, err
		case strings.Contains(string(data), "name: other"):
			again.Findings = []FindingRow{wants("skill-name-differs", "skills/x/SKILL.md", "x", 2)}
		}
		return again, nil
	}
	m := Mending{Dirs: []string{dir}}
	if _, err := m.Plan(l, look); err != nil || looks != 2 || text(t, dir, "skills/x/SKILL.MD") != "---\nname: other\n---\n" {
		t.Fatalf("Plan: got %v after %d looks, want nothing written after 2", err, looks)
	}
	done, err := m.Write(t.Context())
	if err != nil || len(done) != 1 || strings.Join(done[0].Codes, " ") != "name-near-miss skill-name-differs" || filesOf(t, dir) != "plugin.json skills/x/SKILL.md" || text(t, dir, "skills/x/SKILL.md") != "---\nname: x\n---\n" {
		t.Errorf("Write: got %+v, %v and %s, want the file mended and renamed at once", done, err, filesOf(t, dir))
	}

	longer := func(dots int) *Listing { // each look wants more than the last
		f := wants("manifest-path", "plugin.json", strings.Repeat("./", dots)+"a", 1)
		f.Field = "/skills"
		return &Listing{Extensions: l.Extensions, Findings: []FindingRow{f}}
	}
	m, looks = Mending{Dirs: []string{dir}}, 1
	_, err = m.Plan(longer(1), func(*root.Changes) (*Listing, error) {
		looks++
		return longer(looks), nil
	})
	if done := m.Planned(); err != nil || len(done) != 1 || !strings.Contains(done[0].Fault, "brings another to light") || done[0].Diff != "" {
		t.Errorf("a file that does not come to rest: got %+v, %v, want it left", done, err)
	}
}

// TestMendWritesNothingElse wants no file of a plugin, none behind a link that
// leads out, none that is a link, none that is read-only or has other names, and
// none in another directory to be written.
func TestMendWritesNothingElse(t *testing.T) {
	outside := lay(t, map[string]string{"far/a.md": marked})
	files := map[string]string{
		"mortise.toml": "plugins.p.path = \"./plugins/p\"\n", "plugins/p/a.md": marked, "own/real.md": marked, "own/sealed.md": marked, "own/one.md": marked,
		"own/taken/SKILL.md": plain, "own/taken/skill.MD": plain,
		"own/below/mortise.toml": "plugins.q.path = \"./vend/q\"\nplugins.beside.path = \"../beside\"\n", "own/below/vend/q/a.md": marked, "own/beside/a.md": marked,
		"own/broken/mortise.toml": "plugins = \n", "own/broken/deep/a.md": marked, "own/faulty/mortise.local.toml": "plugins.q.path = 3\n", "own/faulty/a.md": marked,
	}
	dir := lay(t, files)
	if err := os.Symlink(filepath.Join(outside, "far"), filepath.Join(dir, "own", "out")); err != nil {
		t.Skip("no links here: ", err)
	}
	for link, to := range map[string]string{"own/link.md": "real.md", "own/inside": "../plugins/p"} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(filepath.Join(dir, "own/sealed.md"), 0o444), os.Link(filepath.Join(dir, "own/one.md"), filepath.Join(dir, "own/other.md"))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, path, want string }{
		{"a plugin's", "plugins/p/a.md", "of the plugin p"},
		{"a plugin's behind a link", "own/inside/a.md", "of the plugin p"},
		{"a plugin's of a workspace further down", "own/below/vend/q/a.md", "of the plugin q"},
		{"a plugin's of a workspace beside it", "own/beside/a.md", "of the plugin beside"},
		{"in a workspace that cannot be read", "own/broken/deep/a.md", "cannot be told: \"" + filepath.Join(dir, "own", "broken", "mortise.toml") + "\":1: "},
		{"in a workspace with a fault", "own/faulty/a.md", "mortise.local.toml"},
		{"behind a link that leads out", "own/out/a.md", "does not lie in a directory that may be written"},
		{"a link", "own/link.md", "it is a link"},
		{"one that is read-only", "own/sealed.md", "it is read-only; make it writable"},
		{"one with two names", "own/one.md", "2 names (hard links)"},
		{"one that is not there", "own/gone.md", "read it"},
		{"a directory that is not there", "gone/gone.md", "no such file"},
		{"a directory", "own", "no regular file"},
	} {
		done := mended(t, Mending{Dirs: []string{dir}}, marks(dir, c.path))
		if len(done) != 1 || !strings.Contains(done[0].Fault, c.want) || done[0].Diff != "" || done[0].Failed {
			t.Errorf("%s: got %+v, want it left with %q", c.name, done, c.want)
		}
	}
	own := Mending{Dirs: []string{filepath.Join(dir, "own")}}
	if done := mended(t, own, marks(dir, "plugins/p/a.md")); len(done) != 1 || done[0].Fault == "" {
		t.Errorf("a file in another directory: got %+v, want it left", done)
	}
	near := &Listing{Extensions: []ExtensionRow{{Name: "x", Root: dir}}, Findings: []FindingRow{wants("name-near-miss", "own/taken/skill.MD", "SKILL.md", 0)}}
	if done := mended(t, own, near); len(done) != 1 || !strings.Contains(done[0].Fault, "there is already a file") {
		t.Errorf("a name that is taken: got %+v, want the file left", done)
	}
	for name, want := range files {
		if text(t, dir, name) != want {
			t.Errorf("%s was written", name)
		}
	}
	if text(t, outside, "far/a.md") != marked {
		t.Error("a file outside was written")
	}
}

// TestMendNothingWhilePersonsFileIsBroken wants nothing written where the person's
// own configuration may name plugins that nobody can tell.
func TestMendNothingWhilePersonsFileIsBroken(t *testing.T) {
	dir := lay(t, map[string]string{"a.md": marked, "home/config.toml": "plugins = \n"})
	m := Mending{Dirs: []string{dir}, Place: Place{Workspace: config.Workspace{Dir: dir}, Paths: config.Paths{User: filepath.Join(dir, "home", "config.toml")}}}
	if done := mended(t, m, marks(dir, "a.md")); len(done) != 1 || !strings.Contains(done[0].Fault, "config.toml") || text(t, dir, "a.md") != marked {
		t.Errorf("got %+v, want the file left, since what the person's file names is not known", done)
	}
}

// TestMendWantsOneName gives two files that would have one name to neither of
// them twice.
func TestMendWantsOneName(t *testing.T) {
	dir := lay(t, map[string]string{"go.MD": "one", "go.Md": "two"})
	if len(strings.Fields(filesOf(t, dir))) != 2 {
		t.Skip("the file system takes both names for one")
	}
	l := &Listing{Extensions: []ExtensionRow{{Name: "x", Root: dir}}, Findings: []FindingRow{wants("name-near-miss", "go.MD", "go.md", 0), wants("name-near-miss", "go.Md", "go.md", 0)}}
	done := mended(t, Mending{Dirs: []string{dir}}, l)
	if len(done) != 2 || done[0].Fault != "" || !strings.Contains(done[1].Fault, "already a file") || filesOf(t, dir) != "go.Md go.md" || text(t, dir, "go.md") != "one" {
		t.Errorf("got %+v and %s, want the first renamed and the second left", done, filesOf(t, dir))
	}
}

// TestMendTellsWhatWasDone wants what was done before an end that came early, and
// what could not be written.
func TestMendTellsWhatWasDone(t *testing.T) {
	dir := lay(t, map[string]string{"a.md": marked, "b.md": marked, "c.md": marked})
	m := Mending{Dirs: []string{dir}}
	if _, err := m.Plan(marks(dir, "a.md", "b.md", "c.md"), func(*root.Changes) (*Listing, error) { return &Listing{}, nil }); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	done, err := m.Write(&endsAfter{Context: t.Context(), asked: 2})
	if !errors.Is(err, context.Canceled) || len(done) != 2 || !done[0].Failed || !strings.Contains(done[0].Fault, "changed meanwhile") || done[0].Diff != "" || done[1].Fault != "" {
		t.Errorf("Write: got %+v, %v, want one that failed, one that was mended, and the end", done, err)
	}
	if text(t, dir, "a.md") != "changed" || text(t, dir, "b.md") != plain || text(t, dir, "c.md") != marked || filesOf(t, dir) != "a.md b.md c.md" {
		t.Errorf("files: got %s, want what was told", filesOf(t, dir))
	}
}

// endsAfter is a context that ends when its end was asked for so often.
type endsAfter struct {
	context.Context
	asked int
}

func (c *endsAfter) Err() error {
	if c.asked--; c.asked < 0 {
		return context.Canceled
	}
	return nil
}

// TestReplaceOnlyWhatWasRead wants a file that changed since it was read to stay
// as it is, nothing to be left beside it, and what a killed run left to be in
// nobody's way.
func TestReplaceOnlyWhatWasRead(t *testing.T) {
	dir := lay(t, map[string]string{"a.md": "one", "b.md": "two", ".c.md.mortise": "left", "c.md": "three"})
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
	if err := replace(root, "c.md", info, data, []byte("mended")); err != nil || text(t, dir, "c.md") != "mended" {
		t.Errorf("replace where something was left beside: got %v, want it done", err)
	}
	if got := filesOf(t, dir); got != ".c.md.mortise b.md c.md" || text(t, dir, "b.md") != "two" {
		t.Errorf("files: got %s, want nothing else changed", got)
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
