package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
)

// Bounds of the notices that a lane keeps for somebody who does not fetch
// them. Answers are kept always: there are no more than requests.
const (
	maxQueued = 4096
	maxHeld   = 4 << 20 // bytes
)

// Lane is one caller's frames to and from a server over a connection that
// others use too. Requests get ids and progress tokens of their own on the way
// there, and their sender's back. A lane ends with the connection; it may be
// used by several goroutines.
type Lane struct {
	conn *conn

	mu      sync.Mutex
	ids     map[string]uint64 // of what is in flight, by the sender's spelling
	came    uint64            // number of the last frame that came
	answers []queued
	notices []queued
	held    int // bytes of notices
	dropped int // notices
	closed  bool
	ended   bool
	wake    chan struct{} // holds one; something came, or it ended
}

// queued is a frame that came and has not been fetched.
type queued struct {
	raw    json.RawMessage
	number uint64
}

// lane opens one on c.
func (c *conn) lane() (*Lane, error) {
	l := &Lane{conn: c, ids: map[string]uint64{}, wake: make(chan struct{}, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return nil, c.err
	}
	c.lanes[l] = true
	return l, nil
}

// Send sends one request or notification. notifications/cancelled names a
// request of this lane, which is then answered no more; one that names none in
// flight is not sent. It waits for a server that does not read, until ctx ends.
func (l *Lane) Send(ctx context.Context, raw json.RawMessage) error {
	f, err := readFrame(oneLine(legible(raw)))
	if err != nil {
		return fmt.Errorf("send to a server: %w", err)
	}
	switch {
	case f.kind == request:
		return l.request(ctx, &f)
	case f.method == "notifications/cancelled":
		return l.cancelled(ctx, &f)
	case f.kind == notification:
		return l.conn.wire.send(ctx, &f)
	}
	return errors.New("send to a server: it has asked nothing that could be answered")
}

func (l *Lane) request(ctx context.Context, f *frame) error {
	fl := &flight{id: clone(f.bytes(f.id)), lane: l, caller: true}
	if f.metaToken.there() {
		fl.token = clone(f.bytes(f.metaToken))
	}
	id, err := l.enter(fl)
	if err != nil {
		return err
	}
	ours := strconv.AppendUint(nil, id, 10)
	out, err := readFrame(splice(f.raw, edit{f.id, ours}, edit{f.metaToken, ours}))
	if err == nil {
		err = l.conn.wire.send(ctx, &out)
	}
	if err != nil && l.conn.land(id) != nil {
		l.leave(fl.id)
		return err
	}
	return nil // what ended the connection has been answered
}

// enter gives a request of this lane its id.
func (l *Lane) enter(fl *flight) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, errors.New("the lane is closed")
	}
	if _, there := l.ids[string(fl.id)]; there {
		return 0, fmt.Errorf("a request with the id %s is in flight", fl.id)
	}
	id, err := l.conn.launch(fl)
	if err == nil {
		l.ids[string(fl.id)] = id
	}
	return id, err
}

// leave takes a request out of those in flight and says what id it had there.
func (l *Lane) leave(own []byte) (uint64, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id, there := l.ids[string(own)]
	delete(l.ids, string(own))
	return id, there
}

func (l *Lane) cancelled(ctx context.Context, f *frame) error {
	if !f.requestID.there() {
		return nil
	}
	id, there := l.leave(f.bytes(f.requestID))
	if !there || l.conn.land(id) == nil {
		return nil
	}
	l.conn.wire.forget(id)
	out, err := readFrame(splice(f.raw, edit{f.requestID, strconv.AppendUint(nil, id, 10)}))
	if err != nil {
		return err
	}
	return l.conn.wire.send(ctx, &out)
}

// Recv is the next frame for this lane, in the order in which they came:
// answers, progress of its requests, and the server's other notices that
// belong to a request of this lane. Where that cannot be told because other
// callers have requests in flight too, a notice is nobody's. Of notices that
// nobody fetches the newest are kept, as many as 4096 and 4 MiB. When the
// connection ends, requests in flight are answered with an error, and then
// comes io.EOF; so it is after Close, at once.
func (l *Lane) Recv(ctx context.Context) (json.RawMessage, error) {
	for {
		if raw, ok, err := l.next(); ok || err != nil {
			return raw, err
		}
		select {
		case <-l.wake:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (l *Lane) next() (json.RawMessage, bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.answers)+len(l.notices) == 0 || l.closed {
		if l.ended || l.closed {
			l.rouse() // who else waits
			return nil, false, io.EOF
		}
		return nil, false, nil
	}
	var raw json.RawMessage
	if len(l.notices) > 0 && (len(l.answers) == 0 || l.notices[0].number < l.answers[0].number) {
		raw = l.oldest()
	} else {
		raw, l.answers = pop(l.answers)
	}
	if len(l.answers)+len(l.notices) > 0 {
		l.rouse()
	}
	return raw, true, nil
}

// oldest takes out the notice that came first.
func (l *Lane) oldest() (raw json.RawMessage) {
	raw, l.notices = pop(l.notices)
	l.held -= len(raw)
	return raw
}

func pop(from []queued) (json.RawMessage, []queued) {
	raw := from[0].raw
	from[0] = queued{}
	return raw, from[1:]
}

// push adds an answer, which is the lane's from then on. Like hint it never
// waits: it is called by who reads for all.
func (l *Lane) push(raw []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.came++
	l.answers = append(l.answers, queued{raw, l.came})
	l.rouse()
}

// hint adds a notice, which is the lane's from then on. What is over the bounds
// then is dropped, the oldest first.
func (l *Lane) hint(raw []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.came++
	l.notices = append(l.notices, queued{raw, l.came})
	l.held += len(raw)
	for len(l.notices) > maxQueued || l.held > maxHeld {
		l.oldest()
		if l.dropped++; l.dropped == 1 {
			l.conn.log.note("nobody fetches what it says; the oldest notices are dropped")
		}
	}
	l.rouse()
}

func (l *Lane) finish() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.rouse()
}

func (l *Lane) rouse() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Close cancels what is in flight. It does not wait for the server.
func (l *Lane) Close() error {
	l.mu.Lock()
	open := l.ids
	l.ids, l.closed, l.answers, l.notices, l.held = map[string]uint64{}, true, nil, nil, 0
	l.rouse()
	dropped := l.dropped
	l.mu.Unlock()
	l.conn.mu.Lock()
	delete(l.conn.lanes, l)
	l.conn.mu.Unlock()
	if dropped > 0 {
		l.conn.log.note("%d notices were dropped because nobody fetched them", dropped)
	}
	for _, id := range open {
		if l.conn.land(id) != nil {
			l.conn.cancel(id, "")
		}
	}
	return nil
}

func clone(b []byte) []byte { return append([]byte(nil), b...) }
