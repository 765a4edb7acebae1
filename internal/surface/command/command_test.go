package command_test

import (
	"testing"

	"github.com/mortise-dev/mortise/internal/surface/command"
)

func TestWith(t *testing.T) {
	for _, c := range []struct {
		name, body, typed, want string
		takes                   bool
	}{
		{"all of it", "Fix $ARGUMENTS, then say so.", "issue  12", "Fix issue  12, then say so.", true},
		{"twice", "$ARGUMENTS and $ARGUMENTS", "x", "x and x", true},
		{"by word", "From $2 to $1.", "a b c", "From b to a.", true},
		{"a word that was not typed", "[$1][$3]", "a b", "[a][]", true},
		{"nothing typed", "Fix $ARGUMENTS.", "", "Fix .", true},
		{"what was typed is no place itself", "$1 $ARGUMENTS", "$ARGUMENTS $2", "$ARGUMENTS $ARGUMENTS $2", true},
		{"no place", "Rest.\n\n", "now", "Rest.\n\nArguments: now\n", false},
		{"no place and nothing typed", "Rest.\n", " ", "Rest.\n", false},
		{"no place: a longer word", "$ARGUMENTS_X $10 $0 ARGUMENTS", "", "$ARGUMENTS_X $10 $0 ARGUMENTS", false},
		{"a place before a sign", "$1: $ARGUMENTS!", "a", "a: a!", true},
		{"no expansion", "$ARGUMENTS", "${1} $$ \\1 `x`", "${1} $$ \\1 `x`", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := command.Command{Body: c.body}
			if got := x.With(c.typed); got != c.want {
				t.Errorf("With(%q): got %q, want %q", c.typed, got, c.want)
			}
			if got := x.TakesArguments(); got != c.takes {
				t.Errorf("TakesArguments: got %v, want %v", got, c.takes)
			}
			if x.Body != c.body {
				t.Errorf("the text is now %q", x.Body)
			}
		})
	}
}
