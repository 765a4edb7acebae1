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
	"sync/atomic"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// wire is what carries the messages of one connection.
type wire interface {
	// send hands one message over. For a request the answer comes by conn.take.
	send(ctx context.Context, m *letter) error
	// offer is send for what may be lost: it never waits.
	offer(m *letter)
	// forget is told that nobody waits for the answer to a request any more. It
	// reports whether that tells the server as well.
	forget(id uint64) bool
	// process is what runs at the other end, nil when none is known.
	process() *process
	// close ends the connection and waits for all that belongs to it.
	close()
}

// letter is one message to a server.
type letter struct {
	frame *rpc.Frame // as its sender has it
	raw   []byte     // as it is sent
	id    uint64     // of a request: what raw has for an id
}

// flight is a request that has not been answered.
type flight struct {
	errand *errand     // what it is for; nil for one of our own
	token  []byte      // for its progress, as its sender spells it; nil when it wants none
	caller bool        // somebody outside this package asked
	reply  chan answer // of one of our own; holds one
	heard  time.Time   // when it was sent, or last spoken of
	begun  time.Time
}

// lane is whose request it is; nil for one of our own.
func (f *flight) lane() *Lane {
	if f.errand == nil {
		return nil
	}
	return f.errand.lane
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
	shared  bool              // peers of several sessions may have lanes on it
	can     abilities         // what the server was told that can be asked of it
	modern  atomic.Bool       // it speaks 2026-07-28; set before anybody else has the connection
	client  Client
	marks   markbook
	work    sync.WaitGroup // of what is done for all; it ends with the connection

	unclear atomic.Bool   // the server asked what could not be attributed
	apart   func()        // is told so; nil: nobody is
	changed chan struct{} // a list of the server has changed; holds one notice
	done    chan struct{} // closed when the connection ended

	mu      sync.Mutex
	last    uint64 // id given last
	flights map[uint64]*flight
	lanes   map[*Lane]bool
	used    bool              // there has been a lane
	early   [][]byte          // what the server asked before
	asked   map[string]asking // what the server asks, by its own id
	forms   map[string]*Lane  // whose person was sent to an address, by the id of that
	interests
	listening *listening
	err       error // why it ended
	unheard   int   // notices that belonged to nobody in particular
	omitted   int   // messages of ours that were left out
}

func newConn(j *journal) *conn {
	return &conn{
		log: j, explain: func(err error) error { return err },
		changed: make(chan struct{}, 1), done: make(chan struct{}),
		flights: map[uint64]*flight{}, lanes: map[*Lane]bool{}, asked: map[string]asking{}, forms: map[string]*Lane{},
		interests: interests{subscribed: map[string]map[*Lane]bool{}, levels: map[*Lane]int{}},
	}
}

