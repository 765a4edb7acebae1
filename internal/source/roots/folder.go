package roots

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/source"
)

// skipped directories hold no extensions of their own.
var skipped = map[string]bool{".git": true, "node_modules": true, ".hg": true, ".svn": true}

// folder is a directory below the base, listed once for whoever asks.
type folder struct {
	path    string        // below the base; "." is the base itself
	entries []fs.DirEntry // sorted by name
	below   []*folder     // by position of the entries; nil for what is not looked into
	err     error         // why it could not be listed
	isRoot  bool          // found to be a root of an extension

	judged bool                      // marked is known
	marked []source.Format           // whose manifests lie in it
	known  map[string]source.Content // manifests that were read to know it
}

// maxDepth is how deep directories are looked into: far deeper than anybody
// keeps extensions, and not as deep as paths that no system call takes.
const maxDepth = 128

var errTooDeep = errors.New("it lies deeper than is looked into")

// list reads all directories below r, level by level, each level with the
// given number of workers. Links to directories are not followed: what they
// lead to is found where it lies.
func list(r *root.Root, workers int) *folder {
	base := &folder{path: "."}
	depth := 0
	for level := []*folder{base}; len(level) > 0; depth++ {
		if depth > maxDepth {
			for _, f := range level {
				f.err = errTooDeep
			}
			break
		}
		each(len(level), workers, func(i int) { level[i].read(r) })
		var next []*folder
		for _, f := range level {
			for _, sub := range f.below {
				if sub != nil {
					next = append(next, sub)
				}
			}
		}
		level = next
	}
	return base
}

func (f *folder) read(r *root.Root) {
	f.entries, f.err = r.ReadDir(f.path)
	f.below = make([]*folder, len(f.entries))
	for i, e := range f.entries {
		if e.IsDir() && !skipped[e.Name()] {
			f.below[i] = &folder{path: join(f.path, e.Name())}
		}
	}
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

// join is a path below the base; name is one or more clean parts.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// relative is join undone: what a path below dir is called there.
func relative(name, dir string) string {
	if dir == "." {
		return name
	}
	return strings.TrimPrefix(name, dir+"/")
}

func (f *folder) position(name string) (int, bool) {
	return slices.BinarySearchFunc(f.entries, name, func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
}

// plain reports whether the entry of that name is a file, and no link to one.
func (f *folder) plain(name string) bool {
	i, ok := f.position(name)
	return ok && f.entries[i].Type().IsRegular()
}

// has reports whether there is an entry of that name.
func (f *folder) has(name string) bool {
	_, ok := f.position(name)
	return ok
}

// at is the folder at a path of one or more parts below f; nil when there is
// none, or it was not looked into.
func (f *folder) at(name string) *folder {
	for f != nil && name != "" && name != "." {
		part, rest, _ := strings.Cut(name, "/")
		i, ok := f.position(part)
		if !ok {
			return nil
		}
		f, name = f.below[i], rest
	}
	return f
}

// listing knows what was listed in f and below, as a root.Listing.
func (f *folder) listing(name string) ([]fs.DirEntry, bool) {
	d := f.at(name)
	if d == nil || d.err != nil {
		return nil, false
	}
	return d.entries, true
}

// hasFile reports whether a path of one or more parts stands below f.
func (f *folder) hasFile(name string) bool {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		if f = f.at(name[:i]); f == nil {
			return false
		}
		name = name[i+1:]
	}
	return f.has(name)
}

// folders are the directories in f that were looked into, in order.
func (f *folder) folders(visit func(name string, sub *folder)) {
	for i, sub := range f.below {
		if sub != nil {
			visit(f.entries[i].Name(), sub)
		}
	}
}

// all visits f and every folder below, but for what prune says.
func (f *folder) all(visit func(*folder), prune func(*folder) bool) {
	visit(f)
	for _, sub := range f.below {
		if sub != nil && !prune(sub) {
			sub.all(visit, prune)
		}
	}
}
