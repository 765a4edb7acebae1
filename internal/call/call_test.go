package call_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mortise-dev/mortise/internal/call"
)

// link is a link made of functions. One that is nil does nothing.
type link struct {
	send   func(frame json.RawMessage) error
	recv   func(ctx context.Context) (json.RawMessage, error)
	close  func() error
	closed int
	sent   []string
}

func (l *link) Send(_ context.Context, frame json.RawMessage) error {
	l.sent = append(l.sent, string(frame))
	if l.send != nil {
		return l.send(frame)
	}
	return nil
}

func (l *link) Recv(ctx context.Context) (json.RawMessage, error) { return l.recv(ctx) }

func (l *link) Close() error {
	l.closed++
	if l.close != nil {
		return l.close()
	}
	return nil
}

// saying is a link from which frames come, and then the end.
func saying(frames ...string) *link {
	return &link{recv: func(context.Context) (json.RawMessage, error) {
		if len(frames) == 0 {
			return nil, io.EOF
		}
		next := frames[0]
		frames = frames[1:]
		return json.RawMessage(next), nil
	}}
}

func TestAsk(t *testing.T) {
	const exact = `{"n":1.10e2,"t":"\u003c<é","b":{"z":1,"a":2},"a":[]}`
	for _, c := range []struct {
		name   string
		frames []string
		want   string // the answer
		err    string // part of the error; "" for none
		told   []string
		sent   int
	}{
		{name: "a result, byte for byte", frames: []string{`{"jsonrpc":"2.0","id":1,"result":` + exact + `}`}, want: exact, sent: 1},
		{name: "null is a result", frames: []string{`{"jsonrpc":"2.0","id":1,"result":null}`}, want: "null", sent: 1},
		{name: "notifications before it", frames: []string{
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`, `{"jsonrpc":"2.0","method":"other"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
		}, want: "{}", told: []string{`notifications/progress {"progress":1}`, "other "}, sent: 1},
		{name: "a request of the other side is declined", frames: []string{
			`{"jsonrpc":"2.0","id":"r","method":"sampling/createMessage","params":{}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
		}, want: "{}", sent: 2},
		{name: "the answer to something else is none", frames: []string{`{"jsonrpc":"2.0","id":7,"result":"other"}`, `{"jsonrpc":"2.0","id":1,"result":"this"}`}, want: `"this"`, sent: 1},
		{name: "an error", frames: []string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`}, err: "no", sent: 1},
		{name: "an error that names no request", frames: []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"unreadable"}}`}, err: "unreadable", sent: 1},
		{name: "neither result nor error", frames: []string{`{"jsonrpc":"2.0","id":1}`}, err: "neither a result nor an error", sent: 1},
		{name: "no JSON", frames: []string{`banner`}, err: `read the answer to "tools/call"`, sent: 1},
		{name: "the end", err: "it ended before it answered", sent: 1},
		{name: "the end after a notification", frames: []string{`{"jsonrpc":"2.0","method":"other"}`}, err: "it ended before it answered", told: []string{"other "}, sent: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var told []string
			l := saying(c.frames...)
			got, err := call.Ask(t.Context(), l, call.Request{
				Method: "tools/call", Params: json.RawMessage(`{"name":"<x>"}`),
				Notify: func(method string, params json.RawMessage) { told = append(told, method+" "+string(params)) },
			})
			if string(got) != c.want {
				t.Errorf("Ask: got %s, want %s", got, c.want)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("Ask: got the error %v, want one with %q", err, c.err)
			}
			if !slices.Equal(told, c.told) {
				t.Errorf("Notify: told %q, want %q", told, c.told)
			}
			if l.closed != 1 || len(l.sent) != c.sent {
				t.Errorf("the link: %d frames were sent and it was closed %d times, want %d and once", len(l.sent), l.closed, c.sent)
			}
			if want := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"<x>"}}`; l.sent[0] != want {
				t.Errorf("the question: got %s, want %s", l.sent[0], want)
			}
		})
	}
}

func TestAskDeclines(t *testing.T) {
	l := saying(`{"jsonrpc":"2.0","id":"r-1","method":"roots/list"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	if _, err := call.Ask(t.Context(), l, call.Request{Method: "m"}); err != nil {
		t.Fatal(err)
	}
	if want := `{"jsonrpc":"2.0","id":"r-1","error":{"code":-32601,"message":"nothing can be asked here"}}`; l.sent[1] != want {
		t.Errorf("the answer: got %s, want %s", l.sent[1], want)
	}
}

// An error of the other side comes with its code and its data, whatever they
// are.
func TestAskError(t *testing.T) {
	_, err := call.Ask(t.Context(), saying(`{"jsonrpc":"2.0","id":1,"error":{"code":-32099,"message":"odd\u001b[2J","data":{"k":[1.0,"é"]}}}`), call.Request{Method: "m"})
	var theirs *call.Error
	if !errors.As(err, &theirs) {
		t.Fatalf("Ask: got %v, want an error of the other side", err)
	}
	if theirs.Code != -32099 || theirs.Message != "odd\x1b[2J" || string(theirs.Data) != `{"k":[1.0,"é"]}` {
		t.Errorf("the error: got %+v with %s, want it as it came", theirs, theirs.Data)
	}
	if strings.ContainsRune(theirs.Error(), 0x1b) {
		t.Errorf("the error as text is %q, want it safe to print", theirs.Error())
	}
}

// A link that fails says why, whatever it fails at. But an answer that came is
// not lost because the link then closes badly: who asked would ask again.
func TestAskOverALinkThatFails(t *testing.T) {
	broken := errors.New("the pipe is broken")
	fails := func() error { return broken }
	for _, c := range []struct {
		name string
		link *link
		want string
		fail bool
	}{
		{name: "sending", link: &link{send: func(json.RawMessage) error { return broken }}, fail: true},
		{name: "receiving", link: &link{recv: func(context.Context) (json.RawMessage, error) { return nil, broken }}, fail: true},
		{name: "closing after the end", link: &link{recv: saying().recv, close: fails}, fail: true},
		{name: "closing after the answer", link: &link{recv: saying(`{"jsonrpc":"2.0","id":1,"result":{}}`).recv, close: fails}, want: "{}"},
		{name: "declining", link: &link{
			recv: saying(`{"jsonrpc":"2.0","id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`).recv,
			send: func(f json.RawMessage) error {
				if strings.Contains(string(f), "error") {
					return broken
				}
				return nil
			},
		}, want: "{}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := call.Ask(t.Context(), c.link, call.Request{Method: "m"})
			if errors.Is(err, broken) != c.fail || !c.fail && err != nil || string(got) != c.want {
				t.Errorf("Ask: got %s and %v, want %q and that the link failed: %v", got, err, c.want, c.fail)
			}
			if c.link.closed != 1 {
				t.Errorf("the link was closed %d times, want once", c.link.closed)
			}
		})
	}
}

// When the context ends, Ask returns and the link is closed, so that what is in
// flight is given up.
func TestAskEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		l := &link{recv: func(ctx context.Context) (json.RawMessage, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		done := make(chan error, 1)
		go func() {
			_, err := call.Ask(ctx, l, call.Request{Method: "m"})
			done <- err
		}()
		synctest.Wait() // it waits for an answer
		if l.closed != 0 {
			t.Error("the link was closed before the context ended")
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Ask: got %v, want that its context ended", err)
		}
		if l.closed != 1 {
			t.Errorf("the link was closed %d times, want once", l.closed)
		}
	})
}
