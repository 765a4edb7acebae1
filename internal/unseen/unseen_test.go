package unseen_test

import (
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/unseen"
)

// What shows nothing and what reorders text refuses; what writing needs is
// nothing to tell, and what has no width is doubtful and no more.
func TestHides(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "Plain, “quoted”.": false, "a\U000E0041b": true, "a\u202eb": true, "a\u2069": true,
		"a\u200bb": false, "😀\U000E0100": true, "می\u200cخواهم": false, "👩\u200d💻": false,
	} {
		if got := unseen.Hides(text); got != want {
			t.Errorf("Hides(%q): got %v, want %v", text, got, want)
		}
	}
}

// What other nodes tell is not told again: the same characters in a text on the
// same line, whatever else was made of it.
func TestBesides(t *testing.T) {
	text := func(s string, line int) ext.Doc { return ext.Doc{Kind: ext.String, Text: s, Line: line} }
	node := &ext.Doc{Kind: ext.Map, Map: []ext.Pair{
		{Key: "description", Line: 2, Value: text("a\u202e", 2)},
		{Key: "servers", Line: 3, Value: text("${A}/\u202e", 3)},
	}}
	o := ext.Origin{Path: "f.json"}
	const described = `f.json:2: error: character 2 of the value of "description": U+202E, right-to-left override (text-hidden)`
	both := strings.TrimSuffix(described, " (text-hidden)") + "; 1 more (text-hidden)"
	for _, c := range []struct {
		name  string
		other ext.Doc
		want  string
	}{
		{"nothing", text("x", 2), both},
		{"rewritten", text("${B}/\u202e", 3), described},
		{"on another line", text("${A}/\u202e", 4), both},
		{"another character", text("${A}/\u202d", 3), both},
		{"all", ext.Doc{Kind: ext.List, List: []ext.Doc{text("\u202e", 2), text("\u202e", 3)}}, ""},
	} {
		if got := lines(unseen.Besides(o, node, []*ext.Doc{&c.other})); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// verdictOf is what is told of a text: "" for nothing, else the code of the one
// check.
func verdictOf(t *testing.T, text string) string {
	t.Helper()
	found := unseen.InNode(ext.Origin{Path: "f"}, &ext.Doc{Kind: ext.String, Text: text, Line: 1})
	if len(found) > 1 {
		t.Fatalf("%q: found %v, want one finding at most", text, found)
	}
	if len(found) == 0 {
		return ""
	}
	return found[0].Check.Code
}

// Every character that shows nothing is told where nothing needs it, and is not
// where writing does.
func TestWhatIsTold(t *testing.T) {
	warn, refuse := unseen.ZeroWidth.Code, unseen.Hidden.Code
	for _, r := range []rune{
		0xAD, 0x61C, 0x115F, 0x1160, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064,
		0x206A, 0x206B, 0x206C, 0x206D, 0x206E, 0x206F, 0x3164, 0xFE00, 0xFE0F, 0xFEFF, 0xFFA0, 0xFFF9, 0xFFFA, 0xFFFB, 0x1D173, 0x1D17A,
	} {
		if got := verdictOf(t, "a"+string(r)+"b"); got != warn {
			t.Errorf("%U between letters: got %q, want %s", r, got, warn)
		}
	}
	for _, r := range []rune{0x202A, 0x202E, 0x2066, 0x2069, 0xE0000, 0xE0001, 0xE0041, 0xE007F, 0xE0080, 0xE00FF, 0xE0100, 0xE01EF, 0xE01F0, 0xE0FFF} {
		if got := verdictOf(t, "a"+string(r)+"b"); got != refuse {
			t.Errorf("%U between letters: got %q, want %s", r, got, refuse)
		}
	}
	for _, r := range []rune{'a', 0xA0, 0xAC, 0xAE, 0x61B, 0x61D, 0x1161, 0x180F, 0x200A, 0x2010, 0x2029, 0x202F, 0x205F, 0x2065, 0x2070, 0x3163, 0x3165, 0xFDFF, 0xFE10, 0xFF9F, 0xFFF8, 0xFFFC, 0x1D172, 0x1D17B, 0xDFFFF, 0xE1000} {
		if got := verdictOf(t, "a"+string(r)+"b"); got != "" {
			t.Errorf("%U, beside what is told: got %q, want nothing", r, got)
		}
	}
	for _, c := range []struct{ name, text, want string }{
		{"an emoji as text and as a picture", "❤\ufe0f ☎\ufe0e 1\ufe0f\u20e3 #\ufe0f\u20e3 ℹ\ufe0f ™\ufe0f ‼\ufe0f", ""},
		{"an ideograph", "葛\U000E0100城 辻\U000E0101 侮\ufe00", ""},
		{"signs", "0\ufe00 ∩\ufe00 、\ufe00", ""},
		{"letters of Myanmar and Phags-pa", "ဂ\ufe00 ꡖ\ufe00", ""},
		{"a selector without a base", " \ufe0f", warn},
		{"a selector at the beginning", "\ufe0f", warn},
		{"a selector after a letter", "é\ufe0f", warn},
		{"two selectors", "❤\ufe0f\ufe0f", refuse},
		{"two selectors after an ideograph", "葛\U000E0100\U000E0101", refuse},
		{"a selector of each kind", "葛\ufe00\U000E0100", refuse},
		{"a selector of ideographs after an emoji", "😀\U000E0100", refuse},
		{"a selector of ideographs after kana", "か\U000E0100", refuse},
		{"marks of direction in Hebrew", "שלום\u200f (a)\u200e!", ""},
		{"a mark in Arabic", "٣\u061c+ مرحبا", ""},
		{"marks of direction one after another", "שלום\u200f\u200e", warn},
		{"a mark far from Hebrew", "שלום" + strings.Repeat(" a", 40) + "\u200f", warn},
		{"a syllable of Hangul by its parts", "\u115f\u1161 \u1100\u1160\u11a8", ""},
		{"nothing but fillers", "\u115f\u1160", warn},
		{"a Persian word after a digit", "۲\u200cم", ""},
		{"a vowel of Mongolian", "ᠪᠠᠢᠨ\u180eᠠ", ""},
		{"the end of a text cut short", "a\xe2\x80", ""},
		{"one byte", "\xf3", ""},
	} {
		if got := verdictOf(t, c.text); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// What selectors spell is said, as what tags spell is.
func TestWhatSelectorsSpell(t *testing.T) {
	carried := "x😀"
	for _, c := range []byte("ignore\x07 all") {
		if c < 16 {
			carried += string(rune(0xFE00) + rune(c))
		} else {
			carried += string(rune(0xE0100) + rune(c) - 16)
		}
	}
	const want = `f:1: error: character 3 of its text: U+E0159, variation selector 106 of those that spell "ignore all"; 10 more, in all U+E0159, U+E0157, U+E015E, U+E015F, U+E0162, … (text-hidden)`
	if got := lines(unseen.InNode(ext.Origin{Path: "f"}, &ext.Doc{Kind: ext.String, Text: carried, Line: 1})); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A name may hold what writing needs, and nothing else that does not show.
func TestNeeded(t *testing.T) {
	for _, c := range []struct {
		text string
		at   int
		want bool
	}{
		{"👩\u200d💻", 4, true}, {"می\u200cخواهم", 4, true}, {"葛\U000E0100", 3, true}, {"❤\ufe0f", 3, true},
		{"a\u200db", 1, false}, {"a\ufe0f", 1, false}, {"😀\U000E0100", 4, false}, {"שלום\u200f", 8, false}, {"a\u202e", 1, false}, {"ab", 1, false}, {"", 0, false},
	} {
		if got := unseen.Needed(c.text, c.at); got != c.want {
			t.Errorf("Needed(%q, %d): got %v, want %v", c.text, c.at, got, c.want)
		}
	}
}

// A file is told by its bytes, and by what its escape sequences stand for; a
// node by its strings alone. Of each check there is one finding at most.
func TestInFile(t *testing.T) {
	node := &ext.Doc{Kind: ext.Map, Map: []ext.Pair{
		{Key: "a", Line: 2, Value: ext.Doc{Kind: ext.String, Text: "x\u202e", Line: 2}},
		{Key: "b\u200b", Line: 3, Value: ext.Doc{Kind: ext.List, List: []ext.Doc{{Kind: ext.String, Text: "\u202d", Line: 3}}}},
	}}
	o := ext.Origin{Path: "f.json"}
	const reversed, zero = `f.json:2: error: character 2 of the value of "a": U+202E, right-to-left override; 1 more, in all U+202E, U+202D (text-hidden)`,
		`f.json:3: warning: character 2 of the key "b\u200b": U+200B, zero width space (text-zero-width)`
	for _, c := range []struct {
		name, data string
		want       []string
	}{
		{"nothing escaped", "{}", nil},
		{"escaped", `{"a": "x\u202e"}`, []string{reversed, zero}},
		{"as it is", "\ufeff{\"a\":\n \"x\u202e\"}", []string{"f.json:2: error: line 2, column 4: U+202E, right-to-left override (text-hidden)"}},
	} {
		if got := lines(unseen.InFile(o, []byte(c.data), node)); got != strings.Join(c.want, "\n") {
			t.Errorf("InFile(%s): got\n%s\nwant\n%s", c.name, got, strings.Join(c.want, "\n"))
		}
	}
	if got := lines(unseen.InNode(o, node)); got != reversed+"\n"+zero {
		t.Errorf("InNode: got\n%s\nwant\n%s\n%s", got, reversed, zero)
	}
}

func lines(fs ext.Findings) string {
	var out []string
	for _, f := range fs {
		out = append(out, f.String())
	}
	return strings.Join(out, "\n")
}
