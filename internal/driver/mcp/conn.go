package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/mortise-dev/mortise/ext"
)

// wire is what carries the frames of one connection.
type wire interface {
	// send hands one frame over. For a request the answer comes by conn.take.
	send(ctx context.Context, f *frame) error
	// offer is send for what may be lost: it never waits.
	offer(f *frame)
	// forget is told that nobody waits for the answer to a request any more.
	forget(id uint64)
	// process is what runs at the other end, nil when none is known.
	process() *process
	// close ends the connection and waits for all that belongs to it.
	close()
}

// flight is a request that has not been answered.
type flight struct {
	id     []byte      // as its sender spells it; nil for one of our own
	token  []byte      // for its progress, as its sender spells it; nil when it wants none
	lane   *Lane       // whose it is; nil for one of our own
	caller bool        // somebody outside this package asked
	reply  chan answer // holds one; nil for a lane's
}

// answer is what a request came to.
type answer struct {
	result []byte // a part of the message that it came in
	size   int    // of that message
	err    error
}

// conn is one connection to a server: it gives requests ids of their own, and
// brings what comes back to whom it belongs.
type conn struct {
	log     *journal
	wire    wire
	explain func(error) error // an end, for callers

	changed chan struct{} // a list of the server has changed; holds one notice
	done    chan struct{} // closed when the connection ended

	mu      sync.Mutex
	last    uint64 // id given last
	flights map[uint64]*flight
	lanes   map[*Lane]bool
	err     error // why it ended
	unheard int   // notices that belonged to nobody in particular
	omitted int   // messages of ours that were left out
}

func newConn(j *journal) *conn {
	return &conn{
		log: j, explain: func(err error) error { return err },
		changed: make(chan struct{}, 1), done: make(chan struct{}),
		flights: map[uint64]*flight{}, lanes: map[*Lane]bool{},
	}
}

// launch gives f an id. It fails when the connection has ended.
func (c *conn) launch(f *flight) (uint64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return 0, c.err
	}
	c.last++
	c.flights[c.last] = f
	return c.last, nil
}

// land takes the request with this id out of what is in flight; nil when it
// is not.
func (c *conn) land(id uint64) *flight {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := c.flights[id]
	delete(c.flights, id)
	return f
}

// ask sends one request and waits for its result. params is JSON, nil for
// none. When ctx ends first the server is told that the answer is not wanted.
func (c *conn) ask(ctx context.Context, method string, params []byte, caller bool) ([]byte, error) {
	a := c.answer(ctx, method, params, caller)
	return a.result, a.err
}

func (c *conn) answer(ctx context.Context, method string, params []byte, caller bool) answer {
	f := &flight{reply: make(chan answer, 1), caller: caller}
	id, err := c.launch(f)
	if err != nil {
		return answer{err: err}
	}
	if err := c.wire.send(ctx, compose(id, method, params)); err != nil {
		c.land(id)
		return answer{err: err}
	}
	select {
	case a := <-f.reply:
		return a
	case <-ctx.Done():
		if c.land(id) != nil && method != "initialize" {
			c.cancel(id, "")
		}
		return answer{err: ctx.Err()}
	}
}

// tell sends one notification.
func (c *conn) tell(ctx context.Context, method string, params []byte) error {
	return c.wire.send(ctx, compose(0, method, params))
}

// compose is a message of our own; id 0 makes it a notification.
func compose(id uint64, method string, params []byte) *frame {
	b := []byte(`{"jsonrpc":"2.0",`)
	f := &frame{kind: notification, method: method}
	if id != 0 {
		f.kind = request
		b = append(b, `"id":`...)
		from := len(b)
		b = strconv.AppendUint(b, id, 10)
		f.id = span{from, len(b)}
		b = append(b, ',')
	}
	b = append(append(b, `"method":`...), quoted(method)...)
	if params != nil {
		b = append(append(b, `,"params":`...), params...)
	}
	f.raw = append(b, '}')
	return f
}

// cancel tells the server that a request is not waited for any more, without
// waiting for a server that does not listen.
func (c *conn) cancel(id uint64, reason string) {
	c.wire.forget(id)
	p := strconv.AppendUint([]byte(`{"requestId":`), id, 10)
	if reason != "" {
		p = append(append(p, `,"reason":`...), quoted(reason)...)
	}
	c.wire.offer(compose(0, "notifications/cancelled", append(p, '}')))
}

var byteOrderMark = []byte("\uFEFF")

// take brings in one line or document from the server. from is the id of the
// request on whose stream it came, 0 when all come on one.
func (c *conn) take(raw []byte, from uint64) {
	items, err := unbatch(bytes.TrimPrefix(legible(raw), byteOrderMark))
	if err != nil {
		c.log.noise(raw)
		return
	}
	for _, item := range items {
		f, err := readFrame(item)
		if err != nil {
			c.log.noise(item)
			continue
		}
		switch f.kind {
		case response:
			c.respond(&f)
		case request:
			c.serve(&f)
		case notification:
			c.notice(&f, from)
		}
	}
}

// respond brings an answer to who asked. Answers to what was cancelled come
// late and are nobody's.
func (c *conn) respond(f *frame) {
	id, ok := number(f.bytes(f.id))
	fl := c.land(id)
	switch {
	case ok && fl != nil && fl.lane != nil:
		fl.lane.leave(fl.id)
		fl.lane.push(splice(f.raw, edit{f.id, fl.id}))
	case ok && fl != nil && f.fault.there():
		fl.reply <- answer{err: &Error{JSON: f.bytes(f.fault)}}
	case ok && fl != nil:
		fl.reply <- answer{result: f.bytes(f.result), size: len(f.raw)}
	case !ok && f.fault.there():
		c.log.remark(func() string {
			return fmt.Sprintf("an error that answers no request: %v", &Error{JSON: f.bytes(f.fault)})
		})
	case !ok || !c.gave(id):
		c.log.noise(f.raw)
	}
}

