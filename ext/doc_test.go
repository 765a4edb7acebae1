package ext_test

import (
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

func text(s string) ext.Doc { return ext.Doc{Kind: ext.String, Text: s, Line: 1} }

func TestDocAt(t *testing.T) {
	d := ext.Doc{Kind: ext.Map, Map: []ext.Pair{
		{Key: "a", Value: ext.Doc{Kind: ext.List, List: []ext.Doc{text("zero"), text("one")}}},
		{Key: "x/y~z", Value: text("escaped")},
		{Key: "", Value: text("empty")},
	}}
	for _, c := range []struct{ pointer, want string }{
		{"/a/0", "zero"}, {"/a/1", "one"}, {"/x~1y~0z", "escaped"}, {"/", "empty"},
		{"/a/2", ""}, {"/a/-", ""}, {"/a/99999999999999999999", ""}, {"/b", ""}, {"/a/0/c", ""}, {"/a/", ""},
	} {
		got := ""
		if n := d.At(c.pointer); n != nil {
			got = n.Text
		}
		if got != c.want {
			t.Errorf("At(%q): got %q, want %q", c.pointer, got, c.want)
		}
	}
	if d.At("") != &d || (*ext.Doc)(nil).At("/a") != nil || (*ext.Doc)(nil).Get("a") != nil || (*ext.Doc)(nil).Keys() != nil {
		t.Error("the empty pointer, or a nil Doc: want itself, and nothing")
	}
}

// TestDocWith wants a copy that is changed and an original that is not.
func TestDocWith(t *testing.T) {
	d := ext.Doc{Kind: ext.Map, Raw: []byte("{}"), Map: []ext.Pair{{Key: "a", Value: text("1")}}}
	before := d.Digest()
	changed, added := d.With("a", text("2")), d.With("b", text("3"))
	if d.Digest() != before || d.Get("a").Text != "1" || len(d.Map) != 1 {
		t.Errorf("With changed the original: %+v", d)
	}
	if changed.Get("a").Text != "2" || len(changed.Map) != 1 || added.Get("b").Text != "3" || changed.Raw != nil {
		t.Errorf("With: got %+v and %+v, want one changed and one added, without the bytes of the original", changed, added)
	}
}

// TestDocDigest wants the digest to see kinds, keys, order and spelling, and
// not where a node lies.
func TestDocOutline(t *testing.T) {
	raw := []byte(`{"a":{"s":"x","m":{"y":1},"l":[1]},"b":{"m":{"y":1}}}`)
	deep := ext.Doc{Kind: ext.Map, Map: []ext.Pair{{Key: "s", Value: text("x")}, {Key: "m", Value: ext.Doc{Kind: ext.Map, Map: []ext.Pair{{Key: "y", Value: text("1")}}}}, {Key: "l", Value: ext.Doc{Kind: ext.List, List: []ext.Doc{text("1")}}}}}
	d := ext.Doc{Kind: ext.Map, Raw: raw, Map: []ext.Pair{{Key: "a", Value: deep}, {Key: "b", Value: deep}}}
	o := d.Outline("a", "none")
	if a := o.Get("a"); a.Kind != ext.Map || len(a.Map) != 1 || a.Word("s") != "x" || string(o.Raw) != string(raw) {
		t.Errorf("got %+v, want the scalar of what is outlined, and all bytes", o)
	}
	if o.At("/b/m/y") == nil || d.At("/a/m/y") == nil {
		t.Error("want what is not named, and the node itself, as they were")
	}
}

func TestDocDigest(t *testing.T) {
	one := ext.Doc{Kind: ext.Map, Map: []ext.Pair{{Key: "a", Value: text("1")}, {Key: "b", Value: text("2")}}}
	moved := one
	moved.File, moved.Line = "elsewhere", 9
	if one.Digest() != moved.Digest() {
		t.Error("the same content elsewhere: got another digest, want the same")
	}
	swapped := ext.Doc{Kind: ext.Map, Map: []ext.Pair{one.Map[1], one.Map[0]}}
	number := ext.Doc{Kind: ext.Number, Text: "1"}
	if one.Digest() == swapped.Digest() {
		t.Error("keys in another order: got the same digest, want another")
	}
	if a := text("1"); a.Digest() == number.Digest() {
		t.Error("a string and a number: got the same digest, want two")
	}
}
