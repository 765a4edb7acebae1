package host

import (
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

// Two effects of one kind and name are told apart by their content: none hides
// what became of the other.
func TestDifferencesOfOneName(t *testing.T) {
	of := func(content string) Effect {
		return Effect{Kind: "server", Name: "acme:s", Key: ext.NewHash("test").Text(content).Sum()}
	}
	for _, c := range []struct {
		name     string
		was, now []Effect
		want     []string
	}{
		{"one of two goes", []Effect{of("a"), of("b")}, []Effect{of("b")}, []string{"gone"}},
		{"a second comes", []Effect{of("a")}, []Effect{of("b"), of("a")}, []string{"new"}},
		{"one of two changes", []Effect{of("a"), of("b")}, []Effect{of("a"), of("c")}, []string{"changed"}},
		{"twice the same, once less", []Effect{of("a"), of("a")}, []Effect{of("a")}, []string{"gone"}},
		{"another order", []Effect{of("a"), of("b")}, []Effect{of("b"), of("a")}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := difference(c.was, c.now)
			if len(got) != len(c.want) {
				t.Fatalf("got %+v, want %v", got, c.want)
			}
			for i := range got {
				if got[i].Change != c.want[i] {
					t.Errorf("got %s, want %s", got[i].Change, c.want[i])
				}
			}
		})
	}
}
