package mend_test

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/mend"
	"github.com/mortise-dev/mortise/internal/source"
)

// FuzzFile mends any text by any finding, whether that is true or not: the text
// is then read as it was but for what was wanted, and mending it again comes to an
// end.
func FuzzFile(f *testing.F) {
	f.Add("\ufeff---\nname: a\nb: c: d\n---\nText.\n", "skill-name-differs", 2, "name", "s")
	f.Add("```\n---\nname: a\n---\n```\n", "frontmatter-fenced", 1, "", "")
	f.Add("---\r\nname: a\r\n\r\n# T\r\n", "frontmatter-unended", 3, "", "")
	f.Add("---\nname: a # b\n---\n", "agent-skills-name", 1, "name", "s")
	f.Add(`{"skills": ["more"]}`, "manifest-path", 1, "/skills/0", "./more")
	f.Add("---\n{a: \"b\n---\n", "name-near-miss", 1, "", "SKILL.md")
	f.Fuzz(func(t *testing.T, data, code string, line int, field, want string) {
		for _, name := range []string{"SKILL.md", "rule.mdc", "plugin.json", "SKILL.MD", "a.toml"} {
			read := func(data []byte) source.Content {
				return source.Parse(ext.Origin{Path: "file" + strings.ToLower(filepath.Ext(name))}, data)
			}
			asked := mend.Finding{Code: code, Line: line, Field: field, Want: want}
			told := func(found ext.Findings) []mend.Finding {
				all := []mend.Finding{asked}
				for _, f := range found {
					all = append(all, mend.Finding{Code: f.Check.Code, Line: f.Origin.Line})
				}
				return all
			}
			was := read([]byte(data))
			r := mend.File("/x/s/"+name, []byte(data), told(was.Findings))
			now := r.Apply([]byte(data))
			if r.Empty() != (string(now) == data && r.Rename == "") {
				t.Fatalf("%s: %v is mended and %q becomes %q", name, r.Codes, data, now)
			}
			is := read(now)
			if len(r.Edits) > 0 && (is.Findings.Failed() || strings.TrimSpace(was.Body) != strings.TrimSpace(is.Body) || differ(&was.Doc, &is.Doc, want) > 1) {
				t.Fatalf("%s: %q becomes %q, which means something else", name, data, now)
			}
			for round := 0; ; round++ {
				again := mend.File("/x/s/"+cmp.Or(r.Rename, name), now, told(read(now).Findings))
				if again.Empty() {
					break
				}
				if now = again.Apply(now); round > 3 {
					t.Fatalf("%s: %q is mended again and again, and is %q", name, data, now)
				}
			}
		}
	})
}

// differ is how many nodes of a document differ from what they were, where those
// that hold what was wanted count once and any other twice.
func differ(was, is *ext.Doc, want string) (n int) {
	switch {
	case is.Kind == ext.Map && was.Kind == ext.Map && len(is.Map) == len(was.Map)+1 && is.Map[0].Key == "name" && is.Map[0].Value.Text == want:
		return 1 + differ(was, &ext.Doc{Kind: ext.Map, Map: is.Map[1:]}, want)
	case was.Kind != is.Kind && !is.Scalar(), len(was.List) != len(is.List), len(was.Map) != len(is.Map):
		return 2
	case was.Kind != is.Kind || was.Text != is.Text:
		if is.Text == want {
			return 1
		}
		return 2
	}
	for i := range was.List {
		n += differ(&was.List[i], &is.List[i], want)
	}
	for i := range was.Map {
		if was.Map[i].Key != is.Map[i].Key {
			return 2
		}
		n += differ(&was.Map[i].Value, &is.Map[i].Value, want)
	}
	return n
}
