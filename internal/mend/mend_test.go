package mend_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/frontmatter"
	"github.com/mortise-dev/mortise/internal/mend"
)

// findings are what reading a Markdown file tells, as a check hands it on.
func findings(data string) []mend.Finding {
	var out []mend.Finding
	for _, f := range frontmatter.Read(ext.Origin{}, []byte(data)).Findings {
		out = append(out, mend.Finding{Code: f.Check.Code, Line: f.Origin.Line, Field: f.Field, Want: f.Want})
	}
	return out
}

// TestMarkdown mends what the reader of front matter recovers from, and wants
// nothing else of the file to change.
func TestMarkdown(t *testing.T) {
	for _, c := range []struct {
		name, in string
		more     []mend.Finding
		want     string // "" means that nothing is proposed
		codes    string
	}{
		{"nothing to mend", "---\nname: deploy\n---\nText.\n", nil, "", ""},
		{"a byte order mark", "\ufeff---\nname: deploy\n---\nText.\n", nil, "---\nname: deploy\n---\nText.\n", "bom"},
		{"a colon in a value", "---\nname: deploy\ndescription: Use this: it's good\n---\nText.\n", nil,
			"---\nname: deploy\ndescription: 'Use this: it''s good'\n---\nText.\n", "frontmatter-requoted"},
		{"two of them, with the ends of lines kept", "---\r\ndescription: a: b\r\nargument-hint: [a] | [b]\r\n---\r\nText.\r\n", nil,
			"---\r\ndescription: 'a: b'\r\nargument-hint: '[a] | [b]'\r\n---\r\nText.\r\n", "frontmatter-requoted frontmatter-requoted"},
		{"a lone CR", "---\rdescription: a: b\r---\rText.\r", nil, "---\rdescription: 'a: b'\r---\rText.\r", "frontmatter-requoted"},
		{"a code fence around the file", "```markdown\n---\nname: deploy\n---\nText.\n```\n", nil, "---\nname: deploy\n---\nText.\n", "frontmatter-fenced"},
		{"a code fence around a file that holds another", "```markdown\n---\nname: deploy\n---\nText.\n```\ncode\n```\nMore.\n```\n", nil, "---\nname: deploy\n---\nText.\n```\ncode\n```\nMore.\n", "frontmatter-fenced"},
		{"a pattern", "---\nglobs: *.go\nalwaysApply: true\n---\nText.\n", nil, "---\nglobs: '*.go'\nalwaysApply: true\n---\nText.\n", "frontmatter-requoted"},
		{"a comment that was read as text", "---\ndescription: *.go # keep me\n---\nText.\n", nil, "---\ndescription: '*.go # keep me'\n---\nText.\n", "frontmatter-requoted"},
		{"no closing line", "---\nname: deploy\ndescription: d\n\n# Title\n", nil, "---\nname: deploy\ndescription: d\n---\n\n# Title\n", "frontmatter-unended"},
		{"a mark and a colon", "\ufeff---\ndescription: a: b\n---\nText.\n", nil, "---\ndescription: 'a: b'\n---\nText.\n", "bom frontmatter-requoted"},
		{"the same key twice takes judgement", "---\nname: a\nname: b\n---\nText.\n", nil, "", ""},
		{"what nobody mends", "---\nname: deploy\n---\n", []mend.Finding{{Code: "field-missing", Line: 1}}, "", ""},
		{"a finding of another text", "---\nname: deploy\n---\n", []mend.Finding{{Code: "frontmatter-requoted", Line: 9}, {Code: "bom", Line: 1}, {Code: "frontmatter-fenced", Line: 1}}, "", ""},
	} {
		for _, path := range []string{"/x/skills/deploy/SKILL.md", "/x/rules/deploy.mdc", "/x/skills/deploy/SKILL.MD"} {
			t.Run(c.name+path, func(t *testing.T) {
				r := mend.File(path, []byte(c.in), append(findings(c.in), c.more...))
				if got := strings.Join(r.Codes, " "); got != c.codes {
					t.Fatalf("File: got %q mended, want %q; it was found that %v", got, c.codes, findings(c.in))
				}
				got := string(r.Apply([]byte(c.in)))
				if c.want == "" {
					c.want = c.in
				}
				if got != c.want {
					t.Fatalf("Apply: got\n%q\nwant\n%q", got, c.want)
				}
				if left := findings(got); slices.ContainsFunc(left, func(f mend.Finding) bool { return strings.Contains(c.codes, f.Code) }) {
					t.Errorf("what was mended is still found: %v", left)
				}
			})
		}
	}
}

// TestOffered wants a fix for each code to have words for the docs.
func TestOffered(t *testing.T) {
	for _, f := range mend.Fixes {
		if !mend.Offered(mend.Finding{Code: f.Code, Want: "w"}) || !strings.HasSuffix(f.Doc, ".") {
			t.Errorf("%s: want a sentence about what mending it does, got %q", f.Code, f.Doc)
		}
	}
	for _, x := range []mend.Finding{{Code: "source-missing", Want: "w"}, {Code: "skill-name-differs"}, {Code: "manifest-path", Field: "/skills"}, {Code: "name-near-miss"}} {
		if mend.Offered(x) {
			t.Errorf("%+v: want no fix, since nobody says what should stand there", x)
		}
	}
}

// TestMendingChangesNoMeaning draws front matter with faults and wants whatever
// is proposed to leave what was read, and to be final: mending again changes
// nothing that was mended.
func TestMendingChangesNoMeaning(t *testing.T) {
	value := rapid.SampledFrom([]string{"plain", "a: b", "it's: so", "[a] | [b]", "*star", "'quoted'", "\"x", "{{x}}", "a #b", "- c", "yes", "1.0", "|", "", "é: ü", "%x", "@y"})
	end := rapid.SampledFrom([]string{"\n", "\r\n", "\r"})
	rapid.Check(t, func(r *rapid.T) {
		eol := end.Draw(r, "end")
		var b strings.Builder
		b.WriteString(rapid.SampledFrom([]string{"", "\ufeff", "```" + eol, "```yaml" + eol}).Draw(r, "before"))
		b.WriteString("---" + eol)
		for i := range rapid.IntRange(1, 4).Draw(r, "keys") {
			fmt.Fprintf(&b, "%s%d: %s%s", rapid.SampledFrom([]string{"k", "name", "\tk"}).Draw(r, "key"), i, value.Draw(r, "value"), eol)
		}
		b.WriteString(rapid.SampledFrom([]string{"---" + eol, eol + "# T" + eol, "----" + eol}).Draw(r, "close"))
		b.WriteString("Body." + eol + rapid.SampledFrom([]string{"", "```" + eol}).Draw(r, "after"))
		data := []byte(b.String())
		repair := mend.File("/x/SKILL.md", data, findings(string(data)))
		was, is := frontmatter.Read(ext.Origin{}, data), frontmatter.Read(ext.Origin{}, repair.Apply(data))
		if was.Front.Digest() != is.Front.Digest() || strings.TrimSpace(was.Body) != strings.TrimSpace(is.Body) {
			r.Fatalf("%q becomes %q, which means something else", data, repair.Apply(data))
		}
		if len(is.Findings) > len(was.Findings) || !repair.Empty() && len(is.Findings) == len(was.Findings) {
			r.Fatalf("%q becomes %q: got %v, before %v", data, repair.Apply(data), is.Findings, was.Findings)
		}
	})
}
