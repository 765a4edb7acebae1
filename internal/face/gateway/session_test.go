package gateway_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/face/gateway"
	"github.com/mortise-dev/mortise/internal/session"
)

func sessionOnly(server string) session.OfferOptions { return session.OfferOptions{Only: server} }

// over are the two ways to a gateway.
func over(t *testing.T, b *bench, o *mcp.ClientOptions, do func(t *testing.T, s *mcp.ClientSession)) {
	t.Helper()
	t.Run("http", func(t *testing.T) {
		g := gateway.New(b.host, gateway.Options{})
		server := httptest.NewServer(g.Handler())
		defer server.Close()
		defer g.Close()
		s := connect(t, &mcp.StreamableClientTransport{Endpoint: server.URL}, o)
		defer func() { _ = s.Close() }()
		do(t, s)
	})
	t.Run("pipes", func(t *testing.T) {
		g := gateway.New(b.host, gateway.Options{})
		defer g.Close()
		s, _ := pipes(t, g, o)
		do(t, s)
	})
}

// TestHandshake wants a client that shakes hands to be answered in its revision, and to
// list and call then.
func TestHandshake(t *testing.T) {
	b := workspace(t, said)
	b.answers(says(`"result":{"content":[{"type":"text","text":"found"}]}`))
	over(t, b, nil, func(t *testing.T, s *mcp.ClientSession) {
		if got := s.InitializeResult().ProtocolVersion; got != "2025-11-25" {
			t.Errorf("the revision: got %s, want the last with a handshake", got)
		}
		if got := toolNames(t, s); !strings.Contains(got, "mortise_list") || !strings.Contains(got, "owner_search__find") {
			t.Errorf("tools: got %s, want the built-in ones and the server's", got)
		}
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "owner_search__find", Arguments: map[string]any{"q": "x"}})
		if err != nil || r.IsError || len(r.Content) != 1 {
			t.Errorf("the call: got %+v, %v, want what the server answers", r, err)
		}
		if err := s.Ping(t.Context(), nil); err != nil {
			t.Errorf("ping: %v", err)
		}
	})
}

func TestOlderRevisions(t *testing.T) {
	g := workspace(t, said).gateway(gateway.Options{Version: "1.2.3"})
	for asked, want := range map[string]string{"2024-11-05": "2024-11-05", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25", "2026-07-28": "2025-11-25", "2030-01-01": "2025-11-25"} {
		server := httptest.NewServer(g.Handler())
		w := &wire{t: t, url: server.URL}
		got := w.request("initialize", `{"protocolVersion":"`+asked+`","capabilities":{},"clientInfo":{"name":"wire","version":"1"}}`)
		for _, part := range []string{`"protocolVersion":"` + want + `"`, `"name":"mortise"`, `"version":"1.2.3"`, `"tools":{"listChanged":true}`, `"prompts":{"listChanged":true}`, `"resources":{"subscribe":true,"listChanged":true}`, `"logging":{}`, `"completions":{}`} {
			if !strings.Contains(got, part) {
				t.Errorf("initialize with %s: got %s, want %s", asked, got, part)
			}
		}
		server.Close()
	}
}

// TestInstructionsOfASession wants the owner's text and then that of extensions
// and servers, fenced by a boundary that no two sessions share.
func TestInstructionsOfASession(t *testing.T) {
	g := workspace(t, said).gateway(gateway.Options{})
	one, _ := pipes(t, g, nil)
	two, _ := pipes(t, g, nil)
	texts := []string{one.InitializeResult().Instructions, two.InitializeResult().Instructions}
	if texts[0] == texts[1] {
		t.Error("two sessions have the same text, want boundaries of their own")
	}
	for _, text := range texts {
		owner, fence := strings.Index(text, "The owner says so."), strings.Index(text, "\n--- ")
		if owner < 0 || fence < owner || strings.Index(text, "Search says so.") < fence {
			t.Errorf("the text is %q, want the owner's, then a fence, then the server's", text)
		}
		if !strings.Contains(text, `the server "search" of extension owner, written at owner:mcp.json:1`) {
			t.Errorf("the text is %q, want it to say where it comes from", text)
		}
	}
}

