package admit

import (
	"github.com/mortise-dev/mortise/ext"
)

// Effects is the digest of everything among decisions that runs, connects or
// guards: what a person who adopts a workspace consents to beside its text.
// Text that changes leaves it as it is.
func Effects(ds []Decision) ext.Digest {
	h := ext.NewHash("effects")
	for i := range ds {
		d := &ds[i]
		if d.Tree().Origin.Trust == ext.Builtin {
			continue
		}
		for j := range d.contributions {
			c := &d.contributions[j]
			if c.Spec.Runs {
				h.Text(c.Spec.Name, string(d.Tree().Extension), c.Name, c.Origin.Path).Digest(c.Digest)
			}
		}
	}
	return h.Sum()
}
