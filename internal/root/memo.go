package root

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

// memo is what was listed of a root, for Options.Remember. A directory is listed when
// something in it is first asked about; one to which a link is on the way never is.
type memo struct {
	of *Root

	mu    sync.Mutex
	known map[string][]fs.DirEntry // by directory; nil: it is none, or cannot be listed
}

// listing is a Listing.
func (m *memo) listing(dir string) ([]fs.DirEntry, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.list(dir)
}

func (m *memo) list(dir string) ([]fs.DirEntry, bool) {
	if entries, asked := m.known[dir]; asked {
		return entries, entries != nil
	}
	if dir != "." {
		above, ok := m.list(path.Dir(dir))
		if !ok {
			return nil, false
		}
		i, found := slices.BinarySearchFunc(above, path.Base(dir), func(e fs.DirEntry, base string) int { return strings.Compare(e.Name(), base) })
		if !found || !above[i].IsDir() {
			return nil, false // what is missing is answered from the directory above
		}
	}
	m.known[dir] = nil
	since := m.of.now()
	entries, f, err := m.of.in.list(dir, &origin{m.of, dir}, m.of.trace != nil)
	if err != nil {
		return nil, false // who asks is told why
	}
	m.of.trace.add(dir, f, since)
	m.known[dir] = slices.Clip(entries)
	if entries == nil {
		m.known[dir] = []fs.DirEntry{}
	}
	return m.known[dir], true
}