// TestSealedUntilListedAgain holds that a new generation reaches a connected
// client as a notice, that what the client has goes on until it lists again, and
// that taking one list takes no other.
func TestSealedUntilListedAgain(t *testing.T) {
	b := workspace(t, said)
	b.answers(says(`"result":{"content":[]}`))
	changed, promptsChanged := make(chan struct{}, 100), make(chan struct{}, 100)
	o := &mcp.ClientOptions{
		ToolListChangedHandler:   func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
		PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) { promptsChanged <- struct{}{} },
	}
	over(t, b, o, func(t *testing.T, s *mcp.ClientSession) {
		b.describe("search", said)
		for len(changed) > 0 {
			<-changed
		}
		if got := toolNames(t, s); strings.Contains(got, "owner_search__fresh") {
			t.Fatalf("tools: got %s, want no fresh one yet", got)
		}
		b.describe("search", `{"tools": [{"name": "find", "inputSchema": {"type": "object"}, "new": true}, {"name": "fresh", "inputSchema": {"type": "object"}}], "prompts": [{"name": "asked"}]}`)
		wait(t, "the notice of new tools", changed)
		wait(t, "the notice of new prompts", promptsChanged)
		if _, err := s.ListPrompts(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "owner_search__fresh"}); code(err) != -32602 {
			t.Errorf("the fresh tool before the tools were listed again: got %v, want -32602", err)
		}
		if r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "owner_search__find"}); err != nil || r.IsError {
			t.Errorf("the tool it has: got %+v, %v, want it answered", r, err)
		}
		if got := toolNames(t, s); !strings.Contains(got, "owner_search__fresh") {
			t.Errorf("tools: got %s, want the fresh one", got)
		}
		if r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "owner_search__fresh"}); err != nil || r.IsError {
			t.Errorf("the fresh tool: got %+v, %v, want it answered", r, err)
		}
		b.describe("search", said)
	})
}

// Lists that did not change are not announced. That a server is declared
// otherwise is, although it describes itself as before: what a client has of it
// is refused until then.
func TestAnnouncesWhatChanged(t *testing.T) {
	b := workspace(t, said)
	b.describe("other", `{"tools": [{"name": "t", "inputSchema": {"type": "object"}}]}`)
	tools, prompts := make(chan struct{}, 100), make(chan struct{}, 100)
	s, _ := pipes(t, b.gateway(gateway.Options{}), &mcp.ClientOptions{
		ToolListChangedHandler:   func(context.Context, *mcp.ToolListChangedRequest) { tools <- struct{}{} },
		PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) { prompts <- struct{}{} },
	})
	toolNames(t, s)
	b.write(".mortise/commands/new.md", "New.\n")
	b.refresh()
	wait(t, "the notice of new prompts", prompts)
	b.redeclare(`{"mcpServers": {"search": {"command": "search"}, "other": {"command": "other", "args": ["-x"]}}}`, "other")
	wait(t, "the notice that a server is declared otherwise", tools)
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "owner_other__t"})
	if err != nil || !r.IsError || !strings.Contains(asText(t, r.Content[0]), "list again") {
		t.Errorf("its tool before it was listed again: got %+v, %v, want it refused and why", r, err)
	}
	toolNames(t, s)
	if r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "owner_other__t"}); err != nil || r.IsError {
		t.Errorf("its tool after it was listed again: got %+v, %v, want it answered", r, err)
	}
}

// A page in a browser reaches nothing: neither from another origin nor under
// another name of this machine.
func TestPagesAreRefused(t *testing.T) {
	server := httptest.NewServer(workspace(t, said).gateway(gateway.Options{}).Handler())
	defer server.Close()
	for _, c := range []struct {
		name string
		set  func(*http.Request)
		want int
	}{
		{"a client", func(*http.Request) {}, http.StatusOK},
		{"the same origin", func(r *http.Request) { r.Header.Set("Origin", server.URL) }, http.StatusOK},
		{"another origin", func(r *http.Request) { r.Header.Set("Origin", "https://example.com") }, http.StatusForbidden},
		{"another site", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, http.StatusForbidden},
		{"another name", func(r *http.Request) { r.Host = "example.com" }, http.StatusForbidden},
	} {
		t.Run(c.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "application/json, text/event-stream")
			c.set(req)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = res.Body.Close() }()
			if res.StatusCode != c.want {
				t.Errorf("got %s, want %d", res.Status, c.want)
			}
		})
	}
}

