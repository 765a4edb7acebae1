package roots

import (
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
)

// bundles are the packed MCP bundles in a folder: archives, which nobody opens.
func bundles(d *folder) (names []string) {
	for _, e := range d.entries {
		if source.IsPacked(e.Name()) && !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// bundle is the tree of a packed bundle that lies outside every root. Nothing
// of it is read.
func (s *Source) bundle(base *root.Root, d *folder, name string) ext.Tree {
	file := join(d.path, name)
	t := ext.Tree{
		Root: filepath.Join(base.Dir(), filepath.FromSlash(file)), Format: "mcpb", Unread: true, FS: source.Nothing{},
		Origin: ext.Origin{Source: "path:" + file, Trust: ext.Plugin},
	}
	t.Rename(source.NameOf("", t.Root))
	t.Findings.Add(source.Packed.At(t.Origin, "it is an archive"))
	return t
}

// unpacked tells the packed bundles in a root.
func (f *finder) unpacked(t *ext.Tree, c candidate) {
	c.all(func(d *folder) {
		for _, name := range bundles(d) {
			t.Findings.Add(source.Packed.At(t.Origin.At(relative(join(d.path, name), c.path), 0), "it is an archive"))
		}
	}, otherRoot)
}
