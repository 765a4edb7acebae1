package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/driver/mcp"
)

func twoWayTarget(url string) mcp.Target {
	t := remoteTarget(url)
	t.Transport = mcp.SSE
	return t
}

// TestTwoWay wants a server that speaks over two addresses, as 2024-11-05 has
// it, to be described, called, told of its client and asked by, and to hear what
// it says by itself.
func TestTwoWay(t *testing.T) {
	server := sdkServer()
	server.AddTool(&sdk.Tool{Name: "sample", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{}, nil
	})
	web := httptest.NewServer(sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return server }, nil))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	b, s := newBench(t, nil), twoWayTarget(web.URL)
	b.Run([]mcp.Target{s})
	d, raw := b.describe(s)
	if len(d.Tools) != 2 || d.Instructions != "Be kind." {
		t.Errorf("description: got %s, want its tools and its instructions", raw)
	}
	l := b.linkFor(s, peer("a", `{"roots":{}}`))
	send(t, l, `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"count","arguments":{},"_meta":{"progressToken":"tok"}}}`)
	for i := range 3 {
		if got := recv(t, l); !strings.Contains(got, `"progressToken":"tok"`) || i > 0 && !strings.Contains(got, fmt.Sprintf(`"progress":%d`, i)) {
			t.Errorf("progress %d: got %s, want it in order and with its token", i, got)
		}
	}
	if got := recv(t, l); !strings.Contains(got, `"id":"c"`) || !strings.Contains(got, `"result"`) {
		t.Errorf("after the progress: got %s, want the answer", got)
	}
	if st := b.Status(); st[0].Sessions != 2 {
		t.Errorf("status: got %+v, want two sessions", st)
	}
	server.RemoveTools("sample")
	b.until(s.Name, "one tool", func(st mcp.Status) bool { return st.Tools == 1 })
}

// TestTwoWayFaults wants an address to post to that is elsewhere not to be used,
// and the end of the stream to be the end of the session, which is begun again.
func TestTwoWayFaults(t *testing.T) {
	for name, c := range map[string]struct{ say, want string }{
		"elsewhere": {"event: endpoint\ndata: https://other.test/post\n\n", "its own origin"},
		"the end":   {"event: endpoint\ndata: /post\n\n", "ended"},
		"nothing":   {"", "ended"},
	} {
		t.Run(name, func(t *testing.T) {
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, c.say)
			}))
			t.Cleanup(web.Close)
			b, s := newBench(t, nil), twoWayTarget(web.URL)
			b.Run([]mcp.Target{s})
			st := b.until(s.Name, "a second start", func(st mcp.Status) bool { return st.Error != "" })
			if !strings.Contains(st.Error, c.want) {
				t.Errorf("got %q, want %q in it", st.Error, c.want)
			}
		})
	}
}