// TestServeEnds wants Serve to return when its client is gone, and when its
// context ends, even while a call is in flight that nobody answers.
func TestServeEnds(t *testing.T) {
	b := workspace(t, said)
	began := make(chan struct{}, 10)
	b.answers(func(ctx context.Context, _ string, _ json.RawMessage, _ func(string)) string {
		began <- struct{}{}
		<-ctx.Done()
		return `"result":{}`
	})
	for _, c := range []struct {
		name string
		end  func(t *testing.T, cancel func(), s *mcp.ClientSession, toServer io.Closer)
	}{
		{"the client closes", func(_ *testing.T, _ func(), _ *mcp.ClientSession, toServer io.Closer) { _ = toServer.Close() }},
		{"the context ends", func(_ *testing.T, cancel func(), _ *mcp.ClientSession, _ io.Closer) { cancel() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := gateway.New(b.host, gateway.Options{})
			defer g.Close()
			fromClient, toServer := io.Pipe()
			fromServer, toClient := io.Pipe()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			ended := make(chan error, 1)
			go func() { ended <- g.Serve(ctx, fromClient, toClient) }()
			s := connect(t, &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
			failed := make(chan error, 1)
			go func() {
				_, err := s.CallTool(context.Background(), &mcp.CallToolParams{Name: "owner_search__find"})
				failed <- err
			}()
			wait(t, "the call", began)
			c.end(t, cancel, s, toServer)
			if err := wait(t, "the end of Serve", ended); err != nil {
				t.Errorf("Serve: got %v", err)
			}
		})
	}
}

// A session is deleted at once, whatever it has in flight: that is given up, and
// the driver's link with it.
func TestDeleteGivesUpWhatIsInFlight(t *testing.T) {
	b := workspace(t, said)
	began, gaveUp := make(chan struct{}, 10), make(chan struct{}, 10)
	b.answers(func(ctx context.Context, _ string, _ json.RawMessage, _ func(string)) string {
		began <- struct{}{}
		<-ctx.Done()
		gaveUp <- struct{}{}
		return `"result":{}`
	})
	g := b.gateway(gateway.Options{})
	server := httptest.NewServer(g.Handler())
	defer server.Close()
	defer g.Close() // before the server, which waits for its requests
	other := connect(t, &mcp.StreamableClientTransport{Endpoint: server.URL}, nil)
	deleted := connect(t, &mcp.StreamableClientTransport{Endpoint: server.URL}, nil)
	for _, s := range []*mcp.ClientSession{other, deleted} {
		go func() { _, _ = s.CallTool(context.Background(), &mcp.CallToolParams{Name: "owner_search__find"}) }()
		wait(t, "the call", began)
	}
	remove := func(version string) chan int {
		status := make(chan int, 1)
		go func() {
			req, err := http.NewRequestWithContext(context.Background(), http.MethodDelete, server.URL, nil)
			if err != nil {
				panic(err)
			}
			req.Header.Set("Mcp-Session-Id", deleted.ID())
			req.Header.Set("Mcp-Protocol-Version", version)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				status <- 0
				return
			}
			_ = res.Body.Close()
			status <- res.StatusCode
		}()
		return status
	}
	if got := wait(t, "the answer to DELETE", remove("1999-01-01")); got != http.StatusBadRequest {
		t.Errorf("DELETE in a revision that nobody speaks: got %d, want %d", got, http.StatusBadRequest)
	}
	if len(gaveUp) > 0 {
		t.Error("a DELETE that was refused gave up a call")
	}
	if got := wait(t, "the answer to DELETE", remove("2025-06-18")); got != http.StatusNoContent {
		t.Errorf("DELETE with a call in flight: got %d, want %d", got, http.StatusNoContent)
	}
	wait(t, "that the call is given up", gaveUp)
	if len(gaveUp) > 0 {
		t.Error("the call of another session was given up as well")
	}
	if got := wait(t, "the answer to DELETE", remove("")); got != http.StatusNotFound {
		t.Errorf("DELETE again: got %d, want %d", got, http.StatusNotFound)
	}
}

