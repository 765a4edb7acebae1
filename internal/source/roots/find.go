package roots

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// candidate is a folder that is a root, and what says so.
type candidate struct {
	*folder
	// formats are those whose manifest lies in the folder, or the one that goes by
	// the folder's name; none for folders of components.
	formats []source.Format
	// named: the folder is a root for its name alone, and none if it holds nothing.
	named bool
	// parent is the folder around it; nil for the base.
	parent *folder
}

// finder classifies folders that have all been listed.
type finder struct {
	formats  []source.Format
	base     string          // name of the directory that is searched
	begins   map[string]bool // what a manifest's path begins with
	names    []string        // of component folders: first that whose entries are folders
	document string          // what an entry's folder holds
	found    []candidate     // outer ones before those within
	lost     []*folder       // outside every root, and could not be looked into
	claims   map[string]bool // skills of the roots laid out so far
	// recognise looks into the manifest of a format whose marker is the name of
	// other things as well.
	recognise func(d *folder, m *source.Format) bool
	packed    []*folder // folders outside every root that hold packed bundles
	alone     []alone   // outside every root, without the folders that they belong to
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
func (f *finder) visit(d, parent *folder, as standing, within bool) {
	components := false
	formats := f.marked(d)
	project := f.project(d)
	switch {
	case len(formats) > 0:
		f.add(candidate{folder: d, formats: formats, parent: parent})
		as = claimed
	case project != nil:
		f.add(candidate{folder: d, formats: project, named: true, parent: parent})
		as = claimed
	case as != open:
	case d.has(f.document):
		f.add(candidate{folder: d, parent: parent})
		as = claimed
	case f.hasComponents(d):
		f.add(candidate{folder: d, parent: parent})
		components = true
	case f.ofLooseUnits(d):
		f.add(candidate{folder: d, parent: parent})
		as = laid
	}
	if within = within || d.isRoot; !within && d.err != nil {
		f.lost = append(f.lost, d)
	}
	if !within && len(bundles(d)) > 0 {
		f.packed = append(f.packed, d)
	}
	if !within {
		f.alone = append(f.alone, f.withoutFolder(d)...)
	}
	d.folders(func(name string, sub *folder) {
		if !f.manifestFolder(d, name) {
			f.visit(sub, d, f.standing(as, components, name, sub), within)
		}
	})
}

func (f *finder) add(c candidate) {
	c.isRoot = true
	f.found = append(f.found, c)
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

// marked are the formats whose manifest lies in a folder, in their order.
func (f *finder) marked(d *folder) []source.Format {
	if d.judged || !slices.ContainsFunc(d.entries, func(e fs.DirEntry) bool { return f.begins[e.Name()] }) {
		return d.marked
	}
	d.judged = true
	for i := range f.formats {
		m := &f.formats[i]
		if m.Marked(d.hasFile) && (!m.Doubtful || f.recognise(d, m)) {
			d.marked = append(d.marked, *m)
		}
	}
	return d.marked
}

// project is the format that a folder has for its name.
func (f *finder) project(d *folder) []source.Format {
	name := path.Base(d.path)
	if d.path == "." {
		name = f.base
	}
	for i := range f.formats {
		if f.formats[i].Folder() == name {
			return f.formats[i : i+1]
		}
	}
	return nil
}

// beginnings are the first parts of the paths of manifests.
func beginnings(formats []source.Format) map[string]bool {
	m := make(map[string]bool, len(formats))
	for i := range formats {
		for _, marker := range formats[i].Markers() {
			first, _, _ := strings.Cut(marker, "/")
			m[first] = true
		}
	}
	return m
}

// manifestFolder reports whether a folder in d holds the manifest of a format,
// and so is part of the root that d is.
func (f *finder) manifestFolder(d *folder, name string) bool {
	return f.begins[name] && slices.ContainsFunc(f.formats, func(m source.Format) bool {
		return m.Marked(func(marker string) bool { return path.Dir(marker) == name && d.hasFile(marker) })
	})
}

// ofUnits reports whether a folder holds entries that are folders themselves.
func (f *finder) ofUnits(d *folder) bool {
	return slices.ContainsFunc(d.below, func(sub *folder) bool { return sub != nil && sub.has(f.document) })
}

// ofLooseUnits is ofUnits for a folder that does not say what it holds: what is an
// extension of its own there is no entry of it.
func (f *finder) ofLooseUnits(d *folder) bool {
	return slices.ContainsFunc(d.below, func(sub *folder) bool { return sub != nil && sub.has(f.document) && len(f.marked(sub)) == 0 })
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
