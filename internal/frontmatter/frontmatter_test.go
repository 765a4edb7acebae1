package frontmatter

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/mortise-dev/mortise/ext"
)

var here = ext.Origin{Extension: "acme", Path: "skills/deploy/SKILL.md"}

func codes(fs ext.Findings) string {
	var parts []string
	for _, f := range fs {
		parts = append(parts, fmt.Sprintf("%s@%d", f.Check.Code, f.Origin.Line))
	}
	return strings.Join(parts, " ")
}

func TestChecks(t *testing.T) {
	for _, c := range Checks {
		if !strings.HasPrefix(c.Code, "frontmatter-") || c.Doc == "" || c.Fix == "" || c.Severity < ext.Warning {
			t.Errorf("check %q: want a warning or an error with a Doc and a Fix", c.Code)
		}
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, in string
		kind     ext.Kind
		keys     string
		body     string
		bodyLine int
		want     string
	}{
		{"usual", "---\nname: a\ndescription: b c\n---\n# A\n", ext.Map, "name description", "# A\n", 5, ""},
		{"empty file", "", ext.Null, "", "", 1, ""},
		{"no front matter", "# A\n---\nx: 1\n---\n", ext.Null, "", "# A\n---\nx: 1\n---\n", 1, ""},
		{"blank line first", "\n---\na: 1\n---\n", ext.Map, "a", "", 5, "frontmatter-late@2"},
		{"longer opening line", "----\na: 1\n---\n", ext.Map, "a", "", 4, "frontmatter-late@1"},
		{"text after the opening", "--- a\n---\n", ext.Null, "", "--- a\n---\n", 1, ""},
		{"empty front matter", "---\n---\nx", ext.Map, "", "x", 3, ""},
		{"only comments", "---\n# a\n\n---\nx", ext.Map, "", "x", 5, ""},
		{"blanks after the lines", "--- \t\na: 1\n---\t \nx", ext.Map, "a", "x", 4, "frontmatter-blanks@1 frontmatter-blanks@3"},
		{"ends with the closing line", "---\na: 1\n---", ext.Map, "a", "", 4, ""},
		{"dashes in a value", "---\na: b --- c\nd: |\n  ---\n  x\n---\nx", ext.Map, "a d", "x", 7, ""},
		{"longer line does not close", "---\na: |\n ----\n---\nx", ext.Map, "a", "x", 5, ""},
		{"body with rules", "---\na: 1\n---\nx\n---\ny", ext.Map, "a", "x\n---\ny", 4, ""},
		{"CRLF", "---\r\na: 1\r\n---\r\nx\r\ny\r\n", ext.Map, "a", "x\ny\n", 4, ""},
		{"lone CR", "---\ra: 1\r---\rx\r", ext.Map, "a", "x\n", 4, "frontmatter-line-ends@1"},
		{"lone CR among others", "---\r\na: 1\n---\nx\r\ny\rz\r", ext.Map, "a", "x\ny\nz\n", 4, "frontmatter-line-ends@5"},
		{"lone CR in text alone", "x\ry", ext.Null, "", "x\ny", 1, "frontmatter-line-ends@1"},
		{"byte order mark", "\ufeff---\na: 1\n---\nx", ext.Map, "a", "x", 4, "bom@1"},

		{"unclosed", "---\na: 1\n", ext.Null, "", "---\na: 1\n", 1, "frontmatter-unclosed@1"},
		{"only the opening line", "---", ext.Null, "", "---", 1, "frontmatter-unclosed@1"},
		{"a list", "---\n# x\n- a\n---\nx", ext.Null, "", "---\n# x\n- a\n---\nx", 1, "frontmatter-not-a-map@3"},
		{"a word", "---\na\n---\nx", ext.Null, "", "---\na\n---\nx", 1, "frontmatter-not-a-map@2"},
		{"too large", "---\n" + strings.Repeat("# 456789\n", 8000) + "---\nx", ext.Null, "", "x", 8003, "frontmatter-too-large@1"},
		{"two documents", "---\na: 1\n--- b\n---\nx", ext.Null, "", "x", 5, "yaml-multiple-documents@3"},
		{"NUL", "---\na: 1\n---\nx\n\x00", ext.Null, "", "", 1, "nul-byte@5"},
		{"not UTF-8", "---\na: \xfc\n---\nx\n", ext.Null, "", "", 1, "not-utf8@2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Read(here, []byte(c.in))
			sound(t, d, []byte(c.in))
			keys := strings.Join(d.Front.Keys(), " ")
			if d.Front.Kind != c.kind || keys != c.keys || d.Body != c.body || d.BodyLine != c.bodyLine || codes(d.Findings) != c.want {
				t.Errorf("Read(%.80q):\ngot  %s %q, body %q from %d, %v\nwant %s %q, body %q from %d, %s", c.in,
					d.Front.Kind, keys, d.Body, d.BodyLine, d.Findings, c.kind, c.keys, c.body, c.bodyLine, c.want)
			}
		})
	}
}

