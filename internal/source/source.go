// Package source is what all sources share: how the format of a directory is
// recognised, and how the documents of a surface are found in it.
package source

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Manifest is a format's own file in a directory, as read.
type Manifest struct {
	Path     string
	Doc      ext.Doc // Kind Null when it could not be read
	Findings ext.Findings
}

// Format is one way of laying out an extension. A foreign one is a bridge: it
// lays a directory onto the canonical tree as a list of places, copying nothing.
type Format struct {
	Name string // "claude-code", "agent-plugins/1.0.0"
	Doc  string
	// Holds are the surfaces that the format has a place for. Nil: all.
	Holds []string
	// Marker is the file whose presence says that a directory may be of this
	// format. One that ends in a slash is the name of the directory itself.
	Marker string
	// Further are the files that say the same where Marker is not there, in the
	// order in which they are looked for.
	Further []string
	// Doubtful: other things than extensions have a file of that name, so that a
	// directory which holds one is no extension until Recognise says so.
	Doubtful bool
	// Beside is a file that belongs to a directory of this format and lies next
	// to it, which is read where Env.Beside says how; "" where there is none.
	Beside string
	// Recognise looks at the manifest, and at the directory, where its presence
	// alone does not tell. Nil: presence tells.
	Recognise func(t *ext.Tree, m Manifest) bool
	// Lay fills in the tree's Label, Manifest, Places and Findings. The tree
	// comes with its names, origin and file system. Nil: the format is known by
	// sight and not read by this build.
	Lay func(t *ext.Tree, m Manifest, env Env)
}

// Markers are the files that may say that a directory is of this format, in
// the order in which they are looked for; none for one that goes by the
// directory's name or has no manifest.
func (f *Format) Markers() []string {
	if f.Marker == "" || f.Folder() != "" {
		return nil
	}
	return append([]string{f.Marker}, f.Further...)
}

// Marked reports whether one of the markers is there, as there tells of each.
func (f *Format) Marked(there func(marker string) bool) bool {
	if f.Marker == "" || f.Folder() != "" {
		return false
	}
	return there(f.Marker) || slices.ContainsFunc(f.Further, there)
}

// Folder is the name of a directory that is of this format for being called
// so; "" for a format that goes by a file.
func (f *Format) Folder() string {
	name, ok := strings.CutSuffix(f.Marker, "/")
	if !ok {
		return ""
	}
	return name
}

// Env is what laying out an extension depends on beside the directory.
type Env struct {
	Specs  []*surface.Spec
	Limits ext.Limits
	// Beside reads what lies next to the directory, by names such as
	// "../.mcp.json". Nil: nothing outside the directory is read.
	Beside fs.FS
	// Read are files of the directory that were read already, each as Read gives
	// it: nobody opens them again.
	Read map[string]Content
}

// Spec is the surface of a name, nil when this build has none of it.
func (e Env) Spec(name string) *surface.Spec {
	for _, s := range e.Specs {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Unknown is a directory that is no extension of any format this build reads.
var Unknown = &ext.Check{
	Code: "format-unknown", Severity: ext.Warning,
	Doc: "A directory is an extension of a format that this build does not read.",
	Fix: "Nothing of it is used. Look for a version in a format that is read: see docs/formats.md.",
}

// Several is a directory laid out in more than one format.
var Several = &ext.Check{
	Code: "format-several", Severity: ext.Info,
	Doc: "A directory is laid out in several formats; one of them is read.",
	Fix: "Nothing, or name another with format = \"…\" in mortise.toml.",
}

// NotThere is a directory that is named and is not there, or holds nothing.
var NotThere = &ext.Check{
	Code: "source-missing", Severity: ext.Error,
	Doc: "A directory that should hold an extension is not there, cannot be read, or holds nothing that is one.",
	Fix: "Correct the path, or remove the entry that names it.",
}

// Unsearched is what a search for extensions does not read of a directory that it
// found for its text.
var Unsearched = &ext.Check{
	Code: "component-not-searched", Severity: ext.Info,
	Doc: "A directory without a manifest, which a search found for what it holds, holds more than a search reads: folders of code, or components of another format.",
	Fix: "Nothing, or look at the directory by itself: mortise check DIR, without --recursive, reads it as one extension.",
}

// Detect finds the formats of the tree's directory, in the order of formats,
// which is the order of preference: the one that is read and its manifest, and
// the names of the others. Those without a Lay come as names alone.
func Detect(formats []Format, t *ext.Tree, env Env) (read *Format, m Manifest, others []string) {
	found := detect(formats, t, env, false)
	i := preferred(found)
	if i >= 0 {
		read, m = found[i].Format, found[i].Manifest
	}
	return read, m, otherNames(found, i)
}

// preferred is the position of the first format that this build reads, -1 when
// it reads none.
func preferred(found []detected) int {
	return slices.IndexFunc(found, func(d detected) bool { return d.Lay != nil })
}

func otherNames(found []detected, i int) (names []string) {
	for j := range found {
		if j != i {
			names = append(names, found[j].Name)
		}
	}
	return names
}

// detected is a format that a directory is laid out in.
type detected struct {
	*Format
	Manifest Manifest
}

// detect finds formats. pinned: they are believed to be those of the directory,
// whatever it is called.
func detect(formats []Format, t *ext.Tree, env Env, pinned bool) (found []detected) {
	manifests := map[string]Manifest{}
	there := markersIn(t.FS)
	for i := range formats {
		f := &formats[i]
		if f.Folder() != "" {
			if pinned || folder(t) == f.Folder() {
				found = append(found, detected{f, Manifest{}})
			}
			continue
		}
		for _, marker := range f.Markers() {
			if !there(marker) {
				continue
			}
			m, ok := manifests[marker]
			if !ok {
				m = Manifest{Path: marker}
				if f.Recognise != nil || f.Lay != nil {
					c := Read(t.FS, t.Origin.At(marker, 0), env.Limits)
					m.Doc, m.Findings = c.Doc, c.Findings
					manifests[marker] = m
				}
			}
			if f.Recognise == nil || f.Recognise(t, m) {
				found = append(found, detected{f, m})
				break
			}
		}
	}
	return found
}

// markersIn tells whether a marker is there. It looks only for those of which the
// directory holds the first part.
func markersIn(fsys fs.FS) func(marker string) bool {
	entries, err := fs.ReadDir(fsys, ".")
	return func(marker string) bool {
		first, _, _ := strings.Cut(marker, "/")
		may := err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.EqualFold(e.Name(), first) })
		return may && isFile(fsys, marker)
	}
}

