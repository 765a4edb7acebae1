package inproc

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/mortise-dev/mortise/ext"
)

// Link is a link to one extension. It may be used by several goroutines.
type Link struct {
	driver  *Driver
	target  string
	answers chan json.RawMessage
	done    chan struct{} // closed by Close
	running sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	flights map[string]*flight // by their ids
}

// flight is a call that nobody gave up.
type flight struct{ cancel context.CancelFunc }

// Link is a link to the extension that ref names as its target. Its calls run
// beside each other.
func (d *Driver) Link(_ context.Context, ref ext.Ref) (*Link, error) {
	if _, ok := d.extensions[ref.Target]; !ok {
		return nil, fmt.Errorf("there is no extension %s in this build", ext.Quote(ref.Target))
	}
	return &Link{
		driver: d, target: ref.Target,
		answers: make(chan json.RawMessage), done: make(chan struct{}), flights: map[string]*flight{},
	}, nil
}

// asked is what is looked at of a frame.
type asked struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// Send begins to call the tool that a request names; the call goes on until the
// link is closed or a notification cancels it. Any other request is answered
// with an error, and anything else with nothing.
func (l *Link) Send(ctx context.Context, frame json.RawMessage) error {
	var f asked
	if err := json.Unmarshal(frame, &f); err != nil {
		return fmt.Errorf("read a frame: %w", err)
	}
	switch {
	case f.Method == "notifications/cancelled" && f.ID == nil:
		l.give(f.Params.RequestID)
		return nil
	case f.Method == "" || f.ID == nil:
		return nil
	}
	return l.begin(ctx, &f)
}

func (l *Link) begin(ctx context.Context, f *asked) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return io.ErrClosedPipe
	}
	id := string(f.ID)
	if l.flights[id] != nil {
		return fmt.Errorf("a request with the id %s is in flight", ext.Quote(ext.Shorten(id, 80)))
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // which bounds the sending
	of := &flight{cancel}
	l.flights[id] = of
	l.running.Go(func() {
		defer cancel()
		l.land(id, of, l.answer(ctx, f))
	})
	return nil
}

// give gives up a call that is in flight: nobody hears its answer.
func (l *Link) give(id json.RawMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if of := l.flights[string(id)]; of != nil {
		of.cancel()
		delete(l.flights, string(id))
	}
}

// land hands over the answer of a call, unless that was given up.
func (l *Link) land(id string, of *flight, answer json.RawMessage) {
	l.mu.Lock()
	heard := l.flights[id] == of
	if heard {
		delete(l.flights, id)
	}
	l.mu.Unlock()
	if !heard {
		return
	}
	select {
	case l.answers <- answer:
	case <-l.done:
	}
}

// answer is the frame that answers a request.
func (l *Link) answer(ctx context.Context, f *asked) json.RawMessage {
	type fault struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	out := struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result,omitempty"`
		Error   *fault          `json:"error,omitempty"`
	}{Version: "2.0", ID: f.ID}
	if f.Method != "tools/call" {
		out.Error = &fault{-32601, "only tools can be called here"}
	} else if r, err := l.driver.Call(ctx, ext.Ref{Driver: Name, Target: l.target, Name: f.Params.Name}, f.Params.Arguments); err != nil {
		out.Error = &fault{-32602, err.Error()}
	} else {
		out.Result = r
	}
	raw, err := ext.EncodeJSON(out)
	if err != nil {
		panic(err) // all of it is JSON or text
	}
	return raw
}

// Recv waits for the next answer, in the order in which calls end.
func (l *Link) Recv(ctx context.Context) (json.RawMessage, error) {
	select {
	case <-l.done:
		return nil, io.EOF
	default:
	}
	select {
	case raw := <-l.answers:
		return raw, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.done:
		return nil, io.EOF
	}
}

// Close gives up the calls that are in flight, waits until they have returned,
// and ends the link.
func (l *Link) Close() error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.done)
	}
	for id, of := range l.flights {
		of.cancel()
		delete(l.flights, id)
	}
	l.mu.Unlock()
	l.running.Wait()
	return nil
}
