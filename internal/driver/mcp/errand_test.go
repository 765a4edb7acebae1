package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/mortise-dev/mortise/internal/rpc"
)

// slowly is a server over HTTP that tells of the progress of a call on its stream,
// and then answers when it is let, with a lane to it and the token of the call.
type slowly struct {
	conn   *conn
	lane   *Lane
	token  chan string
	answer chan struct{}
	left   chan struct{} // closed when the request was given up
}

func newSlowly(t *testing.T) *slowly {
	t.Helper()
	s := &slowly{conn: newConn(&journal{}), token: make(chan string, 1), answer: make(chan struct{}), left: make(chan struct{})}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		f, err := rpc.Read(body)
		if err != nil || f.Kind != rpc.Request {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		id := f.Bytes(f.ID)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":1}}\n\n", id)
		_ = http.NewResponseController(w).Flush()
		s.token <- string(id)
		select {
		case <-s.answer:
			_, _ = fmt.Fprintf(w, "data: {\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\n\n", id)
		case <-r.Context().Done():
			close(s.left)
		}
	}))
	t.Cleanup(web.Close)
	w := openRemote(s.conn, faithful(nil), faithful(nil), web.URL, nil, 1<<20)
	t.Cleanup(w.close)
	lane, err := s.conn.lane(nil)
	if err != nil {
		t.Fatal(err)
	}
	s.lane = lane
	return s
}

const slowCall = `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"t","_meta":{"progressToken":"p"}}}`

// TestToldMeanwhile wants what comes for a call on another stream than its own to be
// handed on while the goroutine of the call reads the one of the request, and all of
// it before the answer.
func TestToldMeanwhile(t *testing.T) {
	s := newSlowly(t)
	var told []string
	first, second := make(chan struct{}), make(chan struct{})
	go func() {
		token := <-s.token
		<-first
		s.conn.take(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":2}}`, token), 0)
		<-second
		close(s.answer)
	}()
	answer, err := s.lane.Call(t.Context(), json.RawMessage(slowCall), func(f *rpc.Frame) error {
		if told = append(told, string(f.Raw)); len(told) == 1 {
			close(first)
		} else {
			close(second)
		}
		return nil
	})
	if err != nil || string(answer.Raw) != `{"jsonrpc":"2.0","id":"c","result":{}}` {
		t.Fatalf("got %v, want the answer", err)
	}
	for i, got := range told {
		if want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":%d}}`, i+1); got != want {
			t.Errorf("told: got %s, want %s", got, want)
		}
	}
}

// TestGivenUp wants a call to end, and its request too, when its context does, when
// nobody takes what comes for it, and when its lane is closed; whether that is told on
// the request's own stream or on another.
func TestGivenUp(t *testing.T) {
	gone := errors.New("nobody is there")
	for name, c := range map[string]struct {
		want error
		when func(s *slowly, cancel func(), token string)
		told error // what telling of something fails with
	}{
		"its context ends": {context.Canceled, func(_ *slowly, cancel func(), _ string) { cancel() }, nil},
		"its lane closes":  {errLaneClosed, func(s *slowly, _ func(), _ string) { s.lane.Close() }, nil},
		"nobody takes it":  {gone, nil, gone},
		"nobody takes what comes on another stream": {gone, func(s *slowly, _ func(), token string) {
			s.conn.take(fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":2}}`, token), 0)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSlowly(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.when != nil {
				go func() { c.when(s, cancel, <-s.token) }()
			}
			n := 0
			_, err := s.lane.Call(ctx, json.RawMessage(slowCall), func(*rpc.Frame) error {
				if n++; n == 2 {
					return gone
				}
				return c.told
			})
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			<-s.left
			s.conn.mu.Lock()
			defer s.conn.mu.Unlock()
			if len(s.conn.flights) > 0 || len(s.lane.errands) > 0 {
				t.Errorf("left: %d requests and %d calls, want none", len(s.conn.flights), len(s.lane.errands))
			}
		})
	}
}

// TestLogged_by_its_stream wants a message on the stream of a request to come with
// that request, and not with another of the same peer that is under way longer.
func TestLogged_by_its_stream(t *testing.T) {
	w := &deck{fickle: fickle{conn: newConn(&journal{})}}
	w.conn.wire = w
	l, err := w.conn.lane(nil)
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]*errand{}
	for _, name := range []string{"first", "second"} {
		e, err := l.begin(func(*rpc.Frame) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		id, err := w.conn.launch(&flight{errand: e, caller: true})
		if err != nil {
			t.Fatal(err)
		}
		e.begins(w.conn, id)
		told[name] = e
	}
	w.conn.take([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}`), told["second"].id)
	w.conn.take([]byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":2}}`), 0)
	for name, want := range map[string]string{"second": `"data":1`, "first": `"data":2`} {
		e := told[name]
		if len(e.came) != 1 || !json.Valid(e.came[0].Raw) || string(e.came[0].Bytes(e.came[0].Params)) != `{"level":"info",`+want+`}` {
			t.Errorf("the %s call got %d frames, want the message with %s", name, len(e.came), want)
		}
	}
}

// TestNotAskedForYet wants somebody who wants to hear of a resource to wait until the
// server was asked for that: what it agreed to before says nothing of it.
func TestNotAskedForYet(t *testing.T) {
	c := newConn(&journal{})
	c.wire = &sink{}
	c.modern.Store(true)
	c.listening = &listening{wake: make(chan struct{}, 1), asked: interest{tools: true}}
	l, err := c.lane(&Peer{ID: "o"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := l.begin(nil)
	if err != nil {
		t.Fatal(err)
	}
	x := &listener{lane: l, errand: e, id: []byte("1"), older: true, interest: interest{uris: []string{"x://a"}}}
	c.listening.all = append(c.listening.all, x)
	c.admitListeners() // the server has agreed to what was asked for before
	if e.answer != nil {
		t.Fatalf("got %s, want it to wait", e.answer.Raw)
	}
	c.listening.pending, c.listening.asking.uris = 2, x.uris
	c.admitListeners() // somebody joined while the server has not answered what asks for it
	if e.answer != nil {
		t.Fatalf("got %s, want it to wait until the server agrees", e.answer.Raw)
	}
	c.take([]byte(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"notifications":{"resourceSubscriptions":["x://a"]}}}`), 0)
	if e.answer == nil || !e.answer.Result.There() {
		t.Errorf("once the server was asked and agreed: got %v, want that it hears", e.answer)
	}
}
