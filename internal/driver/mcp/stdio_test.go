package mcp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/driver/mcp"
)

// TestDeafServer wants a server that does not read to cost its callers their
// own limit, and not to hang anybody.
func TestDeafServer(t *testing.T) {
	b, s := newBench(t, func(o *mcp.Options) { o.Patience = time.Millisecond; o.Grace = time.Millisecond }), fixtureTarget(t, "deaf")
	b.Run([]mcp.Target{s})
	b.until(s.Name, "answered tools/list", func(st mcp.Status) bool { return st.Starts == 1 })
	// It hears no prompts/list, so it never gets ready; the same holds for its pipe.
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := b.Describe(ctx, s.Key); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("describe: got %v, want that the limit was exceeded", err)
	}
}

// TestFullPipe wants calls to a server that stopped reading to fail within
// their limits, however much is sent, and the end to come all the same.
func TestFullPipe(t *testing.T) {
	b, s := newBench(t, func(o *mcp.Options) { o.Patience = time.Millisecond; o.Grace = time.Millisecond }), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	b.must(s, "stop-reading", "")
	arg := `{"a":"` + strings.Repeat("x", 1<<20) + `"}`
	for i := range 70 { // more than the queue of the writer holds
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		if got, err := b.Call(ctx, ref(s, "echo"), []byte(arg)); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("call %d: got %.100s, %v; want that the limit was exceeded", i, got, err)
		}
		cancel()
	}
}

// TestBigMessages wants messages up to the limit to pass, and one above it to
// cost the connection with an error that says so.
func TestBigMessages(t *testing.T) {
	b, s := newBench(t, func(o *mcp.Options) { o.Frame = 2 << 20 }), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	if got := b.must(s, "big", ""); len(got) < 1<<20 {
		t.Errorf("a message of 1 MiB: got %d bytes", len(got))
	}
	if _, err := b.call(s, "huge", ""); err == nil || !strings.Contains(err.Error(), "a line of more than 2 MiB") {
		t.Errorf("a message of 3 MiB: got %v, want the limit named", err)
	}
	b.must(s, "echo", "{}")
	if st := b.Status(); st[0].Starts != 1 {
		t.Errorf("status: got %+v, want that the session went on", st[0])
	}
	for name, line := range map[string]string{
		"of no request":    `{"jsonrpc":"2.0","method":"x","pad":"` + strings.Repeat("x", 3<<20) + `"}`,
		"of no known id":   `{"jsonrpc":"2.0","id":99999,"result":"` + strings.Repeat("x", 3<<20) + `"}`,
		"with its id last": `{"result":{"pad":"` + strings.Repeat("x", 3<<20) + `","id":1},"jsonrpc":"2.0","id":"7"}`,
	} {
		l, was := b.link(s), b.Status()[0].Starts
		send(t, l, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"say","arguments":[`+line+`]}}`)
		if got := recv(t, l); !strings.Contains(got, "a line of more than 2 MiB") {
			t.Errorf("%s: got %.200s, want the end of the connection", name, got)
		}
		b.until(s.Name, "ready again", func(st mcp.Status) bool { return st.State == mcp.Ready && st.Starts > was })
	}
}

// TestStubbornServer wants a server that ignores the end of its input to be
// ended all the same.
func TestStubbornServer(t *testing.T) {
	b, s := newBench(t, func(o *mcp.Options) { o.Patience = 10 * time.Millisecond; o.Grace = 10 * time.Millisecond }), fixtureTarget(t, "stubborn")
	b.Run([]mcp.Target{s})
	pid := b.self(s).Pid
	b.Run(nil)
	if _, err := b.call(s, "echo", ""); err == nil || !strings.Contains(err.Error(), "no server") {
		t.Errorf("call: got %v, want that there is none", err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if child.Alive(child.Identity{Pid: pid}) {
		t.Errorf("process %d lives after Close", pid)
	}
	if st := b.Status(); len(st) != 0 {
		t.Errorf("status: got %+v, want none", st)
	}
}

// TestCallCancelled wants a server to be told that an answer is not wanted any
// more.
func TestCallCancelled(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error)
	go func() {
		_, err := b.Call(ctx, ref(s, "never"), nil)
		failed <- err
	}()
	ids := b.waitFor(s, 1)
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("call: got %v, want that it was cancelled", err)
	}
	b.cancelled(s, ids)
}

// TestClosedInput wants a server that closed its input to be ended, and not to
// be waited for.
func TestClosedInput(t *testing.T) {
	b, s := newBench(t, func(o *mcp.Options) { o.Patience = time.Millisecond; o.Grace = time.Millisecond }), fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	b.must(s, "close-input", "")
	if got, err := b.call(s, "echo", ""); err == nil || !strings.Contains(err.Error(), "closed its input") {
		t.Errorf("call: got %s, %v; want that it closed its input", got, err)
	}
	b.until(s.Name, "ready again", func(st mcp.Status) bool { return st.State == mcp.Ready && st.Starts == 2 })
}

// TestCloseAnswers wants closing a pool to answer who waits for it.
func TestCloseAnswers(t *testing.T) {
	b, s, hung := newBench(t, nil), fixtureTarget(t, "normal"), fixtureTarget(t, "hang")
	b.Run([]mcp.Target{s, hung})
	failed := make(chan error, 3)
	go func() {
		_, err := b.call(s, "never", "")
		failed <- err
	}()
	go func() {
		_, err := b.call(hung, "echo", "")
		failed <- err
	}()
	go func() {
		_, err := b.Describe(context.Background(), hung.Key)
		failed <- err
	}()
	b.waitFor(s, 1)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	for range cap(failed) {
		if err := <-failed; err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want an error at once", err)
		}
	}
	b.Run([]mcp.Target{s})
	if _, err := b.call(s, "echo", ""); err == nil {
		t.Error("call after Close: got no error, want one")
	}
}

// TestStdioReal wants the official SDK's server to be described, called, and
// ended by the end of its input.
func TestStdioReal(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "sdk")
	b.Run([]mcp.Target{s})
	d, _ := b.describe(s)
	if len(d.Tools) != 1 || len(d.Prompts) != 1 || d.Instructions != "Be kind." || d.ProtocolVersion != "2026-07-28" {
		t.Errorf("description: got %+v, want its tool, its prompt, its instructions and the newest revision", d)
	}
	l := b.link(s)
	send(t, l, `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"count","arguments":{},"_meta":{"progressToken":"tok"}}}`)
	for i := range 3 {
		if got := recv(t, l); !strings.Contains(got, `"progressToken":"tok"`) {
			t.Errorf("progress %d: got %s", i, got)
		}
	}
	if got := recv(t, l); !strings.Contains(got, `"id":"c"`) || !strings.Contains(got, `"result"`) {
		t.Errorf("after the progress: got %s, want the answer", got)
	}
	b.Run(nil)
	for len(b.Status()) > 0 {
		<-b.changed
	}
	if log := logOf(t, s); !strings.Contains(log, "note ready\n") || !strings.HasSuffix(log, "note stopped\n") {
		t.Errorf("log: got %s, want notes on its start and its end", log)
	}
}
