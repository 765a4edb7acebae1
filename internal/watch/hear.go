package watch

import (
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/mortise-dev/mortise/ext"
)

// mostFailures is how many errors in a row the system may tell before it is
// taken to tell nothing else any more.
const mostFailures = 100

// hear takes in what the system told.
func (l *lookout) hear(h heard) {
	if len(h.events) > 0 {
		l.fails = 0
	}
	if l.fails += h.failures; l.fails >= mostFailures {
		l.give(h.failure)
	}
	if h.overflow {
		l.renew()
		return
	}
	n := notice{shaken: map[*root]bool{}, looked: map[*dir]bool{}}
	for _, e := range h.events {
		l.event(e, n)
	}
	l.mend(n.shaken)
}

// notice is what is known of events that came together.
type notice struct {
	shaken map[*root]bool // may lead elsewhere now
	looked map[*dir]bool  // were looked at already
}

// moves are the events after which another thing, or nothing, is at a path.
const moves = fsnotify.Create | fsnotify.Remove | fsnotify.Rename

func (l *lookout) event(e fsnotify.Event, n notice) {
	path := filepath.Clean(e.Name)
	at := hinge{filepath.Dir(path), filepath.Base(path)}
	if e.Has(moves) {
		l.drop(path) // its watches would follow it elsewhere
	}
	for _, r := range l.hinges[at] {
		n.shaken[r] = true
		// That something in a directory changed, its own watch tells.
		if written := e.Has(fsnotify.Write) && !r.way.fact.mode.IsDir(); r.way.end == path && (written || e.Has(moves)) {
			l.tell(r)
		}
	}
	within := l.covering(path)
	if len(within) == 0 {
		return
	}
	d := l.dirs[at.dir]
	if e.Op == fsnotify.Chmod && d != nil && d.tree {
		l.attributes(d, within, n)
		return
	}
	l.tell(within...)
	if d != nil {
		d.current = false
	}
	// What was heard to go may be there again: events can be older than what was
	// seen last.
	if e.Has(moves) && directory(path) {
		l.plant([]string{path}, nil)
	}
}

// attributes tells that something changed in d if it did: when files are read,
// linked or labelled, the same is heard.
func (l *lookout) attributes(d *dir, within []*root, n notice) {
	if n.looked[d] {
		return
	}
	n.looked[d] = true
	sum, current := d.sum, d.current
	if seen, gone := l.behold(d); gone || !current || seen.sum != sum {
		l.tell(within...)
	}
}

// mend follows anew the roots that were shaken, and those that lost what they
// hang on.
func (l *lookout) mend(shaken map[*root]bool) {
	var roots []*root
	for _, r := range l.roots {
		if shaken[r] || l.loose(r) {
			roots = append(roots, r)
		}
	}
	l.arrange(roots, nil)
}

func (l *lookout) loose(r *root) bool {
	for _, h := range r.way.hinges {
		if l.dirs[h.dir] == nil {
			return true
		}
	}
	d := l.dirs[r.way.end]
	return r.way.fact.mode.IsDir() && (d == nil || !d.tree)
}

// renew begins anew with all roots, because events were lost.
func (l *lookout) renew() {
	l.news.all = true
	for _, d := range l.dirs {
		l.forget(d)
	}
	l.mend(nil)
}

// give gives the system's events up.
func (l *lookout) give(err error) {
	if l.sys == nil {
		return
	}
	_ = l.sys.close() // there is nothing else to be had of it
	l.sys, l.why = nil, "the system's events ended: "+ext.Escape(err.Error())
	l.renew()
}

// poll looks at what events do not suffice for, and whether every root leads
// where it did. It returns when to do so again: later than asked for if it took
// so long that it would be a burden.
func (l *lookout) poll() (next time.Duration) {
	began := time.Now()
	astray := map[*root]bool{}
	for _, r := range l.roots {
		if !lead(r.path).same(r.way) {
			astray[r] = true
		}
	}
	l.mend(astray)
	room := true
	for _, d := range l.dirs {
		if !d.polled() {
			continue
		}
		if room && !d.watched {
			l.watch(d)
			room = d.watched
		}
		if d.tree {
			l.revisit(d)
		}
	}
	return max(l.opt.Poll, burden*time.Since(began))
}

// burden is the least time between two looks, as a multiple of what one takes.
const burden = 20
