package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/driver/mcp"
)

// modernServer is a server of the official SDK with all that 2026-07-28 does
// otherwise.
func modernServer() *sdk.Server {
	yes := func(context.Context, *sdk.SubscribeRequest) error { return nil }
	no := func(context.Context, *sdk.UnsubscribeRequest) error { return nil }
	s := sdk.NewServer(&sdk.Implementation{Name: "modern", Version: "1"}, &sdk.ServerOptions{Instructions: "Be kind.", SubscribeHandler: yes, UnsubscribeHandler: no})
	tool := func(name, schema string, do func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error)) {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: json.RawMessage(schema)}, do)
	}
	say := func(format string, args ...any) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: fmt.Sprintf(format, args...)}}}, nil
	}
	tool("ask", `{"type":"object"}`, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		switch got := r.Params.InputResponses["name"].(type) {
		case *sdk.ElicitResult:
			return say("%s %v %s", got.Action, got.Content["n"], r.Params.RequestState)
		}
		return &sdk.CallToolResult{RequestState: "sealed", InputRequests: sdk.InputRequestMap{
			"name": &sdk.ElicitParams{Message: "Which?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)},
		}}, nil
	})
	tool("marked", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"Count"}}}`, func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		h := r.Extra.Header
		return say("%s %s %s", h.Get("Mcp-Name"), h.Get("Mcp-Param-Region"), h.Get("Mcp-Param-Count"))
	})
	tool("log", `{"type":"object"}`, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if err := r.Session.Log(ctx, &sdk.LoggingMessageParams{Level: "info", Data: "half way"}); err != nil { //nolint:staticcheck // deprecated, and carried
			return nil, err
		}
		return say("done")
	})
	tool("touch", `{"type":"object"}`, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if err := s.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: "x://a"}); err != nil {
			return nil, err
		}
		return say("touched")
	})
	tool("wait", `{"type":"object"}`, func(ctx context.Context, _ *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		stopped.begun <- struct{}{}
		<-ctx.Done()
		stopped.over <- struct{}{}
		return nil, ctx.Err()
	})
	s.AddResource(&sdk.Resource{URI: "x://a", Name: "a"}, func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: "x://a", Text: "text"}}}, nil
	})
	return s
}

// stopped is told of the calls of the tool wait.
var stopped = struct{ begun, over chan struct{} }{make(chan struct{}, 1), make(chan struct{}, 1)}

// modernTargets runs a test with such a server over both transports.
func modernTargets(t *testing.T, test func(t *testing.T, b *bench, s mcp.Target)) {
	t.Run("HTTP", func(t *testing.T) {
		web := serveSDK(t, modernServer(), &sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
		test(t, newBench(t, nil), remoteTarget(web.URL))
	})
	t.Run("stdio", func(t *testing.T) {
		test(t, newBench(t, nil), fixtureTarget(t, "modern"))
	})
}

// TestModern wants a server of 2026-07-28 to be found out, described and called.
func TestModern(t *testing.T) {
	modernTargets(t, func(t *testing.T, b *bench, s mcp.Target) {
		b.Run([]mcp.Target{s})
		d, raw := b.describe(s)
		if d.ProtocolVersion != "2026-07-28" || len(d.Tools) != 5 || len(d.Resources) != 1 || d.Instructions != "Be kind." || len(d.Notes) > 0 || !strings.Contains(raw, `"serverInfo":{`) {
			t.Errorf("description: got %s, want all of it", raw)
		}
		if got := b.must(s, "log", "{}"); !strings.Contains(got, "done") {
			t.Errorf("call: got %s", got)
		}
	})
}

// TestModernAsksOlderPeer wants what a server needs to know to be asked of a
// peer of an older revision as that knows it, and the call to be answered once.
func TestModernAsksOlderPeer(t *testing.T) {
	modernTargets(t, func(t *testing.T, b *bench, s mcp.Target) {
		b.Run([]mcp.Target{s})
		l := b.linkFor(s, peer("a", `{"elicitation":{"form":{}}}`))
		if l.Modern() {
			t.Error("the lane of a peer of an older revision says that it is modern")
		}
		const call = `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"ask","arguments":{}}}`
		send(t, l, call)
		got := recv(t, l)
		if !strings.Contains(got, `"id":1,"method":"elicitation/create"`) || !strings.Contains(got, "Which?") {
			t.Fatalf("question: got %s, want it as a request", got)
		}
		send(t, l, `{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"n":7}}}`)
		if got := recv(t, l); !strings.Contains(got, `"id":"c"`) || !strings.Contains(got, "accept 7 sealed") {
			t.Errorf("answer: got %s, want what was answered and the state", got)
		}
		send(t, l, call)
		recv(t, l)
		send(t, l, `{"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"not now"}}`)
		if got, want := recv(t, l), `{"jsonrpc":"2.0","id":"c","error":{"code":-1,"message":"not now"}}`; got != want {
			t.Errorf("a peer that answers with an error: got %s, want %s", got, want)
		}
		send(t, l, call)
		recv(t, l)
		send(t, l, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}`)
		if got, want := recv(t, l), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`; got != want {
			t.Errorf("cancelled: got %s, want %s", got, want)
		}
		plain := b.link(s)
		send(t, plain, call)
		if got := recv(t, plain); !strings.Contains(got, `"id":"c","error"`) {
			t.Errorf("a peer that cannot be asked: got %s, want an error", got)
		}
	})
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}`

// TestModernPeer wants the frames of a peer of 2026-07-28 to pass as they are:
// the server's want of input too.
func TestModernPeer(t *testing.T) {
	modernTargets(t, func(t *testing.T, b *bench, s mcp.Target) {
		b.Run([]mcp.Target{s})
		l := b.linkFor(s, &mcp.Peer{ID: "m", Modern: true})
		if !l.Modern() {
			t.Error("the lane says that it is not modern")
		}
		send(t, l, `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"ask","arguments":{},`+modernMeta+`}}`)
		if got := recv(t, l); !strings.Contains(got, `"resultType":"input_required"`) || !strings.Contains(got, `"requestState":"sealed"`) {
			t.Errorf("got %s, want that input is required", got)
		}
		send(t, l, `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"ask","arguments":{},"inputResponses":{"name":{"action":"decline"}},"requestState":"sealed",`+modernMeta+`}}`)
		if got := recv(t, l); !strings.Contains(got, "decline \\u003cnil\\u003e sealed") && !strings.Contains(got, "decline <nil> sealed") {
			t.Errorf("got %s, want the answer", got)
		}
	})
}

// TestModernListens wants peers of both eras to hear of the resources that they
// want to hear of, each with the id that it knows, and of changed lists.
func TestModernListens(t *testing.T) {
	modernTargets(t, func(t *testing.T, b *bench, s mcp.Target) {
		b.Run([]mcp.Target{s})
		old, modern, caller := b.linkFor(s, peer("o", `{}`)), b.linkFor(s, &mcp.Peer{ID: "m", Modern: true}), b.link(s)
		send(t, old, `{"jsonrpc":"2.0","id":"s","method":"resources/subscribe","params":{"uri":"x://a"}}`)
		if got, want := recv(t, old), `{"jsonrpc":"2.0","id":"s","result":{}}`; got != want {
			t.Errorf("subscribed: got %s, want %s", got, want)
		}
		send(t, modern, `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["x://a","x://b"],"promptsListChanged":true},`+modernMeta+`}}`)
		if got, want := recv(t, modern), `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"},"notifications":{"resourceSubscriptions":["x://a","x://b"]}}}`; got != want {
			t.Errorf("listening: got %s, want %s", got, want)
		}
		elsewhere := b.linkFor(s, &mcp.Peer{ID: "e", Modern: true})
		send(t, elsewhere, `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["x://b"]},`+modernMeta+`}}`)
		recv(t, elsewhere)
		ask(t, caller, "touch")
		if got := recv(t, old); !strings.Contains(got, `"method":"notifications/resources/updated"`) || !strings.Contains(got, `"uri":"x://a"`) {
			t.Errorf("the older peer: got %s, want the notice", got)
		}
		if got := recv(t, modern); !strings.Contains(got, `"method":"notifications/resources/updated"`) || !strings.Contains(got, `"io.modelcontextprotocol/subscriptionId":"l"`) {
			t.Errorf("the modern peer: got %s, want the notice with its id", got)
		}
		send(t, elsewhere, `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"log","arguments":{},`+modernMeta+`}}`)
		if got := recv(t, elsewhere); !strings.Contains(got, `"id":"c"`) {
			t.Errorf("who listens to something else: got %s, want its answer alone", got)
		}
		send(t, old, `{"jsonrpc":"2.0","id":"u","method":"resources/unsubscribe","params":{"uri":"x://a"}}`)
		answerTo(t, old, `"u"`)
		send(t, modern, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"l"}}`)
		send(t, modern, `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{},`+modernMeta+`}}`)
		if got := recv(t, modern); !strings.Contains(got, `"notifications":{}`) {
			t.Errorf("a second listening: got %s, want it to begin", got)
		}
		send(t, old, `{"jsonrpc":"2.0","id":"p","method":"ping"}`)
		if got, want := recv(t, old), `{"jsonrpc":"2.0","id":"p","result":{}}`; got != want {
			t.Errorf("ping: got %s, want %s", got, want)
		}
	})
}

// TestModernListChanged wants a changed list to be described again, and peers
// that shook hands to be told.
func TestModernListChanged(t *testing.T) {
	server := modernServer()
	web := serveSDK(t, server, &sdk.StreamableHTTPOptions{Stateless: true})
	b, s := newBench(t, nil), remoteTarget(web.URL)
	b.Run([]mcp.Target{s})
	l, sub := b.linkFor(s, peer("o", `{}`)), b.linkFor(s, peer("p", `{}`))
	send(t, sub, `{"jsonrpc":"2.0","id":"s","method":"resources/subscribe","params":{"uri":"x://a"}}`)
	answerTo(t, sub, `"s"`) // it is listened to by now
	server.AddTool(&sdk.Tool{Name: "new", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{}, nil
	})
	b.until(s.Name, "six tools", func(st mcp.Status) bool { return st.Tools == 6 })
	if got := recv(t, l); !strings.Contains(got, "notifications/tools/list_changed") {
		t.Errorf("got %s, want that the tools changed", got)
	}
}

// TestModernCancel wants a request over HTTP to be cancelled by the end of its
// stream, and one over pipes by a notice.
func TestModernCancel(t *testing.T) {
	web := serveSDK(t, modernServer(), &sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	b, s := newBench(t, nil), remoteTarget(web.URL)
	b.Run([]mcp.Target{s})
	l := b.link(s)
	send(t, l, `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"wait","arguments":{}}}`)
	<-stopped.begun
	send(t, l, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"c"}}`)
	<-stopped.over
}

