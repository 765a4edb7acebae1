package admit

import (
	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// GrantObserver is the kind of grant by which an owner declares of an implementation
// that may deny that it only watches.
const GrantObserver = "observer"

// Observing is what such a grant is bound to: the implementation as it is declared, all
// that its extension holds where that has a digest, and the workspace.
func Observing(content, tree ext.Digest, workspace string) ext.Digest {
	return ext.NewHash("observer").Digest(content, tree).Text(workspace).Sum()
}

// guards reports whether c is an implementation of a hook that may deny, and whose owner
// has not declared that it only watches.
func (r *review) guards(c *Contribution) bool {
	im, ok := c.Value.(surface.Implementation)
	if !ok || im.Role != surface.Guard {
		return false
	}
	return r.rules.State == nil || !r.rules.State.Granted(GrantObserver, ext.Qualified(r.tree.Extension, c.Name), Observing(c.Digest, r.candidate.Content(), r.rules.Workspace), r.rules.Now)
}
