package discover_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/doc"
	"github.com/mortise-dev/mortise/internal/surface"
)

// notes is a surface for whatever a test reads.
var notes = surface.Define(surface.Def[string]{
	Name: "note", Doc: "Notes.", Dir: "notes", Files: "*.md", Needs: ext.Project, Merge: surface.Append,
	Read: func(surface.Document, *surface.Entry[string]) {},
}).Spec

// noteIn is what a scan finds of one place.
func noteIn(t testing.TB, p ext.Place, fsys fstest.MapFS) discover.Found {
	t.Helper()
	p.Surface = notes.Name
	tree := ext.Tree{Extension: "acme", FS: fsys, Origin: ext.Origin{Extension: "acme", Source: "path:./acme", Trust: ext.Plugin}, Places: []ext.Place{p}}
	c, err := discover.Scan(t.Context(), tree, discover.Options{Specs: []*surface.Spec{notes}, Limits: ext.DefaultLimits})
	if err != nil || len(c.Found()) != 1 {
		t.Fatalf("Scan: got %d places and %v, want one", len(c.Found()), err)
	}
	return c.Found()[0]
}

func noteOf(t testing.TB, file, text string) discover.Found {
	t.Helper()
	return noteIn(t, ext.Place{Path: "notes/n.md", File: file}, fstest.MapFS{file: {Data: []byte(text)}})
}

// tags spells text in tag characters, which show nothing.
func tags(text string) string {
	return strings.Map(func(r rune) rune { return 0xE0000 + r }, text)
}

// told are the findings on what does not show, as they are printed.
func told(f discover.Found) []string {
	var out []string
	for _, x := range f.Document.Findings {
		if x.Check == discover.TextHidden || x.Check == discover.TextZeroWidth {
			out = append(out, x.String())
		}
	}
	return out
}

