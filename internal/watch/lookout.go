package watch

import (
	"hash/maphash"
	"maps"
	"path/filepath"
	"slices"

	"github.com/mortise-dev/mortise/ext"
)

// lookout is what is watched and what is polled. One goroutine has it.
type lookout struct {
	opt  Options
	skip map[string]bool
	seed maphash.Seed

	sys   *system // nil where nothing can be watched
	why   string  // then: why
	inbox *inbox
	fails int // of the system, in a row

	roots  map[string]*root // as given
	begins map[string][]*root
	hinges map[hinge][]*root
	dirs   map[string]*dir
	ids    map[fileID]*dir // those that are watched

	spent int  // what the watches weigh
	held  int  // entries that were looked at
	stale bool // roots are not as they were indexed
	news  news
}

// root is one that was given.
type root struct {
	given, path string
	way         way
}

// dir is a directory that is looked at: because a hinge is in it, because it is
// of a root's tree, or both.
type dir struct {
	path  string
	below map[string]bool // directories in it that are looked at
	tree  bool

	watched bool
	id      fileID
	weight  int
	why     string // why events do not suffice
	unseen  string // why not all of it is looked at

	sum     uint64
	current bool // no event came since sum was taken
	entries int
}

// polled reports whether d must be looked at again and again.
func (d *dir) polled() bool { return d.why != "" || d.unseen != "" }

func newLookout(o Options) *lookout {
	l := &lookout{opt: o, skip: map[string]bool{}, seed: maphash.MakeSeed(), roots: map[string]*root{}, dirs: map[string]*dir{}, ids: map[fileID]*dir{}}
	for _, name := range o.Skip {
		l.skip[name] = true
	}
	sys, err := o.open()
	if err != nil {
		l.why = "the system cannot watch: " + ext.Escape(err.Error())
	} else {
		l.sys = sys
	}
	l.inbox = newInbox(l.sys)
	l.index()
	return l
}

// close ends the events and waits until nothing of them runs.
func (l *lookout) close() {
	if l.sys != nil {
		_ = l.sys.close() // what it could say would change nothing
	}
	<-l.inbox.done
}

// changed is the news since it was last called.
func (l *lookout) changed() news {
	n := l.news
	l.news = news{}
	return n
}

func (l *lookout) tell(roots ...*root) {
	for _, r := range roots {
		l.news.add(news{roots: map[string]bool{r.given: true}})
	}
}

func (l *lookout) wants(given string) bool { return l.roots[given] != nil }

func (l *lookout) set(given []string) (added bool) {
	wanted := map[string]bool{}
	for _, g := range given {
		wanted[g] = true
	}
	var fresh []*root
	for g := range wanted {
		if l.roots[g] == nil {
			r := &root{given: g, path: absolute(g)}
			r.way = lead(r.path)
			fresh = append(fresh, r)
		}
	}
	if len(fresh) == 0 && len(wanted) == len(l.roots) {
		return false
	}
	before := l.glance(fresh)
	maps.DeleteFunc(l.roots, func(g string, _ *root) bool { return !wanted[g] })
	for _, r := range fresh {
		l.roots[r.given] = r
	}
	l.stale = true
	l.arrange(fresh, before)
	return len(fresh) > 0
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path) // there is no current directory
}

// arrange has roots, which are new or lead elsewhere than before, looked at as
// they lead now, and nothing that no root needs any more.
func (l *lookout) arrange(roots []*root, before map[string]uint64) {
	slices.SortFunc(roots, func(a, b *root) int { return len(a.path) - len(b.path) })
	for _, r := range roots {
		if l.aim(r) {
			l.tell(r)
		}
	}
	if l.stale {
		l.index()
		l.prune()
	}
	l.plant(l.tops(roots), before)
}

// aimings is how often a root is followed that leads elsewhere each time.
const aimings = 8

// aim follows r with its hinges watched, and reports whether it led to
// something else before.
func (l *lookout) aim(r *root) (changed bool) {
	before := r.way
	for range aimings {
		r.way = lead(r.path)
		for _, h := range r.way.hinges {
			l.watch(l.enter(h.dir))
		}
		if lead(r.path).same(r.way) {
			break
		}
	}
	if r.way.end == before.end && r.way.fact.id != before.fact.id {
		l.drop(r.way.end) // another one of that name
	}
	if r.way.end != before.end || r.way.fact.mode.IsDir() != before.fact.mode.IsDir() || !slices.Equal(r.way.hinges, before.hinges) {
		l.stale = true
	}
	return !r.way.outcome(before)
}

// index finds roots by what they hang on.
func (l *lookout) index() {
	l.stale = false
	l.begins, l.hinges = map[string][]*root{}, map[hinge][]*root{}
	for _, r := range l.roots {
		if r.way.fact.mode.IsDir() {
			l.begins[r.way.end] = append(l.begins[r.way.end], r)
		}
		for _, h := range r.way.hinges {
			l.hinges[h] = append(l.hinges[h], r)
		}
	}
}

// tops is where the trees of roots begin.
func (l *lookout) tops(roots []*root) (tops []string) {
	for _, r := range roots {
		if r.way.fact.mode.IsDir() {
			tops = append(tops, r.way.end)
		}
	}
	return tops
}

// covering is the roots in whose tree the entry at path is.
func (l *lookout) covering(path string) (roots []*root) {
	for !l.skip[filepath.Base(path)] {
		dir := filepath.Dir(path)
		if dir == path {
			break
		}
		roots = append(roots, l.begins[dir]...)
		path = dir
	}
	return roots
}

// holding is the roots of whose tree the directory at path is.
func (l *lookout) holding(path string) []*root {
	return append(l.covering(path), l.begins[path]...)
}

// polled says of each root that events do not suffice for why that is: what is
// not looked at at all comes first, then what lies nearest.
func (l *lookout) polled() map[string]string {
	why := map[string]string{}
	add := func(roots []*root, reason string) {
		for _, r := range roots {
			if reason != "" && why[r.given] == "" {
				why[r.given] = reason
			}
		}
	}
	paths := slices.Sorted(maps.Keys(l.dirs))
	for _, path := range paths {
		add(l.holding(path), l.dirs[path].unseen)
	}
	for _, r := range l.roots {
		add([]*root{r}, l.why)
		for _, h := range r.way.hinges {
			if d := l.dirs[h.dir]; d != nil {
				add([]*root{r}, d.why)
			}
		}
	}
	for _, path := range paths {
		if d := l.dirs[path]; d.tree {
			add(l.holding(path), d.why)
		}
	}
	return why
}
