package policy

import (
	"fmt"
	"strings"
)

// Consents is what a person consents to who lets p decide: what it wants, of which
// calls, and when. Who adopts a workspace sees it, and sees it go.
func (p Policy) Consents() string {
	var b strings.Builder
	verb := "denies"
	if p.Outcome == Ask {
		verb = "asks before"
	}
	fmt.Fprintf(&b, "%s calls", verb)
	for _, of := range []struct {
		what  string
		names []string
	}{{"of", p.Tools}, {"of the servers", p.Servers}, {"of the extensions", p.Extensions}} {
		if len(of.names) > 0 {
			fmt.Fprintf(&b, " %s %s", of.what, strings.Join(of.names, ", "))
		}
	}
	if p.When != "" {
		fmt.Fprintf(&b, " when %s", p.When)
	}
	return b.String()
}
