package state

import (
	"slices"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// Digest is over all that a composition depends on. It depends on the records
// alone and not on their order in the lists, on the revision, or on who did
// what when; when a grant lapses does count. Where a workspace was adopted, at
// how many places, and what was shown of it do not. Neither do descriptions: what a composition
// takes from them, the candidates that they become bring along. s must be such
// that Tidy has no complaint.
func (s *Snapshot) Digest() ext.Digest {
	c := s.Clone()
	_ = c.Tidy() // what it complains about still has a digest
	h := ext.NewHash("state/1")
	hashList(h, c.Roster, func(r Installed) {
		h.Text(string(r.Name), r.Scope, r.Kind, r.Source, r.Within, r.Ref, r.Commit).Digest(r.Digest).Int(r.Order)
	})
	hashList(h, c.Switches, func(r Switch) {
		h.Text(r.Workspace, string(r.Extension), r.Entry, r.Reason)
	})
	hashList(h, slices.CompactFunc(c.Adoptions, sameEffects), func(r Adoption) { h.Text(r.Workspace).Digest(r.Digest) })
	hashList(h, c.Grants, func(r Grant) {
		h.Text(r.Kind, r.Subject, r.Until.Format(time.RFC3339Nano)).Digest(r.Digest)
	})
	hashList(h, c.Pins, func(r Pin) {
		h.Text(r.Workspace, string(r.Extension), r.Server, r.Tool).Digest(r.Digest)
	})
	hashList(h, c.Guards, func(r Guard) {
		h.Text(string(r.Extension), r.Name, r.Event, r.Matcher).Digest(r.Scope, r.Code)
	})
	hashList(h, c.Connections, func(r Connection) { h.Text(r.Workspace, r.Client, r.Event) })
	return h.Sum()
}

// sameEffects is whether a and b differ at most in where and how they came to be.
func sameEffects(a, b Adoption) bool { return a.Workspace == b.Workspace && a.Digest == b.Digest }

func hashList[T any](h *ext.Hash, list []T, add func(T)) {
	h.Int(len(list))
	for _, r := range list {
		add(r)
	}
}
