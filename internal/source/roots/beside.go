package roots

import (
	"io/fs"
	"path"

	"github.com/mortise-dev/mortise/internal/root"
)

// beside is a root as it is seen from a directory in it: it reads what lies next
// to that directory, by names that lead out of it and not out of the root.
type beside struct {
	base *root.Root
	dir  string // below the base
}

// beside is how what lies next to a folder is read; nil when that is part of
// a root that claims it, or lies outside the base.
func (s *Source) beside(base *root.Root, c candidate) fs.FS {
	if c.parent == nil || claimsServers(c.parent) {
		return nil
	}
	return &beside{base, c.path}
}

// claimsServers reports whether a folder is a plugin whose own the files beside
// a project's folder are.
func claimsServers(d *folder) bool { return d.isRoot && d.hasFile(".claude-plugin/plugin.json") }

func (b *beside) at(name string) string { return path.Join(b.dir, name) }

// Open opens what lies at a name as seen from the directory.
func (b *beside) Open(name string) (fs.File, error) { return b.base.Open(b.at(name)) }

// Lstat is the root's own.
func (b *beside) Lstat(name string) (fs.FileInfo, error) { return b.base.Lstat(b.at(name)) }

// ReadLink is the root's own.
func (b *beside) ReadLink(name string) (string, error) { return b.base.ReadLink(b.at(name)) }

// ReadFrom is the root's own.
func (b *beside) ReadFrom(name string, limit int64) (data []byte, outside string, err error) {
	return b.base.ReadFrom(b.at(name), limit)
}
