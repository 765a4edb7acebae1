package watch

import (
	"errors"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// system is what tells events in directories. It closes its channels when it
// is closed.
type system struct {
	events <-chan fsnotify.Event
	errors <-chan error
	add    func(dir string) error
	remove func(dir string) error
	close  func() error
}

func openSystem() (*system, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return &system{events: w.Events, errors: w.Errors, add: w.Add, remove: w.Remove, close: w.Close}, nil
}

// heard is what came from the system.
type heard struct {
	events   []fsnotify.Event
	overflow bool  // there were more
	failures int   // in a row, after the last event
	failure  error // the last of them
}

// inbox takes in all that the system tells at once, so that it never waits for
// us, who may be waiting for it.
type inbox struct {
	ready chan struct{} // there is something
	done  chan struct{} // the system was closed

	mu    sync.Mutex
	heard heard
}

// mostHeard is how many events are kept before they count as lost.
const mostHeard = 1 << 16

func newInbox(s *system) *inbox {
	b := &inbox{ready: make(chan struct{}, 1), done: make(chan struct{})}
	if s == nil {
		close(b.done)
		return b
	}
	go b.fill(s.events, s.errors)
	return b
}

func (b *inbox) fill(events <-chan fsnotify.Event, failures <-chan error) {
	defer close(b.done)
	for events != nil || failures != nil {
		select {
		case e, ok := <-events:
			if !ok {
				events = nil
			} else if e.Op != 0 && e.Name != "" {
				b.put(func(h *heard) { h.hear(e) })
			}
		case err, ok := <-failures:
			if !ok {
				failures = nil
			} else if err != nil {
				b.put(func(h *heard) { h.fail(err) })
			}
		}
	}
}

func (b *inbox) put(f func(*heard)) {
	b.mu.Lock()
	f(&b.heard)
	b.mu.Unlock()
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

// take is all that came since it was last called.
func (b *inbox) take() heard {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.heard
	b.heard = heard{}
	return h
}

func (h *heard) hear(e fsnotify.Event) {
	h.failures = 0
	if n := len(h.events); n > 0 && h.events[n-1] == e {
		return
	}
	if len(h.events) == mostHeard {
		h.events, h.overflow = nil, true
	}
	if !h.overflow {
		h.events = append(h.events, e)
	}
}

// fail takes an error. Events may have been lost by it, unless it is about a
// watch that was to be removed and ended by itself.
func (h *heard) fail(err error) {
	if errors.Is(err, syscall.EINVAL) {
		return
	}
	h.overflow = true
	if !errors.Is(err, fsnotify.ErrEventOverflow) {
		h.failures, h.failure = h.failures+1, err
	}
}
