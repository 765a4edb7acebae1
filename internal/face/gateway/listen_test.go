package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// listens posts a request to listen and returns what comes, line by line. It ends with
// the test, or when end is called.
func (e *era) listens(id, notifications string) (lines <-chan string, end func()) {
	e.t.Helper()
	ctx, cancel := context.WithCancel(e.t.Context())
	e.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, strings.NewReader(`{"jsonrpc":"2.0","id":`+id+`,"method":"subscriptions/listen","params":{"notifications":`+notifications+`,`+meta("{}", "")+`}}`))
	if err != nil {
		e.t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"} {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req) //nolint:bodyclose // scan closes it
	if err != nil {
		e.t.Fatal(err)
	}
	return scan(res.Body), cancel
}

// scan is the messages on a stream; it is closed at its end.
func scan(from io.ReadCloser) <-chan string {
	out := make(chan string, 100)
	go func() {
		defer close(out)
		defer func() { _ = from.Close() }()
		for s := bufio.NewScanner(from); s.Scan(); {
			if data := strings.TrimPrefix(s.Text(), "data: "); strings.HasPrefix(data, "{") {
				out <- data
			}
		}
	}()
	return out
}

// TestListens wants the agreement first, then what was asked for and nothing else, each
// with the id of its request, and an end that says so when the gateway ends.
func TestListens(t *testing.T) {
	for _, modern := range []bool{false, true} {
		t.Run("to a server that is "+eraName(modern), func(t *testing.T) {
			e := newEra(t, modern)
			one, _ := e.listens("7", `{"promptsListChanged":true}`)
			two, _ := e.listens(`"7"`, `{"toolsListChanged":true,"resourceSubscriptions":["notes://today","notes://never","skill://owner/review/SKILL.md"]}`)
			if got, want := wait(t, "the agreement", one), `"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7},"notifications":{"promptsListChanged":true}}`; !strings.Contains(got, want) {
				t.Errorf("the agreement: got %s, want %s", got, want)
			}
			if got, want := wait(t, "the agreement", two), `"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"7"},"notifications":{"resourceSubscriptions":["notes://today"],"toolsListChanged":true}}`; !strings.Contains(got, want) {
				t.Errorf("the agreement: got %s, want %s", got, want)
			}
			e.bench.write(".mortise/commands/new.md", "New.\n")
			e.bench.refresh()
			if got, want := wait(t, "the notice", one), `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`; got != want {
				t.Errorf("the notice: got %s, want %s", got, want)
			}
			if err := e.server.ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: "notes://today"}); err != nil {
				t.Fatal(err)
			}
			got := wait(t, "the notice", two)
			if !strings.Contains(got, "notifications/resources/updated") || !strings.Contains(got, `"io.modelcontextprotocol/subscriptionId":"7"`) || !strings.Contains(got, `"uri":"notes://today"`) {
				t.Errorf("the notice: got %s, want that the resource changed", got)
			}
			go e.g.Close()
			for id, lines := range map[string]<-chan string{"7": one, `"7"`: two} {
				want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`, id, id)
				if got := wait(t, "the end", lines); got != want {
					t.Errorf("the end: got %s, want %s", got, want)
				}
			}
		})
	}
}

// Over pipes notices carry the id of the request that listens, and notifications/cancelled
// ends that without an answer.
func TestListensOverPipes(t *testing.T) {
	e := newEra(t, true)
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	go func() { _ = e.g.Serve(context.Background(), fromClient, toClient) }()
	lines := scan(fromServer)
	say := func(format string, args ...any) {
		t.Helper()
		if _, err := fmt.Fprintf(toServer, format+"\n", args...); err != nil {
			t.Fatal(err)
		}
	}
	say(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"promptsListChanged":true},%s}}`, meta("{}", ""))
	if got := wait(t, "the agreement", lines); !strings.Contains(got, `"io.modelcontextprotocol/subscriptionId":1`) {
		t.Errorf("the agreement: got %s", got)
	}
	e.bench.write(".mortise/commands/new.md", "New.\n")
	e.bench.refresh()
	if got := wait(t, "the notice", lines); !strings.Contains(got, "prompts/list_changed") || !strings.Contains(got, `"io.modelcontextprotocol/subscriptionId":1`) {
		t.Errorf("the notice: got %s", got)
	}
	say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	say(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"owner_search__find","arguments":{},%s}}`, meta("{}", ""))
	if got := wait(t, "the answer", lines); !strings.Contains(got, `"id":2`) {
		t.Errorf("after it was cancelled: got %s, want the answer to what followed", got)
	}
	e.bench.write(".mortise/commands/newer.md", "Newer.\n")
	e.bench.refresh()
	say(`{"jsonrpc":"2.0","id":3,"method":"ping","params":{%s}}`, meta("{}", ""))
	if got := wait(t, "the answer", lines); !strings.Contains(got, `"id":3`) || !strings.Contains(got, "-32601") {
		t.Errorf("after it was cancelled: got %s, want no notice", got)
	}
	_ = toServer.Close()
}

// Too many addresses are refused, and so is a request that asks for nothing that can
// be read.
func TestListensWithinBounds(t *testing.T) {
	e := newEra(t, true)
	for _, notifications := range []string{`{"resourceSubscriptions":["a"` + strings.Repeat(`,"a"`, 300) + `]}`, `[]`, `{"resourceSubscriptions":{}}`} {
		_, frames := e.raw("1", "subscriptions/listen", `"notifications":`+notifications+`,`+meta("{}", ""))
		if got := frames[len(frames)-1]; !strings.Contains(got, `"code":-32602`) {
			t.Errorf("%.40s: got %s, want -32602", notifications, got)
		}
	}
}

// A listener whose server ends is told that it has ended: it listens again.
func TestListensUntilTheServerEnds(t *testing.T) {
	for _, modern := range []bool{false, true} {
		t.Run("a server that is "+eraName(modern), func(t *testing.T) {
			e := newEra(t, modern)
			lines, _ := e.listens("7", `{"resourceSubscriptions":["notes://today"]}`)
			wait(t, "the agreement", lines)
			e.pool.Run(nil)
			select {
			case got := <-lines:
				if !strings.Contains(got, `"resultType":"complete"`) {
					t.Errorf("got %s, want the end", got)
				}
			case <-time.After(patience):
				t.Error("the end did not come")
			}
		})
	}
}
