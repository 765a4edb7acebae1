package inproc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/driver/inproc"
)

var _ call.Link = (*inproc.Link)(nil)

func link(t *testing.T, do func(context.Context, arguments) (any, error)) *inproc.Link {
	t.Helper()
	l, err := driver(do).Link(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func calling(id, name string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"echo","arguments":{"name":%q}}}`, id, name))
}

// answer is what a request is answered with, or the error.
func answer(ctx context.Context, l *inproc.Link, request json.RawMessage) string {
	f, err := l.Call(ctx, request, nil)
	if err != nil {
		return err.Error()
	}
	return string(f.Raw)
}

// TestLink wants each request answered under its own id.
func TestLink(t *testing.T) {
	l := link(t, same)
	for _, c := range []struct{ request, want string }{
		{string(calling(`"a-1"`, "x")), `{"jsonrpc":"2.0","id":"a-1","result":{"content":[{"type":"text","text":"{\"name\":\"x\"}"}],"structuredContent":{"name":"x"}}}`},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"only tools can be called here"}}`},
		{`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"gone"}}`, `{"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"\"acme\" has no tool \"gone\""}}`},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "what is called is no request"},
	} {
		if got := answer(t.Context(), l, json.RawMessage(c.request)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.request, got, c.want)
		}
	}
	if got := answer(t.Context(), l, json.RawMessage("banner")); !strings.HasPrefix(got, "read a request: ") {
		t.Errorf("something that is no JSON: got %s, want an error", got)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// Calls run beside each other, and each is answered as it ends.
func TestLinkCallsRunBesideEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := map[string]chan struct{}{"a": make(chan struct{}), "b": make(chan struct{})}
		l := link(t, func(_ context.Context, in arguments) (any, error) {
			<-release[in.Name]
			return in.Name, nil
		})
		answers := make(chan string)
		for id, name := range map[string]string{"1": "a", "2": "b"} {
			go func() { answers <- answer(t.Context(), l, calling(id, name)) }()
		}
		for _, c := range []struct{ name, id string }{{"b", `"id":2`}, {"a", `"id":1`}} {
			close(release[c.name])
			if got := <-answers; !strings.Contains(got, c.id) {
				t.Errorf("%s: got %s, want the answer to %s", c.name, got, c.id)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// Closing gives up what is under way and waits for it, and then nothing can be
// called or received; twice is once.
func TestLinkClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		l := link(t, func(ctx context.Context, _ arguments) (any, error) {
			<-ctx.Done()
			ended = true
			return nil, ctx.Err()
		})
		called, waiting := make(chan string, 1), make(chan error, 1)
		go func() { called <- answer(t.Context(), l, calling("1", "x")) }()
		go func() {
			_, err := l.Recv(t.Context())
			waiting <- err
		}()
		synctest.Wait()
		for range 2 {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if !ended {
			t.Error("Close returned before the call had ended")
		}
		if got := <-called; got != io.ErrClosedPipe.Error() {
			t.Errorf("what was under way: got %s, want that the link was closed", got)
		}
		if err := <-waiting; !errors.Is(err, io.EOF) {
			t.Errorf("Recv while it was closed: got %v, want io.EOF", err)
		}
		if _, err := l.Call(t.Context(), calling("2", "x"), nil); !errors.Is(err, io.EOF) {
			t.Errorf("Call after Close: got %v, want io.EOF", err)
		}
	})
}

// A call that is given up is over at once, also where its tool goes on.
func TestLinkCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stubborn := make(chan struct{})
		l := link(t, func(_ context.Context, in arguments) (any, error) {
			if in.Name == "wait" {
				<-stubborn
			}
			return in.Name, nil
		})
		ctx, cancel := context.WithCancel(t.Context())
		called := make(chan string, 1)
		go func() { called <- answer(ctx, l, calling("1", "wait")) }()
		synctest.Wait()
		cancel()
		if got := <-called; got != context.Canceled.Error() {
			t.Errorf("got %s, want that it was given up", got)
		}
		if got := answer(t.Context(), l, calling("2", "go")); !strings.Contains(got, `"id":2`) {
			t.Errorf("got %s, want the answer to 2", got)
		}
		if got, err := l.Recv(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Recv: got %s, %v, want nothing until its context ends", got, err)
		}
		close(stubborn)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestLinkToNothing(t *testing.T) {
	if _, err := driver(same).Link(t.Context(), ext.Ref{Driver: inproc.Name, Target: "gone"}); err == nil {
		t.Error("a link to an extension that is not there: want an error")
	}
}
