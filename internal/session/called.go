package session

import (
	"cmp"

	"github.com/mortise-dev/mortise/ext"
)

// Called is what clients call a tool of a server, by its own name, or of code where
// server is "". limit is the longest name; 0: NameLimit.
func Called(x ext.Name, server, tool string, limit int) string {
	return exposed(x, server, tool, cmp.Or(limit, NameLimit))
}
