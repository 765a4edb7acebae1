package config

import (
	"slices"
	"testing"
)

// TestSources wants a workspace to be able to block, and to do nothing else: it neither
// allows, nor changes a rule of its person's.
func TestSources(t *testing.T) {
	c, findings := lay(t, map[string]string{
		"home/config.toml": `
[sources.team]
from = "github.com/acme"
policy = "allow"
signed = "commit"
signers = "./signers"
`,
		"ws/mortise.toml": `
[sources.team]
policy = "block"
signed = "note"

[sources.mine]
from = "example.org/mine"
policy = "allow"

[sources.games]
from = "*.example.org/games"
policy = "block"

[sources.nothing]
from = "example.com"
`,
	}).load(t)
	var got []string
	for _, s := range c.Sources {
		got = append(got, string(s.Name)+" "+s.From+" "+s.Policy+" "+s.Signed)
	}
	slices.Sort(got)
	want := []string{"games *.example.org/games block ", "mine example.org/mine  ", "nothing example.com  ", "team github.com/acme allow commit"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, s := range c.Sources {
		if s.Refused != (s.Name == "nothing") {
			t.Errorf("%s: got refused %v", s.Name, s.Refused)
		}
	}
	count := 0
	for _, f := range findings {
		if f.Check == Widens {
			count++
		}
	}
	if count != 3 { // both words about the person's rule, and what allows
		t.Errorf("got %d findings that something is ignored of %v, want 3", count, findings)
	}
}
