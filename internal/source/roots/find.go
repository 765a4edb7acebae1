package roots

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// candidate is a folder that is a root, and whether a manifest says so.
type candidate struct {
	*folder
	manifest bool
}

// finder classifies folders that have all been listed.
type finder struct {
	formats  []source.Format
	begins   map[string]bool // what a manifest's path begins with
	names    []string        // of component folders: first that whose entries are folders
	document string          // what an entry's folder holds
	found    []candidate     // outer ones before those within
	lost     []*folder       // outside every root, and could not be looked into
	claims   map[string]bool // skills of the roots laid out so far
}

// standing is what is known of a folder before it is looked at.
type standing uint8

const (
	// open: it may be any root.
	open standing = iota
	// laid: it is a folder of entries that was laid out with its parent; what of
	// it is no entry may hold further folders.
	laid
	// claimed: it lies in a root or in a component folder, where only manifests
	// make further roots.
	claimed
)

// visit looks at a folder and at what is below. within: a root is around it.
func (f *finder) visit(d *folder, as standing, within bool) {
	components := false
	switch {
	case f.marked(d):
		f.add(d, true)
		as = claimed
	case as != open:
	case d.has(f.document):
		f.add(d, false)
		as = claimed
	case f.hasComponents(d):
		f.add(d, false)
		components = true
	case f.ofUnits(d):
		f.add(d, false)
		as = laid
	}
	if within = within || d.isRoot; !within && d.err != nil {
		f.lost = append(f.lost, d)
	}
	d.folders(func(name string, sub *folder) {
		if !f.manifestFolder(d, name) {
			f.visit(sub, f.standing(as, components, name, sub), within)
		}
	})
}

func (f *finder) add(d *folder, manifest bool) {
	d.isRoot = true
	f.found = append(f.found, candidate{d, manifest})
}

// standing is that of a folder whose parent's is as.
func (f *finder) standing(as standing, components bool, name string, d *folder) standing {
	switch {
	case as == claimed, as == laid && d.has(f.document):
		return claimed
	case components && name == f.names[0] && f.ofUnits(d):
		return laid
	case components && slices.Contains(f.names[1:], name):
		return claimed
	}
	return open
}

// errors are what was lost.
func (f *finder) errors() []error {
	out := make([]error, len(f.lost))
	for i, d := range f.lost {
		out[i] = fmt.Errorf("look into %s: %w", ext.Escape(d.path), d.err)
	}
	return out
}

// marked reports whether a manifest of some format lies in a folder.
func (f *finder) marked(d *folder) bool {
	for _, e := range d.entries {
		if f.begins[e.Name()] {
			return len(f.formatsOf(d)) > 0
		}
	}
	return false
}

// formatsOf are the formats whose manifest lies in a folder, in their order.
func (f *finder) formatsOf(d *folder) []source.Format {
	var out []source.Format
	for i := range f.formats {
		if d.hasFile(f.formats[i].Marker) {
			out = append(out, f.formats[i])
		}
	}
	return out
}

// beginnings are the first parts of the paths of manifests.
func beginnings(formats []source.Format) map[string]bool {
	m := make(map[string]bool, len(formats))
	for i := range formats {
		first, _, _ := strings.Cut(formats[i].Marker, "/")
		m[first] = true
	}
	return m
}

// manifestFolder reports whether a folder in d holds the manifest of a format,
// and so is part of the root that d is.
func (f *finder) manifestFolder(d *folder, name string) bool {
	return f.begins[name] && slices.ContainsFunc(f.formats, func(m source.Format) bool {
		return path.Dir(m.Marker) == name && d.hasFile(m.Marker)
	})
}

// ofUnits reports whether a folder holds entries that are folders themselves.
func (f *finder) ofUnits(d *folder) bool {
	return slices.ContainsFunc(d.below, func(sub *folder) bool { return sub != nil && sub.has(f.document) })
}

// hasComponents reports whether a folder has one of entries in it, or one of
// Markdown files that is named as a component's.
func (f *finder) hasComponents(d *folder) bool {
	for i, name := range f.names {
		sub := d.at(name)
		if sub != nil && (i == 0 && f.ofUnits(sub) || i > 0 && hasMarkdown(sub, 0)) {
			return true
		}
	}
	return false
}

func hasMarkdown(d *folder, depth int) bool {
	for _, e := range d.entries {
		if strings.HasSuffix(e.Name(), ".md") && !e.IsDir() && !strings.EqualFold(e.Name(), "README.md") {
			return true
		}
	}
	return depth < 3 && slices.ContainsFunc(d.below, func(sub *folder) bool { return sub != nil && hasMarkdown(sub, depth+1) })
}
