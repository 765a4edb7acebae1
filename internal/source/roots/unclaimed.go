package roots

import (
	"path"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// unclaimed counts the skills that lie in the root and are part neither of it
// nor of a root around it.
func (f *finder) unclaimed(t *ext.Tree, c candidate) {
	if t.Unread {
		return
	}
	for i := range t.Places {
		if file := t.Places[i].File; path.Base(file) == f.document {
			f.claims[join(c.path, file)] = true
		}
	}
	first, n := "", 0
	c.all(func(d *folder) {
		if !d.has(f.document) || f.claims[join(d.path, f.document)] {
			return
		}
		if n++; n == 1 {
			first = join(d.path, f.document)
		}
	}, otherRoot)
	if n > 0 {
		o := t.Origin.At(relative(first, c.path), 0)
		t.Findings.Add(Unclaimed.At(o, "%d skills lie where the format %s does not look", n, t.Format))
	}
}

// unlisted tells the directories of a root that could not be looked into.
func (f *finder) unlisted(t *ext.Tree, c candidate) {
	c.all(func(d *folder) {
		if d.err == nil {
			return
		}
		f := source.FaultOf(d.err, t.Origin.At(relative(d.path, c.path), 0))
		if !source.Unanswered(f) {
			f = Unlisted.At(f.Origin, "%s", f.Message)
		}
		t.Findings.Add(f)
	}, otherRoot)
}

func otherRoot(d *folder) bool { return d.isRoot }
