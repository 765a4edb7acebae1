package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/driver/mcp"
)

func (b *bench) link(s mcp.Target) *mcp.Talk { b.t.Helper(); return b.linkFor(s, nil) }

func (b *bench) linkFor(s mcp.Target, p *mcp.Peer) *mcp.Talk {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l, err := b.Link(ctx, ref(s, ""), p)
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { l.Close() })
	return mcp.NewTalk(l)
}

func send(t testing.TB, l *mcp.Talk, frame string) {
	t.Helper()
	if err := l.Say(frame); err != nil {
		t.Fatalf("send %s: %v", frame, err)
	}
}

func recv(t testing.TB, l *mcp.Talk) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	frame, err := l.Next(ctx)
	if err != nil {
		t.Fatalf("receive: %v", err)
	}
	return frame
}

// TestLaneOrder wants progress and messages to come before the answer, in the
// order of the wire, with the caller's own token and id and every other byte
// as the server sent it.
func TestLaneOrder(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	l := b.link(s)
	for _, c := range []struct{ id, token string }{{`"a"`, `"my token"`}, {`7`, `7`}, {`1.0`, `-0`}, {`"7"`, `"\u0061"`}} {
		send(t, l, `{"jsonrpc":"2.0","method":"tools/call","id":`+c.id+`,"params":{"_meta":{"progressToken":`+c.token+`,"x":1},"name":"progress"}}`)
		for i := range 5 {
			want := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d.0,"x-odd":1e0}}`, c.token, i)
			if got := recv(t, l); got != want {
				t.Errorf("%s: got %s, want %s", c.id, got, want)
			}
		}
		if got, want := recv(t, l), `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"half way"}}`; got != want {
			t.Errorf("%s: got %s, want %s", c.id, got, want)
		}
		if got, want := recv(t, l), `{"jsonrpc":"2.0","id":`+c.id+`,"result":{"content":[]}}`; got != want {
			t.Errorf("%s: got %s, want %s", c.id, got, want)
		}
	}
}

// TestLaneKeepsBytes wants a frame to reach the server, and its answer the
// caller, with nothing changed but ids and tokens.
func TestLaneKeepsBytes(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	l := b.link(s)
	send(t, l, `{"params":{"name":"echo","arguments":{"n":1.00e+2,"big":123456789012345678901234567890,"s":"\u00e9"},"unknown":1},"method":"tools/call","id":3,"jsonrpc":"2.0"}`)
	if got, want := recv(t, l), `{"jsonrpc":"2.0","id":3,"result":{"content":[],"got":{"n":1.00e+2,"big":123456789012345678901234567890,"s":"\u00e9"}}}`; got != want {
		t.Errorf("echo: got %s, want %s", got, want)
	}
	send(t, l, `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"fault"}}`)
	if got, want := recv(t, l), `{"jsonrpc":"2.0","id":4,"error":{"code":-32050,"message":"no\nway","data":{"n":1.0}}}`; got != want {
		t.Errorf("fault: got %s, want %s", got, want)
	}
}

// TestLanesApart wants two callers with the same ids to get their own answers,
// and a message that could be either's to reach neither.
func TestLanesApart(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	one, two := b.link(s), b.link(s)
	for i := range 200 {
		for who, l := range map[string]*mcp.Talk{"one": one, "two": two} {
			send(t, l, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"who":%q,"i":%d}}}`, i, who, i))
		}
	}
	for who, l := range map[string]*mcp.Talk{"one": one, "two": two} {
		want := map[string]bool{}
		for i := range 200 {
			want[fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[],"got":{"who":%q,"i":%d}}}`, i, who, i)] = true
		}
		for range 200 {
			got := recv(t, l)
			if !want[got] {
				t.Fatalf("%s: got %s, want an answer of its own, once", who, got)
			}
			delete(want, got)
		}
	}
	send(t, one, `{"jsonrpc":"2.0","id":"n","method":"tools/call","params":{"name":"never"}}`)
	b.waitFor(s, 1)
	send(t, two, `{"jsonrpc":"2.0","id":"l","method":"tools/call","params":{"name":"log"}}`)
	if got := recv(t, two); !strings.Contains(got, `"id":"l"`) {
		t.Errorf("a message while both have calls in flight: got %s, want the answer alone", got)
	}
	send(t, one, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"n"}}`)
	send(t, two, `{"jsonrpc":"2.0","id":"m","method":"tools/call","params":{"name":"log"}}`)
	if got := recv(t, two); !strings.Contains(got, `"for one"`) {
		t.Errorf("a message while one has a call in flight: got %s, want the message", got)
	}
}

// TestLaneCancel wants cancelling to name the request as the server knows it,
// and closing a lane to cancel what is in flight.
func TestLaneCancel(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	l := b.link(s)
	send(t, l, `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"never"}}`)
	ids := b.waitFor(s, 1)
	send(t, l, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"other","reason":"no"}}`)
	send(t, l, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x","reason":"no"}}`)
	b.cancelled(s, ids)
	send(t, l, `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"never"}}`)
	ids = b.waitFor(s, 2)
	l.Close()
	slices.Sort(ids)
	b.cancelled(s, ids)
	if _, err := l.Next(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("receive on a closed lane: got %v, want the end", err)
	}
	if _, err := l.Call(context.Background(), json.RawMessage(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), nil); err == nil {
		t.Error("a call on a closed lane: got no error, want one")
	}
}

// TestLaneEnd wants the end of a connection to answer what is in flight, and
// then to end the lane.
func TestLaneEnd(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	l := b.link(s)
	send(t, l, `{"jsonrpc":"2.0","id":"n","method":"tools/call","params":{"name":"never"}}`)
	b.waitFor(s, 1)
	send(t, l, `{"jsonrpc":"2.0","id":"e","method":"tools/call","params":{"name":"exit"}}`)
	one, two := recv(t, l), recv(t, l)
	for id, got := range map[string]string{`"e"`: min(one, two), `"n"`: max(one, two)} {
		if !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":`+id+`,"error":{"code":-32000,"message":"`) || !strings.Contains(got, "exit code 3") || !strings.Contains(got, "acme:normal") {
			t.Errorf("what was in flight: got %s, want an error for %s that names the server and its end", got, id)
		}
	}
	if _, err := l.Next(context.Background()); !errors.Is(err, io.EOF) {
		t.Errorf("after that: got %v, want the end", err)
	}
}

// TestLaneRefuses wants what is no request and no notification not to be sent.
func TestLaneRefuses(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	l := b.link(s)
	for _, bad := range []string{``, `{}`, `[]`, `{"id":1,"result":{}}`, `{"id":1,"id":2,"method":"x"}`, `{"method":"x"} {"method":"y"}`, `{"id":{},"method":"x"}`} {
		if err := l.Send(context.Background(), json.RawMessage(bad)); err == nil {
			t.Errorf("send %q: got no error, want one", bad)
		}
	}
}
