package gateway

import (
	"context"
	"errors"
	"sync"
)

// mostKept is how many messages that belong to no request are kept for a client
// that does not listen. What is more is dropped, the oldest first: they are notices,
// and a client that listens again lists again.
const (
	mostKept  = 256
	mostBytes = 4 << 20
)

// outbox is what waits for a client. The zero outbox is ready.
type outbox struct {
	lost func(frame []byte) // is told of what was dropped; nil: nobody is

	mu     sync.Mutex
	kept   [][]byte
	bytes  int           // of what is kept
	wake   chan struct{} // closed when something comes, or somebody else listens; nil: nobody waits
	turn   int           // of who listens, counted
	end    func()        // of who listens; nil: nobody does
	closed bool
}

var errOver = errors.New("the session is over")

// put adds a message. It never waits.
func (o *outbox) put(frame []byte) error {
	var dropped [][]byte
	o.mu.Lock()
	if o.closed {
		o.mu.Unlock()
		return errOver
	}
	o.kept = append(o.kept, append([]byte(nil), frame...))
	o.bytes += len(frame)
	for len(o.kept) > mostKept || o.bytes > mostBytes && len(o.kept) > 1 {
		dropped = append(dropped, o.kept[0])
		o.bytes -= len(o.kept[0])
		o.kept[0], o.kept = nil, o.kept[1:]
	}
	o.rouse()
	o.mu.Unlock()
	if o.lost != nil {
		for _, d := range dropped {
			o.lost(d)
		}
	}
	return nil
}

func (o *outbox) rouse() {
	if o.wake != nil {
		close(o.wake)
		o.wake = nil
	}
}

// listen begins to listen in place of whoever does, whose end is called: a client that
// comes back finds what it left behind, which may not have noticed yet. Call leave when
// it is over. It reports false when there is nothing to hear any more.
func (o *outbox) listen(end func()) (turn int, leave func(), ok bool) {
	o.mu.Lock()
	before := o.end
	if o.closed {
		o.mu.Unlock()
		return 0, nil, false
	}
	o.turn++
	turn, o.end = o.turn, end
	o.rouse()
	o.mu.Unlock()
	if before != nil {
		before()
	}
	return turn, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.turn == turn {
			o.end = nil
		}
	}, true
}

// heard reports whether somebody listens.
func (o *outbox) heard() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.end != nil
}

// next waits for messages, for who listens in that turn; 0 is who never listened. It
// returns errOver when there will be none for them.
func (o *outbox) next(ctx context.Context, turn int) ([][]byte, error) {
	for {
		o.mu.Lock()
		if o.turn != turn {
			o.mu.Unlock()
			return nil, errOver
		}
		kept, closed := o.kept, o.closed
		o.kept, o.bytes = nil, 0
		if len(kept) == 0 && !closed && o.wake == nil {
			o.wake = make(chan struct{})
		}
		wake := o.wake
		o.mu.Unlock()
		switch {
		case len(kept) > 0:
			return kept, nil
		case closed:
			return nil, errOver
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// back puts messages in front that were taken out and not delivered.
func (o *outbox) back(frames [][]byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || len(frames) == 0 {
		return
	}
	o.kept = append(frames[:len(frames):len(frames)], o.kept...)
	for _, f := range frames {
		o.bytes += len(f)
	}
	o.rouse()
}

func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.rouse()
}
