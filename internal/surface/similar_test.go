package surface

import "testing"

// A mistyped field is told together with the one that is missing.
func TestSimilar(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"discription", "description", true},
		{"Description", "description", true},
		{"desciptoin", "description", false}, // three letters
		{"describe", "description", false},
		{"input-schema", "inputSchema", true},
		{"ref", "ref", true},
		{"r", "ref", false},
		{"", "ref", false},
	} {
		if got := similar(c.a, c.b); got != c.want {
			t.Errorf("similar(%q, %q): got %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
