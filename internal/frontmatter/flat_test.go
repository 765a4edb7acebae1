package frontmatter

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/internal/doc"
)

// header is a usual one of a skill.
const header = `name: pdf-processing
description: Extracts text and tables from PDF files, fills forms and merges documents. Use when the user mentions PDFs.
license: "Apache-2.0"
`

func TestFlat(t *testing.T) {
	for _, c := range []struct {
		name, in string
		sure     bool
	}{
		{"header", header, true},
		{"without a last line end", "a: b", true},
		{"blank lines and comments", "\n# x: [\na: b\n\n#y\nc: d\n\n", true},
		{"scalars", "a: 1\nb: yes\nc: true\nd: ~\ne:\nf: \nh: 1.10\ni: ''\nj: \"\"\n", true},
		{"punctuation", "a: b, c; d -- e (f) [g] {h} https://x.y/z#w it's 5:30 \"q\" %&*!|>@`\n", true},
		{"other scripts", "a: 部署，测试\nb: Grüße 😀\n", true},
		{"escapes", `a: "\n\t\"\\"`, true},
		{"doubled quotes", "a: 'it''s '''''\n", true},
		{"flow lists", "a: [b, 'c d', \"e\", 1, ~]\nf: []\ng: [ h , i ]\nj: [k,]\n", true},
		{"keys", "allowed-tools: a\nx_y.z: b\n1: c\n", true},
		{"list", "a:\n- b\n- 'c: d'\ne: f\n", true},
		{"deeper list", "a:\n\n  - b\n\n  - 1\n\ne: f\n", true},
		{"deeper", "a:\n  b: c\n  d: [e, f]\n  g:\n# h\ni: j\n", true},
		{"block", "a: |\n  b\n   c: d\n\n  # e\n\nf: g\n", true},
		{"block without its line end", "a: |-\n  b\n", true},
		{"folded block", "a: >\n  b\n  c\n\n\n  d\nf: g\n", true},
		{"colon after a block", "a: |\n b\nc: d: e\n", true},

		{"nothing", "", false},
		{"only a comment", "# a\n", false},
		{"colon", "a: b: c\n", true},
		{"colon after an unsure line", "a: |+\n b\nc: d: e\n", false},
		{"colon in a comment", "a: b # c: d\n", false},
		{"colon after a tab", "a: b\tc: d\n", false},
		{"colon after a blank", "a: b : c\n", false},
		{"colon at the end", "a: b:\n", false},
		{"comment", "a: b # c\n", false},
		{"tab", "a: b\tc\n", false},
		{"list of maps", "a:\n- b: c\n", false},
		{"list of lists", "a:\n- - b\n", false},
		{"list with a hole", "a:\n- b\n-\n- c\n", false},
		{"list that goes on", "a:\n- b\n  c\n", false},
		{"list further in", "a:\n  - b\n - c\n", false},
		{"deeper still", "a:\n  b:\n    c: d\n", false},
		{"deeper twice", "a:\n  b: c\n  b: d\n", false},
		{"colon deeper", "a:\n  b: c: d\n", false},
		{"continued", "a: b\n  c\n", false},
		{"bar after a list", "a: b\nc: [d e] | [f] | --g\n", true},
		{"list after a list", "a: [b] [c, d] [e f]\n", true},
		{"text after a list", "a: [b] c\n", false},
		{"block after a list", "a: [b] |\n  c\n", false},
		{"bar with a sign after a list", "a: [b] |- c\n", false},
		{"comment behind a bar after a list", "a: [b] | # c\n", false},
		{"lists and text", "a: [b] [c] d\n", false},
		{"flow list of maps", "a: [b: c]\n", false},
		{"flow list in a flow list", "a: [[b]]\n", false},
		{"flow list without an end", "a: [b\n", false},
		{"flow list with a hole", "a: [b,, c]\n", false},
		{"flow map", "a: {b: c}\n", false},
		{"block that keeps its lines", "a: |+\n  b\n", false},
		{"block that says its indent", "a: |2\n  b\n", false},
		{"block of nothing", "a: |\nb: c\n", false},
		{"block that begins with an empty line", "a: |\n\n  b\n", false},
		{"block at the end", "a: |\n  b", false},
		{"block less indented", "a: |\n  b\n c\n", false},
		{"folded block with more indent", "a: >\n  b\n   c\n", false},
		{"escape by number", `a: "\x41"`, false},
		{"escaped end", `a: "b\"`, false},
		{"quote within", `a: "b"c"`, false},
		{"quote not doubled", "a: 'it's'\n", false},
		{"text after quotes", "a: \"b\" c\n", false},
		{"open quote", "a: \"b\n", false},
		{"anchor", "a: &b c\n", false},
		{"merge", "<<: *a\n", false},
		{"twice", "a: b\na: c\n", false},
		{"no blank after the colon", "a:b\n", false},
		{"line separator", "a: b\u2028c\n", false},
		{"byte order mark", "a: \ufeff\n", false},
		{"document end", "a: b\n...\n", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, _, sure := flat(here, c.in, frontLine); sure != c.sure {
				t.Errorf("flat(%q): sure is %v, want %v", c.in, sure, c.sure)
			}
			same(t, c.in)
		})
	}
}

type failer interface{ Fatalf(string, ...any) }

