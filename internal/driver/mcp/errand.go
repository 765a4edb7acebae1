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
// order, by the goroutine of the call. Nobody who brings something waits for that.
type errand struct {
	lane   *Lane
	number uint64                 // the earlier the less
	before func(*rpc.Frame) error // nil: nothing is brought to it

	mu     sync.Mutex
	came   []*rpc.Frame // and was not handed on
	held   int          // bytes of that
	answer *rpc.Frame   // of the request that is under way; nil: there is none yet
	err    error        // nothing is taken any more, since
	conn   *conn        // on which a request is under way
	id     uint64       // of that
	over   bool
	wake   chan struct{} // holds one
}

var (
	errDone  = errors.New("all is answered")
	errEnded = errors.New("the connection has ended")
)

// bring adds what came. It reports false where nothing is taken any more.
func (e *errand) bring(f *rpc.Frame) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.open() {
		return false
	}
	if f.Kind == rpc.Notification && (len(e.came) >= maxWaiting || e.held+len(f.Raw) > maxWaitBytes) {
		return true
	}
	e.came = append(e.came, f)
	e.held += len(f.Raw)
	e.rouse()
	return true
}

// takes reports whether something may be brought.
func (e *errand) takes() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.open()
}

// open is takes for who holds the lock.
func (e *errand) open() bool { return !e.over && e.before != nil && e.answer == nil && e.err == nil }

func (e *errand) rouse() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// unask takes back a question that was brought and not handed on. It reports false
// where there is none of that number.
func (e *errand) unask(number uint64) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, f := range e.came {
		if n, ok := rpc.Number(f.Bytes(f.ID)); ok && n == number && f.Kind == rpc.Request {
			e.held -= len(f.Raw)
			e.came = append(e.came[:i:i], e.came[i+1:]...)
			return true
		}
	}
	return false
}

// handOn hands on what came.
func (e *errand) handOn() error {
	for {
		e.mu.Lock()
		if e.err != nil || len(e.came) == 0 {
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

// ready makes room for the answer to another request.
func (e *errand) ready() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.conn, e.id, e.answer = nil, 0, nil
}

// begins is told which request is under way. What came of it may be there already.
func (e *errand) begins(c *conn, id uint64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.conn, e.id = c, id
}

// giveUp gives up the request that is under way, and tells the server. Where it was
// answered this does nothing.
func (e *errand) giveUp() {
	e.mu.Lock()
	c, id := e.conn, e.id
	e.mu.Unlock()
	if c != nil && c.land(id) != nil {
		c.cancel(id, "")
	}
}

// end ends the errand. What the server asks that was not handed on is answered.
func (e *errand) end() {
	e.mu.Lock()
	left := e.came
	e.over, e.came, e.held = true, nil, 0
	e.mu.Unlock()
	l := e.lane
	l.mu.Lock()
	delete(l.errands, e)
	l.mu.Unlock()
	for _, f := range left {
		if number, ok := rpc.Number(f.Bytes(f.ID)); ok && f.Kind == rpc.Request {
			l.refuse(number, "the call that it was asked for is over")
		}
	}
}