// TestModernLogLevel wants the level that an older peer has set to go with each
// of its requests, and none where it has set none.
func TestModernLogLevel(t *testing.T) {
	modernTargets(t, func(t *testing.T, b *bench, s mcp.Target) {
		b.Run([]mcp.Target{s})
		l := b.link(s)
		send(t, l, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"log","arguments":{}}}`)
		if got := recv(t, l); !strings.Contains(got, `"id":1`) {
			t.Errorf("without a level: got %s, want the answer alone", got)
		}
		send(t, l, `{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"debug"}}`)
		answerTo(t, l, `2`)
		send(t, l, `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"log","arguments":{}}}`)
		if got := recv(t, l); !strings.Contains(got, "half way") {
			t.Errorf("with a level: got %s, want the message", got)
		}
	})
}

// TestModernHeaders wants what a request says to be said again in its headers,
// arguments too where the tool wants that, and a tool whose marks are not valid
// to be left out.
func TestModernHeaders(t *testing.T) {
	server := modernServer()
	var mu sync.Mutex
	seen := map[string]http.Header{}
	sdkHandler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true})
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.Method+" "+r.Header.Get("Mcp-Method")+" "+r.Header.Get("Mcp-Name")] = r.Header.Clone()
		mu.Unlock()
		sdkHandler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	b, s := newBench(t, nil), remoteTarget(web.URL)
	b.Run([]mcp.Target{s})
	l := b.link(s)
	send(t, l, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"marked","arguments":{"region":"Zürich","n":4.2e1}}}`)
	if got := recv(t, l); !strings.Contains(got, "marked =?base64?WsO8cmljaA==?= 42") {
		t.Errorf("marked: got %s, want its headers", got)
	}
	send(t, l, `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x://a"}}`)
	recv(t, l)
	mu.Lock()
	defer mu.Unlock()
	for _, want := range []string{"POST server/discover ", "POST tools/list ", "POST tools/call marked", "POST resources/read x://a"} {
		if h := seen[want]; h == nil || h.Get("Mcp-Protocol-Version") != "2026-07-28" || h.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: got %v, want it with the revision and without a session", want, h)
		}
	}
	for what := range seen {
		if !strings.HasPrefix(what, "POST ") {
			t.Errorf("got the request %s, want POSTs alone", what)
		}
	}
}