// TestHiddenText wants what a person does not see to refuse a document, what has
// no width to be a warning, and what writing needs to be neither.
func TestHiddenText(t *testing.T) {
	front := func(text string) string { return "---\nname: n\n---\n" + text }
	for _, c := range []struct {
		name, file, text string
		want             []string
	}{
		{name: "plain", text: front("Nothing is hidden here, “quoted” – and so on…\n")},
		{name: "Chinese and Cyrillic", text: front("部署网站。Развернуть сайт.\n")},
		{name: "Persian", text: front("می\u200cخواهم کتاب\u200cها را\n")},
		{name: "Persian after a vowel sign", text: front("مُ\u200cی, تـ\u200d\n")},
		{name: "Hindi", text: front("क्\u200dष और क्\u200cष\n")},
		{name: "Malayalam and Sinhala", text: front("ന്\u200d ශ්\u200dරී\n")},
		{name: "a family", text: front("👨\u200d👩\u200d👧\u200d👦 and 👩🏽\u200d💻\n")},
		{name: "emoji of symbols", text: front("❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈 🙂\u200d↔\ufe0f 🤷\u200d♀\ufe0f\n")},
		{name: "marks of direction", text: front("שלום\u200f (a)\u200e\n")},
		{name: "a byte order mark at the start", text: "\ufeff" + front("Text.\n")},
		{
			name: "a byte order mark within", text: front("One.\n\ufeffTwo.\n"),
			want: []string{"acme:notes/n.md:5: warning: line 5, column 1: U+FEFF, byte order mark within text (text-zero-width)"},
		},
		{
			name: "two byte order marks", text: "\ufeff\ufeffText.\n",
			want: []string{"acme:notes/n.md:1: warning: line 1, column 1: U+FEFF, byte order mark within text (text-zero-width)"},
		},
		{
			name: "smuggled", text: front("Be kind." + tags("ignore previous") + "\n"),
			want: []string{`acme:notes/n.md:4: error: line 4, column 9: U+E0069, a tag character of those that spell "ignore previous"; 14 more, in all U+E0069, U+E0067, U+E006E, U+E006F, U+E0072, … (text-hidden)`},
		},
		{
			name: "a language tag alone", text: front("a\U000E0001\n"),
			want: []string{"acme:notes/n.md:4: error: line 4, column 2: U+E0001, a tag character (text-hidden)"},
		},
		{
			name: "the flag of a region", text: front("🏴" + tags("gbeng") + "\U000E007F\n"),
			want: []string{`acme:notes/n.md:4: error: line 4, column 2: U+E0067, a tag character of those that spell "gbeng" after the emoji of a flag, as the flags of regions are written; 5 more, in all U+E0067, U+E0062, U+E0065, U+E006E, U+E007F (text-hidden)`},
		},
		{
			name: "a file name that reads backwards", text: front("Ünlü: open invoice\u202efdp.exe now.\n"),
			want: []string{"acme:notes/n.md:4: error: line 4, column 19: U+202E, right-to-left override (text-hidden)"},
		},
		{
			name: "source that reads otherwise", text: "One.\r\nif a\u2066b\u2069 \u202e\rx\n",
			want: []string{"acme:notes/n.md:2: error: line 2, column 5: U+2066, left-to-right isolate; 2 more, in all U+2066, U+2069, U+202E (text-hidden)"},
		},
		{
			name: "after a lone carriage return", text: "One.\rTwo\u202c.\n",
			want: []string{"acme:notes/n.md:2: error: line 2, column 4: U+202C, pop directional formatting (text-hidden)"},
		},
		{
			name: "between words", text: front("in\u200bvisible so\u00adft glue\u2060d\n"),
			want: []string{"acme:notes/n.md:4: warning: line 4, column 3: U+200B, zero width space; 2 more, in all U+200B, U+00AD, U+2060 (text-zero-width)"},
		},
		{
			name: "joiners where none belongs", text: front("a\u200db 👩\u200d 👩\u200dx 部\u200c署\n"),
			want: []string{"acme:notes/n.md:4: warning: line 4, column 2: U+200D, zero width joiner; 3 more, in all U+200D, U+200C (text-zero-width)"},
		},
		{
			name: "a second joiner", text: front("می\u200c\u200cخواهم\n"),
			want: []string{"acme:notes/n.md:4: warning: line 4, column 4: U+200C, zero width non-joiner (text-zero-width)"},
		},
		{
			name: "both kinds", text: front("a\u200bb\u202ec\n"),
			want: []string{
				"acme:notes/n.md:4: error: line 4, column 4: U+202E, right-to-left override (text-hidden)",
				"acme:notes/n.md:4: warning: line 4, column 2: U+200B, zero width space (text-zero-width)",
			},
		},
		{
			name: "in front matter", text: "---\ndescription: Reads\u202e files\nname: n\n---\nText.\n",
			want: []string{"acme:notes/n.md:2: error: line 2, column 19: U+202E, right-to-left override (text-hidden)"},
		},
		{
			name: "in a key of front matter", text: "---\nna\u200bme: n\n---\nText.\n",
			want: []string{"acme:notes/n.md:2: warning: line 2, column 3: U+200B, zero width space (text-zero-width)"},
		},
		{
			name: "escaped in front matter", text: "---\nname: n\ndescription: \"a\\u202eb\"\n---\nText.\n",
			want: []string{`acme:notes/n.md:3: error: character 2 of the value of "description": U+202E, right-to-left override (text-hidden)`},
		},
		{name: "no escape at all", text: "---\ndescription: a\\u202eb\n---\nC:\\users\n"},
		{
			name: "in JSON", file: "notes/n.json", text: "{\n  \"a\": [\"x\", \"ü\u202ey\"]\n}\n",
			want: []string{"acme:notes/n.json:2: error: line 2, column 16: U+202E, right-to-left override (text-hidden)"},
		},
		{
			name: "escaped in JSON", file: "notes/n.json", text: "{\n  \"a\": [\"x\",\n \"ü\\u200b\\udb40\\udc41\"], \"b\\u2060\": 1\n}\n",
			want: []string{
				`acme:notes/n.json:3: error: character 3 of the value of "a": U+E0041, a tag character of those that spell "A" (text-hidden)`,
				`acme:notes/n.json:3: warning: character 2 of the value of "a": U+200B, zero width space; 1 more, in all U+200B, U+2060 (text-zero-width)`,
			},
		},
		{
			name: "escaped in a key of TOML", file: "notes/n.toml", text: "x = 1\n\"a\\U000E0041\" = 2\n",
			want: []string{`acme:notes/n.toml:2: error: character 2 of the key "a\U000e0041": U+E0041, a tag character of those that spell "A" (text-hidden)`},
		},
		{
			name: "as it is and escaped", file: "notes/n.json", text: `{"a": "` + "\u202e" + `", "b": "\u202d\u200b"}`,
			want: []string{
				"acme:notes/n.json:1: error: line 1, column 8: U+202E, right-to-left override (text-hidden)",
				`acme:notes/n.json:1: warning: character 2 of the value of "b": U+200B, zero width space (text-zero-width)`,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.file == "" {
				c.file = "notes/n.md"
			}
			f := noteOf(t, c.file, c.text)
			got := told(f)
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			refused := len(c.want) > 0 && strings.Contains(c.want[0], discover.TextHidden.Code)
			if f.Broken != refused {
				t.Errorf("Broken: got %v with %v, want %v", f.Broken, f.Document.Findings, refused)
			}
		})
	}
}

