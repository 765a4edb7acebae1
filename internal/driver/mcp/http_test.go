package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/driver/mcp"
)

func remoteTarget(url string) mcp.Target {
	return mcp.Target{Key: "remote", Name: "acme:remote", Transport: mcp.HTTP, URL: url}
}

// sdkServer is a server of the official SDK with one tool and progress.
func sdkServer() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "real", Version: "1"}, &sdk.ServerOptions{Instructions: "Be kind."})
	s.AddTool(&sdk.Tool{Name: "count", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if token := r.Params.GetProgressToken(); token != nil {
			for i := range 3 {
				if err := r.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: float64(i)}); err != nil {
					return nil, err
				}
			}
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(r.Params.Arguments)}}}, nil
	})
	s.AddPrompt(&sdk.Prompt{Name: "greet"}, func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		return &sdk.GetPromptResult{}, nil
	})
	return s
}

func serveSDK(t *testing.T, s *sdk.Server, o *sdk.StreamableHTTPOptions) *httptest.Server {
	web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, o))
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return web
}

// TestRemoteReal wants the official SDK's server to be described, called and
// spoken to in frames, whether it answers with JSON or with events.
func TestRemoteReal(t *testing.T) {
	for _, c := range []struct {
		name string
		opts sdk.StreamableHTTPOptions
		want int // notices of progress; with JSON there is no stream to promise an order
	}{
		{"events", sdk.StreamableHTTPOptions{}, 3},
		{"JSON", sdk.StreamableHTTPOptions{JSONResponse: true}, 0},
		{"without a session", sdk.StreamableHTTPOptions{Stateless: true}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := sdkServer()
			b, s := newBench(t, nil), remoteTarget(serveSDK(t, server, &c.opts).URL)
			b.Run([]mcp.Target{s})
			d, _ := b.describe(s)
			if len(d.Tools) != 1 || len(d.Prompts) != 1 || d.Instructions != "Be kind." {
				t.Errorf("description: got %+v, want its tool, its prompt and its instructions", d)
			}
			if got := b.must(s, "count", `{"n": 1.0}`); !strings.Contains(got, `{\"n\":1.0}`) && !strings.Contains(got, `{\"n\": 1.0}`) {
				t.Errorf("count: got %s, want its arguments back", got)
			}
			l := b.link(s)
			meta := `,"_meta":{"progressToken":"tok"}`
			if c.want == 0 {
				meta = ""
			}
			send(t, l, `{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"count","arguments":{}`+meta+`}}`)
			for i := range c.want {
				if got := recv(t, l); !strings.Contains(got, `"progressToken":"tok"`) || i > 0 && !strings.Contains(got, fmt.Sprintf(`"progress":%d`, i)) {
					t.Errorf("progress %d: got %s, want it in order and with its token", i, got)
				}
			}
			if got := recv(t, l); !strings.Contains(got, `"id":"c"`) || !strings.Contains(got, `"result"`) {
				t.Errorf("after the progress: got %s, want the answer", got)
			}
		})
	}
}

// TestRemoteListChanged wants a notice on the stream of notices to be heard.
func TestRemoteListChanged(t *testing.T) {
	server := sdkServer()
	b, s := newBench(t, nil), remoteTarget(serveSDK(t, server, nil).URL)
	b.Run([]mcp.Target{s})
	b.describe(s)
	server.AddTool(&sdk.Tool{Name: "second", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{}, nil
	})
	b.until(s.Name, "two tools", func(st mcp.Status) bool { return st.Tools == 2 })
}

