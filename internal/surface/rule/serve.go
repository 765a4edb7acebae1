package rule

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mortise-dev/mortise/ext"
)

// Words of a trigger whose meaning is known.
const (
	alwaysOn  = "always_on"
	byFiles   = "glob"
	byManual  = "manual"
	byMeaning = "model_decision"
)

// What is carried of an author's words: every agent has it before it uses any.
const (
	mostFiles       = 400  // characters of all patterns together, with what is between them
	mostWord        = 100  // of one pattern, and of a trigger
	mostDescription = 1024 // as a skill may have
)

const between = ", " // patterns

// Described is what agents are shown of the rule before they read it: that it is
// one, when it applies, and its description. It is one line of a bounded length;
// what of it does not show is escaped.
func (r Rule) Described(description string) string {
	return "Rule, applies " + r.When() + ": " + ext.Shorten(line(description), mostDescription)
}

// When says when the rule applies, for an agent that decides whether to read it,
// and for listings: on one line, what the author wrote escaped where it does not
// show, and patterns beyond a fixed length counted.
func (r Rule) When() string { return r.when(few) }

// Text is the rule as an agent is served it: its text, and above it, where it
// does not always apply, when it does, with every pattern. MIMEType is its type.
func (r Rule) Text() string {
	if r.Always {
		return r.Body
	}
	return "Applies: " + r.when(all) + ".\n\n" + r.Body
}

// when is When, with the patterns said as files says them.
func (r Rule) when(files func(patterns []string) string) string {
	switch trigger := ext.Shorten(line(r.Trigger), mostWord); {
	case r.Always:
		return "always"
	case len(r.Applies) > 0 && (r.Trigger == "" || r.Trigger == byFiles):
		return "when working on files that match " + files(r.Applies)
	case len(r.Applies) > 0:
		return "when working on files that match " + files(r.Applies) + "; trigger: " + trigger
	case r.Trigger == byManual:
		return "when a person asks for it"
	case r.Trigger == "" || r.Trigger == byMeaning:
		return "when what it is about comes up"
	default:
		return "trigger: " + trigger
	}
}

// few are the first of patterns, and how many more there are.
func few(patterns []string) string {
	said, length := make([]string, 0, len(patterns)), 0
	for i, p := range patterns {
		p = ext.Shorten(line(p), mostWord)
		if length += utf8.RuneCountInString(p) + len(between); length > mostFiles {
			return fmt.Sprintf("%s … and %d more", strings.Join(said, between), len(patterns)-i)
		}
		said = append(said, p)
	}
	return strings.Join(said, between)
}

// all are the patterns, each on one line.
func all(patterns []string) string {
	said := make([]string, len(patterns))
	for i, p := range patterns {
		said[i] = line(p)
	}
	return strings.Join(said, between)
}

// line is foreign text on one line, escaped.
func line(s string) string { return ext.Escape(strings.Join(strings.Fields(s), " ")) }

// MIMEType is the type of what Text returns.
const MIMEType = "text/markdown"
