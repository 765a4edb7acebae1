package gateway_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestEras wants a client of each era to use a server of each: to list, to call, to
// read, to be asked while it waits, and to hear what it listens for.
func TestEras(t *testing.T) {
	for _, upstream := range []bool{false, true} {
		for _, client := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s to %s", eraName(client), eraName(upstream)), func(t *testing.T) {
				e := newEra(t, upstream)
				t.Run("http", func(t *testing.T) { e.use(t, client, e.dial) })
				t.Run("pipes", func(t *testing.T) { e.use(t, client, e.pipe) })
			})
		}
	}
}

func eraName(modern bool) string {
	if modern {
		return "modern"
	}
	return "legacy"
}

func (e *era) use(t *testing.T, modern bool, dial func(bool, *mcp.ClientOptions) *mcp.ClientSession) {
	changed, updated := make(chan struct{}, 10), make(chan string, 10)
	s := dial(modern, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada after " + r.Params.Message}}, nil
		},
		PromptListChangedHandler: func(context.Context, *mcp.PromptListChangedRequest) { changed <- struct{}{} },
		ResourceUpdatedHandler:   func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
	})
	if got := toolNames(t, s); !strings.Contains(got, "owner_search__find") {
		t.Errorf("tools: got %s, want the server's", got)
	}
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "owner_search__find", Arguments: map[string]any{"q": "x"}})
	if got := saidBy(t, r, err); got != `found {"q":"x"}` {
		t.Errorf("the call: got %q, want it found", got)
	}
	r, err = s.CallTool(t.Context(), &mcp.CallToolParams{Name: "owner_search__ask", Arguments: map[string]any{"q": "x"}})
	if got := saidBy(t, r, err); !strings.HasPrefix(got, "hello Ada after Who are you?") {
		t.Errorf("the call that asks: got %q, want the person's answer", got)
	}
	if got, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "notes://today"}); err != nil || got.Contents[0].Text != "noted" {
		t.Errorf("the resource: got %+v, %v, want it read", got, err)
	}
	if got, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "owner_search__greet"}); err != nil || got.Description != "greets" {
		t.Errorf("the prompt: got %+v, %v, want it", got, err)
	}
	if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "notes://today"}); err != nil {
		t.Fatalf("subscribe: %v", err)
	}
	e.update(t, updated)
	e.bench.write(".mortise/commands/"+strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name()))+".md", "New.\n")
	e.bench.refresh()
	wait(t, "the notice of new prompts", changed)
}

// update changes the resource until it is heard of: the library does not wait until it
// listens.
func (e *era) update(t *testing.T, heard <-chan string) {
	t.Helper()
	late, again := time.After(patience), time.NewTicker(20*time.Millisecond)
	defer again.Stop()
	for {
		if err := e.server.ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: "notes://today"}); err != nil {
			t.Fatal(err)
		}
		select {
		case uri := <-heard:
			if uri != "notes://today" {
				t.Errorf("the resource that changed: got %s", uri)
			}
			return
		case <-again.C:
		case <-late:
			t.Fatal("the notice of a resource did not come")
		}
	}
}

// TestStatelessResults wants of each result what the revision asks for, and of a
// server's own result its bytes.
func TestStatelessResults(t *testing.T) {
	e := newEra(t, false)
	for method, params := range map[string]string{
		"server/discover": "", "tools/list": "", "prompts/list": "", "resources/list": "", "resources/templates/list": "",
		"resources/read": `"uri":"notes://today",`, "prompts/get": `"name":"owner_search__greet",`, "tools/call": `"name":"owner_search__find","arguments":{},`,
	} {
		status, frames := e.raw("7", method, params+meta("{}", ""), "Mcp-Session-Id", "of nobody")
		got := frames[len(frames)-1]
		if status != http.StatusOK || !strings.Contains(got, `"resultType":"complete"`) || !strings.Contains(got, `"id":7`) {
			t.Errorf("%s: got %d %s, want a complete result", method, status, got)
		}
		kept := method != "prompts/get" && method != "tools/call"
		if has := strings.Contains(got, `"ttlMs":0,"cacheScope":`); has != kept {
			t.Errorf("%s: got %s, want hints for caches: %v", method, got, kept)
		}
	}
	_, frames := e.raw("1", "server/discover", meta("{}", ""))
	for _, want := range []string{`"supportedVersions":["2026-07-28","2025-11-25",`, `"io.modelcontextprotocol/serverInfo":{"name":"mortise","title":"Mortise","version":"1.2.3"}`, `"subscribe":true`} {
		if !strings.Contains(frames[0], want) {
			t.Errorf("server/discover: got %s, want %s", frames[0], want)
		}
	}
}

