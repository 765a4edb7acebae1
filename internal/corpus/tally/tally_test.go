package tally

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/mortise-dev/mortise/internal/golden"
)

func read(t *testing.T, files []txtar.File) []*Repository {
	t.Helper()
	all, err := Read(t.Context(), golden.Dir(t, files))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRead accounts for trees whose files are few enough to be counted by eye.
func TestRead(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", []string{"places", "tables"}, func(t *testing.T, in []txtar.File) []string {
		var places, tables strings.Builder
		all := read(t, in)
		for _, r := range all {
			for _, f := range r.Files {
				places.WriteString(string(f.Place) + "\t" + f.Kind + "\t" + r.Name + "/" + f.Path + "\n")
			}
			for _, what := range r.Amiss {
				t.Error(what)
			}
		}
		for line := range strings.Lines(string(Page(all))) {
			if strings.HasPrefix(line, "|") {
				tables.WriteString(line)
			}
		}
		return []string{places.String(), tables.String()}
	})
}

// TestAmiss holds the comparison to its purpose: a count that is wrong on either
// side is told, with the file.
func TestAmiss(t *testing.T) {
	files := golden.Files(
		"x/.claude-plugin/plugin.json", `{"name": "x"}`,
		"x/skills/s/SKILL.md", "---\nname: s\ndescription: S.\n---\n",
		"x/deep/u/SKILL.md", "---\nname: u\ndescription: U.\n---\n",
		"x/agents/mended.md", "---\nname: mended\ndescription: a: b\n---\n",
		"x/agents/plain.md", "Plain.\n",
	)
	at := func(r *Repository, path string) *File {
		i := slices.IndexFunc(r.Files, func(f File) bool { return f.Path == path })
		return &r.Files[i]
	}
	drop := func(path string) func(*Repository) {
		return func(r *Repository) { r.Files = slices.DeleteFunc(r.Files, func(f File) bool { return f.Path == path }) }
	}
	for _, c := range []struct {
		name  string
		wrong func(r *Repository)
		want  string
	}{
		{"nothing is wrong", func(*Repository) {}, ""},
		{"a file that is no entry", func(r *Repository) { r.Files = append(r.Files, File{Kind: "agent", Path: "agents/lost.md"}) },
			"x: agents/lost.md counts as agent and is none, and nothing says why"},
		{"an entry that is lost", func(r *Repository) { r.Listing.Entries = r.Listing.Entries[1:] }, "x: skills/s/SKILL.md counts as skill and is none"},
		{"an entry that is not counted", drop("agents/mended.md"), "x: agents/mended.md holds an entry of agent, and does not count"},
		{"a file that is taken for another kind", func(r *Repository) { at(r, "agents/mended.md").Kind = "command" }, "agents/mended.md holds an entry of agent, and does not count"},
		{"an entry that is counted twice", func(r *Repository) { r.Listing.Entries = append(r.Listing.Entries, r.Listing.Entries[0]) }, "x: skills/s/SKILL.md is 2 entries, want one"},
		{"one unclaimed skill too few", drop("deep/u/SKILL.md"), "x: . tells of 1 more unclaimed skills than count"},
		{"a manifest that is not counted", drop(".claude-plugin/plugin.json"), "its manifest does not count: .claude-plugin/plugin.json"},
		{"a manifest of no extension", func(r *Repository) { r.Listing.Extensions = nil }, ".claude-plugin/plugin.json counts as manifest and is none"},
		{"to be mended and was not", func(r *Repository) { at(r, "skills/s/SKILL.md").Marks = []string{"front", "mend"} }, "counts as a file to be mended"},
		{"mended and had not to be", func(r *Repository) { at(r, "agents/mended.md").Marks = []string{"front"} }, "agents/mended.md had to be mended, and does not count as such"},
		{"to be refused and was not", func(r *Repository) { at(r, "skills/s/SKILL.md").Marks = []string{"plain"} }, "counts as a file to be refused"},
		{"refused and had not to be", func(r *Repository) { at(r, "agents/plain.md").Marks = []string{"front"} }, "agents/plain.md had to be refused, and does not count as such"},
		{"an error without a refusal", func(r *Repository) {
			for i := range r.Listing.Entries {
				r.Listing.Entries[i].Status = "active"
			}
		}, "agents/plain.md has an error and is active"},
	} {
		t.Run(c.name, func(t *testing.T) {
			is := read(t, files)[0]
			r := &Repository{Name: is.Name, Listing: is.Listing, Files: is.Files}
			c.wrong(r)
			r.account(os.DirFS(t.TempDir()))
			if all := strings.Join(r.Amiss, "\n"); all == "" != (c.want == "") || !strings.Contains(all, c.want) {
				t.Errorf("got %q, want %q in it", r.Amiss, c.want)
			}
		})
	}
}

