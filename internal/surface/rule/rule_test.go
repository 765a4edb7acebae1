package rule_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
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
		{"lines and what does not show", "---\ntrigger: \"full\\nmoon\\u202e\"\nglobs: [\"a\\n\\e[31m*\"]\n---\nX.\n", `when working on files that match a \x1b[31m*; trigger: full moon\u202e`, `Applies: when working on files that match a \x1b[31m*; trigger: full moon\u202e.` + "\n\nX.\n"},
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

// TestDescribedIsBounded wants what every agent carries of a rule to be one line of
// a bounded length, however much its author wrote, and to say how much is left
// out; who reads the rule gets every pattern.
func TestDescribedIsBounded(t *testing.T) {
	var files []string
	for i := range 2500 {
		files = append(files, fmt.Sprintf("src/module%04d/**", i))
	}
	for _, c := range []struct {
		name string
		rule rule.Rule
		want string
	}{
		{"many patterns", rule.Rule{Applies: files}, "Rule, applies when working on files that match src/module0000/**, src/module0001/**, "},
		{"many short patterns", rule.Rule{Applies: strings.Split(strings.Repeat("a", 2500), "")}, "Rule, applies when working on files that match a, a, "},
		{"one long pattern", rule.Rule{Applies: []string{strings.Repeat("x", 50000)}}, "Rule, applies when working on files that match xxx"},
		{"a long trigger", rule.Rule{Trigger: strings.Repeat("moon ", 5000)}, "Rule, applies trigger: moon moon "},
		{"both", rule.Rule{Applies: files, Trigger: strings.Repeat("\x1b", 5000)}, "Rule, applies when working on files that match src/"},
	} {
		got := c.rule.Described(strings.Repeat("Text\n", 5000))
		if n := utf8.RuneCountInString(got); n > 1700 || !strings.HasPrefix(got, c.want) || strings.ContainsFunc(got, ext.Hidden) {
			t.Errorf("%s: got %d characters, %q, want one short line that begins %q", c.name, n, ext.Shorten(got, 400), c.want)
		}
		if len(c.rule.Applies) > 1 && !strings.Contains(got, " more") {
			t.Errorf("%s: got %q, want it to count what is left out", c.name, ext.Shorten(got, 600))
		}
		if text := c.rule.Text(); len(c.rule.Applies) > 1 && !strings.Contains(text, c.rule.Applies[2499]) {
			t.Errorf("%s: the text served lacks a pattern, want all of them there", c.name)
		}
	}
	r := rule.Rule{Applies: files}
	if want := "src/module0020/** … and 2479 more"; !strings.HasSuffix(r.When(), want) {
		t.Errorf("When: got %q, want it to end %q", r.When(), want)
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
