package admit

import (
	"github.com/mortise-dev/mortise/ext"
)

// OfWorkspace reports whether a tree comes with the workspace, so that its
// person's adoption decides about it: neither built in nor named by the
// person's own configuration.
func OfWorkspace(t ext.Tree) bool { return t.Origin.Trust < ext.Builtin && !t.Own }

// Effects is the digest of everything of the workspace among decisions that
// runs, connects or guards, the code it names included: what a person who
// adopts the workspace consents to beside its text. Text that changes leaves
// it as it is.
func Effects(ds []Decision) ext.Digest {
	h := ext.NewHash("effects")
	for i := range ds {
		d := &ds[i]
		if !OfWorkspace(d.Tree()) {
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

// Consents are the grants that adopting the workspace gives: to the code of
// each of its plugins, as it is now.
func Consents(ds []Decision) []Consent {
	var out []Consent
	for i := range ds {
		d := &ds[i]
		if t := d.Tree(); !OfWorkspace(t) || t.Origin.Trust != ext.Plugin {
			continue
		}
		for j := range d.contributions {
			if d.contributions[j].Spec.Runs {
				out = append(out, Consent{Kind: GrantCode, Subject: string(d.Tree().Extension), Digest: d.Digest()})
				break
			}
		}
	}
	return out
}

// Consent is something that can be granted: what, and with which content.
type Consent struct {
	Kind, Subject string
	Digest        ext.Digest
}
