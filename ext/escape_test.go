package ext_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
)

func TestEscape(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain text", "plain text"},
		{"部署 Grüße 😀", "部署 Grüße 😀"},
		{"a\nb\tc\r", `a\nb\tc\r`},
		{"\x1b[31mred", `\x1b[31mred`},
		{`back\slash`, `back\\slash`},
		{"\xff\xfe", `\xff\xfe`},
		{"right\u202eleft", `right\u202eleft`},
		{"zero\u200bwidth", `zero\u200bwidth`},
		{"tag\U000e0041", `tag\U000e0041`},
		{"line\u2028end", `line\u2028end`},
		{"\ufffd", "\ufffd"},
	} {
		if got := ext.Escape(c.in); got != c.want {
			t.Errorf("Escape(%q): got %q, want %q", c.in, got, c.want)
		}
	}
	if got := ext.EscapeText("a\r\n\tb\x1b\n"); got != "a\n\tb\\x1b\n" {
		t.Errorf("EscapeText: got %q, want lines and tabs kept and the rest escaped", got)
	}
	if got := ext.Quote(`say "hi"` + "\n"); got != `"say \"hi\"\n"` {
		t.Errorf("Quote: got %s", got)
	}
}

// TestEscapeAny wants whatever is escaped to be valid text of one line that
// shows all of itself, and different texts to stay different.
func TestEscapeAny(t *testing.T) {
	text := rapid.Custom(func(r *rapid.T) string {
		if rapid.Bool().Draw(r, "bytes") {
			return string(rapid.SliceOf(rapid.Byte()).Draw(r, "text"))
		}
		return rapid.String().Draw(r, "text")
	})
	rapid.Check(t, func(r *rapid.T) {
		a, b := text.Draw(r, "a"), text.Draw(r, "b")
		got := ext.Escape(a)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, ext.Hidden) {
			r.Fatalf("Escape(%q): got %q, want text that shows", a, got)
		}
		if a != b && got == ext.Escape(b) {
			r.Fatalf("Escape(%q) and Escape(%q) are both %q, want two", a, b, got)
		}
	})
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"", 3, ""}, {"äöü", 3, "äöü"}, {"äöüß", 3, "äö…"}, {"ab", 1, "…"},
	} {
		if got := ext.Shorten(c.in, c.n); got != c.want {
			t.Errorf("Shorten(%q, %d): got %q, want %q", c.in, c.n, got, c.want)
		}
	}
}
