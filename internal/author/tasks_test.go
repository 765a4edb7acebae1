package author_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/author"
	"github.com/mortise-dev/mortise/internal/golden"
)

// entry is a task of an extension whose directory has that name.
func entry(base string, x ext.Name, trust ext.Trust, name, status string) author.Entry {
	return author.Entry{
		Contribution: &admit.Contribution{Spec: author.Surface, Name: name, Description: "A task.", Origin: ext.Origin{Extension: x, Path: "tasks/" + name + "/TASK.md", Line: 1}},
		Extension:    x, Trust: trust, Root: filepath.Join(base, string(x)), Status: status,
	}
}

// shown is a task of the owner's.
func shown(t testing.TB, s author.Store, name string) author.Shown {
	t.Helper()
	e := entry("", ext.OwnerName, ext.Owner, name, "active")
	e.Root = s.Dir
	out, err := author.NewTasks(s, true, []author.Entry{e}).Show(name)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestFind wants a short name to mean the owner's, then the plugin that comes
// first, and to say that it is ambiguous; a qualified one to mean that alone; and
// what is disabled to be nothing.
func TestFind(t *testing.T) {
	tasks := author.NewTasks(author.Store{}, false, []author.Entry{
		entry("", ext.BuiltinName, ext.Builtin, "a", "active"), entry("", "project", ext.Project, "a", "active"),
		entry("", ext.OwnerName, ext.Owner, "a", "refused"), entry("", "zeta", ext.Plugin, "a", "active"), entry("", "zeta", ext.Plugin, "b", "active"),
		entry("", "acme", ext.Plugin, "b", "active"), entry("", "acme", ext.Plugin, "C", "active"), entry("", "off", ext.Plugin, "d", "disabled"),
	})
	for _, c := range []struct {
		name, want string
		ambiguous  bool
	}{
		{"a", "owner:a zeta:a project:a mortise:a", true}, {"zeta:a", "zeta:a", false}, {"b", "zeta:b acme:b", true}, {"B", "zeta:b acme:b", true},
		{"acme:b", "acme:b", false}, {"c", "acme:C", false},
	} {
		f, err := tasks.Find(c.name)
		if err != nil || strings.Join(f.Candidates, " ") != c.want || f.Ambiguous != c.ambiguous || ext.Qualified(f.Entry.Extension, f.Entry.Name) != f.Candidates[0] {
			t.Errorf("Find(%s): got %+v and error %v, want %s", c.name, f, err, c.want)
		}
	}
	for _, name := range []string{"d", "off:d", "owner:b", "", "none"} {
		if f, err := tasks.Find(name); ext.KindOf(err) != ext.Usage || err == nil {
			t.Errorf("Find(%s): got %+v and %v, want a usage error", name, f, err)
		}
	}
	if _, err := tasks.Find("zeta:aa"); err == nil || !strings.Contains(err.Error(), "did you mean zeta:a?") {
		t.Errorf("a name that is almost right: got %v, want the nearest", err)
	}
}

// TestWritable wants every listing to say what can be written to, and where not, why
// and what to do instead; an attempt is refused with the same words.
func TestWritable(t *testing.T) {
	base := golden.Dir(t, golden.Files(
		"work/.mortise/tasks/own/TASK.md", string(doc("Do.")), "work/.mortise/tasks/linked -> own", "", "work/.mortise/tasks/inner/TASK.md -> ../own/TASK.md", "",
		"work/.mortise/tasks/odd name/TASK.md", string(doc("Do.")), "acme/tasks/a/TASK.md", string(doc("Do.")), "acme/tasks/a/x.txt", "x",
	))
	s := store(t, filepath.Join(base, "work"))
	own := func(name string) author.Entry {
		e := entry(base, ext.OwnerName, ext.Owner, name, "active")
		e.Root = s.Dir
		return e
	}
	tasks := author.NewTasks(s, true, []author.Entry{own("own"), own("linked"), own("inner"), own("odd name"), entry(base, "acme", ext.Plugin, "a", "active"), entry(base, ext.BuiltinName, ext.Builtin, "b", "active"), entry(base, "acme", ext.Plugin, "$(id)", "active")})
	for i, want := range []string{"", "is a link", "is a link", "edit \"tasks/odd name/TASK.md\" by hand", "mortise task copy acme:a", "mortise task copy mortise:b", "mortise task copy NAME --as ANOTHER"} {
		row := tasks.List()[i]
		if row.Writable != (want == "") || !strings.Contains(row.Reason, want) || strings.Contains(row.Reason, "$(") {
			t.Errorf("%s: got writable %v, %q, want %q", row.Qualified, row.Writable, row.Reason, want)
		}
		if _, err := tasks.Own(row.Qualified); (err == nil) != (want == "") || err != nil && (ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), want)) {
			t.Errorf("Own(%s): got %v, want it refused with %q", row.Qualified, err, want)
		}
	}
	got, err := tasks.Show("acme:a")
	if err != nil || got.Text != string(doc("Do.")) || got.Instructions != "Do.\n" || got.Digest != ext.Sum(doc("Do.")).String() || got.Whole != "" || len(got.Files) != 2 || got.Files[1] != (author.File{Path: "x.txt", Size: 1}) {
		t.Errorf("Show(acme:a): got %+v and error %v", got, err)
	}
	for name, want := range map[string]string{"x": "x", "owner:x": "x"} {
		if got, err := tasks.New(name); got != want || err != nil {
			t.Errorf("New(%s): got %s and error %v, want %s", name, got, err, want)
		}
	}
	if _, err := tasks.New("acme:x"); ext.KindOf(err) != ext.Refused || !strings.Contains(err.Error(), "owner's directory alone") {
		t.Errorf("New(acme:x): got %v, want a refusal", err)
	}
	if !slices.ContainsFunc(tasks.List(), func(r author.Task) bool { return r.Inputs != nil && r.Tools != nil }) {
		t.Error("lists are missing")
	}
}
