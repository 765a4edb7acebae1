package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mortise-dev/mortise/internal/rpc"
)

// Bounds of the notices that a lane keeps for somebody who does not fetch
// them. Answers are kept always: there are no more than requests.
const (
	maxQueued = 4096
	maxHeld   = 4 << 20 // bytes
)

// Lane is one peer's frames to and from a server over a connection that others
// may use too. Requests get ids and progress tokens of their own on the way
// there, and their sender's back; what the server asks gets ids of the lane. A
// lane ends with the connection; it may be used by several goroutines.
type Lane struct {
	peer    *Peer
	can     abilities // what can be asked of the peer
	modern  bool      // its frames are those of 2026-07-28
	born    uint64    // the earlier the less
	release func()    // says that it is not used any more; nil: to nobody
	apart   func(context.Context) (*conn, func(), error)

	moving sync.Mutex    // held while it goes over to another connection
	over   chan struct{} // closed by Close

	mu      sync.Mutex
	conn    *conn
	ids     map[string]uint64 // of what is in flight, by the sender's spelling; 0: not at the server
	rounds  map[string]*round // those for which the peer is asked something
	asks    map[uint64]*ask   // what the server asks of the peer
	asked   uint64            // id of the last of them
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

var births atomic.Uint64

// lane opens one on c for a peer.
func (c *conn) lane(p *Peer) (*Lane, error) {
	l := &Lane{
		peer: p, can: ablesOf(p), modern: c.modern.Load() && p != nil && p.Modern, born: births.Add(1), conn: c,
		ids: map[string]uint64{}, wake: make(chan struct{}, 1), over: make(chan struct{}),
	}
	return l, c.admit(l)
}

func (c *conn) admit(l *Lane) error {
	c.mu.Lock()
	if c.err != nil {
		defer c.mu.Unlock()
		return c.err
	}
	c.lanes[l], c.used = true, true
	early := c.early
	c.early = nil
	c.mu.Unlock()
	for _, raw := range early {
		c.take(raw, 0)
	}
	return nil
}

// Modern reports whether its frames are those of 2026-07-28, which the server
// and the peer both speak then.
func (l *Lane) Modern() bool { return l.modern }

// at is the connection that it is on.
func (l *Lane) at() *conn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conn
}

// Send sends one request, notification, or answer to a request that Recv
// returned. notifications/cancelled names a request of this lane, which is then
// answered no more; one that names none in flight is not sent, and neither is
// the answer to what is not asked any more. It waits for a server that does not
// read, until ctx ends.
func (l *Lane) Send(ctx context.Context, raw json.RawMessage) error {
	f, err := rpc.Read(rpc.OneLine(rpc.Legible(raw)))
	if err != nil {
		return fmt.Errorf("send to a server: %w", err)
	}
	switch f.Kind {
	case rpc.Request:
		return l.request(ctx, &f)
	case rpc.Notification:
		return l.notify(ctx, &f)
	}
	return l.respond(ctx, &f)
}

func (l *Lane) notify(ctx context.Context, f *rpc.Frame) error {
	c := l.at()
	switch f.Method {
	case "notifications/cancelled":
		return l.cancelled(ctx, c, f)
	case "notifications/progress":
		return l.progress(ctx, c, f)
	case "notifications/initialized":
		return nil // the session is the driver's
	case "notifications/roots/list_changed":
		if c.modern.Load() || !c.can.has("roots") {
			return nil
		}
	}
	return c.wire.send(ctx, &letter{frame: f, raw: f.Raw})
}

func (l *Lane) request(ctx context.Context, f *rpc.Frame) error {
	if err := l.depart(ctx); err != nil {
		return err
	}
	c := l.at()
	if c.modern.Load() {
		return l.ask(ctx, c, f)
	}
	fl := &flight{id: clone(f.Bytes(f.ID)), lane: l, caller: true}
	switch f.Method {
	case "initialize":
		return l.local(fl.id, rpc.Refuse(fl.id, rpc.Fault(-32600, "the session has begun already")))
	case "logging/setLevel":
		return l.setLevel(ctx, c, f, fl)
	case "resources/subscribe":
		uri, _ := rpc.Text(f.Bytes(f.URI))
		c.subscribe(uri, l)
		fl.landed = func(ok bool) {
			if !ok {
				c.unsubscribe(uri, l)
			}
		}
	case "resources/unsubscribe":
		uri, _ := rpc.Text(f.Bytes(f.URI))
		if c.unsubscribe(uri, l) {
			return l.local(fl.id, rpc.Answer(fl.id, []byte(`{}`))) // others still want it
		}
	}
	return l.launch(ctx, c, f, fl)
}

// local answers a request that the server is not asked.
func (l *Lane) local(id []byte, f *rpc.Frame) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return errLaneClosed
	}
	if _, there := l.ids[string(id)]; there {
		return inFlight(id)
	}
	l.put(f.Raw)
	return nil
}

var errLaneClosed = errors.New("the lane is closed")

func inFlight(id []byte) error { return fmt.Errorf("a request with the id %.100s is in flight", id) }

// launch sends a request to the server, with edits beside those of its id and
// its token.
func (l *Lane) launch(ctx context.Context, c *conn, f *rpc.Frame, fl *flight, edits ...rpc.Edit) error {
	if f.MetaToken.There() {
		fl.token = clone(f.Bytes(f.MetaToken))
	}
	id, err := l.enter(c, fl)
	if err == nil {
		err = l.dispatch(ctx, c, f, fl, id, edits)
	}
	if err != nil && fl.landed != nil {
		fl.landed(false)
	}
	return err
}

