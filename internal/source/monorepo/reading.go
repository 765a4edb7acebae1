package monorepo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/pysrc/allow"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
)

// unit is one tree: what it declares, and what was noticed about it.
type unit struct {
	places   []ext.Place
	findings ext.Findings
}

// reading is what was found in a working tree.
type reading struct {
	source *Source
	root   *root.Root
	origin ext.Origin
	dirs   []string // that were looked into, below the root
	linked bool     // links lead to some of it
	rules  *allow.Rules
	judged map[string]bool // files of which was told what they use that is not on the list
	units  []unit
	notes  ext.Findings // about the whole
}

// read reads a working tree. The error is that of ctx.
func (s *Source) read(ctx context.Context, r *root.Root, o ext.Origin) (*reading, error) {
	k := &reading{source: s, root: r, origin: o, rules: s.Known.Rules(), judged: map[string]bool{}}
	if typ, err := r.Type(colony.Dir); err != nil && !source.Absent(r, colony.Dir, err) || err == nil && !typ.IsDir() {
		if err == nil {
			err = &root.KindError{Type: typ, Want: root.Dir}
		}
		k.notes.Add(source.FaultOf(err, o.At(colony.Dir, 0)))
		return k, nil
	}
	m := k.manifest()
	for _, surface := range colony.Surfaces {
		dir, err := m.Directory(surface)
		if err != nil {
			var wrong *colony.DirectoryError
			if errors.As(err, &wrong) {
				k.misdirected(wrong)
			}
			dir = ""
		}
		if err := k.surface(ctx, m, surface, dir); err != nil {
			return nil, err
		}
	}
	return k, ctx.Err()
}

// manifest is what says where surfaces lie. One that is broken is one finding, and the
// defaults are in force.
func (k *reading) manifest() *colony.Manifest {
	if k.source.Manifest != nil {
		return k.source.Manifest
	}
	m, err := colony.Load(k.root)
	switch {
	case err == nil:
		return m
	case errors.Is(err, fs.ErrNotExist) && source.Absent(k.root, colony.Path, err):
	case root.Transient(err):
		k.notes.Add(source.FaultOf(err, k.at(colony.Path, 0)))
	default:
		k.notes.Add(faultOf(err, k.at(colony.Path, 0)))
	}
	return colony.Default()
}

// faultOf is the one finding of a manifest that is broken: all that is wrong with it, at
// the first line.
func faultOf(err error, o ext.Origin) ext.Finding {
	var broken *colony.Error
	if !errors.As(err, &broken) || len(broken.Faults) == 0 {
		return ManifestFault.At(o, "%s", ext.Escape(err.Error()))
	}
	const most = 5
	var what []string
	for i, f := range broken.Faults {
		if i == most {
			what = append(what, fmt.Sprintf("and %d more", len(broken.Faults)-most))
			break
		}
		at := ""
		if i > 0 && f.Line > 0 {
			at = fmt.Sprintf("line %d: ", f.Line)
		}
		what = append(what, at+f.What)
	}
	f := ManifestFault.At(o.At(o.Path, broken.Faults[0].Line), "%s", ext.Escape(strings.Join(what, "; ")))
	return f.With("%s", sentence(broken.Faults[0].Fix)).Of(broken.Faults[0].Field)
}

// sentence is text as one.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

func (k *reading) at(file string, line int) ext.Origin { return k.origin.At(file, line) }

func (k *reading) misdirected(e *colony.DirectoryError) {
	check := Directory
	if e.Reason == colony.NotADir {
		check = NoDirectory
	}
	k.notes.Add(check.At(k.at(colony.Path, e.Line), "the directory %s of %s %s", ext.Quote(ext.Shorten(e.Directory, 80)), e.Surface, e.Reason).With("%s", sentence(e.Fix())))
}

// surface reads one surface; dir is "" where it has no directory.
func (k *reading) surface(ctx context.Context, m *colony.Manifest, s colony.Surface, dir string) error {
	var entries []fs.DirEntry
	if dir != "" {
		if !slices.Contains(k.dirs, dir) {
			k.dirs = append(k.dirs, dir)
		}
		entries = k.list(m, s, dir)
	}
	switch s {
	case colony.Plugins:
		k.skills(dir, entries)
	case colony.Tools:
		return k.tools(ctx, dir, entries)
	case colony.Profiles:
		k.profiles(dir, entries)
	case colony.Missions:
		return k.missions(ctx, dir, entries)
	default:
		return k.classes(ctx, kinds[s], dir, entries)
	}
	return nil
}

