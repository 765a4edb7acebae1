package doc

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
)

func TestJSON(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"scalars", `[null, true, false, "x", -1.10e3, 1E400]`, `[null@1 !true@1 !false@1 "x"@1 -1.10e3@1 1E400@1]@1`},
		{"lines", "{\n \"a\":\n  1,\n \"b\": [\n\n 2\n]}", `{a@2=1@3 b@4=[2@6]@4}@1`},
		{"CRLF", "{\r\n\"a\":\r\n1\r\n}", `{a@2=1@3}@1`},
		{"lone CR", "{\r\"a\":\r1\r}", `{a@2=1@3}@1`},
		{"begins late", "\n\n 7 \n", `7@3`},
		{"escapes", `{"\u0061\n":"\"\ud83d\ude00\\"}`, "{a\n@1=\"\\\"😀\\\\\"@1}@1"},
		{"empty containers", `{"a":{},"b":[]}`, `{a@1={}@1 b@1=[]@1}@1`},
		{"byte order mark", "\ufeff{}", `bom@1 {}@1`},

		{"nothing", "", `empty-file@1`},
		{"only blanks", " \n\t\r\n", `empty-file@1`},
		{"trailing comma", "{\n\"a\": 1,\n}", `json-syntax@2`},
		{"comment", "{\n// no\n}", `json-syntax@2`},
		{"single quotes", "{\n'a': 1}", `json-syntax@2`},
		{"name without quotes", "{a: 1}", `json-syntax@1`},
		{"leading zero", "[\n01]", `json-syntax@2`},
		{"cut off", "{\n\"a\": [1,\n\n", `json-syntax@2`},
		{"cut off in a string", "{\n\"a\": \"b", `json-syntax@2`},
		{"line feed in a string", "\n\"a\nb\"", `json-syntax@2`},
		{"lone surrogate", `"\ud800"`, `json-syntax@1`},
		{"trailing garbage", "{}\n}", `json-syntax@2`},
		{"a second value", "{}\n\n{}", `json-syntax@3`},
		{"NUL", "{}\n\x00", `nul-byte@2`},
		{"not UTF-8", "{\n\"a\": \"\xff\"}", `not-utf8@2`},

		{"duplicates", "{\"a\":1,\n\"b\":2,\n\"a\":3,\n\"\\u0061\":{\"x\":1,\"x\":2}}",
			`json-duplicate-key@3 json-duplicate-key@4 json-duplicate-key@4`},
		{"same key in two objects", `[{"a":1},{"a":1}]`, `[{a@1=1@1}@1 {a@1=1@1}@1]@1`},
		{"deepest", strings.Repeat("[", 64) + strings.Repeat("]", 64), ``},
		{"too deep", "\n" + strings.Repeat("[", 65) + strings.Repeat("]", 65), `nesting-limit@2`},
		{"much too deep", strings.Repeat(`{"a":`, 1_000_000), `nesting-limit@1`},
		{"too many", "[" + strings.Repeat("1,\n", MaxNodes) + "1]", fmt.Sprintf("node-limit@%d", MaxNodes)},
		{"many duplicates", "{" + strings.Repeat("\"a\":1,\n", 1000) + `"a":1}`, "json-duplicate-key@2 …"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, fs := JSON(here, []byte(c.in))
			sound(t, d, fs, 1, 1+breaks([]byte(c.in)))
			got := result(d, fs)
			if prefix, ok := strings.CutSuffix(c.want, "…"); ok && strings.HasPrefix(got, prefix) {
				return
			}
			if got != c.want && !(c.want == "" && !fs.Failed()) {
				t.Errorf("JSON(%.60q):\ngot  %s\nwant %s", c.in, got, c.want)
			}
		})
	}
}

