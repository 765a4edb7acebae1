package cli

import (
	"github.com/mortise-dev/mortise/internal/config"
)

// style is the fixed colour scheme: a few codes that every terminal knows. The
// terminal is never asked anything. The zero style has no colours.
type style struct{ on bool }

func (s style) paint(code, text string) string {
	if !s.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(text string) string   { return s.paint("1", text) }
func (s style) dim(text string) string    { return s.paint("2", text) }
func (s style) red(text string) string    { return s.paint("31", text) }
func (s style) green(text string) string  { return s.paint("32", text) }
func (s style) yellow(text string) string { return s.paint("33", text) }
func (s style) cyan(text string) string   { return s.paint("36", text) }

// status paints a word of a status.
func (s style) status(word string) string {
	switch word {
	case "admitted", "active":
		return s.green(word)
	case "refused":
		return s.red(word)
	case "disabled", "hidden":
		return s.dim(word)
	}
	return s.yellow(word)
}

// severity paints the word of a severity.
func (s style) severity(word string) string {
	switch word {
	case "error":
		return s.red(word)
	case "warning":
		return s.yellow(word)
	}
	return s.cyan(word)
}

// colors are the values of --color.
var colors = []string{"auto", "always", "never"}

// style decides about colours: the flag, then NO_COLOR, then the configuration,
// which is nil where there is none to ask.
func (c *call) style(cfg *config.Config) style {
	when := c.color
	switch {
	case when != "":
	case c.getenv("NO_COLOR") != "":
		when = "never"
	case cfg != nil:
		when = cfg.Output.Color
	}
	switch when {
	case "always":
		return style{true}
	case "never":
		return style{}
	}
	return style{c.Terminal && c.getenv("TERM") != "dumb"}
}