// TestStatelessRefusals wants the codes and the statuses of the revision.
func TestStatelessRefusals(t *testing.T) {
	e := newEra(t, false)
	good := meta("{}", "")
	for _, c := range []struct {
		name, method, params string
		headers              []string
		status               int
		want                 string
	}{
		{"no meta", "tools/list", ``, nil, 400, `"code":-32602`},
		{"no capabilities", "tools/list", `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`, nil, 400, `"code":-32602`},
		{"another revision", "tools/list", strings.ReplaceAll(good, "2026-07-28", "2031-01-01"), []string{"MCP-Protocol-Version", "2031-01-01"}, 400, `"supported":["2026-07-28",`},
		{"the revision that was asked for", "tools/list", strings.ReplaceAll(good, "2026-07-28", "2031-01-01"), []string{"MCP-Protocol-Version", "2031-01-01"}, 400, `"requested":"2031-01-01"`},
		{"no header of the revision", "tools/list", good, []string{"MCP-Protocol-Version", ""}, 400, `"code":-32020`},
		{"a header of a handshake", "tools/list", good, []string{"MCP-Protocol-Version", "2025-11-25"}, 400, `"code":-32020`},
		{"no header of the method", "tools/list", good, []string{"Mcp-Method", ""}, 400, `"code":-32020`},
		{"a header of another method", "tools/list", good, []string{"Mcp-Method", "tools/call"}, 400, `"code":-32020`},
		{"a method in other letters", "tools/list", good, []string{"Mcp-Method", "TOOLS/LIST"}, 400, `"code":-32020`},
		{"no header of the name", "tools/call", `"name":"owner_search__find",` + good, []string{"Mcp-Name", ""}, 400, `"code":-32020`},
		{"another name", "tools/call", `"name":"owner_search__find",` + good, []string{"Mcp-Name", "owner_search__ask"}, 400, `"code":-32020`},
		{"a name in Base64", "tools/call", `"name":"owner_search__find",` + good, []string{"Mcp-Name", "=?base64?b3duZXJfc2VhcmNoX19maW5k?="}, 200, `found`},
		{"a name in bad Base64", "tools/call", `"name":"owner_search__find",` + good, []string{"Mcp-Name", "=?base64?b3duZXJfc2VhcmNoX19maW5?="}, 400, `"code":-32020`},
		{"an unknown method", "no/method", good, nil, 404, `"code":-32601`},
		{"ping", "ping", good, nil, 404, `"code":-32601`},
		{"initialize", "initialize", good, nil, 404, `"code":-32601`},
		{"logging/setLevel", "logging/setLevel", good, nil, 404, `"code":-32601`},
		{"resources/subscribe", "resources/subscribe", `"uri":"notes://today",` + good, nil, 404, `"code":-32601`},
		{"no such resource", "resources/read", `"uri":"notes://never",` + good, nil, 200, `"code":-32602,"message":"there is no resource at \"notes://never\"","data":{"uri":"notes://never"}`},
		{"a marked argument without its header", "tools/call", `"name":"owner_search__marked","arguments":{"q":"x"},` + good, nil, 400, `"code":-32020`},
		{"another value in its header", "tools/call", `"name":"owner_search__marked","arguments":{"q":"x"},` + good, []string{"Mcp-Param-Query", "y"}, 400, `"code":-32020`},
		{"a header without its argument", "tools/call", `"name":"owner_search__marked","arguments":{},` + good, []string{"Mcp-Param-Query", "y"}, 400, `"code":-32020`},
		{"a marked argument", "tools/call", `"name":"owner_search__marked","arguments":{"q":"x","n":42.0},` + good, []string{"Mcp-Param-Query", "x", "Mcp-Param-N", "42"}, 200, `found`},
		{"a marked argument that is null", "tools/call", `"name":"owner_search__marked","arguments":{"q":null},` + good, nil, 200, `found`},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, frames := e.raw(`"an id"`, c.method, c.params, c.headers...)
			if got := frames[len(frames)-1]; status != c.status || !strings.Contains(got, c.want) || !strings.Contains(got, `"id":"an id"`) {
				t.Errorf("got %d %s, want %d and %s", status, got, c.status, c.want)
			}
		})
	}
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		req, err := http.NewRequestWithContext(t.Context(), method, e.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("MCP-Protocol-Version", "2026-07-28")
		req.Header.Set("Accept", "text/event-stream")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _ = res.Body.Close(); res.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("%s: got %d, want 405", method, res.StatusCode)
		}
	}
}

