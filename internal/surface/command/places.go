package command

import (
	"strings"

	"github.com/mortise-dev/mortise/internal/pattern"
	"github.com/mortise-dev/mortise/internal/surface"
)

// places are where a command's text takes what is typed after its name, and
// wholes are the same in a command that is kept in TOML.
var (
	places = pattern.New(`\$(ARGUMENTS|[1-9])\b`)
	wholes = pattern.New(`\{\{args\}\}`)
)

func (c *Command) places() *pattern.Pattern {
	if c.Dialect == surface.DialectTOML {
		return wholes
	}
	return places
}

// TakesArguments reports whether the text has a place for what is typed after
// the command's name.
func (c *Command) TakesArguments() bool { return c.places().MatchString(c.Body) }

// With is the text with what was typed in its places: $ARGUMENTS, or {{args}} in
// a command that is kept in TOML, is all of it; $1 to $9 are its words. Where it
// has no place, what was typed follows it.
func (c *Command) With(typed string) string {
	if !c.TakesArguments() {
		if strings.TrimSpace(typed) == "" {
			return c.Body
		}
		return strings.TrimRight(c.Body, "\n") + "\n\nArguments: " + typed + "\n"
	}
	words := strings.Fields(typed)
	return c.places().ReplaceAllStringFunc(c.Body, func(place string) string {
		if c.Dialect == surface.DialectTOML || place == "$ARGUMENTS" {
			return typed
		}
		if n := int(place[1] - '0'); n <= len(words) {
			return words[n-1]
		}
		return ""
	})
}
