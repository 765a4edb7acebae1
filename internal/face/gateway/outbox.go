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
	mu        sync.Mutex
	kept      [][]byte
	bytes     int           // of what is kept
	wake      chan struct{} // closed when something comes; nil: nobody waits
	listening bool
	closed    bool
}

var errOver = errors.New("the session is over")

// put adds a message. It never waits.
func (o *outbox) put(frame []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return errOver
	}
	o.kept = append(o.kept, append([]byte(nil), frame...))
	o.bytes += len(frame)
	for len(o.kept) > mostKept || o.bytes > mostBytes && len(o.kept) > 1 {
		o.bytes -= len(o.kept[0])
		o.kept[0], o.kept = nil, o.kept[1:]
	}
	o.rouse()
	return nil
}

func (o *outbox) rouse() {
	if o.wake != nil {
		close(o.wake)
		o.wake = nil
	}
}

// listen begins to listen, unless somebody does.
func (o *outbox) listen() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.listening || o.closed {
		return false
	}
	o.listening = true
	return true
}

func (o *outbox) unlisten() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.listening = false
}

// heard reports whether somebody listens.
func (o *outbox) heard() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.listening
}

// next waits for messages. It returns errOver when there will be none.
func (o *outbox) next(ctx context.Context) ([][]byte, error) {
	for {
		o.mu.Lock()
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

func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.rouse()
}
