// Package watch tells that something below declared files and directories has
// changed: by the system's events where it has them, by looking again and
// again where it has not.
package watch

import (
	"cmp"
	"sync"
	"time"
)

// Options say how a Watcher works. The zero value is good.
type Options struct {
	Quiet time.Duration // for how long nothing must change before it is told; 0: 100 ms
	Most  time.Duration // a change is told at the latest after this long, though changes go on; 0: 1 s
	Poll  time.Duration // how often what cannot be watched is looked at; 0: 2 s
	Dirs  int           // the most directories that are watched, what is beyond is polled; 0: 8192, fewer where each file costs a descriptor
	Skip  []string      // names of which nothing is told below a root, such as ".git"

	entries int                     // the most that is looked at in all; 0: mostEntries
	open    func() (*system, error) // nil: the system's own events
	remote  func(dir string) string // nil: asks the system
}

// mostEntries is how many files and directories are looked at in all. It bounds
// memory, and the time that polling takes.
const mostEntries = 1 << 18

// Change is what changed since the last one was received.
type Change struct {
	Roots []string // below which roots, or they themselves, sorted; spelled as they were given
	All   bool     // events were lost: anything may have changed, below every root
}

// Watcher watches the roots that it was given last. It is safe for use by
// several goroutines at once.
type Watcher struct {
	calls   chan func(*lookout) // run by the goroutine that has the lookout
	changes chan Change
	quit    chan struct{}
	done    chan struct{}
	once    sync.Once
}

// New returns a Watcher without roots, which must be closed. It never fails:
// where the system tells no events everything is polled, and Polled says why.
func New(o Options) *Watcher {
	o.Quiet = cmp.Or(o.Quiet, 100*time.Millisecond)
	o.Most = cmp.Or(o.Most, time.Second)
	o.Poll = cmp.Or(o.Poll, 2*time.Second)
	o.Dirs = cmp.Or(o.Dirs, defaultDirs)
	o.entries = cmp.Or(o.entries, mostEntries)
	if o.open == nil {
		o.open = openSystem
	}
	if o.remote == nil {
		o.remote = remote
	}
	w := &Watcher{
		calls:   make(chan func(*lookout)),
		changes: make(chan Change, 1),
		quit:    make(chan struct{}),
		done:    make(chan struct{}),
	}
	go w.run(newLookout(o), newTeller(o, w.changes))
	return w
}

// Set has exactly these files and directories watched from now on, directories
// with all below them, and reports whether one of them was not watched before.
// A relative path is of the current directory as it is now. Each may be
// missing, or a link: then what it leads to is watched as well; links below a
// root are entries like others.
//
// Set returns when the watching has begun, and what changes after it was called
// is told. What of an added root was read before that may be stale already:
// who gets true and has read, reads again. Set is cheap when roots are the same
// as before.
func (w *Watcher) Set(roots []string) (added bool) {
	w.do(func(l *lookout) { added = l.set(roots) })
	return added
}

// Changes is where changes are told, which is once they have paused, or have
// gone on for long. Changes that nobody received yet become one. It is closed
// by Close.
func (w *Watcher) Changes() <-chan Change { return w.changes }

// Polled is the roots that are polled at least in part, spelled as they were
// given, and why, for people.
func (w *Watcher) Polled() (why map[string]string) {
	w.do(func(l *lookout) { why = l.polled() })
	return why
}

// Close ends the watching and returns when nothing of it runs any more. It may
// be called more than once.
func (w *Watcher) Close() error {
	w.once.Do(func() { close(w.quit) })
	<-w.done
	return nil
}

// do has f run with the lookout, unless w was closed.
func (w *Watcher) do(f func(*lookout)) {
	ran := make(chan struct{})
	select {
	case w.calls <- func(l *lookout) { f(l); close(ran) }:
		<-ran
	case <-w.done:
	}
}

// run owns the lookout.
func (w *Watcher) run(l *lookout, t *teller) {
	defer close(w.done)
	defer close(w.changes)
	defer l.close()
	defer t.stop()
	look := time.NewTimer(l.opt.Poll)
	defer look.Stop()
	for {
		select {
		case <-w.quit:
			return
		case f := <-w.calls:
			f(l)
		case <-l.inbox.ready:
			l.hear(l.inbox.take())
		case <-look.C:
			look.Reset(l.poll())
		case <-t.due():
			t.tell(l.wants)
		}
		t.add(l.changed())
	}
}
