package guard

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// pattern is what of the calls a guard is asked about.
type pattern struct {
	all   bool
	of    ext.Name // the calls of this extension's tools; "" where words tell
	words []string // names of tools, "*" standing for any text
}

// everything guards every call.
var everything = pattern{all: true}

// named guards the calls of the tools of these names; none are all.
func named(words []string) pattern { return pattern{all: len(words) == 0, words: words} }

// matches reports whether a guard of this pattern is asked about a call. A tool
// goes by the name that clients call it by, by its qualified name, and by its name
// in its extension.
func (p *pattern) matches(c *Call) bool {
	if p.all || p.of != "" && p.of == c.Extension {
		return true
	}
	short := c.Qualified
	if _, after, ok := strings.Cut(c.Qualified, ":"); ok {
		short = after
	}
	for _, w := range p.words {
		if like(w, c.Tool) || like(w, c.Qualified) || like(w, short) {
			return true
		}
	}
	return false
}

// like reports whether a name is what a pattern says, "*" standing for any text.
func like(pattern, name string) bool {
	first, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == name
	}
	if !strings.HasPrefix(name, first) {
		return false
	}
	name = name[len(first):]
	for {
		part, more, wild := strings.Cut(rest, "*")
		if !wild {
			return strings.HasSuffix(name, rest)
		}
		at := strings.Index(name, part)
		if at < 0 {
			return false
		}
		name, rest = name[at+len(part):], more
	}
}
