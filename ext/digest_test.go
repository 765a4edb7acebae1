package ext_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
)

// TestDigestText wants every digest to come back from its text, and no other
// text to be one.
func TestDigestText(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		want := ext.Sum(rapid.SliceOf(rapid.Byte()).Draw(r, "data"))
		text, err := want.MarshalText()
		if err != nil {
			r.Fatal(err)
		}
		var got ext.Digest
		if err := got.UnmarshalText(text); err != nil || got != want {
			r.Fatalf("UnmarshalText(%s): got %s, %v", text, got, err)
		}
	})
	var zero, got ext.Digest
	if err := got.UnmarshalText(nil); err != nil || got != zero || zero.String() != "" {
		t.Errorf("the zero digest: got %q back from %q, %v, want none", got, zero, err)
	}
	for _, bad := range []string{"sha256:", "sha256:xy", "md5:00", ext.Sum(nil).String() + "0", "SHA256" + ext.Sum(nil).String()[6:]} {
		if err := got.UnmarshalText([]byte(bad)); err == nil {
			t.Errorf("UnmarshalText(%q): got no error, want one", bad)
		}
	}
}

// TestHashFields wants no two sequences of fields to hash alike, wherever the
// bytes of one field end and those of the next begin.
func TestHashFields(t *testing.T) {
	fields := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "ab", "ba", "\x00", "\x01a"}), 0, 4)
	rapid.Check(t, func(r *rapid.T) {
		a, b := fields.Draw(r, "a"), fields.Draw(r, "b")
		same := ext.NewHash("x").Text(a...).Sum() == ext.NewHash("x").Text(b...).Sum()
		if same != slices.Equal(a, b) {
			r.Fatalf("hashes of %q and %q are equal: %v", a, b, same)
		}
	})
	if ext.NewHash("x").Text("a").Sum() == ext.NewHash("y").Text("a").Sum() {
		t.Error("hashes under two labels agree, want them to differ")
	}
	for _, n := range []int{1, 511, 16 << 10, 16<<10 + 1, 100_000} { // a long text is added piece by piece
		f := strings.Repeat("a", n)
		if ext.NewHash("x").Text("b", f, "c").Sum() != ext.NewHash("x").Bytes([]byte("b")).Bytes([]byte(f)).Bytes([]byte("c")).Sum() {
			t.Errorf("a field of %d bytes as text and as bytes: got two hashes, want one", n)
		}
	}
}