// folder is the name of the tree's directory; "" when it has none.
func folder(t *ext.Tree) string {
	return path.Base(filepath.ToSlash(t.Root))
}

// Folder is a folder in which a project keeps entries for a client.
type Folder struct {
	Name     string   // ".claude"; "" where it is not there, and Beside is
	Format   string   // "claude-project"
	Surfaces []string // of the entries that it holds, sorted
	// Beside is a file that belongs to the folder, lies next to it and declares
	// something, which naming the folder does not bring in: ".mcp.json". "" where
	// there is none.
	Beside string
}

// Lay recognises the tree's format and lays it out. pin names the format to
// use, whose marker must be there and is believed; "" means the first that
// fits. Without any it is laid out as loose files. ok is false when there is
// nothing of the format that was pinned, or nothing at all. Where the directory
// is laid out in further formats, it is said; where none was pinned, they are
// compared with the one that is read. Every file is opened once.
func Lay(formats []Format, loose Format, t *ext.Tree, pin string, env Env) (ok bool) {
	fsys, shared := t.FS, newOnce(t.FS)
	maps.Copy(shared.contents, env.Read)
	t.FS = shared
	defer func() { t.FS = fsys }()
	if pin != "" {
		ok = layPinned(formats, loose, t, pin, env)
	} else {
		ok = layFound(formats, loose, t, env)
	}
	if ok {
		shared.settle(t)
	}
	return ok
}

func layFound(formats []Format, loose Format, t *ext.Tree, env Env) bool {
	found := detect(formats, t, env, false)
	i := preferred(found)
	t.Also = otherNames(found, i)
	if i < 0 {
		return layOther(formats, loose, t, env)
	}
	first := found[i]
	layFirst(first, slices.Delete(found, i, i+1), t, env)
	return true
}

// layPinned lays the tree out in the format that somebody named, and says which
// others it is laid out in as well: who named one means it, so that nothing is
// compared.
func layPinned(formats []Format, loose Format, t *ext.Tree, pin string, env Env) bool {
	var wanted, others []Format
	for _, f := range append(formats[:len(formats):len(formats)], loose) {
		switch {
		case family(f.Name) != family(pin):
			others = append(others, f)
		case f.Marker != "":
			f.Recognise = nil
			wanted = append(wanted, f)
		}
	}
	found := detect(wanted, t, env, true)
	read := detected{Format: &loose}
	if i := preferred(found); i >= 0 {
		read = found[i]
	} else if family(pin) != family(loose.Name) {
		t.Format = pin
		return false
	}
	t.Format = read.Name
	read.Lay(t, read.Manifest, env)
	for _, o := range detect(others, t, env, false) {
		if o.Manifest.Path != read.Manifest.Path || o.Manifest.Path == "" { // else it is believed to be the manifest of the one that is read
			t.Also = append(t.Also, o.Name)
		}
	}
	if len(t.Also) > 0 {
		t.Findings.Add(Several.At(t.Origin.At(read.Manifest.Path, 0), "read as %s, which was named; also laid out as %s", read.Name, strings.Join(t.Also, ", ")))
	}
	return read.Marker != "" || len(t.Places) > 0 || t.Findings.Failed()
}

// layOther lays out a directory without a manifest that is read: as loose
// files, unless it is known by sight as something else, whose unread manifest
// could change what the files mean.
func layOther(formats []Format, loose Format, t *ext.Tree, env Env) bool {
	if len(t.Also) == 0 {
		t.Format = loose.Name
		for _, f := range formats {
			for _, marker := range f.Markers() {
				if typ, err := Type(t.FS, marker); f.Lay != nil && err == nil && typ.IsDir() {
					t.Findings.Add(WrongKind.At(t.Origin.At(marker, 0), "expected the manifest of %s, found a directory", f.Name))
				}
			}
		}
		loose.Lay(t, Manifest{}, env)
		return len(t.Places) > 0 || t.Findings.Failed()
	}
	t.Format, t.Unread = t.Also[0], true
	t.Findings.Add(Unknown.At(t.Origin, "the directory is laid out as %s, which this build does not read", strings.Join(t.Also, ", ")))
	return true
}

// family is a format's name without its version.
func family(name string) string {
	before, _, _ := strings.Cut(name, "/")
	return before
}

// isFile reports whether name is there; a link that leads nowhere good counts,
// so that reading it says what is wrong.
func isFile(fsys fs.FS, name string) bool {
	typ, err := Type(fsys, name)
	if err == nil {
		return !typ.IsDir()
	}
	if errors.Is(err, fs.ErrNotExist) {
		_, err = fs.Lstat(fsys, name)
		return err == nil
	}
	return true
}