// sound wants what holds for every Document.
func sound(t *testing.T, d Document, in []byte) {
	t.Helper()
	last := 1 + strings.Count(strings.ReplaceAll(string(in), "\r\n", "\n"), "\n") + strings.Count(strings.ReplaceAll(string(in), "\r\n", ""), "\r")
	if strings.Contains(d.Body, "\r") || d.BodyLine < 1 || d.BodyLine > last+1 {
		t.Errorf("body from line %d: want no CR and a line up to %d", d.BodyLine, last+1)
	}
	if d.Front.Kind != ext.Map && d.Front.Kind != ext.Null || d.Findings.Failed() && d.Front.Kind != ext.Null {
		t.Errorf("got front matter %s with %v", d.Front.Kind, d.Findings)
	}
	for _, f := range d.Findings {
		if f.Origin.Path != here.Path || f.Origin.Line < 1 || f.Origin.Line > last {
			t.Errorf("finding %s: want a line from 1 to %d", f, last)
		}
	}
	for i := range d.Front.Map {
		p := &d.Front.Map[i]
		if p.Line < 2 || p.Line > last || p.Value.Line < 2 || p.Value.Line > last || p.Value.File != here.Path {
			t.Errorf("key %q on line %d, value on %d of %q: want lines from 2 to %d", p.Key, p.Line, p.Value.Line, p.Value.File, last)
		}
	}
}

func TestReadAdvice(t *testing.T) {
	for _, c := range []struct{ name, in, message, fix string }{
		{"colon below text", "---\nWith care\n\ndescription: Runs checks. Flags: --all, --deep\n---\n",
			`the front matter cannot be read, and nothing of it counts: mapping values are not allowed in this context: "description: Runs checks. Flags: --all, --deep"`,
			`Put the value of "description" in quotes: it holds a colon followed by a space.`},
		{"longer closing line below text", "---\na: 1\nb\n-----\nx\n", "the front matter that begins here has no closing line ---",
			`Write exactly --- at the beginning of line 4, which holds "-----".`},
		{"list", "---\n- a\n---\n", `between the lines --- is a list, where lines "key: value" were expected; it was left in the text`, NotAMap.Fix},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Read(here, []byte(c.in))
			if len(d.Findings) != 1 || d.Findings[0].Message != c.message || d.Findings[0].Fix() != c.fix {
				t.Errorf("Read(%q): got %v, fix %q; want %q, fix %q", c.in, d.Findings, d.Findings[0].Fix(), c.message, c.fix)
			}
		})
	}
}

// PAR-03: one file saved in six ways is one document.
func TestField_PAR03(t *testing.T) {
	const file = "---\nname: deploy\ndescription: |\n  Ships it.\n  Twice.\ntags: [a,\n  b]\n---\n# Deploy\n\nSteps.\n"
	without := file[:strings.Index(file, "# Deploy")]
	for _, c := range []struct{ name, in string }{
		{"LF", file},
		{"CRLF", strings.ReplaceAll(file, "\n", "\r\n")},
		{"lone CR", strings.ReplaceAll(file, "\n", "\r")},
		{"byte order mark", "\ufeff" + file},
		{"closing line at the end of the file", strings.TrimSuffix(without, "\n")},
		{"space after the closing line", strings.Replace(file, "---\n#", "--- \n#", 1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			want, got := Read(here, []byte(file)), Read(here, []byte(c.in))
			if got.Findings.Failed() {
				t.Fatal(got.Findings)
			}
			if diff := cmp.Diff(want.Front, got.Front); diff != "" {
				t.Errorf("front matter differs from that of LF (-want +got):\n%s", diff)
			}
			if got.BodyLine != want.BodyLine || got.Body != want.Body && strings.Contains(c.in, "Steps") {
				t.Errorf("got body %q from line %d, want %q from %d", got.Body, got.BodyLine, want.Body, want.BodyLine)
			}
		})
	}
}

