// Package source is what all sources share: how the format of a directory is
// recognised, and how the documents of a surface are found in it.
package source

import (
	"errors"
	"io/fs"
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
	// Marker is the file whose presence says that a directory may be of this
	// format.
	Marker string
	// Recognise looks at the manifest where its presence alone does not tell.
	// Nil: presence tells.
	Recognise func(m Manifest) bool
	// Lay fills in the tree's Label, Manifest, Places and Findings. The tree
	// comes with its names, origin and file system. Nil: the format is known by
	// sight and not read by this build.
	Lay func(t *ext.Tree, m Manifest, env Env)
}

// Env is what laying out an extension depends on beside the directory.
type Env struct {
	Specs  []*surface.Spec
	Limits ext.Limits
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

// Detect finds the formats of the tree's directory, in the order of formats,
// which is the order of preference. Those without a Lay come as names alone.
func Detect(formats []Format, t *ext.Tree, env Env) (read *Format, m Manifest, others []string) {
	manifests := map[string]Manifest{}
	for i := range formats {
		f := &formats[i]
		if !isFile(t.FS, f.Marker) {
			continue
		}
		found := Manifest{Path: f.Marker}
		if f.Recognise != nil || f.Lay != nil {
			was, ok := manifests[f.Marker]
			if !ok {
				c := Read(t.FS, t.Origin.At(f.Marker, 0), env.Limits)
				was = Manifest{Path: f.Marker, Doc: c.Doc, Findings: c.Findings}
				manifests[f.Marker] = was
			}
			found = was
		}
		switch {
		case f.Recognise != nil && !f.Recognise(found):
		case f.Lay != nil && read == nil:
			read, m = f, found
		default:
			others = append(others, f.Name)
		}
	}
	return read, m, others
}

// Lay recognises the tree's format and lays it out. pin names the format to
// use, whose marker must be there and is believed; "" means the first that
// fits. Without any it is laid out as loose files. ok is false when there is
// nothing of the format that was pinned, or nothing at all.
func Lay(formats []Format, loose Format, t *ext.Tree, pin string, env Env) (ok bool) {
	wanted := formats
	if pin != "" {
		wanted = nil
		for _, f := range append(formats[:len(formats):len(formats)], loose) {
			if family(f.Name) == family(pin) && f.Marker != "" {
				f.Recognise = nil
				wanted = append(wanted, f)
			}
		}
	}
	f, m, others := Detect(wanted, t, env)
	t.Also = others
	switch {
	case f == nil && (pin == "" || family(pin) == family(loose.Name)):
		return layOther(wanted, loose, t, env)
	case f == nil:
		t.Format = pin
		return false
	}
	t.Format = f.Name
	f.Lay(t, m, env)
	if len(others) > 0 {
		t.Findings.Add(Several.At(t.Origin.At(m.Path, 0), "read as %s; also laid out as %s", f.Name, strings.Join(others, ", ")))
	}
	return true
}

// layOther lays out a directory without a manifest that is read: as loose
// files, unless it is known by sight as something else, whose unread manifest
// could change what the files mean.
func layOther(formats []Format, loose Format, t *ext.Tree, env Env) bool {
	if len(t.Also) == 0 {
		t.Format = loose.Name
		for _, f := range formats {
			if info, err := fs.Stat(t.FS, f.Marker); f.Lay != nil && err == nil && info.IsDir() {
				t.Findings.Add(WrongKind.At(t.Origin.At(f.Marker, 0), "expected the manifest of %s, found a directory", f.Name))
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
	info, err := fs.Stat(fsys, name)
	if err == nil {
		return !info.IsDir()
	}
	if errors.Is(err, fs.ErrNotExist) {
		_, err = fs.Lstat(fsys, name)
		return err == nil
	}
	return true
}
