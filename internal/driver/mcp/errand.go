package mcp

import (
	"context"
	"errors"
	"sync"

	"github.com/mortise-dev/mortise/internal/rpc"
)

// Bounds of the notices that wait for who handed in a call and does not take them.
// The newest go: what came before an answer tells how it came to be.
const (
	maxWaiting   = 1024
	maxWaitBytes = 4 << 20
)

// errand is one call of a lane, from when it was handed in to its answer; it may
// take several requests to the server. What comes for it is handed on in that
// order, by one goroutine at a time. Nobody who brings something waits for that.
type errand struct {
	lane   *Lane
	number uint64                 // the earlier the less
	before func(*rpc.Frame) error // nil: nothing is brought to it

	handing sync.Mutex // held while something is handed on

	mu     sync.Mutex
	came   []*rpc.Frame // and was not handed on
	held   int          // bytes of that
	answer *rpc.Frame   // of the request that is under way; nil: there is none yet
	err    error        // nothing is taken any more, since
	conn   *conn        // on which a request is under way
	id     uint64       // of that
	away   bool         // its goroutine reads what the server answers, and does not wait
	helped bool         // another goroutine hands on meanwhile
	over   bool
	wake   chan struct{} // holds one
}

var (
	errGivenUp = errors.New("it was given up") // nobody wants the answer any more
	errDone    = errors.New("all is answered")
	errEnded   = errors.New("the connection has ended")
)

// bring adds what came. It reports false where nothing is taken any more. own
// says that who brings it hands it on as well.
func (e *errand) bring(f *rpc.Frame, own bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over || e.before == nil || e.answer != nil || e.err != nil {
		return false
	}
	if f.Kind == rpc.Notification && (len(e.came) >= maxWaiting || e.held+len(f.Raw) > maxWaitBytes) {
		return true
	}
	e.came = append(e.came, f)
	e.held += len(f.Raw)
	switch {
	case own:
	case !e.away:
		e.rouse()
	case !e.helped:
		e.helped = true
		go e.help() // ends when all is handed on, which the end of the errand waits for
	}
	return true
}

// takes reports whether something may be brought.
func (e *errand) takes() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.over && e.before != nil && e.answer == nil && e.err == nil
}

func (e *errand) rouse() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// help hands on while the errand's goroutine is away.
func (e *errand) help() {
	for more := true; more; {
		if e.handOn() != nil {
			e.giveUp()
			return
		}
		e.mu.Lock()
		more = len(e.came) > 0
		e.helped = more
		e.mu.Unlock()
	}
}

// handOn hands on what came.
func (e *errand) handOn() error {
	e.handing.Lock()
	defer e.handing.Unlock()
	for {
		e.mu.Lock()
		if e.over || e.err != nil || len(e.came) == 0 {
			defer e.mu.Unlock()
			return e.err
		}
		f := e.came[0]
		if e.came[0], e.came = nil, e.came[1:]; len(e.came) == 0 {
			e.came = nil
		}
		e.held -= len(f.Raw)
		e.mu.Unlock()
		if err := e.before(f); err != nil {
			return e.fails(err)
		}
	}
}

// settle brings the answer. The first counts.
func (e *errand) settle(f *rpc.Frame) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.answer == nil {
		e.answer = f
		e.rouse()
	}
}

// settled is the answer, once all that came before it was handed on.
func (e *errand) settled() (*rpc.Frame, error) {
	if err := e.handOn(); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.came) > 0 {
		e.rouse()
		return nil, nil
	}
	return e.answer, nil
}

// wait hands on what comes until there is an answer, or none is wanted, or one of two
// things that are waited for beside comes first: then it is errDone or errEnded.
func (e *errand) wait(ctx context.Context, done, ended <-chan struct{}) (*rpc.Frame, error) {
	for {
		if a, err := e.settled(); a != nil || err != nil {
			return a, err
		}
		select {
		case <-e.wake:
		case <-done:
			return nil, errDone
		case <-ended:
			return nil, errEnded
		case <-ctx.Done():
			return nil, e.fails(ctx.Err())
		case <-e.lane.over:
			return nil, e.fails(errLaneClosed)
		}
	}
}

// fails says that nothing is taken any more, and why.
func (e *errand) fails(err error) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = err
	}
	return e.err
}

// begins is told which request is under way from now on.
func (e *errand) begins(c *conn, id uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.conn, e.id, e.answer = c, id, nil
}

// leaves says that its goroutine does not wait, or does again.
func (e *errand) leaves(away bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.away = away
}

// giveUp gives up the request that is under way, and tells the server.
func (e *errand) giveUp() {
	e.mu.Lock()
	c, id := e.conn, e.id
	e.mu.Unlock()
	if c != nil && c.land(id) != nil {
		c.cancel(id, "")
	}
}

// end ends the errand: nothing is handed on any more.
func (e *errand) end() {
	e.handing.Lock()
	defer e.handing.Unlock()
	e.mu.Lock()
	e.over, e.came, e.held = true, nil, 0
	e.mu.Unlock()
	l := e.lane
	l.mu.Lock()
	delete(l.errands, e)
	l.mu.Unlock()
}
