package roots

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mortise-dev/mortise/internal/root"
)

// skipped directories hold no extensions of their own.
var skipped = map[string]bool{".git": true, "node_modules": true, ".hg": true, ".svn": true}

// listing is every directory below a base and its entries, read once.
type listing struct {
	dirs map[string][]fs.DirEntry
	left map[string]error // what could not be listed
}

// list reads all directories below r, level by level, each level with the
// given number of workers. Links to directories are not followed: what they
// lead to is found where it lies.
func list(r *root.Root, workers int) *listing {
	l := &listing{dirs: map[string][]fs.DirEntry{}, left: map[string]error{}}
	for level := []string{"."}; len(level) > 0; {
		entries, errs := make([][]fs.DirEntry, len(level)), make([]error, len(level))
		each(len(level), workers, func(i int) { entries[i], errs[i] = r.ReadDir(level[i]) })
		var next []string
		for i, dir := range level {
			l.dirs[dir] = entries[i]
			if errs[i] != nil {
				l.left[dir] = errs[i]
			}
			for _, e := range entries[i] {
				if e.IsDir() && !skipped[e.Name()] {
					next = append(next, path.Join(dir, e.Name()))
				}
			}
		}
		level = next
	}
	return l
}

// each calls do for every number below n, by workers that take a few at once.
func each(n, workers int, do func(i int)) {
	const few = 16
	var taken atomic.Int64
	work := func() {
		for {
			to := int(taken.Add(few))
			for i := to - few; i < min(to, n); i++ {
				do(i)
			}
			if to >= n {
				return
			}
		}
	}
	var wg sync.WaitGroup
	for range min(workers, (n+few-1)/few) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}

// has reports whether a directory has an entry of that name.
func (l *listing) has(dir, name string) bool { return l.find(dir, name) != nil }

func (l *listing) find(dir, name string) fs.DirEntry {
	entries := l.dirs[dir]
	i, ok := slices.BinarySearchFunc(entries, name, func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
	if !ok {
		return nil
	}
	return entries[i]
}

// hasFile reports whether a path of one or more parts stands below dir.
func (l *listing) hasFile(dir, name string) bool {
	return l.has(path.Join(dir, path.Dir(name)), path.Base(name))
}
