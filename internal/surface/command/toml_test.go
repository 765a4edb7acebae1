package command_test

import (
	"slices"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/command"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

// read is the entry of a command's file as a format lays it.
func read(t *testing.T, file, canonical, dialect, text string) surface.Entry[any] {
	t.Helper()
	d := surfacetest.Read(file, []byte(text))
	if d.Findings.Failed() {
		t.Fatal(d.Findings)
	}
	d.Path, d.Dialect = canonical, dialect
	return command.Surface.Decode([]surface.Document{d})[0]
}

// TestTOML wants a command that is kept in TOML to be its prompt, with one place
// for what is typed, and what its own client would run or read left as text and
// said.
func TestTOML(t *testing.T) {
	for _, c := range []struct {
		name, text, description, typed, with string
		checks                               []*ext.Check
	}{
		{
			name: "a place", text: "description = \"Fixes it.\"\nprompt = \"\"\"\nFix {{args}} and not $1.\n\"\"\"\n",
			description: "Fixes it.", typed: "a b", with: "Fix a b and not $1.\n",
		},
		{name: "no place", text: "prompt = 'Look around.'\n", description: "Look around.", typed: "now", with: "Look around.\n\nArguments: now\n"},
		{name: "dollars alone are none", text: "prompt = 'Echo $ARGUMENTS'\n", description: "Echo $ARGUMENTS", typed: "x", with: "Echo $ARGUMENTS\n\nArguments: x\n"},
		{
			name: "expansions", text: "description = 'Reviews.'\nprompt = 'Of !{git diff} and !{git log {{args}}} with @{docs/style.md}.'\n",
			description: "Reviews.", typed: "-1", with: "Of !{git diff} and !{git log -1} with @{docs/style.md}.",
			checks: []*ext.Check{command.Expansion, command.Expansion},
		},
		{name: "another key", text: "prompt = 'X'\nmodel = 'large'\n", description: "X", with: "X", checks: []*ext.Check{surface.FieldUnknown}},
		{name: "no prompt", text: "description = 'Says nothing.'\n", description: "Says nothing.", checks: []*ext.Check{surface.FieldMissing}},
		{name: "a blank prompt", text: "prompt = ' '\n", with: " ", checks: []*ext.Check{surface.FieldMissing}},
		{name: "a list", text: "prompt = ['X']\n", checks: []*ext.Check{surface.FieldType}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := read(t, "commands/git/fix.toml", "commands/git/fix.md", surface.DialectTOML, c.text)
			x, ok := e.Value.(command.Command)
			if !ok || e.Name != "git:fix" || e.Description != c.description {
				t.Fatalf("got %s, %q, %T, want git:fix, %q", e.Name, e.Description, e.Value, c.description)
			}
			if got := x.With(c.typed); got != c.with {
				t.Errorf("With(%q): got %q, want %q", c.typed, got, c.with)
			}
			if len(e.Findings) != len(c.checks) {
				t.Fatalf("found %v, want %d", e.Findings, len(c.checks))
			}
			for i, f := range e.Findings {
				if f.Check != c.checks[i] || f.Origin.Line < 1 {
					t.Errorf("found %v, want %s at a line", f, c.checks[i].Code)
				}
			}
		})
	}
}

// TestAllowedToolsSpellings wants a list, words between commas and words between
// blanks to mean the same.
func TestAllowedToolsSpellings(t *testing.T) {
	want := []string{"Read", "Bash(git add:*)", "Grep"}
	for _, spelling := range []string{
		"allowed-tools: [Read, 'Bash(git add:*)', Grep]", "allowed-tools:\n  - Read\n  - Bash(git add:*)\n  - Grep",
		"allowed-tools: Read, Bash(git add:*), Grep", "allowed-tools: Read Bash(git add:*) Grep",
	} {
		e := read(t, "commands/c.md", "commands/c.md", "", "---\n"+spelling+"\n---\nText.\n")
		x, ok := e.Value.(command.Command)
		if !ok || !slices.Equal(x.AllowedTools, want) || len(e.Findings) > 0 {
			t.Errorf("%s: got %q with %v, want %q", spelling, x.AllowedTools, e.Findings, want)
		}
	}
}

// FuzzTOML decodes any command that is kept in TOML.
func FuzzTOML(f *testing.F) {
	f.Add([]byte("description = \"d\"\nprompt = \"\"\"\n{{args}} !{x} @{y}\n\"\"\"\n"))
	f.Add([]byte("prompt = []\n[x]\ny = 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		surfacetest.Fuzz(t, command.Surface.Spec, "commands/c.toml", surface.DialectTOML, data)
	})
}
