package skill_test

import (
	"fmt"
	"testing"

	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/skill"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

// colony is what reading a skill of a design monorepo gives, in a line: its label, its
// description, and what is told of it, each by its line; "refused" where it is none.
func colony(text string) string {
	d := surfacetest.Read("skills/s/SKILL.md", []byte(text))
	d.Dialect = surface.DialectColony
	said := d.Findings
	out := "refused"
	if !said.Failed() {
		e := skill.Surface.Decode([]surface.Document{d})[0]
		said = append(said, e.Findings...)
		if s, ok := e.Value.(skill.Skill); ok && !said.Failed() {
			out = fmt.Sprintf("%s %q %q", s.Label, e.Description, s.Body)
		}
	}
	for _, f := range said {
		out += fmt.Sprintf(" [%s %d]", f.Check.Code, f.Origin.Line)
	}
	return out
}

func colonyCases(t *testing.T, cases [][2]string) {
	t.Helper()
	for _, c := range cases {
		if got := colony(c[0]); got != c[1] {
			t.Errorf("reading %q: got %s, want %s", c[0], got, c[1])
		}
	}
}

// TestColony_64_NoFrontMatter: the reference looks at the first line alone. Front matter
// that a blank line or a byte order mark comes before is read here, and told.
func TestColony_64_NoFrontMatter(t *testing.T) {
	colonyCases(t, [][2]string{
		{"", `refused [frontmatter-missing 1]`},
		{"Text.\n", `refused [frontmatter-missing 1]`},
		{"---\n---\nText.\n", `refused [field-missing 1]`},
		{"\n---\nname: s\n---\n", `s "" "" [frontmatter-late 2]`},
		{"\ufeff---\nname: s\n---\n", `s "" "" [bom 1]`},
	})
}

// TestColony_65_Unterminated: the reference refuses each. Where a blank line leaves no
// doubt which lines were meant, they are read here, and that is told.
func TestColony_65_Unterminated(t *testing.T) {
	colonyCases(t, [][2]string{
		{"---\nname: s\n", `refused [frontmatter-unclosed 1]`},
		{"---\nname: s\ndescription: |\n  a\n", `refused [frontmatter-unclosed 1]`},
		{"---\nname: s\n\n# Title\n", `s "" "# Title\n" [frontmatter-unended 3]`},
	})
}

// TestColony_66_NoMapping wants front matter that is no mapping to be refused, as it is
// there.
func TestColony_66_NoMapping(t *testing.T) {
	colonyCases(t, [][2]string{
		{"---\n- name\n- s\n---\n", `refused [frontmatter-not-a-map 2] [frontmatter-missing 1]`},
		{"---\nname\n---\n", `refused [frontmatter-not-a-map 2] [frontmatter-missing 1]`},
	})
}

// TestColony_68_UnquotedColon: the reference refuses a description that YAML does not
// take. It is text beyond doubt, so that it is read as that here, and told.
func TestColony_68_UnquotedColon(t *testing.T) {
	colonyCases(t, [][2]string{
		{"---\nname: s\ndescription: Solver: fast\n---\n", `s "Solver: fast" "" [frontmatter-requoted 3]`},
		{"---\nname: s\ndescription: Use [this: that\n---\n", `s "Use [this: that" "" [frontmatter-requoted 3]`},
		{"---\nname: s\ndescription: 'Solver: fast'\n---\n", `s "Solver: fast" ""`},
	})
}

// TestColony_77_NoUTF8: the reference puts another character in its place, so that what an
// agent reads is not what is written. Here such a file is refused, at the line.
func TestColony_77_NoUTF8(t *testing.T) {
	colonyCases(t, [][2]string{
		{"---\nname: s\n---\n\xff\n", `refused [not-utf8 4]`},
		{"---\nname: s\ndescription: \xe9\n---\n", `refused [not-utf8 3]`},
		{"---\nname: s\n---\n\u00e9\n", `s "" "é\n"`},
	})
}