// TestStatelessNotices wants log messages only where the request asked for them, and
// progress under the request's own token.
func TestStatelessNotices(t *testing.T) {
	for _, modern := range []bool{false, true} {
		t.Run("a server that is "+eraName(modern), func(t *testing.T) {
			e := newEra(t, modern)
			call := `"name":"owner_search__talk","arguments":{},`
			if _, frames := e.raw("1", "tools/call", call+meta("{}", "")); len(frames) != 1 {
				t.Errorf("without a level and a token: got %s, want the answer alone", frames)
			}
			_, frames := e.raw("1", "tools/call", call+meta("{}", `,"progressToken":"mine","io.modelcontextprotocol/logLevel":"debug"`))
			all := strings.Join(frames, "\n")
			if len(frames) != 3 || !strings.Contains(all, `"logged"`) || !strings.Contains(all, `"progressToken":"mine"`) {
				t.Errorf("with both: got %s, want a message, progress and the answer", all)
			}
		})
	}
}

// TestNothingCrosses has many clients use the same ids and tokens at once: each gets
// its own answers, questions and progress, and nobody else's.
func TestNothingCrosses(t *testing.T) {
	for _, modern := range []bool{false, true} {
		t.Run("a server that is "+eraName(modern), func(t *testing.T) {
			e := newEra(t, modern)
			var all sync.WaitGroup
			for n := range 16 {
				all.Go(func() {
					mine := fmt.Sprintf("client-%d", n)
					for range 4 {
						_, frames := e.raw("1", "tools/call", `"name":"owner_search__find","arguments":{"q":"`+mine+`"},`+meta("{}", `,"progressToken":1`))
						if len(frames) != 1 || !strings.Contains(frames[0], mine) {
							t.Errorf("%s: got %s, want its own answer", mine, frames)
						}
						e.asked(t, mine, modern)
					}
				})
			}
			all.Wait()
		})
	}
}

// asked makes a call that asks, answers, and wants its own name back.
func (e *era) asked(t *testing.T, mine string, modern bool) {
	call := `"name":"owner_search__ask","arguments":{"q":"` + mine + `"},` + meta(`{"elicitation":{}}`, "")
	_, frames := e.raw("1", "tools/call", call)
	key, state := wanted(t, frames)
	more := fmt.Sprintf(`"inputResponses":{%q:{"action":"accept","content":{"name":%q}}},`, key, mine)
	if state != "" {
		more += fmt.Sprintf(`"requestState":%q,`, state)
	}
	_, frames = e.raw("1", "tools/call", more+call)
	got := frames[len(frames)-1]
	if !strings.Contains(got, "hello "+mine) || !modern && strings.Count(got, mine) != 2 {
		t.Errorf("%s: got %s, want its own answer to its own call", mine, got)
	}
}
