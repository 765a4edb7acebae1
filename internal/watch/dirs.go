package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/mortise-dev/mortise/ext"
)

// enter is the directory at path, made known if it was not.
func (l *lookout) enter(path string) *dir {
	d := l.dirs[path]
	if d == nil {
		d = &dir{path: path, below: map[string]bool{}}
		l.dirs[path] = d
		if up := l.dirs[filepath.Dir(path)]; up != nil && up != d {
			up.below[path] = true
		}
	}
	return d
}

// watch has events told of d if that can be, else d.why says why not.
func (l *lookout) watch(d *dir) {
	if d.watched {
		return
	}
	if l.sys == nil {
		d.why = l.why
		return
	}
	weight := weight(d.path)
	if l.spent+weight > l.opt.Dirs {
		d.why = fmt.Sprintf("at most %d directories are watched, and there are more", l.opt.Dirs)
		return
	}
	id := idOf(d.path)
	if other := l.ids[id]; other != nil && !l.moved(other, id) {
		d.why = "it is the directory " + ext.Quote(other.path) + " by another name"
		return
	}
	if l.dirs[d.path] != d {
		return // it was dropped with the other
	}
	if err := l.sys.add(d.path); err != nil {
		d.why = unwatchable(err)
		return
	}
	d.watched, d.weight, d.why = true, weight, ""
	l.spent += weight
	if id != (fileID{}) {
		d.id, l.ids[id] = id, d
	}
	if kind := l.opt.remote(d.path); kind != "" {
		d.why = "it lies on a file system (" + kind + ") that may change without this system's knowing"
	}
}

// moved reports whether d, which had that identity, is not at its path any more.
// It is dropped then: the system takes one watch for a directory, whatever its
// name, and would go on to tell events under the old one.
func (l *lookout) moved(d *dir, id fileID) bool {
	if idOf(d.path) == id {
		return false
	}
	l.drop(d.path)
	return true
}

// unwatchable says why the system watches no directory.
func unwatchable(err error) string {
	if errors.Is(err, syscall.ENOSPC) {
		return "the system watches no more directories (its limit is fs.inotify.max_user_watches)"
	}
	return "the system does not watch it: " + ext.Escape(err.Error())
}

// plant has the directories at these paths looked at with all below them,
// those nearest first, so that they are the watched ones when not all can be.
// What is not as it was before, if that is known, is told.
func (l *lookout) plant(queue []string, before map[string]uint64) {
	for ; len(queue) > 0; queue = queue[1:] {
		path := queue[0]
		if d := l.dirs[path]; d != nil && d.tree {
			continue // another root's
		}
		if l.held >= l.opt.entries {
			l.beyond(filepath.Dir(path))
			continue
		}
		d := l.enter(path)
		d.tree = true
		l.watch(d) // first, so that nothing goes unnoticed in between
		if l.dirs[path] != d {
			continue // it was dropped with what is not there any more; that is heard yet
		}
		seen, gone := l.behold(d)
		if sum, ok := before[path]; before != nil && (gone || !ok || sum != seen.sum) {
			l.tell(l.holding(path)...)
		}
		queue = append(queue, seen.below...)
	}
}

// beyond marks the directory at path as one of which not all is looked at.
func (l *lookout) beyond(path string) {
	if d := l.dirs[path]; d != nil {
		d.unseen = fmt.Sprintf("it holds more than the %d files that are looked at", l.opt.entries)
	}
}

// behold looks at what d holds now. A directory that is no more is forgotten.
func (l *lookout) behold(d *dir) (s sight, gone bool) {
	s, err := l.look(d.path, l.opt.entries-l.held+d.entries)
	if missing(err) {
		l.drop(d.path)
		return sight{}, true
	}
	d.unseen = ""
	if err != nil {
		d.unseen = "it cannot be listed: " + ext.Escape(bare(err).Error())
		s = sight{}
	}
	l.held += s.entries - d.entries
	d.sum, d.entries, d.current = s.sum, s.entries, true
	if l.held >= l.opt.entries {
		l.beyond(d.path)
	}
	return s, false
}

// glance is what the trees of roots hold that are not looked at yet: a sum for
// each directory.
func (l *lookout) glance(roots []*root) map[string]uint64 {
	sums, held := map[string]uint64{}, l.held
	for queue := l.tops(roots); len(queue) > 0 && held < l.opt.entries; queue = queue[1:] {
		path := queue[0]
		if _, ok := sums[path]; ok || l.dirs[path] != nil && l.dirs[path].tree {
			continue
		}
		s, err := l.look(path, l.opt.entries-held)
		if err != nil {
			s = sight{}
		}
		sums[path] = s.sum
		held += s.entries
		queue = append(queue, s.below...)
	}
	return sums
}

// drop forgets the directory at path with all below it.
func (l *lookout) drop(path string) {
	d := l.dirs[path]
	if d == nil {
		return
	}
	for b := range d.below {
		l.drop(b)
	}
	l.forget(d)
}

// forget gives up d alone.
func (l *lookout) forget(d *dir) {
	if d.watched && l.sys != nil {
		_ = l.sys.remove(d.path) // it may have ended with the directory
	}
	l.spent -= d.weight
	l.held -= d.entries
	d.watched, d.weight, d.entries = false, 0, 0
	delete(l.dirs, d.path)
	if l.ids[d.id] == d {
		delete(l.ids, d.id)
	}
	if up := l.dirs[filepath.Dir(d.path)]; up != nil {
		delete(up.below, d.path)
	}
}

// prune forgets what no root needs.
func (l *lookout) prune() {
	hung := map[string]bool{}
	for h := range l.hinges {
		hung[h.dir] = true
	}
	for path, d := range l.dirs {
		switch {
		case d.tree && len(l.holding(path)) > 0:
		case hung[path]:
			l.held -= d.entries
			d.tree, d.entries = false, 0
		default:
			l.forget(d)
		}
	}
}

// revisit looks at d again and tells if it is not as it was.
func (l *lookout) revisit(d *dir) {
	sum, all := d.sum, d.unseen == ""
	seen, gone := l.behold(d)
	if gone || seen.sum != sum {
		l.tell(l.holding(d.path)...)
	} else if all {
		return
	}
	for b := range d.below {
		if !slices.Contains(seen.below, b) {
			l.drop(b)
		}
	}
	l.plant(seen.below, nil)
}

func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// bare is err without the path that it names.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
