package surface

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/mortise-dev/mortise/ext"
)

// Fold is the key under which names are compared: without case, in
// compatibility form, without characters that show nothing. Names with one key
// look alike to people and are one name to us.
func Fold(name string) string {
	ascii, lower := true, true
	for i := range len(name) {
		c := name[i]
		ascii = ascii && c < 0x80
		lower = lower && (c < 'A' || c > 'Z')
	}
	if ascii && lower {
		return name
	}
	if ascii {
		return strings.ToLower(name)
	}
	name = strings.Map(func(r rune) rune {
		if ext.Hidden(r) || unicode.Is(unicode.Mn, r) && unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		return r
	}, name)
	// Folding alone turns the upper case of some scripts into the lower and the
	// lower into the upper.
	name = strings.ToLower(cases.Fold().String(norm.NFKC.String(name)))
	return norm.NFKC.String(name)
}
