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
}

var _ ext.Source = (*Source)(nil)

// Name is "path:" and the directory.
func (s *Source) Name() string { return "path:" + s.Dir }

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
		f := &finder{listing: l, formats: s.Formats, folders: s.componentDirs()}
		f.visit(".", false)
		for _, err := range f.lost() {
			if !yield(ext.Tree{}, err) {
				return
			}
		}
		for _, found := range f.found {
			if ctx.Err() != nil || !yield(s.tree(base.Dir(), l, found), nil) {
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
	folders []string // names of component directories
	found   []candidate
}

// visit looks at dir and below. claimed: dir lies in a root or in a component
// folder, where only manifests make further roots.
func (f *finder) visit(dir string, claimed bool) {
	components := false
	switch {
	case f.marked(dir):
		f.found = append(f.found, candidate{dir, true})
		claimed = true
	case claimed:
	case f.has(dir, "SKILL.md"), f.folderOfSkills(dir):
		f.found = append(f.found, candidate{dir, false})
		claimed = true
	case f.hasComponents(dir):
		f.found = append(f.found, candidate{dir, false})
		components = true
	}
	for _, e := range f.dirs[dir] {
		below := path.Join(dir, e.Name())
		if _, listed := f.dirs[below]; !listed {
			continue
		}
		f.visit(below, claimed || components && f.taken(e.Name(), below))
	}
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

// taken reports whether a component folder of a loose root is read as one; a
// folder of skills in categories is not, so that the categories are looked at.
func (f *finder) taken(name, dir string) bool {
	return slices.Contains(f.folders, name) && (name != f.folders[0] || f.folderOfSkills(dir))
}

func (f *finder) marked(dir string) bool {
	for i := range f.formats {
		if f.hasFile(dir, f.formats[i].Marker) {
			return true
		}
	}
	return false
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
func (s *Source) tree(base string, l *listing, c candidate) ext.Tree {
	dir := filepath.Join(base, filepath.FromSlash(c.dir))
	t := ext.Tree{Root: dir, Origin: ext.Origin{Source: "path:" + c.dir, Trust: ext.Plugin}}
	opt := s.Open
	opt.Listing = func(name string) ([]fs.DirEntry, bool) {
		entries, ok := l.dirs[path.Join(c.dir, name)]
		return entries, ok
	}
	r, err := root.Open(dir, opt)
	if err != nil {
		t.Rename(NameOf("", dir))
		t.Findings.Add(source.FaultOf(err, t.Origin))
		return t
	}
	t.FS, t.Close = r, func() { _ = r.Close() }
	formats := s.Formats
	if !c.manifest {
		formats = nil
	}
	source.Lay(formats, s.Folders, &t, "", s.Env)
	t.Rename(NameOf(t.Label, dir))
	s.unclaimed(&t, l, c)
	s.unlisted(&t, l, c)
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

// unclaimed counts the skills that lie in the root and are no part of it.
func (s *Source) unclaimed(t *ext.Tree, l *listing, c candidate) {
	if t.Unread || !c.manifest {
		return
	}
	claimed := make(map[string]bool, len(t.Places))
	for i := range t.Places {
		claimed[t.Places[i].File] = true
	}
	first, n := "", 0
	s.below(l, c.dir, func(dir string) {
		name := strings.TrimPrefix(path.Join(dir, "SKILL.md"), c.dir+"/")
		if c.dir == "." {
			name = path.Join(dir, "SKILL.md")
		}
		if l.has(dir, "SKILL.md") && !claimed[name] {
			if n++; n == 1 {
				first = name
			}
		}
	})
	if n > 0 {
		t.Findings.Add(Unclaimed.At(t.Origin.At(first, 0), "%d skills lie where %s does not look", n, t.Format))
	}
}

func (s *Source) unlisted(t *ext.Tree, l *listing, c candidate) {
	if len(l.left) == 0 {
		return
	}
	s.below(l, c.dir, func(dir string) {
		if err := l.left[dir]; err != nil {
			t.Findings.Add(Unlisted.At(t.Origin.At(strings.TrimPrefix(dir, c.dir+"/"), 0), "%s", source.FaultOf(err, t.Origin).Message))
		}
	})
}

// below visits the directories of a root, those of roots within it apart.
func (s *Source) below(l *listing, dir string, visit func(string)) {
	visit(dir)
	for _, e := range l.dirs[dir] {
		sub := path.Join(dir, e.Name())
		if _, listed := l.dirs[sub]; !listed || s.marked(l, sub) {
			continue
		}
		s.below(l, sub, visit)
	}
}

func (s *Source) marked(l *listing, dir string) bool {
	f := finder{listing: l, formats: s.Formats}
	return f.marked(dir)
}
