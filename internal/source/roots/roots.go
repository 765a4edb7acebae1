// Package roots is the source that finds every extension root below a
// directory: whatever has a manifest that is known, and component folders
// outside of such roots.
package roots

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
)

// Unclaimed are documents in an extension that its format does not look for.
var Unclaimed = &ext.Check{
	Code: "document-unclaimed", Severity: ext.Info,
	Doc: "An extension holds skills where its format does not look. They are not part of it.",
	Fix: "Nothing, or move them to where the format looks: skills/NAME/SKILL.md.",
}

// Unlisted is a directory that could not be looked into.
var Unlisted = &ext.Check{
	Code: "directory-unreadable", Severity: ext.Warning,
	Doc: "A directory cannot be looked into. What it holds was not found.",
	Fix: "Correct its permissions.",
}

// Checks lists what the search itself can find.
var Checks = []*ext.Check{Unclaimed, Unlisted}

// Source finds the roots below Dir. Each is judged for itself.
type Source struct {
	Dir     string
	Formats []source.Format
	Folders source.Format
	Env     source.Env
	Workers int
	Open    root.Options // for the base and for each root
	stamps  []root.Stamp // of the base, once it was listed
}

var _ ext.Source = (*Source)(nil)

// Name is "path:" and the directory.
func (s *Source) Name() string { return "path:" + s.Dir }

// Base is Dir, absolute and with links resolved where that can be done.
func (s *Source) Base() string {
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return s.Dir
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

// Trace is what the search itself looked at, by paths below Base; each tree's
// own file system knows the rest. It is nil unless Open asks for a trace.
func (s *Source) Trace() []root.Stamp { return s.stamps }

// Trees yields a tree for each root, in the order of their paths. An error
// means that Dir itself cannot be read.
func (s *Source) Trees(ctx context.Context) iter.Seq2[ext.Tree, error] {
	return func(yield func(ext.Tree, error) bool) {
		base, err := root.Open(s.Dir, s.Open)
		if err != nil {
			yield(ext.Tree{}, fmt.Errorf("look below %s: %w", ext.Escape(s.Dir), err))
			return
		}
		defer base.Close()
		l := list(base, s.Workers)
		s.stamps = base.Trace()
		f := &finder{listing: l, formats: s.Formats, begins: beginnings(s.Formats), folders: s.componentDirs(), claims: map[string]bool{}}
		f.visit(".", open)
		for _, err := range f.lost() {
			if !yield(ext.Tree{}, err) {
				return
			}
		}
		for _, found := range f.found {
			if ctx.Err() != nil || !yield(s.tree(base, f, found), nil) {
				return
			}
		}
	}
}

func (s *Source) componentDirs() []string {
	var dirs []string
	for _, name := range []string{"skill", "agent", "command"} {
		if spec := s.Env.Spec(name); spec != nil {
			dirs = append(dirs, spec.Dir)
		}
	}
	return dirs
}

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

// tree lays one root out.
func (s *Source) tree(base *root.Root, f *finder, c candidate) ext.Tree {
	dir := filepath.Join(base.Dir(), filepath.FromSlash(c.dir))
	t := ext.Tree{Root: dir, Origin: ext.Origin{Source: "path:" + c.dir, Trust: ext.Plugin}}
	opt := s.Open
	opt.Listing = func(name string) ([]fs.DirEntry, bool) {
		entries, ok := f.dirs[path.Join(c.dir, name)]
		return entries, ok
	}
	r, err := base.Sub(c.dir, opt)
	if err != nil {
		t.Rename(NameOf("", dir))
		t.Findings.Add(source.FaultOf(err, t.Origin))
		return t
	}
	t.FS, t.Close = r, func() { _ = r.Close() }
	var formats []source.Format
	if c.manifest {
		formats = f.formatsOf(c.dir, false)
	}
	source.Lay(formats, s.Folders, &t, "", s.Env)
	t.Rename(NameOf(t.Label, dir))
	f.unclaimed(&t, c)
	f.unlisted(&t, c)
	return t
}

// NameOf is what an extension that nobody named goes by: what it calls itself,
// else what its directory's name can be made into.
func NameOf(label, dir string) ext.Name {
	if n, err := ext.ParseName(label); err == nil {
		return n
	}
	var b strings.Builder
	for _, r := range strings.ToLower(filepath.Base(dir)) {
		ok := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		if !ok {
			r = '-'
		}
		if r != '-' || b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
			b.WriteRune(r)
		}
	}
	name := strings.Trim(b.String(), "-")
	if len(name) > ext.MaxName {
		name = strings.Trim(name[:ext.MaxName], "-")
	}
	if n, err := ext.ParseName(name); err == nil {
		return n
	}
	return "unnamed"
}

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