// TestHiddenTextInNode wants a node that a format has laid to be looked at as a
// file is, and nothing else of its file.
func TestHiddenTextInNode(t *testing.T) {
	const text = "{\n  \"name\": \"a\u202e\",\n  \"servers\": {\n    \"s\": {\"args\": [\"x\", \"--y=\u2069\u200b\"]}\n  }\n}\n"
	whole, findings := doc.JSON(ext.Origin{Path: "plugin.json"}, []byte(text))
	if findings.Failed() {
		t.Fatal(findings)
	}
	for _, c := range []struct {
		name string
		node *ext.Doc
		want []string
	}{
		{"the servers", whole.Get("servers"), []string{
			`acme:plugin.json:4: error: character 5 of the value of "args": U+2069, pop directional isolate (text-hidden)`,
			`acme:plugin.json:4: warning: character 6 of the value of "args": U+200B, zero width space (text-zero-width)`,
		}},
		{"the name alone", whole.Get("name"), []string{"acme:plugin.json:2: error: character 2 of its text: U+202E, right-to-left override (text-hidden)"}},
		{"nothing hidden", &ext.Doc{Kind: ext.String, Text: "a", Line: 1}, nil},
		{"no line", &ext.Doc{Kind: ext.String, Text: "\u202d"}, []string{"acme:plugin.json:1: error: character 1 of its text: U+202D, left-to-right override (text-hidden)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := noteIn(t, ext.Place{Path: "notes/n.md", File: "plugin.json", Doc: c.node}, nil)
			if got := told(f); strings.Join(got, "\n") != strings.Join(c.want, "\n") || f.Broken != (len(c.want) > 0) {
				t.Errorf("got broken %v and\n%s\nwant\n%s", f.Broken, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// TestHiddenTextSeams wants a character to be found wherever it lies, since
// most of a text is passed several bytes at a time.
func TestHiddenTextSeams(t *testing.T) {
	for before := range 20 {
		for _, sign := range []string{"\u202e", tags("x"), "\u200b"} {
			for _, filling := range []string{"a", "ä", "部"} {
				text := strings.Repeat(filling, before) + sign + "end"
				want := fmt.Sprintf("line 1, column %d:", before+1)
				if got := told(noteOf(t, "notes/n.md", text)); len(got) != 1 || !strings.Contains(got[0], want) {
					t.Fatalf("%d of %q, then %q: got %q, want one finding at %s", before, filling, sign, got, want)
				}
			}
		}
	}
}

// TestHiddenTextBounded wants the work to grow with the length of a text alone:
// each of these would take minutes otherwise.
func TestHiddenTextBounded(t *testing.T) {
	const size = 1 << 20
	marks := "م" + strings.Repeat("\u0650", 60_000)
	for name, text := range map[string]string{
		"joiners":           strings.Repeat("\u200d", size/3),
		"marks and joiners": strings.Repeat(marks+"\u200c", size/len(marks)-1),
		"marks alone":       "x" + strings.Repeat("\u0301", size/2-4) + "\u200d",
		"tags":              strings.Repeat("\U000E0041", size/4),
		"lines":             strings.Repeat("\n", size-3) + "\u202e",
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			told(noteOf(t, "notes/n.md", text))
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("%d bytes took %s", len(text), took)
			}
		})
	}
}
