package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/face/gateway"
	"github.com/mortise-dev/mortise/internal/state"
)

// A client without a session is told why a tool that it may have been given is not there
// any more, as one with a session is; of what never was, that there is none.
func TestStatelessToldWhy(t *testing.T) {
	e := newEra(t, false)
	call := func(tool string) string {
		_, frames := e.raw("1", "tools/call", `"name":"`+tool+`","arguments":{},`+meta("{}", ""))
		return frames[len(frames)-1]
	}
	if got := call("owner_search__find"); !strings.Contains(got, `"resultType":"complete"`) || strings.Contains(got, `"isError":true`) {
		t.Fatalf("while it is offered: got %s, want the result", got)
	}
	off := state.Switch{Extension: ext.OwnerName, Entry: "tool/search/find"}
	if err := e.bench.store.Update(t.Context(), func(s *state.Snapshot) error { s.Put(off); return nil }); err != nil {
		t.Fatal(err)
	}
	if got := call("owner_search__find"); !strings.Contains(got, `"isError":true`) || !strings.Contains(got, "disabled") {
		t.Errorf("while it is disabled: got %s, want a result that says so", got)
	}
	if got := call("owner_search__never"); !strings.Contains(got, `"code":-32602`) {
		t.Errorf("what never was: got %s, want that there is none", got)
	}
	if err := e.bench.store.Update(t.Context(), func(s *state.Snapshot) error { s.Remove(off); return nil }); err != nil {
		t.Fatal(err)
	}
	if got := call("owner_search__find"); strings.Contains(got, `"isError":true`) {
		t.Errorf("once it is enabled: got %s, want the result", got)
	}
}

// stream is the stream of what belongs to no request of a session.
func stream(t *testing.T, url, session string) *bufio.Scanner {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Mcp-Session-Id", session)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	if res.StatusCode != http.StatusOK {
		t.Fatalf("the stream: got %s, want it", res.Status)
	}
	return bufio.NewScanner(res.Body)
}

// data is the next event that holds a message; "" when the stream has ended.
func data(s *bufio.Scanner) string {
	for s.Scan() {
		if data, ok := strings.CutPrefix(s.Text(), "data: "); ok {
			return data
		}
	}
	return ""
}

// A client that comes back for its stream gets it, whatever became of the one that it
// had: what is told from then on comes on the new one, and the old one ends.
func TestStreamIsTakenOver(t *testing.T) {
	b := workspace(t, said)
	w := dial(t, b.gateway(gateway.Options{}))
	first, second := stream(t, w.url, w.session), stream(t, w.url, w.session)
	if got := data(first); got != "" {
		t.Errorf("the first stream: got %s, want its end", got)
	}
	b.write(".mortise/commands/another.md", "Another.\n")
	b.refresh()
	if got := data(second); !strings.Contains(got, "list_changed") {
		t.Errorf("the second stream: got %s, want the notice", got)
	}
}

// A question of a server that a client never hears, since it does not listen, is answered
// once there is no room for it: the server does not wait for ever.
func TestQuestionsThatAreNeverHeard(t *testing.T) {
	b := workspace(t, said)
	b.driver.heard = make(chan string, 512)
	w := dial(t, b.gateway(gateway.Options{}))
	b.answers(says(`"result":{"content":[]}`))
	w.request("tools/call", `{"name":"owner_search__find","arguments":{}}`)
	l := b.driver.links[0]
	for i := range 300 {
		l.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":"q%d","method":"sampling/createMessage","params":{}}`, i))
	}
	for range 300 - 256 {
		if got := wait(t, "an answer to a question that was dropped", b.driver.heard); !strings.Contains(got, `"id":"q`) || !strings.Contains(got, `"error"`) {
			t.Errorf("got %s, want an error", got)
		}
	}
}

// A server of 2026-07-28 is not told that a client knows tasks, which are not carried: it
// would answer with one whose result nobody could ask for. All else that the client
// declares is told as it came.
func TestTasksAreNotPromised(t *testing.T) {
	e := newEra(t, true)
	heard := make(chan map[string]any, 1)
	e.server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if p, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok {
				heard <- p.GetMeta()
			}
			return next(ctx, method, req)
		}
	})
	e.raw("1", "tools/call", `"name":"owner_search__find","arguments":{},`+meta(`{"extensions":{"io.modelcontextprotocol/tasks":{},"x/y":{"n":1}},"elicitation":{"form":{}}}`, ""))
	got, err := json.Marshal(wait(t, "the call", heard)["io.modelcontextprotocol/clientCapabilities"])
	if want := `{"elicitation":{"form":{}},"extensions":{"x/y":{"n":1}}}`; err != nil || string(got) != want {
		t.Errorf("the server was told %s, %v, want %s", got, err, want)
	}
}
