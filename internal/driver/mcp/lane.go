package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
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
	errands map[*errand]bool // calls that are under way
	begun   uint64           // number of the last of them
	asks    map[uint64]*ask  // what the server asks of the peer
	asked   uint64           // id of the last of them
	came    uint64           // number of the last frame that came for no call
	asking  []queued         // what the server asks, and takes back, for no call
	notices []queued
	held    int // bytes of notices
	dropped int // notices
	closed  bool
	ended   bool
	wake    chan struct{} // holds one; something came for no call, or it ended
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
		errands: map[*errand]bool{}, wake: make(chan struct{}, 1), over: make(chan struct{}),
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

// Call makes one request and waits for its answer, which comes under the id of
// the request. before is told what comes for it meanwhile: progress, under the
// token of the request, what the server asks, and other notices that belong to
// this call, to the lane, or to all. Nil takes nothing of that. When the
// connection ends the answer is an error of ours; one that had ended before is
// io.EOF, and nothing was sent. When ctx ends, before fails or the lane is closed
// the request is given up, and the server told.
func (l *Lane) Call(ctx context.Context, raw json.RawMessage, before func(*rpc.Frame) error) (*rpc.Frame, error) {
	f, err := read(raw)
	switch {
	case err != nil:
		return nil, err
	case f.Kind != rpc.Request:
		return nil, errors.New("call a server: what is called is no request")
	}
	if err := l.depart(ctx); err != nil {
		return nil, err
	}
	e, err := l.begin(before)
	if err != nil {
		return nil, err
	}
	return l.carry(ctx, e, &f)
}

// carry makes a request that has begun.
func (l *Lane) carry(ctx context.Context, e *errand, f *rpc.Frame) (*rpc.Frame, error) {
	defer e.end()
	defer e.giveUp()
	answer, err := l.perform(ctx, e, f)
	if err == nil {
		err = e.handOn() // what came before the answer
	}
	if err != nil {
		return nil, err
	}
	return answer.Edited(answer.ID.With(f.Bytes(f.ID))), nil
}

// read is a message of a peer.
func read(raw []byte) (rpc.Frame, error) {
	f, err := rpc.Read(rpc.OneLine(rpc.Legible(raw)))
	if err != nil {
		return f, fmt.Errorf("send to a server: %w", err)
	}
	return f, nil
}

func (l *Lane) begin(before func(*rpc.Frame) error) (*errand, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return nil, errLaneClosed
	case l.ended:
		return nil, io.EOF
	}
	l.begun++
	e := &errand{lane: l, number: l.begun, before: before, wake: make(chan struct{}, 1)}
	l.errands[e] = true
	return e, nil
}

var errLaneClosed = errors.New("the lane is closed")

// perform is the answer to a request, under whatever id.
func (l *Lane) perform(ctx context.Context, e *errand, f *rpc.Frame) (*rpc.Frame, error) {
	c := l.at()
	if f.Method == "initialize" {
		return refusal(-32600, "the session has begun already"), nil
	}
	if c.modern.Load() {
		return l.performModern(ctx, e, c, f)
	}
	switch f.Method {
	case "logging/setLevel":
		return l.exchange(ctx, e, c, f, l.levelled(c, f))
	case "resources/subscribe":
		uri, _ := rpc.Text(f.Bytes(f.URI))
		c.subscribe(uri, l)
		answer, err := l.exchange(ctx, e, c, f)
		if err != nil || answer.Fault.There() {
			c.unsubscribe(uri, l)
		}
		return answer, err
	case "resources/unsubscribe":
		uri, _ := rpc.Text(f.Bytes(f.URI))
		if c.unsubscribe(uri, l) {
			return done(), nil // others still want it
		}
	}
	return l.exchange(ctx, e, c, f)
}

// done and refusal are answers that the server is not asked for.
func done() *rpc.Frame { return rpc.Answer(noID, []byte(`{}`)) }

func refusal(code int, say string) *rpc.Frame { return rpc.Refuse(noID, rpc.Fault(code, say)) }

var noID = []byte("null")

// exchange sends a request to the server, with edits beside those of its id and its
// token, and waits for the answer. Where the connection had ended before, it is
// io.EOF.
func (l *Lane) exchange(ctx context.Context, e *errand, c *conn, f *rpc.Frame, edits ...rpc.Edit) (*rpc.Frame, error) {
	select {
	case <-ctx.Done():
		return nil, e.fails(ctx.Err())
	case <-l.over:
		return nil, e.fails(errLaneClosed)
	default:
	}
	e.ready()
	fl := &flight{errand: e, caller: true}
	if f.MetaToken.There() {
		fl.token = f.Bytes(f.MetaToken)
	}
	id, err := c.launch(fl)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", io.EOF, c.explain(err))
	}
	e.begins(c, id)
	ours := strconv.AppendUint(nil, id, 10)
	raw := rpc.Splice(f.Raw, append(edits, f.ID.With(ours), f.MetaToken.With(ours))...)
	if err := c.wire.send(ctx, &letter{frame: f, raw: raw, id: id}); err != nil && c.land(id) != nil {
		return nil, err
	}
	answer, err := e.wait(ctx, nil, nil) // the end of the connection is told as an answer
	if err == nil && answer.Fault.There() {
		c.addresses(answer.Bytes(answer.Fault), l)
	}
	return answer, err
}