// gave reports whether a request had this id at some time.
func (c *conn) gave(id uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return id > 0 && id <= c.last
}

// maxID is the longest id of a request that is answered, which repeats it.
const maxID = 1 << 10

// serve answers what the server asks of us: we have declared nothing that it
// could use.
func (c *conn) serve(f *frame) {
	if f.id.to-f.id.from > maxID {
		c.log.noise(f.raw)
		return
	}
	out := append([]byte(`{"jsonrpc":"2.0","id":`), f.bytes(f.id)...)
	if f.method == "ping" {
		out = append(out, `,"result":{}}`...)
	} else {
		out = append(out, `,"error":{"code":-32601,"message":"this client has no such method"}}`...)
		c.log.remark(func() string {
			return fmt.Sprintf("it asked for %s, which was turned down", ext.Quote(ext.Shorten(f.method, 80)))
		})
	}
	c.wire.offer(&frame{raw: out, kind: response, method: "an answer"})
}

// omit takes note of a message of ours that a wire has no room for: of the
// first at once, of all when the connection ends.
func (c *conn) omit() {
	c.mu.Lock()
	c.omitted++
	first := c.omitted == 1
	c.mu.Unlock()
	if first {
		c.log.note("it takes what it is sent too slowly; messages of ours are left out")
	}
}

// notice brings a notification to whom it belongs: progress to the request it
// speaks of, what came on a request's own stream to that request, and what
// cannot be told to the one lane that has requests in flight.
func (c *conn) notice(f *frame, from uint64) {
	switch f.method {
	case "notifications/progress":
		c.progress(f)
		return
	case "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed":
		c.stir()
		return
	}
	if l := c.owner(from); l != nil {
		l.hint(clone(f.raw)) // in a batch it is a part of something larger
	}
}

// stir says that the server's lists may have changed.
func (c *conn) stir() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// still forgets that they may have.
func (c *conn) still() {
	select {
	case <-c.changed:
	default:
	}
}

func (c *conn) progress(f *frame) {
	if !f.token.there() {
		return
	}
	id, ok := number(f.bytes(f.token))
	c.mu.Lock()
	fl := c.flights[id]
	c.mu.Unlock()
	if ok && fl != nil && fl.lane != nil && fl.token != nil {
		fl.lane.hint(splice(f.raw, edit{f.token, fl.token}))
	}
}

// owner is the lane that a notice without an address belongs to, nil when
// several could be meant: one caller's messages are never shown to another.
func (c *conn) owner(from uint64) *Lane {
	c.mu.Lock()
	defer c.mu.Unlock()
	if from != 0 {
		if fl := c.flights[from]; fl != nil {
			return fl.lane
		}
		return nil
	}
	var one *Lane
	for _, fl := range c.flights {
		if !fl.caller {
			continue
		}
		if fl.lane == nil || one != nil && one != fl.lane {
			c.unheard++
			return nil
		}
		one = fl.lane
	}
	return one
}

// fail ends one request that the wire could not carry.
func (c *conn) fail(id uint64, err error) {
	fl := c.land(id)
	switch {
	case fl == nil:
	case fl.lane != nil:
		fl.lane.leave(fl.id)
		fl.lane.push(failure(fl.id, c.explain(err)))
	default:
		fl.reply <- answer{err: err}
	}
}

// end ends the connection for all. The first reason stays.
func (c *conn) end(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	ids := make([]uint64, 0, len(c.flights))
	for id := range c.flights {
		ids = append(ids, id)
	}
	lanes := c.lanes
	c.lanes = map[*Lane]bool{}
	unheard, omitted := c.unheard, c.omitted
	c.mu.Unlock()
	if unheard > 0 {
		c.log.note("%d notices reached nobody: whose they were could not be told", unheard)
	}
	if omitted > 1 {
		c.log.note("%d messages of ours were left out", omitted)
	}
	slices.Sort(ids)
	for _, id := range ids {
		c.fail(id, err)
	}
	for l := range lanes {
		l.finish()
	}
	close(c.done)
}

// reason is why the connection ended, nil while it has not.
func (c *conn) reason() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Error is an error that a server answered a request with.
type Error struct {
	JSON json.RawMessage // the error object as it was sent
}

// Error is the server's message, escaped, and the code.
func (e *Error) Error() string {
	m, err := members(e.JSON, "code", "message")
	if err != nil {
		return "an error that is no object"
	}
	say, ok := text(m["message"])
	if !ok {
		say = "no message"
	}
	return fmt.Sprintf("%s (%s)", ext.Escape(ext.Shorten(say, 500)), ext.Escape(ext.Shorten(string(m["code"]), 20)))
}

// failure is an error response of our own.
func failure(id []byte, err error) []byte {
	var fault *Error
	out := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	if errors.As(err, &fault) {
		out = append(append(out, `,"error":`...), fault.JSON...)
	} else {
		out = append(append(out, `,"error":{"code":-32000,"message":`...), quoted(err.Error())...)
		out = append(out, '}')
	}
	return append(out, '}')
}

// isObject reports whether raw is one JSON object.
func isObject(raw []byte) bool {
	_, err := members(raw)
	return err == nil && json.Valid(raw)
}

// methodNotFound is the code for a method that is not there.
const methodNotFound = "-32601"

func (e *Error) code() string {
	m, err := members(e.JSON, "code")
	if err != nil {
		return ""
	}
	return string(m["code"])
}
