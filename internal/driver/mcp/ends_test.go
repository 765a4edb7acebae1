package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/internal/rpc"
)

// Over HTTP+SSE, a server that accepts a POST when it is done, and asks meanwhile.
func TestTwoWayPostHeld(t *testing.T) {
	can := json.RawMessage(`{"sampling":{}}`)
	c := newConn(&journal{})
	c.can = ablesOf(&Peer{Capabilities: can})
	answered := make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		f, err := rpc.Read(b)
		switch {
		case err == nil && f.Kind == rpc.Request:
			go c.take([]byte(`{"jsonrpc":"2.0","id":"q1","method":"sampling/createMessage","params":{}}`), 0) // on the stream
			select {
			case <-answered:
				c.take(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, f.Bytes(f.ID)), 0)
			case <-r.Context().Done():
			}
		case err == nil && f.Kind == rpc.Response:
			close(answered)
		}
		w.WriteHeader(http.StatusAccepted)
	}))
	defer web.Close()
	r := openRemote(c, faithful(nil), faithful(nil), web.URL, nil, 1<<20)
	r.plain = true
	w := &twoWay{remote: r, ready: make(chan struct{})}
	c.wire = w
	defer w.close()
	l, err := c.lane(&Peer{ID: "a", Capabilities: can})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	a, err := l.Call(ctx, json.RawMessage(aCall), func(f *rpc.Frame) error {
		if f.Kind == rpc.Request {
			return l.Send(t.Context(), rpc.Answer(f.Bytes(f.ID), []byte(`{}`)).Raw)
		}
		return nil
	})
	if err != nil {
		t.Errorf("got %v %v, want the answer: the question was never handed on while the POST was open", a, err)
	}
}