func TestJSONMessages(t *testing.T) {
	for _, c := range []struct{ name, in, want, fix string }{
		{"comma", "{\"a\": 1,\n}", `invalid character ',' at start of value`, "Remove the comma: JSON has none after the last element."},
		{"comment", "{ // x\n}", `invalid character '/' at start of value`, "Remove the comment: JSON has none."},
		{"quotes", "['a']", `invalid character '\'' at start of value`, "Use double quotes: JSON has no others."},
		{"expected", `{"a" 1}`, `invalid character '1' after object name (expecting ':')`, JSONSyntax.Fix},
		{"duplicate", "{\"a\\u001b\":1,\n\"a\\u001b\":2}", `key "a\x1b" is here and on line 1`, JSONDuplicateKey.Fix},
		{"end", "[", `the file ends within a value`, "Close every string, list and object that was opened; the file may have been cut off."},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, fs := JSON(here, []byte(c.in))
			if len(fs) != 1 || fs[0].Message != c.want || fs[0].Fix() != c.fix {
				t.Errorf("JSON(%q): got %v, fix %q; want %q, fix %q", c.in, fs, fs[0].Fix(), c.want, c.fix)
			}
		})
	}
}

func TestJSONRaw(t *testing.T) {
	data := []byte("\ufeff {\"a\" : [ 1 , {\"b\":\"\\u0041\"} ] }\n")
	d, fs := JSON(here, data)
	if fs.Failed() {
		t.Fatal(fs)
	}
	for pointer, want := range map[string]string{
		"": `{"a" : [ 1 , {"b":"\u0041"} ] }`, "/a": `[ 1 , {"b":"\u0041"} ]`, "/a/0": "1", "/a/1/b": `"\u0041"`,
	} {
		got := d.At(pointer)
		if string(got.Raw) != want || cap(got.Raw) != len(got.Raw) {
			t.Errorf("Raw at %q: got %q (capacity %d), want %q", pointer, got.Raw, cap(got.Raw), want)
		}
	}
	if root := d.Raw; &root[0] != &data[4] {
		t.Error("Raw is a copy, want a part of the data")
	}
}

// accepts is what the library makes of data, within our limits.
func accepts(data []byte) bool {
	data = bytes.TrimPrefix(data, []byte(bom))
	if bytes.IndexByte(data, 0) >= 0 {
		return false
	}
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	nodes := 0
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return err == io.EOF && nodes > 0
		}
		depth := dec.StackDepth()
		kind, n := dec.StackIndex(depth)
		name := kind == jsontext.KindBeginObject && n%2 == 1
		if k := tok.Kind(); !name && k != jsontext.KindEndObject && k != jsontext.KindEndArray {
			nodes++
		}
		last := depth == 0
		if depth > MaxDepth || nodes > MaxNodes {
			return false
		}
		if last {
			_, err := dec.ReadToken()
			return err == io.EOF
		}
	}
}

func FuzzJSON(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		d, fs := JSON(here, data)
		sound(t, d, fs, 1, 1+breaks(data))
		if got, want := !fs.Failed(), accepts(data); got != want {
			t.Errorf("JSON(%q): accepted %v, want %v: %v", data, got, want, fs)
		}
		if !fs.Failed() {
			soundRaw(t, &d)
		}
	})
}

// soundRaw reads the bytes of every node again and wants the same node.
func soundRaw(t *testing.T, d *ext.Doc) {
	t.Helper()
	again, fs := JSON(here, d.Raw)
	if fs.Failed() || again.Kind != d.Kind || again.Text != d.Text || len(again.Map) != len(d.Map) || len(again.List) != len(d.List) {
		t.Errorf("Raw %q of %s reads as %s, %v", d.Raw, show(*d), show(again), fs)
	}
	for i := range d.List {
		soundRaw(t, &d.List[i])
	}
	for i := range d.Map {
		soundRaw(t, &d.Map[i].Value)
	}
}

// toolsList is like the reply of a server to tools/list: about 28 KB for 100.
func toolsList(n int) []byte {
	var b strings.Builder
	b.WriteString("{\"tools\": [\n")
	for i := range n {
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, `  {"name": "tool_%d", "description": "Reads item %d of the \"store\" and returns it.",
   "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}},
   "required": ["id"], "additionalProperties": false}, "annotations": {"readOnlyHint": true}}`, i, i)
	}
	b.WriteString("\n]}\n")
	return []byte(b.String())
}

func BenchmarkJSON(b *testing.B) {
	for _, n := range []int{1, 100} {
		data := toolsList(n)
		b.Run(fmt.Sprintf("tools=%d", n), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, fs := JSON(here, data); fs.Failed() {
					b.Fatal(fs)
				}
			}
		})
	}
}
