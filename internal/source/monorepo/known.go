package monorepo

import (
	"strings"

	"github.com/mortise-dev/mortise/internal/pysrc"
	"github.com/mortise-dev/mortise/internal/pysrc/allow"
)

// Known is what a configuration adds to the classes and decorators that are known, and to
// what Python may use: each a dotted name, or one that ends in ".*" for everything below it.
type Known struct{ Agents, Deployments, Decorators, Allowed []string }

// Names takes a text of dotted names apart, which blanks or commas separate.
func Names(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' })
}

// Index is what is shipped, and what is added.
func (k Known) Index() *pysrc.Index {
	return pysrc.Reference().With(&pysrc.Index{Agents: k.Agents, Deployments: k.Deployments, Decorators: k.Decorators})
}

// Rules are what is shipped of what Python may use, and what is added.
func (k Known) Rules() *allow.Rules {
	if len(k.Allowed) == 0 {
		return allow.Default()
	}
	return allow.Default().With(allow.Named(k.Allowed))
}
