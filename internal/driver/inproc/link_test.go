package inproc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
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

func send(t *testing.T, l *inproc.Link, frame string) {
	t.Helper()
	if err := l.Send(t.Context(), json.RawMessage(frame)); err != nil {
		t.Fatalf("Send(%s): %v", frame, err)
	}
}

func recv(t *testing.T, l *inproc.Link) string {
	t.Helper()
	raw, err := l.Recv(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func calling(id, name string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"echo","arguments":{"name":%q}}}`, id, name)
}

// TestLink wants each request answered under its own id, and nothing else.
func TestLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := link(t, same)
		for _, c := range []struct{ frame, want string }{
			{calling(`"a-1"`, "x"), `{"jsonrpc":"2.0","id":"a-1","result":{"content":[{"type":"text","text":"{\"name\":\"x\"}"}],"structuredContent":{"name":"x"}}}`},
			{`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"only tools can be called here"}}`},
			{`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"gone"}}`, `{"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"\"acme\" has no tool \"gone\""}}`},
		} {
			send(t, l, c.frame)
			if got := recv(t, l); got != c.want {
				t.Errorf("%s: got %s, want %s", c.frame, got, c.want)
			}
		}
		for _, silent := range []string{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":3,"result":{}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`} {
			send(t, l, silent)
		}
		send(t, l, calling("9", "y"))
		if got := recv(t, l); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":9,`) {
			t.Errorf("after what needs no answer: got %s, want the answer to 9", got)
		}
		if err := l.Send(t.Context(), json.RawMessage("banner")); err == nil {
			t.Error("Send of something that is no JSON: want an error")
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// Sending does not wait for the call, calls run beside each other, and the
// answers come as the calls end.
func TestLinkCallsRunBesideEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := map[string]chan struct{}{"a": make(chan struct{}), "b": make(chan struct{})}
		l := link(t, func(_ context.Context, in arguments) (any, error) {
			<-release[in.Name]
			return in.Name, nil
		})
		send(t, l, calling("1", "a"))
		send(t, l, calling("2", "b"))
		if err := l.Send(t.Context(), json.RawMessage(calling("1", "a"))); err == nil {
			t.Error("Send of a request whose id is in flight: want an error")
		}
		close(release["b"])
		if got := recv(t, l); !strings.Contains(got, `"id":2`) {
			t.Errorf("Recv: got %s, want the answer to 2", got)
		}
		close(release["a"])
		if got := recv(t, l); !strings.Contains(got, `"id":1`) {
			t.Errorf("Recv: got %s, want the answer to 1", got)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// Closing gives up what is in flight and waits for it, and then there is
// nothing to send or to receive; twice is once.
func TestLinkClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		l := link(t, func(ctx context.Context, _ arguments) (any, error) {
			<-ctx.Done()
			ended = true
			return nil, ctx.Err()
		})
		ctx, cancel := context.WithCancel(t.Context())
		if err := l.Send(ctx, json.RawMessage(calling("1", "x"))); err != nil {
			t.Fatal(err)
		}
		cancel() // of the sending; the call goes on
		waiting := make(chan error, 1)
		go func() {
			_, err := l.Recv(t.Context())
			waiting <- err
		}()
		synctest.Wait()
		if ended {
			t.Error("the call ended with the context of its sending, want it to go on")
		}
		for range 2 {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if !ended {
			t.Error("Close returned before the call had ended")
		}
		if err := <-waiting; !errors.Is(err, io.EOF) {
			t.Errorf("Recv while it was closed: got %v, want io.EOF", err)
		}
		if _, err := l.Recv(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("Recv after Close: got %v, want io.EOF", err)
		}
		if err := l.Send(t.Context(), json.RawMessage(calling("2", "x"))); err == nil {
			t.Error("Send after Close: want an error")
		}
	})
}

// A call that was cancelled ends and is not answered.
func TestLinkCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := link(t, func(ctx context.Context, in arguments) (any, error) {
			if in.Name == "wait" {
				<-ctx.Done()
			}
			return in.Name, nil
		})
		send(t, l, calling("1", "wait"))
		synctest.Wait()
		send(t, l, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		send(t, l, calling("2", "go"))
		if got := recv(t, l); !strings.Contains(got, `"id":2`) {
			t.Errorf("Recv: got %s, want the answer to 2", got)
		}
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got, err := l.Recv(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Recv: got %s, %v, want nothing until its context ends", got, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestLinkAsked asks over links as faces do.
func TestLinkAsked(t *testing.T) {
	d := driver(same)
	l, err := d.Link(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	got, err := call.Ask(t.Context(), l, call.Request{Method: "tools/call", Params: json.RawMessage(`{"name":"echo","arguments":{"name":"x"}}`)})
	if want := `{"content":[{"type":"text","text":"{\"name\":\"x\"}"}],"structuredContent":{"name":"x"}}`; err != nil || string(got) != want {
		t.Errorf("Ask: got %s, %v, want %s", got, err, want)
	}
	if _, err := d.Link(t.Context(), ext.Ref{Driver: inproc.Name, Target: "gone"}); err == nil {
		t.Error("a link to an extension that is not there: want an error")
	}
	answers := make(chan string, 20)
	for i := range cap(answers) {
		go func() {
			l, err := d.Link(t.Context(), ref)
			if err != nil {
				answers <- err.Error()
				return
			}
			got, err := call.Ask(t.Context(), l, call.Request{Method: "tools/call", Params: json.RawMessage(fmt.Sprintf(`{"name":"echo","arguments":{"name":"n%d"}}`, i))})
			if err != nil || !strings.Contains(string(got), fmt.Sprintf(`"structuredContent":{"name":"n%d"}`, i)) {
				answers <- fmt.Sprintf("%d: %s, %v", i, got, err)
				return
			}
			answers <- ""
		}()
	}
	for range cap(answers) {
		if wrong := <-answers; wrong != "" {
			t.Error(wrong)
		}
	}
}

func TestLinksAreTheirUsersOwn(t *testing.T) {
	d := driver(same)
	var links []*inproc.Link
	for range 2 {
		l, err := d.Link(t.Context(), ref)
		if err != nil {
			t.Fatal(err)
		}
		links = append(links, l)
	}
	send(t, links[0], calling("1", "first"))
	send(t, links[1], calling("1", "second"))
	got := []string{recv(t, links[1]), recv(t, links[0])}
	if !slices.EqualFunc(got, []string{"second", "first"}, strings.Contains) {
		t.Errorf("got %q, want each user's own answer", got)
	}
	for _, l := range links {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
