// Package literal makes an extension by itself.
package literal

import "github.com/mortise-dev/mortise/internal/admit"

func extension(d *admit.Decision) admit.Extension {
	return admit.Extension{decision: d} // want: cannot refer to unexported field decision in struct literal of type admit.Extension
}
