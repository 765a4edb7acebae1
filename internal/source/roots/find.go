package roots

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/source"
)

// candidate is a directory that is a root, and whether a manifest says so.
type candidate struct {
	dir      string
	manifest bool
}

// finder classifies directories that have all been listed.
type finder struct {
	*listing
	formats []source.Format
	begins  map[string]bool // what a manifest's path begins with
	folders []string        // names of component directories
	found   []candidate
	roots   map[string]bool // the same by directory; made when it is first asked for
	claims  map[string]bool // skills of the roots laid out so far, outer ones first
}

// standing is what is known of a directory before it is looked at.
type standing uint8

const (
	// open: it may be any root.
	open standing = iota
	// laid: it is a folder of skills that was laid out with its parent; what of
	// it is no skill may hold further folders.
	laid
	// claimed: it lies in a root or in a component folder, where only manifests
	// make further roots.
	claimed
)

// visit looks at dir and below.
func (f *finder) visit(dir string, as standing) {
	components := false
	switch {
	case f.marked(dir):
		f.found = append(f.found, candidate{dir, true})
		as = claimed
	case as != open:
	case f.has(dir, "SKILL.md"):
		f.found = append(f.found, candidate{dir, false})
		as = claimed
	case f.hasComponents(dir):
		f.found = append(f.found, candidate{dir, false})
		components = true
	case f.folderOfSkills(dir):
		f.found = append(f.found, candidate{dir, false})
		as = laid
	}
	for _, e := range f.dirs[dir] {
		below := path.Join(dir, e.Name())
		if _, listed := f.dirs[below]; !listed || f.manifestDir(dir, e.Name()) {
			continue
		}
		f.visit(below, f.below(as, components, e.Name(), below))
	}
}

// below is the standing of a directory whose parent's is as.
func (f *finder) below(as standing, components bool, name, dir string) standing {
	switch {
	case as == claimed, as == laid && f.has(dir, "SKILL.md"):
		return claimed
	case components && name == f.folders[0] && f.folderOfSkills(dir):
		return laid
	case components && slices.Contains(f.folders[1:], name):
		return claimed
	}
	return open
}

// lost are the directories outside every root that could not be looked into.
func (f *finder) lost() []error {
	var out []error
	for _, dir := range slices.Sorted(maps.Keys(f.left)) {
		if !slices.ContainsFunc(f.found, func(c candidate) bool { return within(dir, c.dir) }) {
			out = append(out, fmt.Errorf("look into %s: %w", ext.Escape(dir), f.left[dir]))
		}
	}
	return out
}

func within(dir, parent string) bool {
	return parent == "." || dir == parent || strings.HasPrefix(dir, parent+"/")
}

// marked reports whether a manifest of some format lies in dir.
func (f *finder) marked(dir string) bool { return len(f.formatsOf(dir, true)) > 0 }

// formatsOf are the formats whose manifest lies in dir, in their order; with
// any, one of them at most.
func (f *finder) formatsOf(dir string, any bool) []source.Format {
	var out []source.Format
	for _, e := range f.dirs[dir] {
		if !f.begins[e.Name()] {
			continue
		}
		for i := range f.formats {
			if f.hasFile(dir, f.formats[i].Marker) {
				out = append(out, f.formats[i])
				if any {
					return out
				}
			}
		}
		return out
	}
	return nil
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

// manifestDir reports whether a directory below dir holds the manifest of a
// format, and so is part of the root that dir is.
func (f *finder) manifestDir(dir, name string) bool {
	return f.begins[name] && slices.ContainsFunc(f.formats, func(m source.Format) bool {
		return path.Dir(m.Marker) == name && f.hasFile(dir, m.Marker)
	})
}

func (f *finder) folderOfSkills(dir string) bool {
	for _, e := range f.dirs[dir] {
		if f.has(path.Join(dir, e.Name()), "SKILL.md") {
			return true
		}
	}
	return false
}

// hasComponents reports whether dir has a folder of skills, or of Markdown
// files named as a component's.
func (f *finder) hasComponents(dir string) bool {
	for i, name := range f.folders {
		below := path.Join(dir, name)
		if i == 0 && f.folderOfSkills(below) || i > 0 && f.hasMarkdown(below, 0) {
			return true
		}
	}
	return false
}

func (f *finder) hasMarkdown(dir string, depth int) bool {
	for _, e := range f.dirs[dir] {
		if strings.HasSuffix(e.Name(), ".md") && !e.IsDir() && !strings.EqualFold(e.Name(), "README.md") {
			return true
		}
	}
	for _, e := range f.dirs[dir] {
		if depth < 3 && e.IsDir() && f.hasMarkdown(path.Join(dir, e.Name()), depth+1) {
			return true
		}
	}
	return false
}
