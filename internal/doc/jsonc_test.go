package doc

import (
	"bytes"
	"testing"
)

// TestJSONC wants comments and commas after the last element to change nothing:
// no value and no line.
func TestJSONC(t *testing.T) {
	const both = Comments | Commas
	for _, c := range []struct {
		name string
		lax  Lax
		in   string
		want string
	}{
		{"lines", both, "// a\n{ // b\n /* c\n */ \"a\": 1, // d\n \"b\": [2, 3,],\n}\n// e", `{a@4=1@4 b@5=[2@5 3@5]@5}@2`},
		{"CRLF", both, "// a\r\n{\"a\": 1,\r\n/* b\r\n*/}\r\n", `{a@2=1@2}@2`},
		{"lone CR", both, "// a\r{\"a\": 1, // b\r}", `{a@2=1@2}@2`},
		{"within strings", both, `{"//": "/* x */", "a\"//": ",]", "b\\": 1,}`, `{//@1="/* x */"@1 a"//@1=",]"@1 b\@1=1@1}@1`},
		{"a comment between the comma and the end", both, "[1, // a\n/* b */ ]", `[1@1]@1`},
		{"byte order mark", both, "\ufeff// a\n{}", `bom@1 {}@2`},
		{"no lax", 0, "{} // a", `json-syntax@1`},
		{"comments alone", Comments, "{\"a\": 1 /* b */\n,}", `json-syntax@2`},
		{"commas alone", Commas, "[1,]", `[1@1]@1`},
		{"commas alone, a comment", Commas, "[1,\n//\n]", `json-syntax@2`},
		{"two commas", both, "[1,,]", `json-syntax@1`},
		{"a comma and no element", both, "{\n,}", `json-syntax@2`},
		{"a comma and no value", both, "{\"a\":\n,}", `json-syntax@2`},
		{"a comment that does not end", both, "{}\n/* a\n/", `json-syntax@2`},
		{"a comment that ends where it begins", both, "{}\n/*/", `json-syntax@2`},
		{"a comment within a comment", both, "/* /* */ {} */", `json-syntax@1`},
		{"one slash", both, "[1, / 2]", `json-syntax@1`},
		{"only a comment", both, "// a", `empty-file@1`},
		{"a hash", both, "# a\n{}", `json-syntax@1`},
		{"a string that does not end", both, "[\"a // b\n]", `json-syntax@1`},
		{"NUL in a comment", both, "{}\n/* \x00", `nul-byte@2`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, fs := JSONC(here, []byte(c.in), c.lax)
			sound(t, d, fs, 1, 1+breaks([]byte(c.in)))
			if got := result(d, fs); got != c.want {
				t.Errorf("JSONC(%q):\ngot  %s\nwant %s", c.in, got, c.want)
			}
		})
	}
}

// FuzzJSONC wants what is blanked to keep every length and line, and JSON to be
// read as it is without it.
func FuzzJSONC(f *testing.F) {
	f.Add([]byte("{\"a\": 1, // b\n \"c\": [/* d */ 2,],}"))
	f.Add([]byte("\"\\\\\" /* */ // \r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		plain, open := blanked(data, Comments|Commas)
		if open < 0 && (len(plain) != len(data) || breaks(plain) != breaks(data)) {
			t.Fatalf("blanked(%q): got %q, want its length and its lines", data, plain)
		}
		d, fs := JSONC(here, data, Comments|Commas)
		sound(t, d, fs, 1, 1+breaks(data))
		strict, faults := JSON(here, data)
		if !faults.Failed() && (open >= 0 || !bytes.Equal(plain, data) || result(d, fs) != result(strict, faults)) {
			t.Fatalf("JSONC(%q): got %s, want what JSON reads: %s", data, result(d, fs), result(strict, faults))
		}
	})
}
