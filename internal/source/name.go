package source

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// NameOf is what an extension that nobody named goes by: what it calls itself,
// else what its directory's name can be made into. It is never a name that
// the host reserves.
func NameOf(label, dir string) ext.Name {
	if n, err := ext.ParseName(label); err == nil && !slices.Contains(ext.Reserved, n) {
		return n
	}
	var b strings.Builder
	for _, r := range strings.ToLower(filepath.Base(dir)) {
		ok := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		if !ok {
			r = '-'
		}
		if r != '-' || b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
			b.WriteRune(r)
		}
	}
	name := strings.Trim(b.String(), "-")
	if len(name) > ext.MaxName {
		name = strings.Trim(name[:ext.MaxName], "-")
	}
	if slices.Contains(ext.Reserved, ext.Name(name)) {
		name += "-files" // ".mortise" is no extension of the host's
	}
	if n, err := ext.ParseName(name); err == nil {
		return n
	}
	return "unnamed"
}