// TestFurther wants an entry whose file does not count to be counted apart.
func TestFurther(t *testing.T) {
	all := read(t, golden.Files("x/.claude/settings.json", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}`))
	rows := all[0].Rows
	if len(rows) != 1 || rows[0].Entries != 1 || rows[0].Counted != 0 || rows[0].Held != 1 || rows[0].Further["settings.json"] != 1 || len(all[0].Amiss) > 0 {
		t.Errorf("got %+v and %q, want one entry of settings.json, counted apart", rows, all[0].Amiss)
	}
}

// TestMarks holds the script to what it says of front matter: it is no reader of
// YAML, and must tell all the same what is none.
func TestMarks(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"none", "Text.\n", "plain"},
		{"an empty file", "", "plain"},
		{"none, after a byte order mark", "\ufeffText.\n", "plain,mend"},
		{"as it should be", "---\nname: a\ndescription: Does it.\n---\n", "front"},
		{"lines that end in CRLF", "---\r\nname: a\r\ndescription: Does it.\r\n---\r\n", "front"},
		{"no description", "---\nname: a\n---\n", "front,undescribed"},
		{"a guard", "---\ndescription: d\nhooks:\n  PreToolUse:\n    - x\n---\n", "front,guarded"},
		{"a hook that only watches", "---\ndescription: d\nhooks:\n  PostToolUse:\n    - x\nname: a\n---\n", "front"},
		{"a byte order mark", "\ufeff---\ndescription: a\n---\n", "front,mend"},
		{"in a code fence", "```markdown\n---\ndescription: a\n---\n```\n", "front,mend"},
		{"a code fence and none", "```sh\nls\n```\n", "plain"},
		{"no end", "---\ndescription: a\n", "front,mend"},
		{"a colon", "---\ndescription: Use it: now\n---\n", "front,mend"},
		{"a colon in quotes", "---\ndescription: \"Use it: now\"\n---\n", "front"},
		{"a colon in a block", "---\ndescription: |\n  Use it: now\n---\n", "front"},
		{"a colon in a map", "---\ndescription: a\nmetadata:\n  key: value\n---\n", "front"},
		{"an address", "---\ndescription: See https://example.org/a\n---\n", "front"},
		{"quotes over lines", "---\ndescription: 'One\n\n  two'\n---\n", "front"},
		{"quotes that do not pair", "---\ndescription: \"One\" and two\n---\n", "front,mend"},
		{"a list", "---\ndescription: a\ntools: [\"a[b]\", 'c', d]\n---\n", "front"},
		{"two lists", "---\ndescription: a\nargument-hint: [one] [two]\n---\n", "front,mend"},
		{"an object", "---\ndescription: a\nmetadata: {\"a\": {\"b\": [\"c\"]}}\n---\n", "front"},
		{"items beside their key", "---\ndescription: a\ntools:\n- Read\n- Write\n---\n", "front"},
		{"text at the margin", "---\ndescription: One.\n\nTwo.\nname: a\n---\n", "front,mend"},
		{"a key twice", "---\ndescription: a\ndescription: b\n---\n", "front,mend"},
		{"a sign of YAML's own", "---\ndescription: a\nglobs: *.go\n---\n", "front,mend"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := count(t.Context(), golden.Dir(t, golden.Files("x/agents/a.md", c.text)))
			if err != nil {
				t.Fatal(err)
			}
			if f := got["x"]; len(f) != 1 || f[0].Kind != "agent" || strings.Join(f[0].Marks, ",") != c.want {
				t.Errorf("got %+v, want one agent: %s", f, c.want)
			}
		})
	}
}

// TestCounted wants what is no list of the script's to be an error, not a count.
func TestCounted(t *testing.T) {
	got, err := counted("x\thook\tempty\thooks/hooks.json\nx\tskill\tfront,mend\tskills/a b/SKILL.md\n")
	if f := got["x"]; err != nil || len(f) != 2 || f[0].Kind != "client_event" || !f[0].Is("empty") || f[1].Path != "skills/a b/SKILL.md" || !f[1].Is("mend") || f[1].Is("fro") {
		t.Errorf("got %+v, %v, want both files", got, err)
	}
	if _, err := counted("x\tskill\n"); err == nil {
		t.Error("a line of two parts: got no error, want one")
	}
}

func TestReadNothing(t *testing.T) {
	for name, dir := range map[string]string{"no directory": filepath.Join(t.TempDir(), "gone"), "no repositories": t.TempDir()} {
		if all, err := Read(t.Context(), dir); err == nil {
			t.Errorf("%s: got %d repositories, want an error", name, len(all))
		}
	}
}
