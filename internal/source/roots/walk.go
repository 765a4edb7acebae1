package roots

import (
	"io/fs"
	"path"
	"slices"
	"sync"

	"github.com/mortise-dev/mortise/internal/root"
)

// skipped directories hold no extensions of their own.
var skipped = map[string]bool{".git": true, "node_modules": true, ".hg": true, ".svn": true}

// listing is every directory below a base and its entries, read once.
type listing struct {
	mu   sync.Mutex
	dirs map[string][]fs.DirEntry
	left map[string]error // what could not be listed
}

// list reads all directories below r with the given number of workers. Links
// to directories are not followed: what they lead to is found where it lies.
func list(r *root.Root, workers int) *listing {
	l := &listing{dirs: map[string][]fs.DirEntry{}, left: map[string]error{}}
	var wg sync.WaitGroup
	todo := &stack{}
	todo.push(".")
	for range max(workers, 1) {
		wg.Go(func() {
			for dir, ok := todo.pop(); ok; dir, ok = todo.pop() {
				l.one(r, dir, todo)
				todo.done()
			}
		})
	}
	wg.Wait()
	return l
}

func (l *listing) one(r *root.Root, dir string, todo *stack) {
	entries, err := r.ReadDir(dir)
	var below []string
	for _, e := range entries {
		if e.IsDir() && !skipped[e.Name()] {
			below = append(below, path.Join(dir, e.Name()))
		}
	}
	l.mu.Lock()
	l.dirs[dir] = entries
	if err != nil {
		l.left[dir] = err
	}
	l.mu.Unlock()
	todo.push(below...)
}

// has reports whether a directory has an entry of that name.
func (l *listing) has(dir, name string) bool { return l.find(dir, name) != nil }

func (l *listing) find(dir, name string) fs.DirEntry {
	entries := l.dirs[dir]
	i, ok := slices.BinarySearchFunc(entries, name, func(e fs.DirEntry, name string) int {
		switch {
		case e.Name() < name:
			return -1
		case e.Name() > name:
			return 1
		}
		return 0
	})
	if !ok {
		return nil
	}
	return entries[i]
}

// hasFile reports whether a path of one or more parts stands below dir.
func (l *listing) hasFile(dir, name string) bool {
	return l.has(path.Join(dir, path.Dir(name)), path.Base(name))
}

// stack is the work that is left. pop blocks while others may still push.
type stack struct {
	mu     sync.Mutex
	cond   *sync.Cond
	items  []string
	active int
}

func (s *stack) push(items ...string) {
	if len(items) == 0 {
		return
	}
	s.mu.Lock()
	s.items = append(s.items, items...)
	if s.cond != nil {
		s.cond.Broadcast()
	}
	s.mu.Unlock()
}

func (s *stack) pop() (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cond == nil {
		s.cond = sync.NewCond(&s.mu)
	}
	for len(s.items) == 0 && s.active > 0 {
		s.cond.Wait()
	}
	if len(s.items) == 0 {
		return "", false
	}
	item := s.items[len(s.items)-1]
	s.items = s.items[:len(s.items)-1]
	s.active++
	return item, true
}

// done says that what pop returned last has been dealt with.
func (s *stack) done() {
	s.mu.Lock()
	s.active--
	if s.active == 0 && s.cond != nil {
		s.cond.Broadcast()
	}
	s.mu.Unlock()
}
