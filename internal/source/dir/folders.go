package dir

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
)

// Folders are the folders of a workspace in which a project keeps what its
// clients find there.
type Folders struct {
	Dir     string          // of the workspace, absolute
	Formats []source.Format // those that know a folder by its name are asked
	Loose   source.Format
	Env     source.Env
	Named   []string // absolute directories that are read already
}

// Unnamed are the folders that are not read and hold entries, in the order of
// the formats, each with the file next to it that belongs to it. A folder that
// is a link is found where it lies. Of one that is named nothing is told here:
// its own tree does.
func (f Folders) Unnamed() []source.Folder {
	var out []source.Folder
	for i := range f.Formats {
		format := &f.Formats[i]
		name, ok := strings.CutSuffix(format.Marker, "/")
		path := filepath.Join(f.Dir, name)
		if !ok || strings.Contains(name, "/") || slices.Contains(f.Named, path) {
			continue
		}
		found := source.Folder{Format: format.Name, Beside: f.beside(format, name)}
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			if found.Surfaces = f.surfaces(path, format.Name); len(found.Surfaces) > 0 {
				found.Name = name
			}
		}
		if found.Name != "" || found.Beside != "" {
			out = append(out, found)
		}
	}
	return out
}

// beside is the file of a format that lies next to its folder, if it declares
// something or cannot be read. Nothing but that file is looked at, through a
// root that no link leads out of.
func (f Folders) beside(format *source.Format, folder string) string {
	if format.Beside == "" {
		return ""
	}
	r, err := root.Open(f.Dir, root.Options{})
	if err != nil {
		return ""
	}
	defer r.Close()
	if _, err := r.Lstat(format.Beside); err != nil {
		return ""
	}
	t := ext.Tree{Extension: ext.BuiltinName, FS: source.Nothing{}, Origin: ext.Origin{Extension: ext.BuiltinName, Source: "path:" + folder, Trust: ext.Project}}
	env := f.Env
	env.Beside = source.View{Base: r, Dir: folder}
	format.Lay(&t, source.Manifest{}, env)
	if len(t.Places) == 0 {
		return ""
	}
	return format.Beside
}

// surfaces are those of the entries that a folder of a format holds, sorted.
func (f Folders) surfaces(path, format string) []string {
	p := Plugin{Extension: ext.BuiltinName, Dir: path, Shown: path, Format: format, Trust: ext.Project, Formats: f.Formats, Loose: f.Loose, Env: f.Env}
	t := p.tree()
	if t.Close != nil {
		defer t.Close()
	}
	var held []string
	for _, place := range t.Places {
		held = append(held, place.Surface)
	}
	slices.Sort(held)
	return slices.Compact(held)
}
