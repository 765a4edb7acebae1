// Package roots is the source that finds every extension root below a
// directory: whatever has a manifest that is known, and component folders
// outside of such roots.
package roots

import (
	"context"
	"fmt"
	"iter"
	"path"
	"path/filepath"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/ahead"
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
var Checks = []*ext.Check{Unclaimed, Unlisted, Alone, source.Unsearched}

// Source finds the roots below Dir. Each is judged for itself.
type Source struct {
	Dir     string
	Formats []source.Format
	Folders source.Format
	// Components are the surfaces that Folders lays out, first the one whose
	// entries are directories of their own.
	Components []string
	Env        source.Env
	Workers    int
	Open       root.Options // for the base and for each root
	stamps     []root.Stamp // of the base, once it was listed
	all        *folder      // the base, once it was listed
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

// Listing knows what the search listed of a directory below Base, once Trees
// has yielded something; before that, nothing.
func (s *Source) Listing(dir string) root.Listing { return s.all.at(dir).listing }

// Holding are the directories below Base in which something stands at one of the
// paths, in order, once Trees has yielded something. No link is on the way to it.
func (s *Source) Holding(paths []string) (dirs []string) {
	if s.all == nil { // Base could not be read
		return nil
	}
	s.all.all(func(d *folder) {
		if slices.ContainsFunc(paths, d.hasFile) {
			dirs = append(dirs, d.path)
		}
	}, func(*folder) bool { return false })
	slices.Sort(dirs)
	return dirs
}

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
		s.stamps = nil
		s.all = list(base, s.Workers)
		f := s.finder(base)
		f.visit(s.all, nil, open, false)
		defer func() { s.stamps = append(s.stamps, base.Trace()...) }()
		for _, err := range f.errors() {
			if !yield(ext.Tree{}, err) {
				return
			}
		}
		lay := func(i int) ext.Tree { return s.tree(base, f.found[i]) }
		for i, t := range ahead.Each(len(f.found), s.Workers, lay, closeTree) {
			if ctx.Err() != nil {
				closeTree(t)
				return
			}
			if !s.complete(base, f, &t, f.found[i]) {
				closeTree(t)
				continue
			}
			if !yield(t, nil) {
				return
			}
		}
		for _, a := range f.alone {
			if ctx.Err() != nil || !yield(s.withoutFolder(base, a), nil) {
				return
			}
		}
		for _, d := range f.packed {
			for _, name := range bundles(d) {
				if ctx.Err() != nil || !yield(s.bundle(base, d, name), nil) {
					return
				}
			}
		}
	}
}

// finder looks for manifests of the source's formats and for folders of its
// components.
func (s *Source) finder(base *root.Root) *finder {
	f := &finder{formats: s.Formats, base: filepath.Base(base.Dir()), begins: beginnings(s.Formats), claims: map[string]bool{}}
	f.recognise = func(d *folder, m *source.Format) bool { return s.recognise(base, d, m) }
	for _, name := range s.Components {
		if spec := s.Env.Spec(name); spec != nil {
			f.names = append(f.names, spec.Dir)
			if spec.PerDirectory() {
				f.document = path.Base(spec.Files)
			}
		}
	}
	return f
}

// tree lays one root out. It knows nothing of the others.
func (s *Source) tree(base *root.Root, c candidate) ext.Tree {
	t := s.origin(base, c.folder)
	opt := s.Open
	opt.Listing = c.listing
	r, err := base.Sub(c.path, opt)
	if err != nil {
		t.Rename(source.NameOf("", t.Root))
		t.Findings.Add(source.FaultOf(err, t.Origin))
		return t
	}
	t.FS, t.Close = r, func() { _ = r.Close() }
	env := s.Env
	env.Read = c.known
	if c.named {
		env.Beside = beside(base, c)
	}
	source.Lay(c.formats, s.Folders, &t, "", env)
	return t
}

// complete tells of a tree that was laid out what takes a look at what is around
// it. It is called in the order of the trees. Not ok: there is nothing to yield.
func (s *Source) complete(base *root.Root, f *finder, t *ext.Tree, c candidate) (ok bool) {
	if t.FS != nil { // else it could not be opened, which was told
		if c.parent == nil {
			s.besideBase(base, t)
		}
		t.Rename(source.NameOf(t.Label, t.Root))
		f.unclaimed(t, c)
		f.unlisted(t, c)
		f.unpacked(t, c)
	}
	return !c.named || len(t.Places)+len(t.Findings) > 0
}

func closeTree(t ext.Tree) {
	if t.Close != nil {
		t.Close()
	}
}

// recognise looks into the manifest of a format whose marker alone says little.
// What was read to know it is not read again: it is kept with the folder, unless
// a link leads to it, which may lead out of the folder.
func (s *Source) recognise(base *root.Root, d *folder, m *source.Format) bool {
	for _, marker := range m.Markers() {
		if !d.hasFile(marker) {
			continue
		}
		t := s.origin(base, d)
		t.FS = source.View{Base: base, Dir: d.path}
		c := source.Read(t.FS, t.Origin.At(marker, 0), s.Env.Limits)
		if m.Recognise != nil && !m.Recognise(&t, source.Manifest{Path: marker, Doc: c.Doc, Findings: c.Findings}) {
			continue
		}
		if d.plain(marker) && !c.Lost {
			d.known = map[string]source.Content{marker: c}
		}
		return true
	}
	return false
}

// origin is the tree of a folder before anything of it is read.
func (s *Source) origin(base *root.Root, d *folder) ext.Tree {
	return ext.Tree{
		Root:   filepath.Join(base.Dir(), filepath.FromSlash(d.path)),
		Origin: ext.Origin{Source: "path:" + d.path, Trust: ext.Plugin},
	}
}
