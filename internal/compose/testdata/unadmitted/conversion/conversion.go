// Package conversion turns something that looks alike into an extension.
package conversion

import "github.com/mortise-dev/mortise/internal/admit"

type alike struct{ decision *admit.Decision }

func extension(d *admit.Decision) admit.Extension {
	return admit.Extension(alike{d}) // want: cannot convert alike{…} (value of struct type alike) to type admit.Extension
}
