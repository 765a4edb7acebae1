package surface

import "github.com/mortise-dev/mortise/ext"

// Need is another extension that one needs.
type Need struct {
	Extension ext.Name
	Versions  string // a range of semantic versions; "" is any
	Market    string // the marketplace that offers it; "" is not said
}

// Requiring is a value that says what its extension needs.
type Requiring interface{ Requires() Need }
