package admit

import (
	"github.com/mortise-dev/mortise/ext"
)

// OfWorkspace reports whether a tree comes with the workspace, so that its
// person's adoption decides about it: neither built in nor named by the
// person's own configuration.
func OfWorkspace(t ext.Tree) bool { return t.Origin.Trust < ext.Builtin && !t.Own }

// Effect is one thing that runs, connects or guards.
type Effect struct {
	Surface   string
	Extension ext.Name
	Name      string
	Origin    ext.Origin
	Detail    string // what it is, in words: a command line, an address
	Digest    ext.Digest
}

// consenting is a value that says what a person consents to who lets it run.
type consenting interface{ Consents() string }

// effectOf is the effect of a contribution. Its detail is what would happen, and
// not what its author says of it.
func effectOf(x ext.Name, c *Contribution) Effect {
	e := Effect{Surface: c.Spec.Name, Extension: x, Name: c.Name, Origin: c.Origin, Digest: c.Digest}
	switch v := c.Value.(type) {
	case consenting:
		e.Detail = v.Consents()
	case referring:
		e.Detail = v.Refers().String()
	}
	if c.Findings.Failed() {
		e.Detail = "(refused as it is)"
	}
	return e
}

// Key identifies the effect with its content: equal keys, the same consent.
func (e Effect) Key() ext.Digest {
	return ext.NewHash("effect").Text(e.Surface, string(e.Extension), e.Name, e.Origin.Path).Digest(e.Digest).Sum()
}

// Effects are everything of the workspace among decisions that runs, connects
// or guards, the code it names included: what a person who adopts the workspace
// consents to beside its text. Text that changes leaves them as they are.
func Effects(ds []Decision) []Effect {
	var out []Effect
	for i := range ds {
		d := &ds[i]
		if !OfWorkspace(d.Tree()) || d.Tree().Describes != nil {
			continue
		}
		for j := range d.contributions {
			if c := &d.contributions[j]; c.Spec.Runs || c.Spec.Guards {
				out = append(out, effectOf(d.Tree().Extension, c))
			}
		}
	}
	return out
}

// Consents are the grants that a person gives with an adoption: to the code of
// each plugin, the workspace's and their own, as its whole tree is now. A tree
// whose content could not be told is granted nothing.
func Consents(ds []Decision) []Consent {
	var out []Consent
	for i := range ds {
		d := &ds[i]
		if t := d.Tree(); t.Origin.Trust != ext.Plugin || t.Describes != nil || d.Content() == (ext.Digest{}) {
			continue
		}
		for j := range d.contributions {
			if d.contributions[j].Spec.Runs {
				out = append(out, Consent{Kind: GrantCode, Subject: string(d.Tree().Extension), Digest: d.Content()})
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