// dispatch hands over a request that has its id.
func (l *Lane) dispatch(ctx context.Context, c *conn, f *rpc.Frame, fl *flight, id uint64, edits []rpc.Edit) error {
	var room [20]byte
	ours := strconv.AppendUint(room[:0], id, 10)
	raw := rpc.Splice(f.Raw, append(edits, f.ID.With(ours), f.MetaToken.With(ours))...)
	err := c.wire.send(ctx, &letter{frame: f, raw: raw, id: id})
	if err != nil && c.land(id) != nil {
		l.leave(fl.id)
		return err
	}
	return nil // what ended the connection has been answered
}

// enter gives a request of this lane its id.
func (l *Lane) enter(c *conn, fl *flight) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, errLaneClosed
	}
	if _, there := l.ids[string(fl.id)]; there {
		return 0, inFlight(fl.id)
	}
	id, err := c.launch(fl)
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

// answered takes in the answer to a request.
func (l *Lane) answered(c *conn, fl *flight, f *rpc.Frame) {
	if fl.again != nil && f.Result.There() && fl.again.take(c, f.Bytes(f.Result)) {
		return
	}
	if f.Fault.There() {
		c.addresses(f.Bytes(f.Fault), l)
	}
	if _, there := l.leave(fl.id); there {
		l.push(rpc.Splice(f.Raw, f.ID.With(fl.id)))
	}
}

func (l *Lane) cancelled(ctx context.Context, c *conn, f *rpc.Frame) error {
	if !f.RequestID.There() {
		return nil
	}
	own := f.Bytes(f.RequestID)
	id, there := l.leave(own)
	switch {
	case !there:
		return nil
	case id == 0:
		l.giveUp(c, own)
		return nil
	case c.land(id) == nil || c.wire.forget(id):
		return nil
	}
	var room [20]byte
	return c.wire.send(ctx, &letter{frame: f, raw: rpc.Splice(f.Raw, f.RequestID.With(strconv.AppendUint(room[:0], id, 10)))})
}

// Recv is the next frame for this lane, in the order in which they came:
// answers, progress of its requests, what the server asks of its peer, and the
// server's other notices that belong to a request of this lane, to what it
// subscribed to, or to all. Where that cannot be told because other callers
// have requests in flight too, a notice is nobody's. Of notices that nobody
// fetches the newest are kept, as many as 4096 and 4 MiB. When the connection
// ends, requests in flight are answered with an error, and then comes io.EOF;
// so it is after Close, at once.
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

// pop takes out the first. What becomes empty begins anew, so that one that is
// fetched as it comes keeps its room.
func pop(from []queued) (json.RawMessage, []queued) {
	raw := from[0].raw
	from[0] = queued{}
	if len(from) == 1 {
		return raw, from[:0]
	}
	return raw, from[1:]
}

// push adds an answer, which is the lane's from then on. Like hint it never
// waits: it is called by who reads for all.
func (l *Lane) push(raw []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.put(raw)
}

func (l *Lane) put(raw []byte) {
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

// finish is told that c has ended; what was in flight there is answered.
func (l *Lane) finish(c *conn, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != c {
		return // it has gone over to another
	}
	for own, id := range l.ids {
		if id == 0 {
			delete(l.ids, own)
			l.put(failure([]byte(own), c.explain(err)))
		}
	}
	l.rounds, l.asks = nil, nil
	l.ended = true
	l.rouse()
}

func (l *Lane) rouse() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Close cancels what is in flight, and answers for the peer what it was asked.
// It does not wait for the server.
func (l *Lane) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil
	}
	l.closed = true
	close(l.over)
	l.mu.Unlock()
	l.moving.Lock() // until it is where it goes
	defer l.moving.Unlock()
	l.mu.Lock()
	open, asks, c, dropped := l.ids, l.asks, l.conn, l.dropped
	l.ids, l.asks, l.rounds = map[string]uint64{}, nil, nil
	l.answers, l.notices, l.held = nil, nil, 0
	l.rouse()
	l.mu.Unlock()
	if dropped > 0 {
		c.log.note("%d notices were dropped because nobody fetched them", dropped)
	}
	for _, id := range open {
		if c.land(id) != nil {
			c.cancel(id, "")
		}
	}
	for _, a := range asks {
		if a.round == nil && c.reason() == nil {
			c.reply(rpc.Refuse(a.id, rpc.Fault(codeLost, "the client is gone")))
		}
	}
	c.dismiss(l)
	if l.release != nil {
		l.release()
	}
	return nil
}

// dismiss forgets all about a lane, and tells the server what nobody wants any
// more.
func (c *conn) dismiss(l *Lane) {
	c.mu.Lock()
	delete(c.lanes, l)
	for id, a := range c.asked {
		if a.lane == l {
			delete(c.asked, id)
		}
	}
	for id, of := range c.forms {
		if of == l {
			delete(c.forms, id)
		}
	}
	c.mu.Unlock()
	c.unlisten(l)
	for _, uri := range c.forsake(l) {
		if c.reason() == nil && !c.modern.Load() {
			c.mention("resources/unsubscribe", append(append([]byte(`{"uri":`), rpc.Quote(uri)...), '}'))
		}
	}
}

func clone(b []byte) []byte { return append([]byte(nil), b...) }

func (f *flight) hear() { f.heard = time.Now() }
