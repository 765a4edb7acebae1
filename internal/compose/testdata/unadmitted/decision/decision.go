// Package decision decides by itself.
package decision

import "github.com/mortise-dev/mortise/internal/admit"

func decide() admit.Decision {
	return admit.Decision{status: admit.Admitted} // want: cannot refer to unexported field status in struct literal of type admit.Decision
}
