package ext_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
)

func TestParseName(t *testing.T) {
	for _, c := range []struct {
		in string
		ok bool
	}{
		{"a", true}, {"1", true}, {"a-b.c", true}, {strings.Repeat("a", 64), true}, {"a.-b", true},
		{"", false}, {strings.Repeat("a", 65), false}, {"A", false}, {"a_b", false}, {"-a", false}, {"a-", false}, {".a", false},
		{"a.", false}, {"a--b", false}, {"a..b", false}, {"a b", false}, {"a/b", false}, {"é", false}, {"a:b", false}, {"a\n", false},
	} {
		n, err := ext.ParseName(c.in)
		if (err == nil) != c.ok || c.ok && string(n) != c.in || !c.ok && n != "" {
			t.Errorf("ParseName(%q): got %q, %v, want it accepted: %v", c.in, n, err, c.ok)
		}
		if err != nil && strings.ContainsFunc(err.Error(), ext.Hidden) {
			t.Errorf("ParseName(%q): the error holds characters that do not show: %q", c.in, err)
		}
	}
	for _, n := range ext.Reserved {
		if _, err := ext.ParseName(string(n)); err != nil {
			t.Errorf("ParseName(%q): got %v, want a reserved name to be a name", n, err)
		}
	}
}

// TestQualified wants every qualified name to come apart as it was put together.
func TestQualified(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		x := ext.Name(rapid.StringMatching(`[a-z0-9]{1,8}([.-][a-z0-9]{1,8})?`).Draw(r, "extension"))
		entry := rapid.StringN(1, 20, -1).Draw(r, "entry")
		gotX, gotEntry, ok := ext.SplitQualified(ext.Qualified(x, entry))
		if !ok || gotX != x || gotEntry != entry {
			r.Fatalf("SplitQualified(Qualified(%q, %q)): got %q, %q, %v", x, entry, gotX, gotEntry, ok)
		}
	})
	for _, s := range []string{"", "a", ":a", "a:", "A:b", "a b:c"} {
		if x, entry, ok := ext.SplitQualified(s); ok {
			t.Errorf("SplitQualified(%q): got %q, %q, want it refused", s, x, entry)
		}
	}
}