// same wants flat, where it is sure, to be what the library makes of front.
func same(t failer, front string) bool {
	got, found, sure := flat(here, front, frontLine)
	if !sure {
		return false
	}
	want, faults, _ := strict(here, front, frontLine)
	if diff := cmp.Diff(faults, found); diff != "" {
		t.Fatalf("flat(%q) is sure and finds something else than strict (-want +got):\n%s", front, diff)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("flat(%q) differs from strict (-want +got):\n%s", front, diff)
	}
	return true
}

func TestFlatIsStrict(t *testing.T) {
	key := rapid.OneOf(rapid.SampledFrom([]string{"name", "description", "allowed-tools", "version", "yes", "1.0", "null", "-a", "a b", "é", "<<"}),
		rapid.StringMatching(`[a-zA-Z0-9_.-]{1,9}`))
	word := rapid.SampledFrom([]string{"a", "Use", "when", "it's", "1.10", "yes", "~", "null", "true", "0x1F", "-", "--", ":", "x:", ":x", "#", "x#", "#x", ",", "[", "]", "{{x}}",
		"*", "&a", "!b", "|", ">", "@", "`", "%", "\"", "'", "''", "\\", "部署", "é", "\u00a0", "\u2028", "\ufeff", "\t", "...", "---", "?", "=", "<<", "\u0085", "\x7f", "😀"})
	text := rapid.Custom(func(t *rapid.T) string {
		s := strings.Join(rapid.SliceOfN(word, 0, 6).Draw(t, "words"), rapid.SampledFrom([]string{" ", " ", "", "  "}).Draw(t, "glue"))
		q := rapid.SampledFrom([]string{"", "", "", `"`, "'"}).Draw(t, "quote")
		return q + s + q
	})
	list := rapid.Custom(func(t *rapid.T) string {
		items := rapid.SliceOfN(text, 0, 4).Draw(t, "items")
		return "[" + strings.Join(items, rapid.SampledFrom([]string{", ", ",", " , "}).Draw(t, "comma")) + rapid.SampledFrom([]string{"]", "]", ",]", "] ", ""}).Draw(t, "close")
	})
	hint := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(list, list, rapid.SampledFrom([]string{"|", "|", "||", ">", "#", "-"}), text), 1, 4).Draw(t, "hint"), rapid.SampledFrom([]string{" ", " ", "", "  "}).Draw(t, "between"))
	})
	value := rapid.OneOf(text, text, list, hint)
	line := rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 12).Draw(t, "form") {
		case 0:
			return ""
		case 1:
			return "#" + text.Draw(t, "comment")
		case 2:
			return rapid.SampledFrom([]string{" ", "\t", "  ", "- ", "..."}).Draw(t, "start") + text.Draw(t, "text")
		}
		blank := rapid.SampledFrom([]string{" ", " ", " ", "", "  ", "\t"})
		return key.Draw(t, "key") + ":" + blank.Draw(t, "before") + value.Draw(t, "value") + rapid.SampledFrom([]string{"", "", "", " ", "\t", " # c"}).Draw(t, "after")
	})
	indent := rapid.SampledFrom([]string{"", " ", "  ", "  ", "  ", "   ", "\t"})
	below := rapid.Custom(func(t *rapid.T) string {
		head := rapid.SampledFrom([]string{"", "", "", " |", " |-", " >", " >-", " |+", " |2", " ~", " | "}).Draw(t, "head")
		form, usual := rapid.IntRange(0, 3).Draw(t, "form"), indent.Draw(t, "usual")
		return key.Draw(t, "key") + ":" + head + "\n" + strings.Join(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			in := usual
			if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
				in = indent.Draw(t, "indent")
			}
			switch rapid.IntRange(0, 5).Draw(t, "line") {
			case 0:
				return rapid.SampledFrom([]string{"", "", "", in, "    ", "#c", in + "#c"}).Draw(t, "nothing")
			case 1:
				return in + text.Draw(t, "text")
			}
			return in + []string{"- " + value.Draw(t, "item"), key.Draw(t, "inner") + ": " + value.Draw(t, "value"), text.Draw(t, "words"), "a" + text.Draw(t, "text")}[form]
		}), 0, 5).Draw(t, "below"), "\n")
	})
	fronts := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(line, line, below), 1, 6).Draw(t, "lines"), "\n") + rapid.SampledFrom([]string{"\n", ""}).Draw(t, "end")
	})
	rapid.Check(t, func(t *rapid.T) { same(t, fronts.Draw(t, "front")) })
	sure := 0
	for seed := range 200 { // the same every time, however few checks a short run makes
		if same(t, fronts.Example(seed)) {
			sure++
		}
	}
	if sure == 0 {
		t.Error("flat was never sure, want it to be sometimes")
	}
}

func FuzzFlat(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		// Front matter comes to flat as Read leaves it.
		text, found := doc.Text(here, data)
		if found.Failed() || len(text) > MaxFront {
			return
		}
		same(t, string(doc.LineFeeds(text)))
	})
}

func BenchmarkFlat(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, _, sure := flat(here, header, frontLine); !sure {
			b.Fatal("want flat to be sure")
		}
	}
}

func BenchmarkStrict(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, found, _ := strict(here, header, frontLine); found.Failed() {
			b.Fatal(found)
		}
	}
}
