package mend_test

import (
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/mend"
)

// TestName gives a skill the name that was wanted, where its directory has that,
// and leaves all else as it stands: what follows the name on its line, and names
// of which nobody can say which one counts.
func TestName(t *testing.T) {
	const differs, missing = "skill-name-differs", "agent-skills-name"
	in := func(lines ...string) string { return "---\n" + strings.Join(lines, "\n") + "\n---\nText.\n" }
	for _, c := range []struct {
		name, path, code string
		line             int
		wanted, in, want string
	}{
		{"another name", "deploy", differs, 2, "deploy", in("name: other", "description: d"), in("name: deploy", "description: d")},
		{"further down", "deploy", differs, 3, "deploy", in("description: d", "name: other"), in("description: d", "name: deploy")},
		{"in double quotes", "deploy", differs, 2, "deploy", in(`name: "ot\"her"`), in("name: deploy")},
		{"in single quotes", "deploy", differs, 2, "deploy", in("name: 'ot''her'"), in("name: deploy")},
		{"a comment", "deploy", differs, 2, "deploy", in("name: other # keep me"), in("name: deploy # keep me")},
		{"a comment behind quotes", "deploy", differs, 2, "deploy", in("name:  'o # r'  # keep me"), in("name:  deploy  # keep me")},
		{"a number", "deploy", differs, 2, "deploy", in("name: 5"), in("name: deploy")},
		{"a name that may be something else than text", "yes", differs, 2, "yes", in("name: other"), in("name: 'yes'")},
		{"a name that is a number", "1-0", differs, 2, "1-0", in("name: other"), in("name: '1-0'")},
		{"the name it has", "deploy", differs, 2, "deploy", in("name: deploy"), ""},
		{"a directory that is called otherwise", "android", differs, 2, "meeting-sdk-android", in("name: zoom"), ""},
		{"nothing is wanted", "deploy", differs, 2, "", in("name: other"), ""},
		{"two names", "deploy", differs, 2, "deploy", in("name: other", "name: another"), ""},
		{"two names, one in quotes", "deploy", differs, 2, "deploy", in("name: other", `"name": another`), ""},
		{"a name within", "deploy", differs, 4, "deploy", in("metadata:", "  name: x", "name: other"), in("metadata:", "  name: x", "name: deploy")},
		{"a name on the next line", "deploy", differs, 2, "deploy", in("name:", "  other"), ""},
		{"a name on two lines", "deploy", differs, 2, "deploy", in("name: other", "  one"), ""},
		{"an anchor", "deploy", differs, 2, "deploy", in("name: &a other", "also: *a"), ""},
		{"a block", "deploy", differs, 2, "deploy", in("name: |", "  other"), ""},
		{"a map in one line", "deploy", differs, 2, "deploy", in("{name: other, description: d}"), ""},
		{"no name", "deploy", missing, 1, "deploy", in("description: d"), in("name: deploy", "description: d")},
		{"no name in a fence", "deploy", missing, 1, "deploy", "```\n" + in("description: d"), "```\n" + in("name: deploy", "description: d")},
		{"nothing at all", "deploy", missing, 1, "deploy", "---\n---\nText.\n", in("name: deploy")},
		{"no front matter", "deploy", missing, 1, "deploy", "Text.\n", ""},
		{"no name in a map in one line", "deploy", missing, 1, "deploy", in("{description: d}"), ""},
		{"no name, and the directory has another", "dirname", missing, 1, "plug", in("description: d"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := mend.File("/x/skills/"+c.path+"/SKILL.md", []byte(c.in), []mend.Finding{{Code: c.code, Line: c.line, Field: "name", Want: c.wanted}})
			got := string(r.Apply([]byte(c.in)))
			if c.want == "" {
				c.want = c.in
			}
			if got != c.want || r.Empty() != (c.want == c.in) {
				t.Errorf("File: got\n%q\nand %v, want\n%q", got, r.Codes, c.want)
			}
		})
	}
}

// TestNameOfTwo gives a skill no name that one of its extensions wants and
// another does not.
func TestNameOfTwo(t *testing.T) {
	const in = "---\nname: other\n---\n"
	x := mend.Finding{Code: "skill-name-differs", Line: 2, Field: "name", Want: "a"}
	for want, empty := range map[string]bool{"a": false, "b": true, "": true} {
		y := x
		y.Want = want
		if r := mend.File("/x/skills/a/SKILL.md", []byte(in), []mend.Finding{x, y}); r.Empty() != empty {
			t.Errorf("one wants a and the other %q: got %v, want nothing mended: %v", want, r.Codes, empty)
		}
	}
}

// TestRename gives a file the name that it was to have, which differs from its
// own in capitals alone.
func TestRename(t *testing.T) {
	for _, c := range []struct{ path, wanted, want string }{
		{"/x/skills/a/SKILL.MD", "SKILL.md", "SKILL.md"},
		{"/x/skills/a/skill.md", "SKILL.md", "SKILL.md"},
		{"/x/commands/go.MD", "go.md", "go.md"},
		{"/x/Skills", "", ""},
		{"/x/skills/a/other.md", "SKILL.md", ""},
		{"/x/skills/a/SKILL.md", "SKILL.md", ""},
	} {
		r := mend.File(c.path, nil, []mend.Finding{{Code: "name-near-miss", Want: c.wanted}})
		if r.Rename != c.want || r.Empty() != (c.want == "") {
			t.Errorf("%s: got %q, want %q", c.path, r.Rename, c.want)
		}
	}
}
