package discover

import (
	"io/fs"
	"path"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
)

// companionDepth and companionEntries bound the look at a unit's other files:
// what a unit may hold under MCP's skills extension is 512 files.
const (
	companionDepth   = 6
	companionEntries = 512
)

// companions looks at the links among the other files of a unit: one that
// leads nowhere, or outside, is a warning on its entry.
func (s *scan) companions(document string) ext.Findings {
	dir := path.Dir(document)
	if dir == "." {
		return nil
	}
	var out ext.Findings
	for _, name := range s.links(dir) {
		out = append(out, link(s.tree, name)...)
	}
	return out
}

func link(t *ext.Tree, name string) ext.Findings {
	_, err := source.Type(t.FS, name)
	if err == nil {
		return nil
	}
	f := source.FaultOf(err, t.Origin.At(name, 0))
	if f.Check.Severity >= ext.Error {
		f = AssetOutside.At(f.Origin, "%s", f.Message)
	}
	return ext.Findings{f}
}

// links are the links among the files of a unit. They are looked for anew when
// a directory of the unit changed.
func (s *scan) links(dir string) []string {
	depth := min(companionDepth, s.options.Limits.Depth)
	m := s.options.Memory
	r, ok := s.tree.FS.(*root.Root)
	if m == nil || !ok {
		u := unit{list: func(name string) ([]fs.DirEntry, root.Stamp, error) {
			entries, err := fs.ReadDir(s.tree.FS, name)
			return entries, root.Stamp{}, err
		}}
		u.walk(dir, depth)
		return u.links
	}
	at := unitPlace{r.Dir(), dir, depth}
	if u, ok := m.units.get(at); ok && u.holds(s.again(r)) {
		return u.links
	}
	u := &unit{list: r.ListStamped}
	u.walk(dir, depth)
	if u.list = nil; u.unknown {
		m.units.forget(at)
	} else {
		m.units.put(at, u, 0)
	}
	return u.links
}

// unit is what lies beside a document.
type unit struct {
	list    func(name string) ([]fs.DirEntry, root.Stamp, error)
	seen    int
	links   []string
	stamps  []root.Stamp // of the directories
	unknown bool         // one of them cannot be known again
}

func (u *unit) walk(dir string, depth int) {
	entries, stamp, err := u.list(dir)
	u.unknown = u.unknown || err != nil || stamp == (root.Stamp{})
	if err != nil || depth < 0 {
		return
	}
	u.stamps = append(u.stamps, stamp)
	for _, e := range entries {
		if u.seen++; u.seen > companionEntries {
			return
		}
		switch {
		case e.IsDir() && !strings.HasPrefix(e.Name(), "."):
			u.walk(path.Join(dir, e.Name()), depth-1)
		case e.Type()&fs.ModeSymlink != 0:
			u.links = append(u.links, path.Join(dir, e.Name()))
		}
	}
}

func (u *unit) holds(look *root.Again) bool {
	for i := range u.stamps {
		if !look.Holds(u.stamps[i]) {
			return false
		}
	}
	return true
}

// unitPlace is what a unit is known by.
type unitPlace struct {
	root, dir string
	depth     int
}
