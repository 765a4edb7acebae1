package cli

import (
	"github.com/mortise-dev/mortise/internal/host"
)

// holdings counts entries by extension and surface. Rows have a root where
// names do not tell extensions apart.
type holdings map[holding]int

type holding struct{ extension, root, surface string }

func holdingsOf(l *host.Listing) holdings {
	h := holdings{}
	for _, e := range l.Entries {
		h[holding{e.Extension, e.Root, e.Surface}]++
	}
	return h
}

// of says what an extension holds: "2 skills, 1 agent".
func (h holdings) of(x *host.ExtensionRow, c *call) string {
	var parts []string
	planned := 0 // implementations of hooks of plans: there are many kinds, and plan show tells them apart
	for _, s := range c.Specs {
		n := h[holding{x.Name, "", s.Name}]
		if x.Root != "" {
			n += h[holding{x.Name, x.Root, s.Name}]
		}
		switch {
		case s.Answers != nil:
			planned += n
		case n > 0 && s.Hook:
			parts = append(parts, decimal(uint64(n))+" "+s.Name)
		case n > 0:
			parts = append(parts, count(n, s.Name))
		}
	}
	if planned > 0 {
		parts = append(parts, count(planned, "hook"))
	}
	if len(parts) == 0 {
		return "no entries"
	}
	return join(parts)
}
