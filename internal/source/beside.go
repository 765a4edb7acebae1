package source

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
)

// View is a root as it is seen from a directory in it: it reads what lies there,
// and what lies next to it, by names that lead out of the directory and not out
// of the root.
type View struct {
	Base *root.Root
	Dir  string // below the base
}

var _ fs.ReadLinkFS = View{}

func (v View) at(name string) string { return path.Join(v.Dir, name) }

// Open opens what lies at a name as seen from the directory.
func (v View) Open(name string) (fs.File, error) { return v.Base.Open(v.at(name)) }

// Lstat is the root's own.
func (v View) Lstat(name string) (fs.FileInfo, error) { return v.Base.Lstat(v.at(name)) }

// ReadLink is the root's own.
func (v View) ReadLink(name string) (string, error) { return v.Base.ReadLink(v.at(name)) }

// ReadFrom is the root's own.
func (v View) ReadFrom(name string, limit int64) (data []byte, outside string, err error) {
	return v.Base.ReadFrom(v.at(name), limit)
}

// OwnServers is what to do where servers are to be used that a project declares
// for a client beside the client's folder. Such a file is no part of a tree: what
// a person grants is a directory as it is, and these servers start in the
// project, whose code no digest of the folder would cover.
const OwnServers = "To use the servers that it declares in a workspace, declare them in mcp.json of the owner's directory (./.mortise/mcp.json)."

// Outside tells what belongs to a tree of its format, lies next to its
// directory and was not read, since nobody named more than the directory. It
// returns the names of all that was looked for there, in the directory around
// dir, which is the tree's.
func Outside(t *ext.Tree, formats []Format, dir string) (names []string) {
	for i := range formats {
		name := formats[i].Beside
		if name == "" || formats[i].Name != t.Format {
			continue
		}
		names = append(names, name)
		if _, err := os.Lstat(filepath.Join(filepath.Dir(dir), name)); err == nil {
			t.Findings.Add(NotRead.At(t.Origin, "%s lies beside the directory and belongs to it; only what lies in the directory is read", ext.Quote(name)).
				With("%s To look at it, check the directory around this one with --recursive.", OwnServers))
		}
	}
	return names
}