// Send sends one notification, or the answer to what the server asked. The answer
// to what is not asked any more is not sent. It waits for a server that does not
// read, until ctx ends. A call is given up by the end of its context: a notice of
// that is not sent.
func (l *Lane) Send(ctx context.Context, raw json.RawMessage) error {
	f, err := read(raw)
	if err != nil {
		return err
	}
	switch f.Kind {
	case rpc.Request:
		return errors.New("send to a server: a request is called, since it is answered")
	case rpc.Notification:
		return l.notify(ctx, &f)
	}
	return l.respond(ctx, &f)
}

func (l *Lane) notify(ctx context.Context, f *rpc.Frame) error {
	c := l.at()
	switch f.Method {
	case "notifications/cancelled", "notifications/initialized":
		return nil // the end of a call's context says the one, and the session is the driver's
	case "notifications/progress":
		return l.progress(ctx, c, f)
	case "notifications/roots/list_changed":
		if c.modern.Load() || !c.can.has("roots") {
			return nil
		}
	}
	return c.wire.send(ctx, &letter{frame: f, raw: f.Raw})
}

// bring hands a frame to the call that it came with, where that still takes it, else
// to the one that is under way longest, else to who receives: what is told while a
// call is under way belongs before its answer. It is the call that it came to; nil: to
// none. Nobody is waited for.
func (l *Lane) bring(f *rpc.Frame, with *errand) (to *errand) {
	if with != nil && with.lane == l && with.bring(f) {
		return with
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bringAny(f)
}

// bringAny is bring for who holds the lock and knows of no call. It is the call that it
// came to; nil: to none.
func (l *Lane) bringAny(f *rpc.Frame) (to *errand) {
	var first *errand
	for e := range l.errands {
		if (first == nil || e.number < first.number) && e.takes() {
			first = e
		}
	}
	switch {
	case first != nil && first.bring(f):
		return first
	case f.Kind == rpc.Notification && f.Method != "notifications/cancelled":
		l.hint(f.Raw)
	default:
		l.put(f.Raw)
	}
	return nil
}

// Recv is the next frame that came for no call, in the order in which they came:
// what the server asks of its peer, and notices of the server that belong to what
// the lane subscribed to, or to all. Where that cannot be told because other
// callers have requests under way too, a notice is nobody's. Of notices that nobody
// fetches the newest are kept, as many as 4096 and 4 MiB. It is io.EOF when the
// connection has ended and all was fetched, and after Close at once.
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
	if len(l.asking)+len(l.notices) == 0 || l.closed {
		if l.ended || l.closed {
			l.rouse() // who else waits
			return nil, false, io.EOF
		}
		return nil, false, nil
	}
	var raw json.RawMessage
	if len(l.notices) > 0 && (len(l.asking) == 0 || l.notices[0].number < l.asking[0].number) {
		raw = l.oldest()
	} else {
		raw, l.asking = pop(l.asking)
	}
	if len(l.asking)+len(l.notices) > 0 {
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

// put keeps what the server asks, or takes back. Like hint it never waits: it is
// called by who reads for all. The lock is held.
func (l *Lane) put(raw []byte) {
	if l.closed {
		return
	}
	l.came++
	l.asking = append(l.asking, queued{raw, l.came})
	l.rouse()
}

// hint keeps a notice. What is over the bounds then is dropped, the oldest first. The
// lock is held.
func (l *Lane) hint(raw []byte) {
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

// finish is told that c has ended.
func (l *Lane) finish(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn != c {
		return // it has gone over to another
	}
	l.asks = nil
	l.ended = true
	l.rouse()
}

func (l *Lane) rouse() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Close gives up what is under way, and answers for the peer what it was asked.
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
	under, asks, c, dropped := slices.Collect(maps.Keys(l.errands)), l.asks, l.conn, l.dropped
	l.asks = nil
	l.asking, l.notices, l.held = nil, nil, 0
	l.rouse()
	l.mu.Unlock()
	if dropped > 0 {
		c.log.note("%d notices were dropped because nobody fetched them", dropped)
	}
	for _, e := range under {
		e.giveUp()
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
