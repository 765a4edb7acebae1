package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/catalog"
	servers "github.com/mortise-dev/mortise/internal/driver/mcp"
	"github.com/mortise-dev/mortise/internal/face/gateway"
	"github.com/mortise-dev/mortise/internal/hook/clientevent"
	"github.com/mortise-dev/mortise/internal/host"
)

// eraSaid is what the server of the tests of two eras says of itself.
const eraSaid = `{"tools": [
	{"name": "find", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}},
	{"name": "ask", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}},
	{"name": "talk", "inputSchema": {"type": "object"}},
	{"name": "marked", "inputSchema": {"type": "object", "properties": {"q": {"type": "string", "x-mcp-header": "Query"}, "n": {"type": "integer", "x-mcp-header": "N"}}}}
], "prompts": [{"name": "greet"}], "resources": [{"uri": "notes://today", "name": "today"}]}`

// newServer is a server of the library: find answers, ask asks the person for a name,
// talk logs and tells of its progress.
func newServer(modern bool) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "search", Version: "1"}, &mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		Capabilities:       &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{}}, //nolint:staticcheck // what is deprecated is carried still
	})
	object := json.RawMessage(`{"type":"object"}`)
	text := func(s string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
	}
	plain := func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text("found " + string(r.Params.Arguments)), nil
	}
	s.AddTool(&mcp.Tool{Name: "find", InputSchema: object}, plain)
	s.AddTool(&mcp.Tool{Name: "marked", InputSchema: object}, plain)
	question := &mcp.ElicitParams{Message: "Who are you?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)}
	s.AddTool(&mcp.Tool{Name: "ask", InputSchema: object}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if modern {
			if said, ok := r.Params.InputResponses["who"].(*mcp.ElicitResult); ok {
				return text(fmt.Sprintf("hello %v", said.Content["name"])), nil
			}
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"who": question}}, nil
		}
		said, err := r.Session.Elicit(ctx, question)
		if err != nil {
			return nil, err
		}
		return text(fmt.Sprintf("hello %v to %s", said.Content["name"], r.Params.Arguments)), nil
	})
	s.AddTool(&mcp.Tool{Name: "talk", InputSchema: object}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_ = r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "logged"}) //nolint:staticcheck // likewise
		if token := r.Params.GetProgressToken(); token != nil {
			_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: 1})
		}
		return text("talked"), nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "greet"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Description: "greets"}, nil
	})
	s.AddResource(&mcp.Resource{URI: "notes://today", Name: "today"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: "notes://today", Text: "noted"}}}, nil
	})
	return s
}

// pooled is the real driver, to which a server goes by its name alone.
type pooled struct{ *servers.Pool }

func bare(ref ext.Ref) ext.Ref {
	ref.Target, _, _ = strings.Cut(ref.Target, "@")
	return ref
}

func (p pooled) Call(ctx context.Context, ref ext.Ref, argument json.RawMessage) (json.RawMessage, error) {
	return p.Pool.Call(ctx, bare(ref), argument)
}

func (p pooled) Link(ctx context.Context, ref ext.Ref, peer *call.Peer) (call.Link, error) {
	return p.Pool.Link(ctx, bare(ref), (*servers.Peer)(peer))
}

// era is a gateway in front of one server, of an era.
type era struct {
	t      *testing.T
	bench  *bench
	server *mcp.Server
	pool   *servers.Pool
	g      *gateway.Gateway
	url    string // of the gateway
}

func newEra(t *testing.T, modern bool) *era {
	t.Helper()
	e := &era{t: t, server: newServer(modern), bench: workspace(t, eraSaid)}
	up := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return e.server }, &mcp.StreamableHTTPOptions{Stateless: modern, PropagateRequestCancellation: modern}))
	t.Cleanup(up.Close)
	pool := servers.New(servers.Options{Client: servers.Client{Name: "mortise", Version: "1"}})
	t.Cleanup(func() { _ = pool.Close() })
	pool.Run([]servers.Target{{Key: "owner:search", Name: "owner:search", Transport: servers.HTTP, URL: up.URL}})
	if _, err := pool.Describe(t.Context(), "owner:search"); err != nil {
		t.Fatal(err)
	}
	e.pool = pool
	e.serve(pooled{pool})
	return e
}

