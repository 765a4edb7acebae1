package dir

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
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
// the formats. A folder that is a link is found where it lies.
func (f Folders) Unnamed() []source.Folder {
	var out []source.Folder
	for i := range f.Formats {
		name, ok := strings.CutSuffix(f.Formats[i].Marker, "/")
		if !ok || strings.Contains(name, "/") {
			continue
		}
		path := filepath.Join(f.Dir, name)
		if info, err := os.Lstat(path); err != nil || !info.IsDir() || slices.Contains(f.Named, path) {
			continue
		}
		if held := f.surfaces(path, f.Formats[i].Name); len(held) > 0 {
			out = append(out, source.Folder{Name: name, Format: f.Formats[i].Name, Surfaces: held})
		}
	}
	return out
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
