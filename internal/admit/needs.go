package admit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Checks on what extensions need of each other.
var (
	NeedUnmet = &ext.Check{
		Code: "dependency-unmet", Severity: ext.Error,
		Doc: "An extension needs another one that is not there, is refused, is disabled or waits; so it is refused, with all that need it in turn.",
		Fix: "Install what is needed (mortise plugin add), or mend, enable or approve it; or disable what needs it.",
	}
	NeedVersion = &ext.Check{
		Code: "dependency-version", Severity: ext.Error,
		Doc: "An extension needs another version of one that is there.",
		Fix: "Install a version that fits: mortise plugin update, or mortise plugin add with --ref.",
	}
	NeedCircle = &ext.Check{
		Code: "dependency-circle", Severity: ext.Error,
		Doc: "Extensions need each other in a circle; none of them can be the first, and all are refused.",
		Fix: "Remove one of the dependencies.",
	}
	NeedUnjudged = &ext.Check{
		Code: "dependency-unjudged", Severity: ext.Warning,
		Doc: "Whether an extension has the version that another needs cannot be told: one of the two is no version as semver.org has it.",
		Fix: "Have both written as semantic versions. Any version is taken until then.",
	}
)

// needs finds out which extensions have what they need.
type needs struct {
	all   map[ext.Name]*Decision
	done  map[ext.Name]bool
	stack []ext.Name
}

// require refuses the admitted that lack what they need. Who is needed is judged before
// who needs it, so that a chain is told whole.
func require(ds []Decision) {
	n := needs{all: map[ext.Name]*Decision{}, done: map[ext.Name]bool{}}
	for i := range ds {
		if d := &ds[i]; d.tree.Describes == nil && n.all[d.tree.Extension] == nil {
			n.all[d.tree.Extension] = d
		}
	}
	for i := range ds {
		if ds[i].tree.Describes == nil {
			n.judge(&ds[i])
		}
	}
}

// judge judges one extension, after those that it needs.
func (n *needs) judge(d *Decision) {
	name := d.tree.Extension
	if n.done[name] || d.status != Admitted || n.all[name] != d {
		return
	}
	n.stack = append(n.stack, name)
	for i := range d.contributions {
		c := &d.contributions[i]
		if v, ok := c.Value.(surface.Requiring); ok && c.Status == Active && !n.done[name] {
			n.need(d, c, v.Requires())
		}
	}
	n.stack = n.stack[:len(n.stack)-1]
	n.done[name] = true
}

func (n *needs) need(d *Decision, c *Contribution, want surface.Need) {
	if at := slices.Index(n.stack, want.Extension); at >= 0 {
		n.circle(n.stack[at:], c)
		return
	}
	of := n.all[want.Extension]
	if of == nil {
		d.lack(NeedUnmet, c.Origin, fmt.Sprintf("it needs %s, which is not installed", want.Extension))
		return
	}
	n.judge(of)
	if n.done[d.tree.Extension] || d.status != Admitted { // it was found to be part of a circle
		return
	}
	if of.status != Admitted {
		is := of.status.String()
		switch {
		case strings.HasPrefix(of.reason, is):
			is = of.reason
		case of.reason != "":
			is += ": " + of.reason
		}
		if of.unaccepted {
			is += ": connect what asks it (mortise hook says how)"
		}
		d.lack(NeedUnmet, c.Origin, fmt.Sprintf("it needs %s, which is %s", want.Extension, is))
		return
	}
	n.version(d, c, want, of)
}

// version judges whether what is there fits what is wanted.
func (n *needs) version(d *Decision, c *Contribution, want surface.Need, of *Decision) {
	if want.Versions == "" {
		return
	}
	has := ""
	if of.tree.Manifest != nil {
		has = of.tree.Manifest.Word("version")
	}
	wants, err := semver.NewConstraint(want.Versions)
	if err != nil {
		c.note(NeedUnjudged.At(c.Origin, "%s is no range of versions", ext.Quote(ext.Shorten(want.Versions, 80))))
		return
	}
	is, err := semver.NewVersion(has)
	if err != nil {
		c.note(NeedUnjudged.At(c.Origin, "%s does not say which version it is, and %s is needed", want.Extension, ext.Quote(ext.Shorten(want.Versions, 80))))
		return
	}
	if !wants.Check(is) {
		d.lack(NeedVersion, c.Origin, fmt.Sprintf("it needs %s of %s, and %s is there", ext.Quote(ext.Shorten(want.Versions, 80)), want.Extension, is))
	}
}

func (c *Contribution) note(f ext.Finding) { c.Findings = append(slices.Clip(c.Findings), f) }

// circle refuses all that need each other.
func (n *needs) circle(members []ext.Name, c *Contribution) {
	var names []string
	for _, m := range append(slices.Clone(members), members[0]) {
		names = append(names, string(m))
	}
	why := "it is one of a circle: " + strings.Join(names, " needs ")
	for _, m := range members {
		d := n.all[m]
		if d.status == Admitted {
			at := d.tree.Origin
			if d == n.all[members[len(members)-1]] {
				at = c.Origin
			}
			d.lack(NeedCircle, at, why)
		}
		n.done[m] = true
	}
}

// lack refuses an extension whole for what it lacks.
func (d *Decision) lack(check *ext.Check, at ext.Origin, why string) {
	d.findings = append(slices.Clip(d.findings), check.At(at, "%s", why))
	d.status, d.reason = Refused, why
	for i := range d.contributions {
		if c := &d.contributions[i]; c.Status == Active || c.Status == EntryPending {
			c.Status, c.Reason = EntryRefused, why
		}
	}
}
