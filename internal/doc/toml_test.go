package doc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/mortise-dev/mortise/ext"
)

func TestTOML(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"nothing", "", `{}@1`},
		{"scalars", "a = 'x'\nb = 1_000\nc = 0x1F\nd = 1.10\ne = inf\nf = true\ng = 1979-05-27T07:32:00Z\nh = 07:32:00\ni = \"\\u0041\"\n",
			`{a@1="x"@1 b@2=1_000@2 c@3=0x1F@3 d@4=1.10@4 e@5=inf@5 f@6=!true@6 g@7="1979-05-27T07:32:00Z"@7 h@8="07:32:00"@8 i@9="A"@9}@1`},
		{"long strings", "a = '''\nx\ny'''\nb = 1\n", `{a@1="x\ny"@1 b@4=1@4}@1`},
		{"CRLF", "a = '''\r\nx\r\ny'''\r\nb = 1\r\n", `{a@1="x\ny"@1 b@4=1@4}@1`},
		{"lone CR", "a = '''\rx\ry'''\rb = 1\r", `{a@1="x\ny"@1 b@4=1@4}@1`},
		{"tables", "[a]\nx = 1\n[a.b]\ny = 2\n[c.d.e]\n", `{a@1={x@2=1@2 b@3={y@4=2@4}@3}@1 c@5={d@5={e@5={}@5}@5}@5}@1`},
		{"dotted keys", "a.b = 1\na.c.d = 2\n\"x.y\" = 3\n", `{a@1={b@1=1@1 c@2={d@2=2@2}@2}@1 x.y@3=3@3}@1`},
		{"array tables", "[[a]]\nx = 1\n[[a]]\nx = 2\n[a.b]\ny = 3\n[[a.c]]\n", `{a@1=[{x@2=1@2}@1 {x@4=2@4 b@5={y@6=3@6}@5 c@7=[{}@7]@7}@3]@1}@1`},
		{"inline tables", "a = {x = 1, y.z = 2}\n", `{a@1={x@1=1@1 y@1={z@1=2@1}@1}@1}@1`},
		{"lines within lists", "a = [ # [ {\n  1,\n  [],\n  [\n   {b = [\n\n'#']}],\n]\nc = 1\n", `{a@1=[1@2 []@3 [{b@5=["#"@7]@5}@5]@4]@1 c@9=1@9}@1`},
		{"byte order mark", "\ufeffa = 1", `bom@1 {a@1=1@1}@1`},

		{"twice", "a = 1\na = 2\n", `toml-syntax@2`},
		{"table twice", "[a]\n[b]\n[a]\n", `toml-syntax@3`},
		{"table after its parts", "[a.b]\n[a]\nc = 1\n", `{a@1={b@1={}@1 c@3=1@3}@1}@1`},
		{"header of a dotted table", "a.b = 1\n[a]\n", `toml-syntax@2`},
		{"table below a dotted one", "[a]\nb.c = 1\n[a.b.d]\n", `{a@1={b@2={c@2=1@2 d@3={}@3}@2}@1}@1`},
		{"dotted key into a table", "[a.b]\n[a]\nb.c = 1\n", `toml-syntax@3`},
		{"table of an array's name", "[[a]]\n[a]\n", `toml-syntax@2`},
		{"array of a table's name", "[a]\n[[a]]\n", `toml-syntax@2`},
		{"array of a value's name", "a = []\n[[a]]\n", `toml-syntax@2`},
		{"twice inline", "a = {b = 1,\nb = 2}\n", `toml-syntax@2`},
		{"added to inline", "a = {b = 1}\n[a.c]\n", `toml-syntax@2`},
		{"no such hour", "a = 1\nb = [1,\n25:00:00]\n", `toml-syntax@3`},
		{"number too large", "a = 1\n\nb = 99999999999999999999\n", `toml-syntax@3`},
		{"value in the way", "a = 1\n[a.b]\nc = 1\n", `toml-syntax@2`},
		{"no value", "a =\n", `toml-syntax@1`},
		{"open list", "a = 1\nb = [1,\n", `toml-syntax@2`},
		{"bare word", "a = 1\nb = yes\n", `toml-syntax@2`},
		{"no such day", "a = 2024-02-31\n", `toml-syntax@1`},
		{"NUL", "a = 1\n\x00", `nul-byte@2`},
		{"not UTF-8", "a = '\xff'", `not-utf8@1`},

		{"too deep in lists", "a = " + strings.Repeat("[", 70) + strings.Repeat("]", 70), `nesting-limit@1`},
		{"much too deep", "a = " + strings.Repeat("[", 1_000_000), `toml-syntax@1`},
		{"too deep in a key", strings.Repeat("a.", 1_000_000) + "a = 1", `nesting-limit@1`},
		{"too deep in a header", "\n[" + strings.Repeat("a.", 1_000_000) + "a]", `nesting-limit@2`},
		{"too many", "a = [\n" + strings.Repeat("1,\n", MaxNodes) + "]", fmt.Sprintf("node-limit@%d", MaxNodes-1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, fs := TOML(here, []byte(c.in))
			sound(t, d, fs, 1, 1+breaks([]byte(c.in)))
			if got := result(d, fs); got != c.want {
				t.Errorf("TOML(%.60q):\ngot  %s\nwant %s", c.in, got, c.want)
			}
		})
	}
}

func TestTOMLMessage(t *testing.T) {
	_, fs := TOML(here, []byte("a = 1\na = \"\u202e\"\n"))
	if want := `toml: key a is already defined: "a = \"\\u202e\""`; len(fs) != 1 || fs[0].Message != strings.ReplaceAll(want, `\\u`, `\u`) {
		t.Errorf("got %v, want %s", fs, want)
	}
}

func FuzzTOML(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		d, fs := TOML(here, data)
		sound(t, d, fs, 1, 1+breaks(data))
		if fs.Failed() {
			return
		}
		var want map[string]any
		if err := toml.Unmarshal(LineFeeds([]byte(strings.TrimPrefix(string(data), bom))), &want); err != nil {
			t.Fatalf("TOML(%q): accepted, want %v", data, err)
		}
		alike(t, &d, want)
	})
}

// alike wants d to have the shape of what the library decodes.
func alike(t *testing.T, d *ext.Doc, want any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		if d.Kind != ext.Map || len(d.Map) != len(want) {
			t.Fatalf("got %s, want %v", show(*d), want)
		}
		for i := range d.Map {
			v, ok := want[d.Map[i].Key]
			if !ok {
				t.Fatalf("got key %q, want none of that name", d.Map[i].Key)
			}
			alike(t, &d.Map[i].Value, v)
		}
	case []any:
		if d.Kind != ext.List || len(d.List) != len(want) {
			t.Fatalf("got %s, want %v", show(*d), want)
		}
		for i := range d.List {
			alike(t, &d.List[i], want[i])
		}
	case string:
		if d.Kind != ext.String || d.Text != want {
			t.Fatalf("got %s, want %q", show(*d), want)
		}
	case bool:
		if d.Kind != ext.Bool || d.Text != fmt.Sprint(want) {
			t.Fatalf("got %s, want %v", show(*d), want)
		}
	case int64, float64:
		if d.Kind != ext.Number {
			t.Fatalf("got %s, want %v", show(*d), want)
		}
	default: // a date or a time
		if d.Kind != ext.String {
			t.Fatalf("got %s, want %v", show(*d), want)
		}
	}
}