// So many clients may be connected; one more ends the session that asked for
// nothing for longest, unless it waits for an answer, and no other.
func TestTooManyClients(t *testing.T) {
	b := workspace(t, said)
	began, end := make(chan struct{}, 1), make(chan struct{})
	b.answers(func(context.Context, string, json.RawMessage, func(string)) string {
		began <- struct{}{}
		<-end
		return `"result":{"content":[]}`
	})
	g := b.gateway(gateway.Options{})
	server := httptest.NewServer(g.Handler())
	defer server.Close()
	defer g.Close()
	waits := connect(t, &mcp.StreamableClientTransport{Endpoint: server.URL}, nil) // the oldest, and busy
	answered := make(chan error, 1)
	go func() {
		_, err := waits.CallTool(context.Background(), &mcp.CallToolParams{Name: "owner_search__find"})
		answered <- err
	}()
	wait(t, "the call", began)
	post := func(session, body string) (status int, begun string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		return res.StatusCode, res.Header.Get("Mcp-Session-Id")
	}
	const most = 1000
	var ids []string
	for range most {
		_, id := post("", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		ids = append(ids, id)
	}
	ping := func(id string) int {
		status, _ := post(id, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		return status
	}
	for late := time.Now().Add(patience); ping(ids[0]) != http.StatusNotFound; { // it is ended while others go on
		if time.Now().After(late) {
			t.Fatalf("the session that was idle longest is there after %v", patience)
		}
	}
	for _, id := range []string{ids[1], ids[most-1]} {
		if got := ping(id); got != http.StatusOK {
			t.Errorf("another session: got %d, want %d", got, http.StatusOK)
		}
	}
	close(end)
	if err := wait(t, "the answer", answered); err != nil {
		t.Errorf("the session that waited for an answer: got %v", err)
	}
}

// What a client sends that is no JSON-RPC is told of as that. One object that is no
// message is an error of that message alone.
func TestServeSaysThatItIsNoJSONRPC(t *testing.T) {
	g := workspace(t, said).gateway(gateway.Options{})
	for _, sent := range []string{"hello", `"x"`, `[]`, `{"jsonrpc":`} {
		err := g.Serve(t.Context(), io.NopCloser(strings.NewReader(sent+"\n")), nowhere{})
		if err == nil || !strings.HasPrefix(err.Error(), "the client sent something that is no JSON-RPC: ") {
			t.Errorf("Serve of a client that sent %s: got %v, want that said", sent, err)
		}
	}
	for _, sent := range []string{`{"a":1}`, `{"jsonrpc":"2.0","id":{},"method":"x"}`, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":true}}`} {
		out := &written{}
		in := sent + "\n" + `{"jsonrpc":"2.0","id":7,"method":"ping"}` + "\n"
		if err := g.Serve(t.Context(), io.NopCloser(strings.NewReader(in)), out); err != nil {
			t.Errorf("Serve of a client that sent %s: got %v, want it to go on", sent, err)
		}
		if got := out.String(); !strings.Contains(got, `"id":null,"error":{"code":-32600,`) || !strings.Contains(got, `"id":7,"result":{}`) {
			t.Errorf("a client that sent %s was answered %s, want an error, and the ping after it answered", sent, got)
		}
	}
	broken, w := io.Pipe()
	_ = w.CloseWithError(io.ErrClosedPipe)
	if err := g.Serve(t.Context(), broken, nowhere{}); err == nil || strings.Contains(err.Error(), "JSON-RPC") {
		t.Errorf("Serve over a stream that fails: got %v, want nothing said of JSON-RPC", err)
	}
}

// nowhere is a stream that nobody reads.
type nowhere struct{}

func (nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (nowhere) Close() error                { return nil }

// TestCloseLeavesNothing wants no goroutine of the gateway left after Close, of
// clients over HTTP and over pipes, even with a call in flight that nobody
// answers.
func TestCloseLeavesNothing(t *testing.T) {
	b := workspace(t, said)
	began := make(chan struct{}, 10)
	b.answers(func(ctx context.Context, _ string, _ json.RawMessage, _ func(string)) string {
		began <- struct{}{}
		<-ctx.Done()
		return `"result":{}`
	})
	g := gateway.New(b.host, gateway.Options{})
	server := httptest.NewServer(g.Handler())
	byHTTP := connect(t, &mcp.StreamableClientTransport{Endpoint: server.URL}, nil)
	byPipes, ended := pipes(t, g, nil)
	for _, s := range []*mcp.ClientSession{byHTTP, byPipes} {
		go func() { _, _ = s.CallTool(context.Background(), &mcp.CallToolParams{Name: "owner_search__find"}) }()
		wait(t, "the call", began)
	}
	closed := make(chan struct{})
	go func() { g.Close(); g.Close(); close(closed) }()
	wait(t, "the end of Close", closed)
	wait(t, "the end of Serve", ended)
	_ = byHTTP.Close()
	_ = byPipes.Close()
	server.Close()
	gone(t, "/internal/face/gateway.")
	if _, err := byPipes.ListTools(t.Context(), nil); err == nil {
		t.Error("a request after Close: want an error")
	}
}

// gone waits until no goroutine but this test's runs code that part names.
func gone(t *testing.T, part string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		buf := make([]byte, 4<<20)
		var left []string
		for _, one := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(one, part) && !strings.Contains(one, "testing.tRunner") {
				left = append(left, one)
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left:\n%s", len(left), strings.Join(left, "\n\n"))
		}
		runtime.Gosched()
	}
}
