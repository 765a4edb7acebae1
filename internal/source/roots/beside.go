package roots

import (
	"io/fs"
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
)

// beside is how what lies next to a folder is read; nil when that is part of
// a root that claims it, or lies outside the base.
func beside(base *root.Root, c candidate) fs.FS {
	if c.parent == nil || claimsServers(c.parent) {
		return nil
	}
	return source.View{Base: base, Dir: c.path}
}

// claimsServers reports whether a folder is a plugin whose own the files beside
// a project's folder are.
func claimsServers(d *folder) bool { return d.isRoot && d.hasFile(".claude-plugin/plugin.json") }

// Alone is a file that would be read with the folder that it belongs to.
var Alone = &ext.Check{
	Code: "project-file-alone", Severity: ext.Warning,
	Doc: "A file in which a project declares what it keeps for a client, such as servers, lies outside every extension, and the client's folder is not beside it. A search for extensions reads the two together.",
	Fix: "Make the folder beside it, be it empty, and look again.",
}

// alone is a folder outside every root that has the file of a format which is
// read beside a folder, and not that folder.
type alone struct {
	*folder
	format *source.Format
}

func (f *finder) withoutFolder(d *folder) (out []alone) {
	for i := range f.formats {
		m := &f.formats[i]
		if m.Beside != "" && d.has(m.Beside) && d.at(m.Folder()) == nil {
			out = append(out, alone{d, m})
		}
	}
	return out
}

// withoutFolder is the tree of such a file. Nothing of it is read.
func (s *Source) withoutFolder(base *root.Root, a alone) ext.Tree {
	t := ext.Tree{
		Root: filepath.Join(base.Dir(), filepath.FromSlash(a.path)), Format: a.format.Name, Unread: true, FS: source.Nothing{},
		Origin: ext.Origin{Source: "path:" + join(a.path, a.format.Beside), Trust: ext.Plugin},
	}
	t.Rename(source.NameOf("", t.Root))
	t.Findings.Add(Alone.At(t.Origin.At(a.format.Beside, 0), "it belongs to %s, and no folder of that name lies beside it", a.format.Marker))
	return t
}

// besideBase tells what lies next to the base and belongs to it, which nobody
// named. What was looked at there is remembered with the rest.
func (s *Source) besideBase(base *root.Root, t *ext.Tree) {
	for _, name := range source.Outside(t, s.Formats, base.Dir()) {
		around, err := root.Open(filepath.Dir(base.Dir()), root.Options{Trace: s.Open.Trace, Clock: s.Open.Clock})
		if err != nil {
			continue
		}
		_, _ = around.Lstat(name)
		for _, stamp := range around.Trace() {
			stamp.Path = filepath.Join(around.Dir(), filepath.FromSlash(stamp.Path))
			s.stamps = append(s.stamps, stamp)
		}
		_ = around.Close()
	}
}