// list lists the directory of a surface. What is not there is empty.
func (k *reading) list(m *colony.Manifest, s colony.Surface, dir string) []fs.DirEntry {
	entries, err := k.within(dir)
	var escape *root.EscapeError
	switch {
	case err == nil && k.inGit(dir):
		k.misdirected(m.Misdirected(s, colony.GitDir))
	case err == nil:
		return entries
	case errors.As(err, &escape):
		k.misdirected(m.Misdirected(s, colony.LinkOut))
	case source.Absent(k.root, dir, err):
	default:
		if typ, err := k.root.Type(dir); err == nil && !typ.IsDir() {
			k.misdirected(m.Misdirected(s, colony.NotADir))
			return nil
		}
		k.notes.Add(source.FaultOf(err, k.at(dir, 0)))
	}
	return nil
}

// inGit reports whether links lead from a directory into git's own, which its name does
// not tell.
func (k *reading) inGit(dir string) bool {
	real, _, err := k.root.Real(dir)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(k.root.Dir(), real)
	return err == nil && colony.InGit(filepath.ToSlash(rel))
}

// ofGit is what is wrong with a link that leads into git's own directory, where nobody
// commits what lies there; nil for any other entry.
func (k *reading) ofGit(name string, e fs.DirEntry) *ext.Finding {
	if e.Type()&fs.ModeSymlink == 0 || !k.inGit(name) {
		return nil
	}
	f := source.Escape.At(k.at(name, 0), "it leads into git's own directory, of which nothing is read")
	return &f
}

// within lists a directory, and sees to links.
func (k *reading) within(dir string) ([]fs.DirEntry, error) {
	entries, err := k.root.ReadDir(dir)
	k.linked = k.linked || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Type()&fs.ModeSymlink != 0 })
	return entries, err
}

// watched are the places in which everything lies that was read; nil for all of the
// working tree, where links may lead anywhere in it.
func (k *reading) watched(dir string) []string {
	for _, d := range append([]string{colony.Dir}, k.dirs...) {
		real, _, err := k.root.Real(d)
		k.linked = k.linked || err == nil && real != filepath.Join(k.root.Dir(), filepath.FromSlash(d))
	}
	if k.linked {
		return nil
	}
	out := Watched(dir)
	for _, d := range k.dirs {
		if d != colony.Dir && !strings.HasPrefix(d, colony.Dir+"/") {
			out = append(out, filepath.Join(dir, filepath.FromSlash(d)))
		}
	}
	return out
}

// file is one file of a surface's directory that the rule of its ending takes.
type file struct {
	path, name string
	fault      *ext.Finding // why it cannot be read as a file
}

// stem is the name without its last ending; a name that is an ending is whole.
func (f *file) stem() string {
	if dot := strings.LastIndexByte(f.name, '.'); dot > 0 {
		return f.name[:dot]
	}
	return f.name
}

// files are the files of a directory with an ending, in the order of their names' bytes.
// All else is told.
func (k *reading) files(dir, ending string, entries []fs.DirEntry) []file {
	var out []file
	var rest []string
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if !strings.HasSuffix(e.Name(), ending) {
			rest = append(rest, k.beside(name, ending, e)...)
			continue
		}
		f := file{path: name, name: e.Name()}
		if !e.Type().IsRegular() {
			typ, err := k.root.Type(name)
			if err == nil && !typ.IsRegular() {
				err = &root.KindError{Type: typ, Want: root.File}
			}
			if err != nil {
				fault := source.FaultOf(err, k.at(name, 0))
				f.fault = &fault
			} else {
				f.fault = k.ofGit(name, e)
			}
		}
		out = append(out, f)
	}
	k.notRead(dir, rest)
	return out
}

// beside are the names to be told of what no rule takes: a file, or what files of the
// ending lie in a directory.
func (k *reading) beside(name, ending string, e fs.DirEntry) []string {
	switch base := e.Name(); {
	case base == ".gitkeep" || base == "__pycache__" || base == "README.md":
		return nil
	case !e.IsDir():
		return []string{base}
	}
	within, err := k.within(name)
	if err != nil {
		return nil
	}
	var out []string
	for _, f := range within {
		if strings.HasSuffix(f.Name(), ending) {
			out = append(out, e.Name()+"/"+f.Name())
		}
	}
	return out
}

func (k *reading) notRead(dir string, names []string) {
	if len(names) == 0 {
		return
	}
	const most = 5
	shown := make([]string, 0, most)
	for _, n := range names[:min(most, len(names))] {
		shown = append(shown, ext.Quote(ext.Shorten(n, 60)))
	}
	text := strings.Join(shown, ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	k.notes.Add(NotRead.At(k.at(dir, 0), "%d here are not read: %s", len(names), text))
}

// refuse adds a unit that declares something which cannot be read.
func (k *reading) refuse(surface, path, file string, f ext.Finding) {
	k.units = append(k.units, unit{places: []ext.Place{{Surface: surface, Path: path, File: file, Fault: &f}}})
}