// TestRemoteSessionEnds wants the server to be told that its session is over.
func TestRemoteSessionEnds(t *testing.T) {
	server := sdkServer()
	b, s := newBench(t, nil), remoteTarget(serveSDK(t, server, nil).URL)
	b.Run([]mcp.Target{s})
	b.describe(s)
	late, look := time.NewTimer(patience), time.NewTicker(time.Millisecond)
	defer late.Stop()
	defer look.Stop()
	for sessions(server) != 1 { // the question which revisions it speaks has one of its own, for a moment
		select {
		case <-look.C:
		case <-late.C:
			t.Fatalf("sessions: got %d, want 1", sessions(server))
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if n := sessions(server); n != 0 {
		t.Errorf("sessions after Close: got %d, want none", n)
	}
}

func sessions(s *sdk.Server) (n int) {
	for range s.Sessions() {
		n++
	}
	return n
}

// web is a server made by hand. respond gets each message and may answer it;
// what it leaves gets the ordinary answer.
type web struct {
	*httptest.Server
	respond func(w http.ResponseWriter, r *http.Request, m message) bool

	mu       sync.Mutex
	requests []*http.Request
	session  string
}

func newWeb(t testing.TB, respond func(http.ResponseWriter, *http.Request, message) bool) *web {
	x := &web{respond: respond, session: "s1"}
	x.Server = httptest.NewServer(x)
	t.Cleanup(func() {
		x.CloseClientConnections()
		x.Close()
	})
	return x
}

func (x *web) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var m message
	json.Unmarshal(body, &m)
	x.mu.Lock()
	x.requests = append(x.requests, r)
	session := x.session
	x.mu.Unlock()
	if x.respond != nil && x.respond(w, r, m) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case m.Method == "initialize":
		w.Header().Set("Mcp-Session-Id", session)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"web","version":"1"}}}`, m.ID)
	case r.Header.Get("Mcp-Session-Id") != session:
		w.WriteHeader(http.StatusNotFound)
	case m.Method == "tools/list":
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"t"}]}}`, m.ID)
	case m.ID != nil:
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[], "n":1.0}}`, m.ID)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}

// TestRemoteHeaders wants declared headers with every request, and the
// protocol's own in their places, whatever was declared.
func TestRemoteHeaders(t *testing.T) {
	listened := make(chan struct{}, 1)
	x := newWeb(t, func(_ http.ResponseWriter, r *http.Request, _ message) bool {
		if r.Method == http.MethodGet {
			listened <- struct{}{}
		}
		return false
	})
	b, s := newBench(t, nil), remoteTarget(x.URL)
	s.Headers = []mcp.Pair{{Name: "authorization", Value: "Bearer hunter2-hunter2"}, {Name: "Accept", Value: "text/plain"}, {Name: "content-type", Value: "text/plain"},
		{Name: "Mcp-Session-Id", Value: "mine"}, {Name: "MCP-Protocol-Version", Value: "mine"}, {Name: "Host", Value: "other.test"}}
	b.Run([]mcp.Target{s})
	if got := b.must(s, "t", ""); got != `{"content":[], "n":1.0}` {
		t.Errorf("call: got %s, want the bytes that came", got)
	}
	<-listened
	b.Close()
	x.mu.Lock()
	defer x.mu.Unlock()
	methods := map[string]int{}
	for i, r := range x.requests {
		methods[r.Method]++
		h := r.Header
		session, version := "s1", "2025-03-26"
		switch i {
		case 0: // which revisions it speaks
			session, version = "", "2026-07-28"
		case 1: // it is greeted
			session, version = "", ""
		}
		if h.Get("Authorization") != "Bearer hunter2-hunter2" || h.Get("Mcp-Session-Id") != session || h.Get("Mcp-Protocol-Version") != version || r.Host != "other.test" ||
			r.Method == http.MethodPost && (h.Get("Accept") != "application/json, text/event-stream" || h.Get("Content-Type") != "application/json") {
			t.Errorf("request %d, %s: got %v for host %s, want the declared header and the protocol's own", i, r.Method, h, r.Host)
		}
	}
	if methods[http.MethodGet] != 1 || methods[http.MethodDelete] != 1 || methods[http.MethodPost] != 5 {
		t.Errorf("requests: got %v, want 5 messages, one try to listen, and one end", methods)
	}
}

// TestRemoteRedirects wants nothing to go to another origin, with an error that
// names it, and a redirect within the origin to be followed.
func TestRemoteRedirects(t *testing.T) {
	elsewhere := newWeb(t, func(w http.ResponseWriter, r *http.Request, m message) bool {
		t.Errorf("%s reached another origin with %v", r.Method, r.Header)
		return false
	})
	for _, code := range []int{301, 302, 303, 307, 308} {
		x := newWeb(t, func(w http.ResponseWriter, r *http.Request, _ message) bool {
			http.Redirect(w, r, elsewhere.URL+"/mcp", code)
			return true
		})
		b, s := newBench(t, nil), remoteTarget(x.URL)
		s.Headers = []mcp.Pair{{Name: "Authorization", Value: "Bearer hunter2-hunter2"}}
		b.Run([]mcp.Target{s})
		st := b.until(s.Name, "an error", func(st mcp.Status) bool { return st.Error != "" })
		if !strings.Contains(st.Error, "another origin, "+elsewhere.URL) || strings.Contains(st.Error, "hunter2") {
			t.Errorf("%d: got %q, want the other origin named", code, st.Error)
		}
	}
	x := newWeb(t, func(w http.ResponseWriter, r *http.Request, _ message) bool {
		if r.URL.Path == "/mcp" {
			return false
		}
		http.Redirect(w, r, "/mcp", http.StatusTemporaryRedirect)
		return true
	})
	b, s := newBench(t, nil), remoteTarget(x.URL)
	b.Run([]mcp.Target{s})
	b.must(s, "t", "")
}

// TestRemoteForgets wants a server that has forgotten the session to be greeted
// anew, once for all who notice, and what they asked to be answered.
func TestRemoteForgets(t *testing.T) {
	greeted := 0
	x := newWeb(t, nil)
	x.respond = func(_ http.ResponseWriter, _ *http.Request, m message) bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		if m.Method == "initialize" {
			greeted++
		}
		return false
	}
	b, s := newBench(t, nil), remoteTarget(x.URL)
	b.Run([]mcp.Target{s})
	b.must(s, "t", "")
	x.mu.Lock()
	x.session = "s2"
	x.mu.Unlock()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := b.call(s, "t", ""); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	if greeted != 2 {
		t.Errorf("greetings: got %d, want 2", greeted)
	}
	if st := b.Status(); st[0].Starts != 1 || st[0].State != mcp.Ready {
		t.Errorf("status: got %+v, want it ready all the while", st)
	}
}

// TestRemoteEvents wants streams to be read as they are written: comments, line
// ends of all kinds, data over several lines; and one that was cut to be taken
// up where it stopped.
func TestRemoteEvents(t *testing.T) {
	x := newWeb(t, func(w http.ResponseWriter, r *http.Request, m message) bool {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		switch {
		case r.Header.Get("Last-Event-ID") == "cut-1":
			io.WriteString(w, "id: cut-2\ndata: {\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"resumed\":true}}\n\n")
			return true
		case m.Method != "tools/call":
			w.Header().Del("Content-Type")
			return false
		case strings.Contains(string(m.Params), "cut"):
			io.WriteString(w, "id: cut-1\nretry: 1\ndata:\n\n")
		case strings.Contains(string(m.Params), "gone"):
			io.WriteString(w, ": nothing\n\n")
		default:
			fmt.Fprintf(w, "\uFEFF: hello\r\n\r\nevent: message\rdata: {\"jsonrpc\":\"2.0\",\r\ndata: \"id\":%s,\ndata:\"result\":{\"a\":1.0}}\r\rdata: unfinished", m.ID)
		}
		return true
	})
	b, s := newBench(t, nil), remoteTarget(x.URL)
	b.Run([]mcp.Target{s})
	if got := b.must(s, "lines", ""); got != `{"a":1.0}` {
		t.Errorf("lines: got %s", got)
	}
	if got := b.must(s, "cut", ""); got != `{"resumed":true}` {
		t.Errorf("cut: got %s, want what came after the cut", got)
	}
	if _, err := b.call(s, "gone", ""); err == nil || !strings.Contains(err.Error(), "ended before the response") {
		t.Errorf("gone: got %v, want that the answer ended", err)
	}
}

// TestRemoteAnswers wants what is no answer to be an error that says what came.
func TestRemoteAnswers(t *testing.T) {
	x := newWeb(t, func(w http.ResponseWriter, _ *http.Request, m message) bool {
		var p struct{ Name string }
		json.Unmarshal(m.Params, &p)
		if m.Method != "tools/call" {
			return false
		}
		switch p.Name {
		case "page":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<html>")
		case "status":
			http.Error(w, "too busy\x1b[0m", http.StatusServiceUnavailable)
		case "forbidden":
			w.WriteHeader(http.StatusForbidden)
		case "rpc":
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"bad"}}`)
		case "accepted":
			w.WriteHeader(http.StatusAccepted)
		case "huge":
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"jsonrpc":"2.0","x":"`+strings.Repeat("x", 2<<20)+`"}`)
		case "cut":
			panic(http.ErrAbortHandler)
		}
		return true
	})
	b, s := newBench(t, func(o *mcp.Options) { o.Frame = 1 << 20 }), remoteTarget(x.URL)
	b.Run([]mcp.Target{s})
	for _, c := range []struct{ tool, want string }{
		{"page", `"text/html", which is neither JSON nor a stream`},
		{"status", `503 Service Unavailable: "too busy\x1b[0m"`},
		{"forbidden", "403 Forbidden: give it the credentials"},
		{"rpc", "bad (-32602)"},
		{"accepted", "ended without a response"},
		{"huge", "more than 1 MiB"},
		{"cut", "EOF"},
	} {
		if got, err := b.call(s, c.tool, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %s, %v; want %s", c.tool, got, err, c.want)
		}
	}
	if st := b.until(s.Name, "ready", state(mcp.Ready)); st.Starts != 1 {
		t.Errorf("starts: got %d, want 1: one odd answer costs one call", st.Starts)
	}
}

// TestRemoteDead wants a server that is gone to fail calls at once, and to be
// there again when it is back. It is tried for ever.
func TestRemoteDead(t *testing.T) {
	x := newWeb(t, nil)
	addr := x.Listener.Addr().String()
	b, s := newBench(t, func(o *mcp.Options) { o.Tries = 1 }), remoteTarget(x.URL)
	b.Run([]mcp.Target{s})
	b.must(s, "t", "")
	x.CloseClientConnections()
	x.Close()
	if _, err := b.call(s, "t", ""); err == nil || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), x.URL) {
		t.Errorf("call: got %v, want an error that says what cannot be reached", err)
	}
	b.until(s.Name, "waiting after several tries", func(st mcp.Status) bool { return st.State == mcp.Waiting && st.Starts > 3 })
	back := &http.Server{Addr: addr, Handler: x, ReadHeaderTimeout: time.Minute}
	go back.ListenAndServe()
	t.Cleanup(func() { back.Close() })
	b.until(s.Name, "ready", state(mcp.Ready))
	b.must(s, "t", "")
}

// TestRemoteCancel wants a call that is not wanted any more to be cancelled in
// words, not by a dropped stream alone.
func TestRemoteCancel(t *testing.T) {
	heard, asked := make(chan string, 1), make(chan string, 1)
	x := newWeb(t, func(w http.ResponseWriter, r *http.Request, m message) bool {
		switch m.Method {
		case "tools/call":
			asked <- string(m.ID)
			<-r.Context().Done()
			return true
		case "notifications/cancelled":
			heard <- string(m.Params)
		}
		return false
	})
	b, s := newBench(t, nil), remoteTarget(x.URL)
	b.Run([]mcp.Target{s})
	b.describe(s)
	ctx, cancel := context.WithCancel(context.Background())
	failed := make(chan error)
	go func() {
		_, err := b.Call(ctx, ref(s, "never"), nil)
		failed <- err
	}()
	id := <-asked
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("call: got %v, want that it was cancelled", err)
	}
	if got := <-heard; got != `{"requestId":`+id+`}` {
		t.Errorf("the server heard %s, want request %s cancelled", got, id)
	}
}

// TestRemoteSlowOnesApart wants a server that never answers to cost nobody else.
func TestRemoteSlowOnesApart(t *testing.T) {
	silent := newWeb(t, func(_ http.ResponseWriter, r *http.Request, _ message) bool {
		<-r.Context().Done()
		return true
	})
	healthy := newWeb(t, nil)
	b := newBench(t, func(o *mcp.Options) { o.Connect = 50 * time.Millisecond })
	refusing, slow, good := remoteTarget("http://127.0.0.1:1/mcp"), remoteTarget(silent.URL), remoteTarget(healthy.URL)
	refusing.Key, refusing.Name = "refusing", "acme:refusing"
	slow.Key, slow.Name = "slow", "acme:slow"
	b.Run([]mcp.Target{refusing, slow, good})
	b.must(good, "t", "")
	b.until(refusing.Name, "refused", func(st mcp.Status) bool { return strings.Contains(st.Error, "http://127.0.0.1:1") })
	b.until(slow.Name, "too slow", func(st mcp.Status) bool { return strings.Contains(st.Error, "did not answer the greeting within 50ms") })
	names := []string{}
	for _, st := range b.Status() {
		names = append(names, st.Name)
	}
	if want := []string{refusing.Name, good.Name, slow.Name}; !slices.Equal(names, want) {
		t.Errorf("status: got %q, want %q", names, want)
	}
}