// PAR-04: text folded over many lines counts in characters after folding.
func TestField_PAR04(t *testing.T) {
	words := strings.TrimSpace(strings.Repeat("word123 ", 136))[:1086]
	var folded strings.Builder
	for line := range strings.SplitSeq(words, " ") {
		folded.WriteString("  " + line + "\n")
	}
	cjk := strings.Repeat("部署", 510)
	for name, c := range map[string]struct {
		in, want string
		count    int
	}{
		"folded": {"---\nname: a\ndescription: >-\n" + folded.String() + "---\n", words, 1086},
		"CJK":    {"---\nname: a\ndescription: " + cjk + "\n---\n", cjk, 1020},
	} {
		t.Run(name, func(t *testing.T) {
			d := Read(here, []byte(c.in))
			got := d.Front.Get("description")
			if got == nil || got.Text != c.want || utf8.RuneCountInString(got.Text) != c.count {
				t.Errorf("got %v, %v; want %d characters", got, d.Findings, c.count)
			}
		})
	}
}

// PAR-07: values are YAML, not what stands between two colons, and hostile
// anchors are bounded.
func TestField_PAR07(t *testing.T) {
	for _, c := range []struct{ name, in, want, finding string }{
		{"colon in quotes", `v: "my:skill"`, "my:skill", ""},
		{"colon without quotes", `v: my:skill`, "my:skill", ""},
		{"colon and space in quotes", `v: 'a: b'`, "a: b", ""},
		{"colon and space without quotes", `v: a: b`, "a: b", "frontmatter-requoted@2"},
		{"URL", `v: https://example.org/a#b`, "https://example.org/a#b", ""},
		{"comment after a value", `v: a b # c`, "a b", ""},
		{"comment after quotes", `v: "a # b" # c`, "a # b", ""},
		{"apostrophe", `v: it's`, "it's", ""},
		{"escapes", `v: "a\tb\"c"`, "a\tb\"c", ""},
		{"doubled quote", `v: 'it''s'`, "it's", ""},
		{"literal block", "v: |\n  a\n  b: c\n", "a\nb: c\n", ""},
		{"folded block", "v: >-\n  a\n  b\n", "a b", ""},
		{"plain over lines", "v: a\n  b", "a b", ""},
		{"hostile anchors", "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n" +
			"d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\nv: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]", "", "yaml-alias-limit@2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := Read(here, []byte("---\n"+c.in+"\n---\n"))
			got := ""
			if v := d.Front.Get("v"); v != nil {
				got = v.Text
			}
			if got != c.want || codes(d.Findings) != c.finding {
				t.Errorf("Read(%q): got %q, %v; want %q, %s", c.in, got, d.Findings, c.want, c.finding)
			}
		})
	}
}

// Without CR the texts of a Document are parts of one string.
func TestReadSharesMemory(t *testing.T) {
	d := Read(here, []byte("---\nname: deploy\n---\nbody"))
	name, body := unsafe.StringData(d.Front.Get("name").Text), unsafe.StringData(d.Body)
	if gap := uintptr(unsafe.Pointer(body)) - uintptr(unsafe.Pointer(name)); gap != uintptr(len("deploy\n---\n")) {
		t.Errorf("name and body are %d bytes apart, want %d", gap, len("deploy\n---\n"))
	}
}

func FuzzRead(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 2*MaxFront {
			return
		}
		d := Read(here, data)
		sound(t, d, data)
		again(t, here, d, data)
		if !elsewhere(string(data)) {
			whole(t, d, data)
		}
	})
}

// elsewhere reports whether a text may hold what means something to YAML and
// comes out at another place, in another form or not at all: anchors, tags,
// escapes, comments, directives, keys with a sign, the word null and the digits
// of a block.
func elsewhere(text string) bool {
	return strings.ContainsAny(text, `*\!&#%?`) || strings.Contains(strings.ToLower(text), "null") || blockDigits.MatchString(text)
}

var blockDigits = regexp.MustCompile(`[|>][-+]?[0-9]`)

func BenchmarkRead(b *testing.B) {
	data := []byte("---\n" + header + "---\n" + strings.Repeat("Some text of the body.\n", 200))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if d := Read(here, data); d.Findings != nil {
			b.Fatal(d.Findings)
		}
	}
}
