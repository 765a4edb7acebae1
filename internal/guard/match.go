package guard

import (
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface/policy"
)

// pattern is what of the calls a guard is asked about.
type pattern struct {
	all   bool
	of    ext.Name // the calls of this extension's tools; "" where words tell
	words []string // names of tools, "*" standing for any text
	// occasion, where it is not nil, is what a handler of a client's is asked about,
	// and all that tells.
	occasion *occasion
}

// everything guards every call.
var everything = pattern{all: true}

// named guards the calls of the tools of these names; none are all.
func named(words []string) pattern { return pattern{all: len(words) == 0, words: words} }

// matches reports whether a guard of this pattern is asked about a call. A tool
// goes by the name that clients call it by, by its qualified name, and by its name
// in its extension.
func (p *pattern) matches(c *Call) bool {
	if p.occasion != nil {
		return p.occasion.of(c.event())
	}
	if p.all || p.of != "" && p.of == c.Extension {
		return true
	}
	short := c.Qualified
	if _, after, ok := strings.Cut(c.Qualified, ":"); ok {
		short = after
	}
	for _, w := range p.words {
		if policy.Like(w, c.Tool) || policy.Like(w, c.Qualified) || policy.Like(w, short) {
			return true
		}
	}
	return false
}
