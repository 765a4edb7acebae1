// Package admit decides which candidates become extensions. It is a pure
// function of the candidates and the rules.
package admit

import (
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Status is what was decided about a tree.
type Status uint8

const (
	// Admitted contributes what of it is active.
	Admitted Status = iota + 1
	// Refused contributes nothing but its guards.
	Refused
	// Disabled contributes nothing: a person switched it off.
	Disabled
	// Pending contributes nothing until a person consents.
	Pending
	// Outdated describes what is not there any more, or is there otherwise. It is
	// no part of the outcome and is not listed.
	Outdated
)

var statusWords = [...]string{"", "admitted", "refused", "disabled", "pending", "outdated"}

// String is the word for s used in listings.
func (s Status) String() string { return statusWords[s] }

// EntryStatus is what was decided about one entry of a tree.
type EntryStatus uint8

const (
	// Active takes part in the composition.
	Active EntryStatus = iota + 1
	// EntryRefused is at fault, or part of a refused extension.
	EntryRefused
	// EntryDisabled was switched off by a person.
	EntryDisabled
	// EntryPending waits for a person's consent.
	EntryPending
	// Unasked is an implementation of a hook that no door of this host asks.
	Unasked
)

var entryStatusWords = [...]string{"", "active", "refused", "disabled", "pending", "unasked"}

// String is the word for s used in listings.
func (s EntryStatus) String() string { return entryStatusWords[s] }

// Contribution is one entry of a tree, decoded and judged.
type Contribution struct {
	Spec        *surface.Spec
	Name        string
	Origin      ext.Origin
	Description string
	Digest      ext.Digest
	// Defined is the digest of its definition, for what a server described: what a
	// person approves. Zero: nothing of it needs approval.
	Defined  ext.Digest
	Value    any
	Status   EntryStatus
	Reason   string // why it is not active, in a few words; "" when it is
	Findings ext.Findings
}

// Decision is what was decided about one candidate, with everything noticed.
type Decision struct {
	candidate     *discover.Candidate
	tree          ext.Tree
	status        Status
	reason        string
	contributions []Contribution
	findings      ext.Findings
	waiting       []waiting // for the approval of their definitions
	first         bool      // it is a description, the first, and counts as approved
	unaccepted    bool      // it has a guard that no door asks
}

// Tree is the tree that was decided about. One that describes something comes
// with the trust of what it describes.
func (d *Decision) Tree() ext.Tree { return d.tree }

// Digest is the candidate's.
func (d *Decision) Digest() ext.Digest { return d.candidate.Digest() }

// Content is the digest of the candidate's whole tree; zero where it was not
// asked for, or could not be told.
func (d *Decision) Content() ext.Digest { return d.candidate.Content() }

// Status is the decision.
func (d *Decision) Status() Status { return d.status }

// Reason says in a few words why the tree was not admitted; "" when it was.
func (d *Decision) Reason() string { return d.reason }

// Contributions are all entries that the tree declares, whatever their status.
func (d *Decision) Contributions() []Contribution { return d.contributions }

// Document is what a contribution of the decision was decoded from; nil when it
// could not be read.
func (d *Decision) Document(c *Contribution) *surface.Document {
	found := d.candidate.Found()
	var only *surface.Document
	for i := range found {
		f := &found[i]
		if f.Spec != c.Spec || f.Document.Origin.Path != c.Origin.Path || f.Broken {
			continue
		}
		if nameOf(f.Spec, &f.Document) == c.Name { // a file may hold several
			return &f.Document
		}
		only = &f.Document
	}
	return only
}

// Findings are those of the tree; each contribution has its own beside.
func (d *Decision) Findings() ext.Findings { return d.findings }

// Incomplete counts the entries that were refused.
func (d *Decision) Incomplete() int {
	n := 0
	for i := range d.contributions {
		if d.contributions[i].Status == EntryRefused {
			n++
		}
	}
	return n
}

// Extension is an admitted tree. Only this package can make one that
// contributes anything, so nothing unadmitted can be composed.
type Extension struct{ decision *Decision }

// Extension is the admitted extension; ok is false unless it was admitted.
func (d *Decision) Extension() (x Extension, ok bool) {
	return Extension{d}, d.status == Admitted
}

// Name is what the host calls the extension.
func (x Extension) Name() ext.Name {
	if x.decision == nil {
		return ""
	}
	return x.decision.Tree().Extension
}

// Trust is how far its source is believed.
func (x Extension) Trust() ext.Trust {
	if x.decision == nil {
		return 0
	}
	return x.decision.Tree().Origin.Trust
}

// Digest is the candidate's.
func (x Extension) Digest() ext.Digest {
	if x.decision == nil {
		return ext.Digest{}
	}
	return x.decision.Digest()
}

// Describes is the entry that the extension describes; nil for one that was
// found for itself.
func (x Extension) Describes() *ext.Described {
	if x.decision == nil {
		return nil
	}
	return x.decision.tree.Describes
}

// Active are the contributions that take part in a composition, in catalogue
// order. The zero Extension has none.
func (x Extension) Active() []Contribution {
	if x.decision == nil || x.decision.status != Admitted {
		return nil
	}
	all := x.decision.contributions
	n := 0
	for i := range all {
		if all[i].Status == Active {
			n++
		}
	}
	if n == len(all) {
		return all
	}
	active := make([]Contribution, 0, n)
	for i := range all {
		if all[i].Status == Active {
			active = append(active, all[i])
		}
	}
	return active
}

// Rules are what candidates are judged by.
type Rules struct {
	// Alone: candidates are looked at, not used. Nothing is pending, disabled or
	// unasked then.
	Alone bool
	// Adopted: the workspace's person adopted it. Until then nothing of it is
	// admitted that is not built in.
	Adopted bool
	// Whole: one refused entry refuses its extension. WholeOwn is the same for
	// extensions that do not come with the workspace.
	Whole, WholeOwn bool
	// Granted: every grant that an entry could need counts as given. It is for
	// showing what adoption would give.
	Granted bool
	// State is what is remembered: what was disabled and what was granted.
	State     *state.Snapshot // nil: nothing
	Workspace string          // the identity that State knows the workspace by
	// Off names extensions that the configuration switches off, and why.
	Off map[ext.Name]string
	// Held names extensions of the workspace, and what is built in and declared by it,
	// that wait for its person, and why,
	// although it is adopted.
	Held map[ext.Name]string
	// Consented are the effects of the workspace that its person consented to, by
	// their keys; others wait. Nil: all.
	Consented map[ext.Digest]bool
	// Asked are the questions that a connected door puts: names of hooks, and what else
	// their specs have for such (surface.Spec.Questions).
	Asked map[string]bool
	// Drivers are what can be reached in this build, each with the least trust that
	// may refer to it in a file; 0: only what something running says of itself
	// does. Nil: everything may be referred to.
	Drivers map[string]ext.Trust
	// First is the least trust of a server of which what it first says of itself
	// counts as approved. 0: no server's does.
	First ext.Trust
	// Called is what clients call a tool of a server, or of code where that is "". Nil:
	// no names are looked after.
	Called func(x ext.Name, server, tool string) string
	Now    time.Time // for grants that end
}

// Decide reviews each candidate: admitted, admitted incomplete, or not. Every
// check runs, whatever the earlier ones found.
func Decide(cs []discover.Candidate, rules Rules) []Decision {
	out := make([]Decision, len(cs))
	for i := range cs {
		r := &review{rules: &rules, Decision: Decision{candidate: &cs[i], tree: cs[i].Tree()}}
		if r.tree.Describes == nil {
			r.prepare()
			for _, step := range judging {
				step(r)
			}
		}
		out[i] = r.Decision
	}
	if !rules.Alone {
		require(out)
	}
	describe(out, &rules)
	return out
}

// Extensions are the admitted ones among decisions.
func Extensions(ds []Decision) []Extension {
	var out []Extension
	for i := range ds {
		if x, ok := ds[i].Extension(); ok {
			out = append(out, x)
		}
	}
	return out
}
