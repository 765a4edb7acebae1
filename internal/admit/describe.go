package admit

import (
	"slices"

	"github.com/mortise-dev/mortise/ext"
)

// described decides about a tree that describes something: it follows what it
// describes. It needs no trust and no grant of its own, but that what defines its
// entries was approved, and a fault in one of them, code or not, refuses that entry
// alone: what else a server offers is no worse for it.
//
// A description of what is not declared any more, or is declared otherwise, is
// no part of the outcome.
func (r *review) described(of *Contribution, by *Decision) {
	r.status = Outdated
	if of == nil || of.Digest != r.tree.Describes.Declaration {
		return
	}
	r.prepare()
	r.tree.Origin.Trust, r.tree.Own, r.tree.Root = by.tree.Origin.Trust, by.tree.Own, by.tree.Root
	for i := range r.contributions {
		r.follow(&r.contributions[i], of)
	}
	r.findings = placed(r.findings, of.Origin)
	switch r.status, r.reason = Admitted, ""; of.Status {
	case EntryRefused:
		r.status, r.reason = Refused, of.Reason
	case EntryDisabled:
		r.status, r.reason = Disabled, of.Reason
	case EntryPending, Unasked:
		r.status, r.reason = Pending, of.Reason
	case Active:
		if r.failed {
			r.status, r.reason = Refused, "at fault"
		}
	}
}

// follow decides about one entry of a description.
func (r *review) follow(c, of *Contribution) {
	c.Origin = of.Origin // where a person can look
	c.Findings = placed(c.Findings, of.Origin)
	switch s, off := r.switchedOff(c); {
	case c.Status == EntryRefused:
	case c.Findings.Failed():
		c.Status, c.Reason = EntryRefused, "at fault"
	case of.Status != Active:
		c.Status, c.Reason = of.Status, of.Reason
	case off:
		c.Status, c.Reason = EntryDisabled, disabled(s)
	}
}

// placed are findings as ones about what is declared at o.
func placed(fs ext.Findings, o ext.Origin) ext.Findings {
	out := slices.Clone(fs)
	for i := range out {
		out[i].Origin = o
	}
	return out
}

// entry is a key for the entries of all trees.
type entry struct {
	extension     ext.Name
	surface, name string
}

// describe decides about the trees that describe something, once all others are
// decided about.
func describe(ds []Decision, rules *Rules) {
	var waiting []int
	for i := range ds {
		if ds[i].tree.Describes != nil {
			waiting = append(waiting, i)
		}
	}
	if len(waiting) == 0 {
		return
	}
	type at struct{ decision, contribution int }
	where := map[entry]at{}
	for i := range ds {
		for j := range ds[i].contributions {
			c := &ds[i].contributions[j]
			if k := (entry{ds[i].tree.Extension, c.Spec.Name, c.Name}); c.Spec.Runs {
				if _, taken := where[k]; !taken {
					where[k] = at{i, j}
				}
			}
		}
	}
	for _, i := range waiting {
		r := &review{Decision: ds[i], rules: rules}
		d := r.tree.Describes
		if w, ok := where[entry{r.tree.Extension, d.Surface, d.Entry}]; ok {
			r.described(&ds[w.decision].contributions[w.contribution], &ds[w.decision])
		} else {
			r.described(nil, nil)
		}
		ds[i] = r.Decision
	}
	shadow(ds, rules)
	pin(ds, rules)
}