// A call whose context has ended before is not sent.
func TestGivenUpBefore(t *testing.T) {
	w := &sink{}
	c := newConn(&journal{})
	c.wire = w
	l, _ := c.lane(nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.Call(ctx, json.RawMessage(aCall), nil)
	if strings.Contains(w.all(), "tools/call") {
		t.Errorf("%v, and the tool was called:\n%s", err, w.all())
	}
}

// Listeners that join while what is listened to is told of: the acknowledgement is first.
func TestAcknowledgedFirst(t *testing.T) {
	bad := 0
	for range 3000 {
		c := newConn(&journal{})
		c.wire = &sink{}
		c.modern.Store(true)
		c.listening = &listening{wake: make(chan struct{}, 1), id: 7, granted: interest{tools: true}}
		l, err := c.lane(&Peer{ID: "a", Modern: true})
		if err != nil {
			t.Fatal(err)
		}
		stop, over := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(over)
			for {
				select {
				case <-stop:
					return
				default:
					c.take([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`), 0)
				}
			}
		}()
		first := ""
		ctx, cancel := context.WithCancel(t.Context())
		_, _ = l.Call(ctx, json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`), func(f *rpc.Frame) error {
			if first == "" {
				first = f.Method
			}
			cancel()
			return nil
		})
		close(stop)
		<-over
		cancel()
		if first != "notifications/subscriptions/acknowledged" {
			bad++
		}
	}
	if bad > 0 {
		t.Errorf("%d of 3000 listeners were told of a change before they were told that they listen", bad)
	}
}

// race: the answer to discover has landed and not been handed over when the handshake ends.

// which it does not know.
func TestModernSilentAboutHandshake(t *testing.T) {
	c := newConn(&journal{})
	w := &sink{}
	c.wire = w
	w.on = func(m *letter) {
		if m.frame.Method == "initialize" {
			go c.take([]byte(`{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}`), 0)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	fl, id, err := c.discover(ctx, Client{Name: "a", Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	h, err := c.race(ctx, Client{Name: "a", Version: "1"}, &abilities{}, fl, id)
	if err != nil && !errors.Is(err, errTwice) {
		t.Errorf("got %v %v, want a server of 2026-07-28, or that it is started anew as one", h, err)
	}
}

// The connection ends while a POST is open: the call returns.

// An answer on another stream than the request's own: the call returns.

// Redirects within one origin, each with its body.

// A question that the server takes back while it waits to be handed on.

// Everything at once, over HTTP.

// calls under way as there are connections to the server, which has answered them all.
func TestTasksOfAnOlderClient(t *testing.T) {
	can := ablesOf(&Peer{ID: "a", Capabilities: json.RawMessage(`{"extensions":{"io.modelcontextprotocol/tasks":{}}}`)})
	if got := string(can.declared()); strings.Contains(got, "tasks") {
		t.Errorf("a server of 2026-07-28 is told %s for a client with a handshake", got)
	}
}

// sink is a wire that takes all and remembers it.
type sink struct {
	mu   sync.Mutex
	sent []string
	on   func(m *letter)
}

func (w *sink) send(_ context.Context, m *letter) error {
	w.mu.Lock()
	w.sent = append(w.sent, string(m.raw))
	w.mu.Unlock()
	if w.on != nil {
		w.on(m)
	}
	return nil
}

func (w *sink) offer(m *letter) { _ = w.send(context.Background(), m) }

func (w *sink) forget(uint64) bool { return false }

func (w *sink) process() *process { return nil }

func (w *sink) close() {}

func (w *sink) all() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.sent, "\n")
}

const aCall = `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"t","_meta":{"progressToken":"p"}}}`

// The same, step by step as exchange does it.
func TestEndsWhileItBegins(t *testing.T) {
	c := newConn(&journal{})
	c.wire = &sink{}
	l, _ := c.lane(nil)
	e, err := l.begin(nil)
	if err != nil {
		t.Fatal(err)
	}
	id, err := c.launch(&flight{errand: e, caller: true})
	if err != nil {
		t.Fatal(err)
	}
	c.end(errClosed) // settles e
	e.begins(c, id)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := e.wait(ctx, nil, nil); err != nil {
		t.Errorf("got %v, want the answer that the connection has ended", err)
	}
}

// A lane is closed between begin and the sending, over HTTP.
func TestClosedBeforeItIsPosted(t *testing.T) {
	s := newSlowly(t)
	f, err := read([]byte(slowCall))
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.lane.begin(nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = s.lane.Close()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _, err := s.lane.carry(ctx, e, &f); done <- err }()
	select {
	case <-done:
	case <-time.After(3 * time.Second):
		t.Error("the call does not return although its lane is closed")
	}
	select {
	case <-s.token:
		t.Error("the request was sent although its lane was closed")
	default:
	}
}

// What the server asked and was not handed on when the call was given up.
func TestQuestionOfWhatIsGivenUp(t *testing.T) {
	w := &sink{}
	c := newConn(&journal{})
	c.wire, c.can = w, ablesOf(&Peer{Capabilities: json.RawMessage(`{"sampling":{}}`)})
	l, err := c.lane(&Peer{ID: "a", Capabilities: json.RawMessage(`{"sampling":{}}`)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	in, out := make(chan struct{}), make(chan struct{})
	w.on = func(m *letter) {
		if m.frame.Method == "tools/call" {
			go func() {
				c.take(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1}}`, m.id), 0)
				<-in
				c.take([]byte(`{"jsonrpc":"2.0","id":"q1","method":"sampling/createMessage","params":{}}`), 0)
				cancel()
				close(out)
			}()
		}
	}
	_, err = l.Call(ctx, json.RawMessage(aCall), func(f *rpc.Frame) error {
		close(in)
		<-out
		return ctx.Err() // the client has gone
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	rctx, stop := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer stop()
	raw, rerr := l.Recv(rctx)
	l.mu.Lock()
	asks := len(l.asks)
	l.mu.Unlock()
	if rerr != nil && !strings.Contains(w.all(), `"q1"`) {
		t.Errorf("the question was neither handed on nor answered (Recv: %s %v; %d asks left); the server heard:\n%s", raw, rerr, asks, w.all())
	}
}

// An answer that could not be sent is lost for ever, also when the lane closes.
func TestAnswerThatCannotBeSent(t *testing.T) {
	heard := make(chan string, 10)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		heard <- string(b)
		w.WriteHeader(202)
	}))
	defer web.Close()
	c := newConn(&journal{})
	can := json.RawMessage(`{"sampling":{}}`)
	c.can = ablesOf(&Peer{Capabilities: can})
	w := openRemote(c, faithful(nil), faithful(nil), web.URL, nil, 1<<20)
	defer w.close()
	l, err := c.lane(&Peer{ID: "a", Capabilities: can})
	if err != nil {
		t.Fatal(err)
	}
	c.take([]byte(`{"jsonrpc":"2.0","id":"q1","method":"sampling/createMessage","params":{}}`), 0)
	raw, err := l.Recv(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f, _ := rpc.Read(raw)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // the client's life has ended, as upstream.mention has it
	_ = l.Send(ctx, rpc.Refuse(f.Bytes(f.ID), rpc.Fault(-32000, "the client that was asked is gone")).Raw)
	_ = l.Close()
	select {
	case <-heard:
	case <-time.After(time.Second):
		t.Error("the server's question is never answered: not by Send, and not by Close")
	}
}

// A stream that the server keeps open after the answer.
func TestStreamHeldOpen(t *testing.T) {
	c := newConn(&journal{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		f, err := rpc.Read(b)
		if err != nil || f.Kind != rpc.Request {
			w.WriteHeader(202)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\n\n", f.Bytes(f.ID))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer web.Close()
	w := openRemote(c, faithful(nil), faithful(nil), web.URL, nil, 1<<20)
	defer w.close()
	l, _ := c.lane(nil)
	best := time.Hour
	for range 5 {
		began := time.Now()
		if _, err := l.Call(t.Context(), json.RawMessage(aCall), nil); err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(began))
	}
	if best > 50*time.Millisecond {
		t.Errorf("a call whose answer is there at once takes %v at best", best)
	}
}

// 303: the server has processed the POST and says where the result is.
func TestSeeOther(t *testing.T) {
	var calls atomic.Int32
	var id atomic.Value
	c := newConn(&journal{})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "GET" && r.URL.Path == "/result" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{}}`, id.Load())
			return
		}
		b, _ := io.ReadAll(r.Body)
		f, err := rpc.Read(b)
		if err != nil || f.Kind != rpc.Request {
			w.WriteHeader(202)
			return
		}
		calls.Add(1)
		id.Store(string(f.Bytes(f.ID)))
		http.Redirect(w, r, "/result", http.StatusSeeOther)
	}))
	defer web.Close()
	client := faithful(nil)
	w := openRemote(c, client, client, web.URL, nil, 1<<20)
	defer w.close()
	l, _ := c.lane(nil)
	_, _ = l.Call(t.Context(), json.RawMessage(aCall), nil) // it is refused
	if n := calls.Load(); n != 1 {
		t.Errorf("the tool was called %d times, want once", n)
	}
}

// before panics on the goroutine of the call.
func TestBeforePanics(t *testing.T) {
	w := &sink{}
	c := newConn(&journal{})
	c.wire = w
	l, _ := c.lane(nil)
	w.on = func(m *letter) {
		if m.frame.Method == "tools/call" {
			go c.take(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1}}`, m.id), 0)
		}
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = l.Call(t.Context(), json.RawMessage(aCall), func(*rpc.Frame) error { panic("x") })
	}()
	c.mu.Lock()
	n := len(c.flights)
	c.mu.Unlock()
	if n != 0 || !strings.Contains(w.all(), "cancelled") {
		t.Errorf("%d requests are in flight for ever, and the server was told:\n%s", n, w.all())
	}
}
