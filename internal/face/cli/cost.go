package cli

import (
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/session"
)

// cost is what something takes of an agent's context, in tokens: what is
// carried, and after a + what using it adds; "" for nothing.
func cost(c session.Cost) string {
	switch {
	case c == session.Cost{}:
		return ""
	case c.Body == session.Size{}:
		return grouped(c.Catalogue.Tokens)
	}
	return grouped(c.Catalogue.Tokens) + "+" + grouped(c.Body.Tokens)
}

// tokens is cost with its unit; "" for nothing.
func tokens(c session.Cost) string {
	if s := cost(c); s != "" {
		return s + " tokens"
	}
	return ""
}

// costs is the line that says what an agent carries in total.
func (p *page) costs(l *host.Listing) {
	if l.Cost == (session.Cost{}) {
		return
	}
	carries := "An agent carries"
	if l.Pending > 0 {
		carries = "With what waits an agent would carry"
	}
	p.line("%s about %s tokens; using everything adds %s (estimated).", carries, grouped(l.Cost.Catalogue.Tokens), grouped(l.Cost.Body.Tokens))
}