// serve serves the workspace with a driver in the place of the one of the bench.
func (e *era) serve(d call.Driver) {
	e.t.Helper()
	b := e.bench
	b.host = host.New(host.Options{
		Specs: catalog.Specs, Catalogue: catalog.Digest(), Configure: b.place.Configure, Sources: catalog.Sources,
		Store: b.store, Workers: 2, Drivers: map[string]call.Driver{"mcp": d, "inproc": b.driver, clientevent.Driver: b.driver},
		Refer: map[string]ext.Trust{"inproc": ext.Builtin, clientevent.Driver: ext.Project}, Question: clientevent.Questions, Run: b.runs,
		Asked: []string{"before_tool_call", "tool_call", clientevent.AfterCall}, Keep: host.KeepIn(filepath.Join(filepath.Dir(b.dir), "guards")), Log: b.log,
	})
	b.refresh()
	e.g = gateway.New(b.host, gateway.Options{Version: "1.2.3"})
	server := httptest.NewServer(e.g.Handler())
	e.t.Cleanup(server.Close)
	e.t.Cleanup(e.g.Close)
	e.url = server.URL
}

// dial connects a client of the library, of an era.
func (e *era) dial(modern bool, o *mcp.ClientOptions) *mcp.ClientSession {
	return e.over(&mcp.StreamableClientTransport{Endpoint: e.url}, modern, o)
}

// pipe is dial over pipes.
func (e *era) pipe(modern bool, o *mcp.ClientOptions) *mcp.ClientSession {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	go func() { _ = e.g.Serve(context.Background(), fromClient, toClient) }()
	return e.over(&mcp.IOTransport{Reader: fromServer, Writer: toServer}, modern, o)
}

func (e *era) over(t mcp.Transport, modern bool, o *mcp.ClientOptions) *mcp.ClientSession {
	e.t.Helper()
	version := "2025-11-25"
	if modern {
		version = "2026-07-28"
	}
	s, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(e.t.Context(), t, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() { _ = s.Close() })
	if got := s.InitializeResult().ProtocolVersion; got != version {
		e.t.Fatalf("the revision: got %s, want %s", got, version)
	}
	return s
}

// said is the text of a result.
func saidBy(t *testing.T, r *mcp.CallToolResult, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, c := range r.Content {
		out = append(out, c.(*mcp.TextContent).Text)
	}
	return strings.Join(out, " ")
}

// meta is what a request of 2026-07-28 says of its client.
func meta(capabilities, more string) string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"wire","version":"1"},"io.modelcontextprotocol/clientCapabilities":` + capabilities + more + `}`
}

// raw posts one request of 2026-07-28 with the headers that it must have, and those
// that are given; an empty value takes one away.
func (e *era) raw(id, method, params string, headers ...string) (int, []string) {
	e.t.Helper()
	req, err := http.NewRequestWithContext(e.t.Context(), http.MethodPost, e.url, strings.NewReader(`{"jsonrpc":"2.0","id":`+id+`,"method":"`+method+`","params":{`+params+`}}`))
	if err != nil {
		e.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("MCP-Protocol-Version", "2026-07-28")
	req.Header.Set("Mcp-Method", method)
	var p struct{ Name, URI string }
	if json.Unmarshal([]byte("{"+params+"}"), &p) == nil && p.Name+p.URI != "" {
		req.Header.Set("Mcp-Name", p.Name+p.URI)
	}
	for i := 0; i < len(headers); i += 2 {
		if req.Header.Del(headers[i]); headers[i+1] != "" {
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		e.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		e.t.Fatal(err)
	}
	if res.Header.Get("Mcp-Session-Id") != "" {
		e.t.Errorf("%s: a session was given, want none", method)
	}
	var frames []string
	for line := range strings.Lines(string(body)) {
		if data, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "data: "); ok {
			frames = append(frames, data)
		}
	}
	if frames == nil {
		frames = []string{string(body)}
	}
	return res.StatusCode, frames
}
