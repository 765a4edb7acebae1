package admit

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/internal/surface"
)

// The fast way for plain names and the one for all others come to the same.
func TestLookAlike(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-zA-Z0-9_|rRnN.-]{0,12}`).Draw(t, "name")
		if got, want := lookAlike(name), looks.Replace(surface.Fold(name)); got != want {
			t.Errorf("lookAlike(%q): got %q, want %q", name, got, want)
		}
	})
	for _, c := range [][2]string{{"acme_search__find", "ACME_Search__F1nd"}, {"modern", "modem"}, {"О0o", "ooo"}, {"ｆｉｎｄ", "find"}} {
		if lookAlike(c[0]) != lookAlike(c[1]) {
			t.Errorf("%q and %q: got %q and %q, want one key", c[0], c[1], lookAlike(c[0]), lookAlike(c[1]))
		}
	}
	for _, c := range [][2]string{{"acme_search__find", "acme_search_find"}, {"get-x", "get_x"}, {"читать", "писать"}} {
		if lookAlike(c[0]) == lookAlike(c[1]) {
			t.Errorf("%q and %q: got one key, want two", c[0], c[1])
		}
	}
}
