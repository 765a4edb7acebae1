package doc

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

func TestYAML(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", `null@1`},
		{"only a comment", "\n# hi\n", `null@1`},
		{"spelling", "a: yes\nb: 1.10\nc: 2024-01-01\nd: 0x1F\ne: 1_000\nf: 0777\ng: True\nh: +.inf\ni: 1:30\nj: 1e3\nk: 1.\nl: .\nm: 0o17\nn: '1'\n",
			`{a@1="yes"@1 b@2=1.10@2 c@3="2024-01-01"@3 d@4=0x1F@4 e@5="1_000"@5 f@6=0777@6 g@7=!True@7 h@8=+.inf@8 i@9="1:30"@9 j@10=1e3@10 k@11=1.@11 l@12="."@12 m@13=0o17@13 n@14="1"@14}@1`},
		{"nulls", "a:\nb: ~\nc: null\nd: ''\n", `{a@1=null@1 b@2=null@2 c@3=null@3 d@4=""@4}@1`},
		{"blocks", "a: |\n  x\n   y\nb: >-\n  p\n  q\nc: [1,\n  x]\n", `{a@1="x\n y\n"@1 b@4="p q"@4 c@7=[1@7 "x"@8]@7}@1`},
		{"CRLF", "a: |\r\n  x\r\n  y\r\nb: 1\r\n", `{a@1="x\ny\n"@1 b@4=1@4}@1`},
		{"lone CR", "a: |\r  x\r  y\rb: 1\r", `{a@1="x\ny\n"@1 b@4=1@4}@1`},
		{"keys keep their spelling", "1.0: a\n~: b\nyes: c\ntrue: d\n", `{1.0@1="a"@1 ~@2="b"@2 yes@3="c"@3 true@4="d"@4}@1`},
		{"line separators end no line", "a: \"x\u2028y\"\nb: 1\n", `{a@1="x\u2028y"@1 b@2=1@2}@1`},
		{"document start", "---\na: 1\n...\n", `{a@2=1@2}@2`},
		{"byte order mark", "\ufeffa: 1\n", `bom@1 {a@1=1@1}@1`},

		{"tags", "a: !!str 1\nb: ! 2\nc: !!int \"3\"\nd: !!bool yes\n", `{a@1="1"@1 b@2="2"@2 c@3=3@3 d@4="yes"@4}@1`},
		{"foreign tags", "a: !!python/object:os.system 1\nb: !env X\n", `yaml-tag@1 yaml-tag@2 {a@1="1"@1 b@2="X"@2}@1`},
		{"foreign tag on a list", "a: !x\n- 1\n", `yaml-tag@1 {a@1=[1@2]@1}@1`},

		{"alias", "a: &x\n  k: 1\nb: *x\nc: [*x]\n", `{a@1={k@2=1@2}@1 b@3={k@2=1@2}@1 c@4=[{k@2=1@2}@1]@4}@1`},
		{"alias as a key", "a: &x k\n*x : 1\n", `{a@1="k"@1 k@2=1@2}@1`},
		{"alias of itself", "a: &x [*x]\n", `yaml-alias-limit@1`},
		{"alias of nothing", "a: 1\nb: *.ts\n", `yaml-syntax@2`},
		{"merge", "a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  l: 3\n", `{a@1={k@1=1@1 l@1=2@1}@1 b@2={l@4=3@4 k@1=1@1}@3}@1`},
		{"merge of several", "b:\n  <<: [{k: 1}, {k: 2, l: 3}]\n", `{b@1={k@2=1@2 l@2=3@2}@2}@1`},
		{"merge of text", "b:\n  <<: x\n", `yaml-syntax@2`},
		{"merge twice", "<<: {a: 1}\n<<: {b: 1}\n", `{<<@2={b@2=1@2}@2 a@1=1@1}@1`},

		{"duplicates", "a: 1\nb: 2\na: 3\nb: 4\n", `yaml-duplicate-key@3 yaml-duplicate-key@4`},
		{"a key that is a mapping", "a: 1\nb: {{x}}\n", `yaml-key@2`},
		{"a key that is a list", "? [a]\n: 1\n", `yaml-key@1`},
		{"two documents", "a: 1\n---\nb: 2\n", `yaml-multiple-documents@2`},
		{"unquoted colon", "a: 1\nb: x: y\n", `yaml-syntax@2`},
		{"at sign", "a: 1\nb: @x\n", `yaml-syntax@2`},
		{"tab", "a:\n\tb: 1\n", `yaml-syntax@2`},
		{"open quote", "a: 1\nb: 'x\n\n", `yaml-syntax@2`},
		{"control character", "a: 1\nb: \x01\n", `yaml-syntax@2`},
		{"fault after line separators", "a: \"\u2028\u2028\"\nb: x: y\n", `yaml-syntax@2`},
		{"NUL", "a: 1\n\x00", `nul-byte@2`},
		{"not UTF-8", "a: 1\nb: \xff", `not-utf8@2`},

		{"deepest", strings.Repeat("[", 64) + strings.Repeat("]", 64), ``},
		{"too deep in flow", strings.Repeat("[", 65) + strings.Repeat("]", 65), `nesting-limit@1`},
		{"too deep in blocks", strings.Repeat("- ", 65) + "x", `nesting-limit@1`},
		{"too deep in both", strings.Repeat("- ", 40) + strings.Repeat("[", 40) + strings.Repeat("]", 40), `nesting-limit@1`},
		{"much too deep", strings.Repeat("[", MaxYAML/2), `nesting-limit@1`},
		{"many complex keys", strings.Repeat("? ", MaxYAML/2), `nesting-limit@1`},
		{"too large", strings.Repeat("#", MaxYAML+1), `yaml-too-large@1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, fs := YAML(here, []byte(c.in), 1)
			sound(t, d, fs, 1, 1+breaks([]byte(c.in)))
			if got := result(d, fs); got != c.want && !(c.want == "" && !fs.Failed()) {
				t.Errorf("YAML(%.60q):\ngot  %s\nwant %s", c.in, got, c.want)
			}
			_, later := YAML(here, []byte(c.in), 11)
			for i, f := range later {
				if f.Origin.Line != fs[i].Origin.Line+10 {
					t.Errorf("YAML(%.60q) from line 11: finding on line %d, want %d", c.in, f.Origin.Line, fs[i].Origin.Line+10)
				}
			}
		})
	}
}

// TestYAMLRepeated wants the first of each key to count, on every level, each
// other to be told, and text in which nothing is repeated to read as ever.
func TestYAMLRepeated(t *testing.T) {
	again := &ext.Check{Code: "again", Severity: ext.Warning, Doc: "A key is repeated.", Fix: "Keep one."}
	for _, c := range []struct{ name, in, want string }{
		{"nothing is repeated", "a: 1\nb: [x]\n", `{a@1=1@1 b@2=["x"@2]@2}@1`},
		{"repeated", "a: 1\nb: 2\na: 3\nb: 4\n", `again@3 again@4 {a@1=1@1 b@2=2@2}@1`},
		{"repeated below", "m:\n  os: a\n  os:\n    x: 1\n    x: 2\n", `again@3 again@5 {m@1={os@2="a"@2}@2}@1`},
		{"repeated and merged", "a: &x {k: 1, k: 2}\nb:\n  <<: *x\n", `again@1 {a@1={k@1=1@1}@1 b@2={k@1=1@1}@3}@1`},
		{"syntax", "a: 1\na: 2\nb: c: d\n", `yaml-syntax@3`},
		{"too many", strings.Repeat("a: 1\n", 30), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, fs := YAMLRepeated(here, []byte(c.in), 1, again)
			sound(t, d, fs, 1, 1+breaks([]byte(c.in)))
			if got := result(d, fs); got != c.want && !(c.want == "" && fs.Failed()) {
				t.Errorf("YAMLRepeated(%.60q):\ngot  %s\nwant %s", c.in, got, c.want)
			}
		})
	}
	_, fs := YAMLRepeated(here, []byte("a: 1\na: 2\n"), 1, again)
	if len(fs) != 1 || fs[0].Message != `key "a" is here and on line 1` || fs[0].Fix() != "Keep one of the two; the one on line 1 counts now." {
		t.Errorf("got %v, fix %q", fs, fs[0].Fix())
	}
}

func TestYAMLMessages(t *testing.T) {
	for _, c := range []struct{ name, in, want, fix string }{
		{"unquoted colon", "description: Runs checks. Flags: --all\n",
			`mapping values are not allowed in this context: "description: Runs checks. Flags: --all"`,
			`Put the value of "description" in quotes: it holds a colon followed by a space.`},
		{"glob", "globs: *.ts\n", `unknown anchor '.ts' referenced: "globs: *.ts"`,
			`Put the value of "globs" in quotes: it begins with "*", which has a meaning in YAML.`},
		{"at sign", "by: @me\n", `while scanning for the next token: found character that cannot start any token: "by: @me"`,
			`Put the value of "by" in quotes: it begins with "@", which has a meaning in YAML.`},
		{"long line", "a: b: " + strings.Repeat("c", 200) + "\n",
			`mapping values are not allowed in this context: "a: b: ` + strings.Repeat("c", 73) + `…"`, `Put the value of "a" in quotes`},
		{"escape sequence", "a: b: \u202e\n", `mapping values are not allowed in this context: "a: b: \u202e"`, ""},
		{"duplicate", "a: 1\na: 2\n", `key "a" is here and on line 1`, YAMLDuplicateKey.Fix},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, fs := YAML(here, []byte(c.in), 1)
			if len(fs) != 1 || fs[0].Message != c.want || !strings.HasPrefix(fs[0].Fix(), c.fix) {
				t.Errorf("YAML(%q): got %v, fix %q; want %q, fix %q", c.in, fs, fs[0].Fix(), c.want, c.fix)
			}
		})
	}
}

// A few lines that stand for a billion values are refused before they cost
// memory.
func TestYAMLBomb(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < 10; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s*a%d]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), i-1)
	}
	for name, in := range map[string]string{
		"lists":  b.String(),
		"merges": strings.ReplaceAll(strings.ReplaceAll(b.String(), "[*", "{<<: [*"), "]\n", "]}\n"),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			d, fs := YAML(here, []byte(in), 1)
			runtime.ReadMemStats(&after)
			sound(t, d, fs, 1, 1+breaks([]byte(in)))
			if !fs.Failed() {
				t.Error("got no error, want the bomb refused")
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
				t.Errorf("used %d bytes, want at most 16 MiB", used)
			}
		})
	}
}

// Tags that mean something to who asked are kept, and change nothing of what they stand at.
func TestYAMLTagged(t *testing.T) {
	d, fs := YAMLTagged(here, []byte("a: !reset null\nb: !override [1, 'x']\nc: !override 80\nd: !override '80'\ne: !other x\n"), 1, "!reset", "!override")
	if len(fs) != 1 || fs[0].Check != YAMLTag {
		t.Fatalf("got %v, want the tag !other told", fs)
	}
	for pointer, want := range map[string]ext.Kind{
		"/a/!reset": ext.Null, "/b/!override": ext.List, "/b/!override/0": ext.Number, "/c/!override": ext.Number, "/d/!override": ext.String, "/e": ext.String,
	} {
		if at := d.At(pointer); at == nil || at.Kind != want {
			t.Errorf("at %s: got %v, want %s", pointer, at, want)
		}
	}
	if plain, _ := YAML(here, []byte("a: !reset x"), 1); plain.At("/a").Kind != ext.String {
		t.Error("YAML kept a tag that nobody asked for")
	}
}

func TestPlainKind(t *testing.T) {
	for kind, words := range map[ext.Kind]string{
		ext.Bool:   "true True TRUE false False FALSE",
		ext.Null:   "~ null Null NULL",
		ext.Number: "0 -1 +1 007 1.5 .5 1. -.5 1e3 1.5E-3 1.e+3 0x1f 0xAB 0o17 .inf -.inf +.Inf .nan .NaN .NAN",
		ext.String: "yes no on y tRUE nULL . - + 1_0 1:2 0x 0xg 0o8 0o -0x1 1e 1e+ e3 .e3 +.nan -.nan 1.2.3 0b1 2024-01-01 ١",
	} {
		for w := range strings.FieldsSeq(words) {
			if got := PlainKind(w); got != kind {
				t.Errorf("PlainKind(%q): got %s, want %s", w, got, kind)
			}
		}
	}
	if got := PlainKind(""); got != ext.Null {
		t.Errorf(`PlainKind(""): got %s, want null`, got)
	}
}

func FuzzYAML(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		d, fs := YAML(here, data, 5)
		sound(t, d, fs, 5, 5+breaks(data))
		first, told := YAMLRepeated(here, data, 5, &ext.Check{Severity: ext.Warning})
		sound(t, first, told, 5, 5+breaks(data))
		if !fs.Failed() && show(d) != show(first) {
			t.Errorf("nothing is repeated in %q, and read so that it may be it is %s, not %s", data, show(first), show(d))
		}
	})
}
