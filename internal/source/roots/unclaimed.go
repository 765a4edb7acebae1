package roots

import (
	"path"
	"strings"

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
		if path.Base(t.Places[i].File) == "SKILL.md" {
			f.claims[path.Join(c.dir, t.Places[i].File)] = true
		}
	}
	first, n := "", 0
	f.within(c.dir, func(dir string) {
		name := path.Join(dir, "SKILL.md")
		if !f.has(dir, "SKILL.md") || f.claims[name] {
			return
		}
		if n++; n == 1 {
			first = name
		}
	})
	if n > 0 {
		o := t.Origin.At(relative(first, c.dir), 0)
		t.Findings.Add(Unclaimed.At(o, "%d skills lie where the format %s does not look", n, t.Format))
	}
}

// unlisted are the directories of a root that could not be looked into.
func (f *finder) unlisted(t *ext.Tree, c candidate) {
	if len(f.left) == 0 {
		return
	}
	f.within(c.dir, func(dir string) {
		if err := f.left[dir]; err != nil {
			t.Findings.Add(Unlisted.At(t.Origin.At(relative(dir, c.dir), 0), "%s", source.FaultOf(err, t.Origin).Message))
		}
	})
}

func relative(name, dir string) string {
	if dir == "." {
		return name
	}
	return strings.TrimPrefix(name, dir+"/")
}

// within visits the directories of a root, those of roots within it apart.
func (f *finder) within(dir string, visit func(string)) {
	visit(dir)
	for _, e := range f.dirs[dir] {
		sub := path.Join(dir, e.Name())
		if _, listed := f.dirs[sub]; listed && !f.isRoot(sub) {
			f.within(sub, visit)
		}
	}
}

// isRoot reports whether a directory was found to be a root.
func (f *finder) isRoot(dir string) bool {
	if f.roots == nil {
		f.roots = make(map[string]bool, len(f.found))
		for _, c := range f.found {
			f.roots[c.dir] = true
		}
	}
	return f.roots[dir]
}
