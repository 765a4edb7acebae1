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
		out = append(out, mend.Finding{Code: f.Check.Code, Line: f.Origin.Line, Message: f.Message})
	}
	return out
}

// TestMarkdown mends what the reader of front matter recovers from, and wants
// nothing else of the file to change.
func TestMarkdown(t *testing.T) {
	const path = "/x/skills/deploy/SKILL.md"
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
		{"no closing line", "---\nname: deploy\ndescription: d\n\n# Title\n", nil, "---\nname: deploy\ndescription: d\n---\n\n# Title\n", "frontmatter-unended"},
		{"a mark and a colon", "\ufeff---\ndescription: a: b\n---\nText.\n", nil, "---\ndescription: 'a: b'\n---\nText.\n", "bom frontmatter-requoted"},
		{"another name", "---\nname: other\ndescription: d\n---\nText.\n", []mend.Finding{{Code: "skill-name-differs", Line: 2}},
			"---\nname: deploy\ndescription: d\n---\nText.\n", "skill-name-differs"},
		{"no name", "---\ndescription: d\n---\nText.\n", []mend.Finding{{Code: "agent-skills-name", Line: 1}},
			"---\nname: deploy\ndescription: d\n---\nText.\n", "agent-skills-name"},
		{"a name that is not on its line", "---\nname:\n  other\n---\nText.\n", []mend.Finding{{Code: "skill-name-differs", Line: 2}}, "", ""},
		{"the same key twice takes judgement", "---\nname: a\nname: b\n---\nText.\n", nil, "", ""},
		{"what nobody mends", "---\nname: deploy\n---\n", []mend.Finding{{Code: "field-missing", Line: 1}}, "", ""},
		{"a finding of another text", "---\nname: deploy\n---\n", []mend.Finding{{Code: "frontmatter-requoted", Line: 9}, {Code: "bom", Line: 1}, {Code: "frontmatter-fenced", Line: 1}}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
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

// TestManifest begins paths with ./ and touches no other string.
func TestManifest(t *testing.T) {
	const in = "{\n  \"name\": \"skills\", \"skills\": [\"skills\", \"more\"],\n  \"commands\": \"skills\"\n}\n"
	at := func(line int, path string) mend.Finding {
		return mend.Finding{Code: "manifest-path", Line: line, Message: fmt.Sprintf("the path %q of key %q lacks ./", path, "skills")}
	}
	for _, c := range []struct {
		name string
		x    []mend.Finding
		want string
	}{
		{"one of two on a line", []mend.Finding{at(2, "more")}, strings.Replace(in, `"more"`, `"./more"`, 1)},
		{"one on another line", []mend.Finding{at(3, "skills")}, strings.Replace(in, `"commands": "skills"`, `"commands": "./skills"`, 1)},
		{"both", []mend.Finding{at(2, "more"), at(3, "skills")}, strings.NewReplacer(`"more"`, `"./more"`, `"commands": "skills"`, `"commands": "./skills"`).Replace(in)},
		{"none that is there", []mend.Finding{at(4, "more"), at(2, "gone")}, in},
	} {
		r := mend.File("/x/.claude-plugin/plugin.json", []byte(in), c.x)
		if got := string(r.Apply([]byte(in))); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestRename gives a file the name that it was to have.
func TestRename(t *testing.T) {
	for _, c := range []struct{ path, message, want string }{
		{"/x/skills/a/SKILL.MD", `the file is named "SKILL.MD", expected SKILL.md`, "SKILL.md"},
		{"/x/skills/a/skill.md", `the file is named "skill.md", expected SKILL.md`, "SKILL.md"},
		{"/x/commands/go.MD", `the file's ending is ".MD", expected .md`, "go.md"},
		{"/x/Skills", `it is named "Skills", expected skills`, ""},
		{"/x/skills/a/other.md", `the file is named "other.md", expected SKILL.md`, ""},
		{"/x/skills/a/SKILL.MD", "", ""},
	} {
		r := mend.File(c.path, nil, []mend.Finding{{Code: "name-near-miss", Message: c.message}})
		if r.Rename != c.want || r.Empty() != (c.want == "") {
			t.Errorf("%s: got %q, want %q", c.path, r.Rename, c.want)
		}
	}
}

// TestOffered wants a fix for each code to have words for the docs.
func TestOffered(t *testing.T) {
	for _, f := range mend.Fixes {
		if !mend.Offered(f.Code) || !strings.HasSuffix(f.Doc, ".") {
			t.Errorf("%s: want a sentence about what mending it does, got %q", f.Code, f.Doc)
		}
	}
	if mend.Offered("source-missing") {
		t.Error("a directory that is not there is mended, want it not to be")
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
