package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/face/gateway"
	"github.com/mortise-dev/mortise/internal/state"
)

const hello = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

// raw is a client over pipes that sends what it likes.
type raw struct {
	t     testing.TB
	to    io.WriteCloser
	lines chan string
}

// rawly connects one that has shaken hands. One that does not read takes the answer to
// its handshake and nothing after it.
func rawly(t testing.TB, g *gateway.Gateway, reads bool) *raw {
	in, to := io.Pipe()
	from, out := io.Pipe()
	go func() { _ = g.Serve(t.Context(), in, out) }()
	r := &raw{t: t, to: to, lines: make(chan string, 1000)}
	go func() {
		s := bufio.NewScanner(from)
		s.Buffer(nil, 1<<20)
		for s.Scan() {
			if r.lines <- s.Text(); !reads {
				return
			}
		}
	}()
	r.send(hello)
	wait(t, "the handshake", r.lines)
	return r
}

func (r *raw) send(lines string) {
	r.t.Helper()
	if _, err := io.WriteString(r.to, lines+"\n"); err != nil {
		r.t.Fatal(err)
	}
}

// A key in other letter cases is the same key to many readers. What two of them could
// take for two messages is none, whichever part of it the guards would have judged.
func TestKeysThatFoldAreRefused(t *testing.T) {
	b := workspace(t, said)
	w := dial(t, b.gateway(gateway.Options{}))
	for _, frame := range []string{
		`{"jsonrpc":"2.0","id":5,"method":"prompts/get","Method":"tools/call","params":{"name":"owner_search__ask"}}`,
		`{"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"owner_search__ask"},"Params":{"name":"find","arguments":{"q":"evil"}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"owner_search__find","arguments":{"q":"fine"},"Arguments":{"q":"evil"}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","ID":7,"params":{"name":"owner_search__find"}}`,
	} {
		if got := w.post(frame); len(got) != 1 || !strings.Contains(got[0], `"error":{"code":-32600,`) {
			t.Errorf("%s: got %q, want that it is no message", frame, got)
		}
	}
	for _, params := range []string{
		`{"ref":{"type":"ref/resource","uri":"secret://x","URI":"notes://{year}/{+rest}"},"argument":{"name":"a","value":""}}`,
		`{"ref":{"type":"ref/prompt","name":"nothing"},"Ref":{"type":"ref/prompt","name":"owner_search__ask"},"argument":{"name":"a","value":""}}`,
	} {
		if got := w.request("completion/complete", params); !strings.HasPrefix(got, `"error":{"code":-32602,`) {
			t.Errorf("%s: got %s, want -32602", params, got)
		}
	}
	if got := b.asked(); got != "" {
		t.Errorf("a server was asked %s, want nobody asked", got)
	}
}

// What is cancelled right after it was asked for is found, however fast that comes.
func TestCancelledAtOnce(t *testing.T) {
	b := workspace(t, said)
	b.answers(func(ctx context.Context, _ string, _ json.RawMessage, _ func(string)) string {
		<-ctx.Done()
		return `"result":{"content":[]}`
	})
	r := rawly(t, b.gateway(gateway.Options{}), true)
	for i := range 50 {
		r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"owner_search__find"}}`+"\n"+`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i, i))
	}
	r.send(`{"jsonrpc":"2.0","id":"after","method":"ping"}`)
	if got := wait(t, "the answer to what came after", r.lines); !strings.Contains(got, `"id":"after"`) {
		t.Errorf("got %s, want nothing of what was cancelled", got)
	}
}

