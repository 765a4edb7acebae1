package host

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
)

// InUse is the directory of an extension that is in use, absolute. It is none of a
// project's, none that is built in, and none that is refused, disabled or waits.
func (g *Generation) InUse(name ext.Name) (dir string, ok bool) {
	for i := range g.decisions {
		d := &g.decisions[i]
		if t := d.Tree(); t.Extension == name && t.Describes == nil && d.Status() == admit.Admitted && t.Root != "" && g.most(t) >= ext.Plugin {
			return t.Root, true
		}
	}
	return "", false
}
