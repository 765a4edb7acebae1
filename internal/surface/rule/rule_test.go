package rule_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/rule"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

// decode is the rule that a file holds.
func decode(t *testing.T, text string) rule.Rule {
	t.Helper()
	d := surfacetest.Read("rules/r.md", []byte(text))
	es := rule.Surface.Decode([]surface.Document{d})
	r, ok := es[0].Value.(rule.Rule)
	if !ok || es[0].Findings.Failed() {
		t.Fatalf("%q: got %T with %v, want a rule", text, es[0].Value, es[0].Findings)
	}
	return r
}

// TestServed wants an agent to be told when a rule applies that does not
// always.
func TestServed(t *testing.T) {
	for _, c := range []struct{ name, text, when, served string }{
		{"no front matter", "Be brief.\n", "always", "Be brief.\n"},
		{
			"files", "---\nglobs: ['*.go', '*.mod']\n---\nBe brief.\n", "when working on files that match *.go, *.mod",
			"Applies: when working on files that match *.go, *.mod.\n\nBe brief.\n",
		},
		{"files by their trigger", "---\ntrigger: glob\nglobs: a/**\n---\nX.\n", "when working on files that match a/**", "Applies: when working on files that match a/**.\n\nX.\n"},
		{"files and another trigger", "---\ntrigger: review\npaths: a/**\n---\nX.\n", "when working on files that match a/**; trigger: review", "Applies: when working on files that match a/**; trigger: review.\n\nX.\n"},
		{"always, and files", "---\nalwaysApply: yes\nglobs: a\n---\nX.\n", "always", "X.\n"},
		{"always by its trigger", "---\ntrigger: always_on\n---\nX.\n", "always", "X.\n"},
		{"a person", "---\ntrigger: manual\n---\nX.\n", "when a person asks for it", "Applies: when a person asks for it.\n\nX.\n"},
		{"its subject", "---\nalwaysApply: no\ndescription: Money.\n---\nX.\n", "when what it is about comes up", "Applies: when what it is about comes up.\n\nX.\n"},
		{"a word of its own", "---\ntrigger: full moon\n---\nX.\n", "trigger: full moon", "Applies: trigger: full moon.\n\nX.\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := decode(t, c.text)
			if got := r.When(); got != c.when {
				t.Errorf("When: got %q, want %q", got, c.when)
			}
			if got := r.Text(); got != c.served {
				t.Errorf("Text: got %q, want %q", got, c.served)
			}
		})
	}
}

// FuzzRule decodes any rule.
func FuzzRule(f *testing.F) {
	f.Add([]byte("---\ndescription: d\nglobs: a, b\nalwaysApply: no\ntrigger: glob\n---\nText.\n"))
	f.Add([]byte("---\npaths: [a, {b: c}]\napplyTo: '**'\n---\n"))
	f.Add([]byte("Text alone."))
	f.Fuzz(func(t *testing.T, data []byte) {
		surfacetest.Fuzz(t, rule.Surface.Spec, "rules/r.md", "", data)
	})
}