// launch gives f an id. It fails when the connection has ended.
func (c *conn) launch(f *flight) (uint64, error) {
	f.begun = time.Now()
	f.heard = f.begun
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
	id, err := c.begin(ctx, f, method, params)
	if err != nil {
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

// begin sends a request of our own.
func (c *conn) begin(ctx context.Context, f *flight, method string, params []byte) (uint64, error) {
	id, err := c.launch(f)
	if err != nil {
		return 0, err
	}
	if err := c.wire.send(ctx, c.compose(id, method, params)); err != nil {
		c.land(id)
		return 0, err
	}
	return id, nil
}

// mention sends a request of our own that may be lost and whose answer does not
// matter: nobody waits for it.
func (c *conn) mention(method string, params []byte) {
	c.mu.Lock()
	c.last++
	id, over := c.last, c.err != nil
	c.mu.Unlock()
	if !over {
		c.wire.offer(c.compose(id, method, params))
	}
}

// tell sends one notification.
func (c *conn) tell(ctx context.Context, method string, params []byte) error {
	return c.wire.send(ctx, c.compose(0, method, params))
}

// compose is a message of our own; id 0 makes it a notification. A server of
// 2026-07-28 is told in each request who asks.
func (c *conn) compose(id uint64, method string, params []byte) *letter {
	if id == 0 {
		f := rpc.Compose(nil, method, params)
		return &letter{frame: f, raw: f.Raw}
	}
	f := rpc.Compose(strconv.AppendUint(nil, id, 10), method, params)
	if !c.modern.Load() {
		return &letter{frame: f, raw: f.Raw, id: id}
	}
	if full, err := rpc.Read(f.Raw); err == nil {
		*f = full // now it is known what params hold
	}
	return &letter{frame: f, raw: rpc.Splice(f.Raw, introduce(f, c.client, nil, nil)...), id: id}
}

// cancel tells the server that a request is not waited for any more, without
// waiting for a server that does not listen.
func (c *conn) cancel(id uint64, reason string) {
	if c.wire.forget(id) {
		return
	}
	p := strconv.AppendUint([]byte(`{"requestId":`), id, 10)
	if reason != "" {
		p = append(append(p, `,"reason":`...), rpc.Quote(reason)...)
	}
	c.wire.offer(c.compose(0, "notifications/cancelled", append(p, '}')))
}

var byteOrderMark = []byte("\uFEFF")

// take brings in one line or document from the server. from is the id of the
// request on whose stream it came, 0 when all come on one.
func (c *conn) take(raw []byte, from uint64) {
	items, err := rpc.Unbatch(bytes.TrimPrefix(rpc.Legible(raw), byteOrderMark))
	if err != nil {
		c.log.noise(raw)
		return
	}
	for _, item := range items {
		if len(items) > 1 {
			item = clone(item) // what is kept of it does not keep all
		}
		f, err := rpc.Read(item)
		if err != nil {
			c.log.noise(item)
			continue
		}
		switch f.Kind {
		case rpc.Response:
			c.respond(&f, from)
		case rpc.Request:
			c.serve(&f, from)
		case rpc.Notification:
			c.notice(&f, from)
		}
	}
}

// respond brings an answer to who asked. Answers to what was cancelled come
// late and are nobody's.
func (c *conn) respond(f *rpc.Frame, from uint64) {
	id, ok := rpc.Number(f.Bytes(f.ID))
	var fl *flight
	if ok {
		fl = c.land(id)
	}
	if fl != nil && from != id {
		c.wire.forget(id) // nothing more comes on its own stream
	}
	switch {
	case fl != nil && fl.errand != nil:
		fl.errand.settle(f)
	case fl != nil && f.Fault.There():
		fl.reply <- answer{err: &Error{JSON: f.Bytes(f.Fault)}}
	case fl != nil:
		fl.reply <- answer{result: f.Bytes(f.Result), size: len(f.Raw)}
	case !ok && f.Fault.There():
		c.log.remark(func() string {
			return fmt.Sprintf("an error that answers no request: %v", &Error{JSON: f.Bytes(f.Fault)})
		})
	case !ok || !c.gave(id):
		c.log.noise(f.Raw)
	}
}

// gave reports whether a request had this id at some time.
func (c *conn) gave(id uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return id > 0 && id <= c.last
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

// fail ends one request that the wire could not carry.
func (c *conn) fail(id uint64, err error) {
	fl := c.land(id)
	if fl == nil {
		return
	}
	if fl.errand == nil {
		fl.reply <- answer{err: err}
		return
	}
	fl.errand.settle(failure(c.explain(err)))
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
		l.finish(c)
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
	m, err := rpc.Members(e.JSON, "code", "message")
	if err != nil {
		return "an error that is no object"
	}
	say, ok := rpc.Text(m["message"])
	if !ok {
		say = "no message"
	}
	return fmt.Sprintf("%s (%s)", ext.Escape(ext.Shorten(say, 500)), ext.Escape(ext.Shorten(string(m["code"]), 20)))
}

// failure is an error response of our own.
func failure(err error) *rpc.Frame {
	var fault *Error
	if errors.As(err, &fault) {
		return rpc.Refuse(noID, fault.JSON)
	}
	return refusal(codeLost, err.Error())
}

// Codes of errors.
const (
	methodNotFound = "-32601" // as it is spelled
	codeNoMethod   = -32601
	codeLost       = -32000 // there is no answer
)

func (e *Error) code() string {
	m, err := rpc.Members(e.JSON, "code")
	if err != nil {
		return ""
	}
	return string(m["code"])
}