// A client that asks and does not read is read no more, once as much is in flight as
// may be: what it asks does not gather here.
func TestWhoDoesNotReadIsReadNoMore(t *testing.T) {
	b := workspace(t, said)
	g := b.gateway(gateway.Options{})
	before := runtime.NumGoroutine()
	r := rawly(t, g, false)
	sent := make(chan int, 1)
	go func() {
		n := 0
		for ; n < 5000; n++ {
			if _, err := fmt.Fprintf(r.to, `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n", n); err != nil {
				break
			}
		}
		sent <- n
	}()
	most := 0
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end) && len(sent) == 0; runtime.Gosched() {
		most = max(most, runtime.NumGoroutine()-before)
	}
	_ = r.to.Close()
	if n := wait(t, "the end of the flood", sent); n == 5000 {
		t.Error("all was taken in, want the client to wait")
	}
	if most > 1100 {
		t.Errorf("%d goroutines served it, want no more than may be in flight", most)
	}
}

// A gateway ends although a client neither reads nor goes away.
func TestCloseDoesNotWaitForReaders(t *testing.T) {
	b := workspace(t, said)
	g := b.gateway(gateway.Options{})
	r := rawly(t, g, false)
	r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		g.Close()
	}()
	wait(t, "the end of the gateway", closed)
}

// What a server declares at an address and is switched off is not read through a
// template that the address fits.
func TestSwitchedOffIsNotReadThroughATemplate(t *testing.T) {
	b := workspace(t, said)
	b.describe("search", `{"resources":[{"uri":"db://a/secret","name":"secret"}],"resourceTemplates":[{"uriTemplate":"db://a/{name}","name":"any"}]}`)
	b.answers(says(`"result":{"contents":[]}`))
	off := state.Switch{Extension: ext.OwnerName, Entry: "resource/db://a/secret"}
	if err := b.store.Update(t.Context(), func(s *state.Snapshot) error { s.Put(off); return nil }); err != nil {
		t.Fatal(err)
	}
	w := dial(t, b.gateway(gateway.Options{}))
	if got := w.request("resources/read", `{"uri":"db://a/other"}`); got != `"result":{"contents":[]}` {
		t.Errorf("another address of the template: got %s", got)
	}
	for _, method := range []string{"resources/read", "resources/subscribe"} {
		if got := w.request(method, `{"uri":"db://a/secret"}`); !strings.Contains(got, "cannot be used now") {
			t.Errorf("%s: got %s, want it refused and why", method, got)
		}
	}
	if got := b.asked(); strings.Contains(got, "secret") {
		t.Errorf("the server was asked %s", got)
	}
}

// Who introduced itself is that: servers were told, and a second handshake would
// change who may be asked what behind their backs.
func TestOneHandshake(t *testing.T) {
	w := dial(t, workspace(t, said).gateway(gateway.Options{}))
	r := rawly(t, workspace(t, said).gateway(gateway.Options{}), true)
	r.send(strings.Replace(hello, `"capabilities":{}`, `"capabilities":{"elicitation":{}}`, 1))
	if got := wait(t, "the answer", r.lines); !strings.Contains(got, `"code":-32600`) {
		t.Errorf("a second handshake: got %s, want it refused", got)
	}
	if got := w.request("logging/setLevel", `{"level":"loud"}`); !strings.HasPrefix(got, `"error":{"code":-32602,`) {
		t.Errorf("a level that is none: got %s, want -32602", got)
	}
}

// Progress with what a server asks goes to that server alone, by its own token.
func TestProgressGoesToWhoAsked(t *testing.T) {
	b := workspace(t, said)
	asked := make(chan struct{}, 1)
	b.answers(func(ctx context.Context, _ string, _ json.RawMessage, notify func(string)) string {
		notify(`{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"_meta":{"progressToken":"theirs"}}}`)
		asked <- struct{}{}
		<-ctx.Done()
		return `"result":{}`
	})
	r := rawly(t, b.gateway(gateway.Options{}), true)
	r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"owner_search__find"}}`)
	wait(t, "the question", asked)
	question := wait(t, "the question at the client", r.lines)
	var q struct {
		ID     json.RawMessage
		Params struct {
			Meta struct {
				Token json.RawMessage `json:"progressToken"`
			} `json:"_meta"`
		}
	}
	if err := json.Unmarshal([]byte(question), &q); err != nil || string(q.Params.Meta.Token) != string(q.ID) {
		t.Fatalf("the question: got %s, %v, want a token of ours", question, err)
	}
	r.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":99,"progress":1}}`)
	r.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + string(q.ID) + `,"progress":2}}`)
	if got := wait(t, "the progress at the server", b.driver.heard); !strings.Contains(got, `"progressToken":"theirs","progress":2`) {
		t.Errorf("the server was told %s, want its own token and nothing else's", got)
	}
}

// A server that ended and is there again has forgotten who subscribed to what. It is
// told again, and the client hears that each may have changed.
func TestSubscriptionsOutliveServers(t *testing.T) {
	b := workspace(t, said)
	subscribed := make(chan string, 8)
	b.answers(func(_ context.Context, method string, params json.RawMessage, _ func(string)) string {
		subscribed <- method + " " + string(params)
		return `"result":{}`
	})
	r := rawly(t, b.gateway(gateway.Options{}), true)
	r.send(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"notes://today"}}`)
	wait(t, "the subscription", subscribed)
	wait(t, "its answer", r.lines)
	b.driver.mu.Lock()
	b.driver.links[0].cancel()
	b.driver.mu.Unlock()
	if got := wait(t, "the subscription at the server that is there again", subscribed); got != `resources/subscribe {"uri":"notes://today"}` {
		t.Errorf("the server was asked %s", got)
	}
	if got := wait(t, "the update", r.lines); !strings.Contains(got, `"method":"notifications/resources/updated","params":{"uri":"notes://today"}`) {
		t.Errorf("the client was told %s, want that it may have changed", got)
	}
	r.send(`{"jsonrpc":"2.0","id":2,"method":"resources/unsubscribe","params":{"uri":"notes://today"}}`)
	wait(t, "the end of the subscription", subscribed)
	wait(t, "its answer", r.lines)
	b.driver.mu.Lock()
	b.driver.links[1].cancel()
	b.driver.mu.Unlock()
	r.send(`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"notes://today"}}`)
	if got := wait(t, "what is asked next", subscribed); !strings.HasPrefix(got, "resources/read ") {
		t.Errorf("the server was asked %s, want nothing of what ended", got)
	}
}

// What a server asks on the stream of a client that is gone is answered with an error:
// the server does not wait for ever.
func TestQuestionsOfGoneClients(t *testing.T) {
	b := workspace(t, said)
	asked := make(chan struct{}, 1)
	b.answers(func(ctx context.Context, _ string, _ json.RawMessage, notify func(string)) string {
		notify(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{}}`)
		asked <- struct{}{}
		<-ctx.Done()
		return `"result":{}`
	})
	r := rawly(t, b.gateway(gateway.Options{}), true)
	r.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"owner_search__find"}}`)
	wait(t, "the question", asked)
	wait(t, "the question at the client", r.lines)
	r.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if got := wait(t, "the answer at the server", b.driver.heard); !strings.Contains(got, `"id":"q","error":`) {
		t.Errorf("the server was told %s, want an error", got)
	}
}
