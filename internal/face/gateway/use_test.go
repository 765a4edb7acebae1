package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/face/gateway"
	"github.com/mortise-dev/mortise/internal/host"
)

const said = `{
	"instructions": "Search says so.",
	"tools": [
		{"zeta": [1.0, 1e3], "name": "find", "description": "F\u00efnds <&> it.", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}, "execution": {"taskSupport": "optional"}},
		{"name": "a.b/c", "inputSchema": {"type": "object"}}
	],
	"prompts": [{"name": "ask", "arguments": [{"name": "topic", "required": true}]}],
	"resources": [{"uri": "notes://today", "name": "today"}],
	"resourceTemplates": [{"uriTemplate": "notes://{year}/{+rest}", "name": "a year"}]
}`

// wire is an MCP client of few words, for what must come byte for byte.
type wire struct {
	t       testing.TB
	url     string
	session string
	ids     int
}

func dial(t testing.TB, g *gateway.Gateway) *wire {
	t.Helper()
	s := httptest.NewServer(g.Handler())
	t.Cleanup(s.Close)
	w := &wire{t: t, url: s.URL}
	w.request("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"wire","version":"1"}}`)
	if w.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`); w.session == "" {
		t.Fatal("no session began")
	}
	return w
}

// post sends one frame and returns the frames that came back.
func (w *wire) post(frame string) []string {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.url, strings.NewReader(frame))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if w.session != "" {
		req.Header.Set("Mcp-Session-Id", w.session)
		req.Header.Set("MCP-Protocol-Version", "2025-11-25")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		w.session = id
	}
	var frames []string
	for line := range strings.Lines(string(body)) {
		if data, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "data: "); ok && data != "" {
			frames = append(frames, data)
		}
	}
	if frames == nil && len(body) > 0 {
		frames = append(frames, string(body))
	}
	return frames
}

// request sends a request, with params where they are not "", and returns what
// stands at the end of what came back: the result, or the error.
func (w *wire) request(method, params string) string {
	w.t.Helper()
	w.ids++
	id, err := json.Marshal(w.ids)
	if err != nil {
		w.t.Fatal(err)
	}
	frame := `{"jsonrpc":"2.0","id":` + string(id) + `,"method":"` + method + `"`
	if params != "" {
		frame += `,"params":` + params
	}
	frames := w.post(frame + "}")
	if len(frames) == 0 {
		w.t.Fatalf("%s: nothing came back", method)
	}
	last := frames[len(frames)-1]
	answer, ok := strings.CutPrefix(last, `{"jsonrpc":"2.0","id":`+string(id)+`,`)
	if !ok {
		w.t.Fatalf("%s: got %s, want an answer with the id %s", method, last, id)
	}
	return strings.TrimSuffix(answer, "}")
}

// TestListsByteForByte wants every definition as the server sent it, but for its
// name and for line ends.
func TestListsByteForByte(t *testing.T) {
	w := dial(t, workspace(t, said).gateway(gateway.Options{}))
	for _, c := range []struct{ method, params, want string }{
		{"tools/list", "", `"result":{"tools":[` +
			`{"name":"mortise_explain",…},{"name":"mortise_list",…},{"name":"mortise_status",…},` +
			`{"name": "owner_search__a-b-c--…", "inputSchema": {"type": "object"}},` +
			`{"zeta": [1.0, 1e3], "name": "owner_search__find", "description": "F\u00efnds <&> it.", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}}, "execution": {"taskSupport": "optional"}}]}`},
		{"tools/list", "{}", `"result":{"tools":[…]}`},
		{"tools/list", "null", `"result":{"tools":[…]}`},
		{"prompts/list", "", `"result":{"prompts":[{"name":"owner_rest","description":"Rest."},{"name": "owner_search__ask", "arguments": [{"name": "topic", "required": true}]},` +
			`{"name":"owner_ship","description":"Ships.","arguments":[{"name":"arguments","description":"<what>","required":false}]}]}`},
		{"resources/list", "", `"result":{"resources":[{"uri":"agent://owner/critic","name":"owner:critic","description":"A critic.","mimeType":"text/markdown"},{"uri": "notes://today", "name": "today"},` +
			`…{"uri":"skill://owner/review/SKILL.md","name":"owner:review","description":"Reviews <it>.","mimeType":"text/markdown"}]}`},
		{"resources/templates/list", "", `"result":{"resourceTemplates":[{"uriTemplate": "notes://{year}/{+rest}", "name": "a year"}]}`},
	} {
		rest := w.request(c.method, c.params)
		got := rest
		for part := range strings.SplitSeq(c.want, "…") {
			at := strings.Index(rest, part)
			if at < 0 {
				t.Fatalf("%s %s: got %s, want %s (no %s)", c.method, c.params, got, c.want, part)
			}
			rest = rest[at+len(part):]
		}
		if rest != "" {
			t.Errorf("%s: got %s at the end of %s, want nothing more", c.method, rest, got)
		}
	}
}

// TestCallByteForByte wants the argument, the result and the error of a server
// passed on as they came.
func TestCallByteForByte(t *testing.T) {
	b := workspace(t, said)
	w := dial(t, b.gateway(gateway.Options{}))
	w.request("tools/list", "")
	for _, c := range []struct{ name, params, asked, answer, want string }{
		{
			"a result", `{"name":"owner_search__find","arguments":{"q":"<\u00e9 é>","n":1.10,"b":1,"a":2}}`,
			`{"name":"find","arguments":{"q":"<\u00e9 é>","n":1.10,"b":1,"a":2}}`,
			`"result":{"zeta":1.0,"content":[{"type":"odd","x":"\u00e9 <&>"}],"structuredContent":[1e3],"isError":false,"_meta":{"k":1.0}}`, "",
		},
		{"blanks", `{ "name" : "owner_search__find" }`, `{ "name" : "find" }`, `"result":{ "content" : [ ] }`, ""},
		{"an error", `{"name":"owner_search__find","arguments":{}}`, `{"name":"find","arguments":{}}`, `"error":{"code":-32099,"message":"<odd>\n\u001b","data":{"k":[1.0,"\u00e9"]}}`, ""},
		{"a name of any characters", "", `{"name":"a.b/c"}`, `"result":{"content":[]}`, ""},
		{"what nobody here knows", `{"task":{"ttl":1},"name":"owner_search__find","_meta":{"k":1.0},"arguments":null}`, `{"task":{"ttl":1},"name":"find","_meta":{"k":1.0},"arguments":null}`, `"result":{"resultType":"task","taskId":"1"}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.answers(says(c.answer))
			if c.params == "" {
				list := w.request("tools/list", "")
				at := strings.Index(list, "owner_search__a-b-c--")
				c.params = `{"name":"` + list[at:at+len("owner_search__a-b-c--")+12] + `"}`
			}
			if c.want == "" {
				c.want = c.answer
			}
			if got := w.request("tools/call", c.params); got != c.want {
				t.Errorf("the answer: got %s, want %s", got, c.want)
			}
			if got, want := b.asked(), "owner:search tools/call "+c.asked; got != want {
				t.Errorf("the server was asked %s, want %s", got, want)
			}
		})
	}
}

// code is the code of an error that the protocol carries.
func code(err error) int64 {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

func TestUnknownNames(t *testing.T) {
	b := workspace(t, said)
	s, _ := pipes(t, b.gateway(gateway.Options{}), nil)
	_, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "owner_search__fnid\x1b"})
	if code(err) != -32602 || !strings.Contains(err.Error(), `owner_search__fnid\x1b`) {
		t.Errorf("an unknown tool: got %v, want -32602 and its name, made safe", err)
	}
	_, err = s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "nothing"})
	if code(err) != -32602 || !strings.Contains(err.Error(), `"nothing"`) {
		t.Errorf("an unknown prompt: got %v, want -32602 and its name", err)
	}
	_, err = s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "skill://owner/nothing/SKILL.md"})
	if code(err) != -32002 || !strings.Contains(err.Error(), "skill://owner/nothing/SKILL.md") {
		t.Errorf("an unknown address: got %v, want -32002 and the address", err)
	}
	if got := b.asked(); got != "" {
		t.Errorf("a server was asked %s, want nobody asked", got)
	}
	w := dial(t, b.gateway(gateway.Options{}))
	for _, params := range []string{`{}`, `{"name":""}`} {
		for _, method := range []string{"tools/call", "prompts/get", "resources/read"} {
			if got := w.request(method, params); !strings.HasPrefix(got, `"error":{"code":-32602,`) {
				t.Errorf("%s %s: got %s, want -32602", method, params, got)
			}
		}
	}
}

// What was disabled by somebody else between two calls is refused at once, in a
// result that says why, although the client has not listed again.
func TestRefusalIsAResult(t *testing.T) {
	b := workspace(t, said)
	b.answers(says(`"result":{"content":[{"type":"text","text":"found"}]}`))
	s, _ := pipes(t, b.gateway(gateway.Options{}), nil)
	find := &mcp.CallToolParams{Name: "owner_search__find"}
	if r, err := s.CallTool(t.Context(), find); err != nil || r.IsError {
		t.Fatalf("the call: got %+v, %v, want it to be answered", r, err)
	}
	other := b.open()
	if _, err := other.Disable(t.Context(), host.Change{Subject: "owner:server/search", Reason: "it leaks <secrets>", By: "tester"}); err != nil {
		t.Fatal(err)
	}
	b.driver.mu.Lock()
	b.driver.asked = nil
	b.driver.mu.Unlock()
	r, err := s.CallTool(t.Context(), find)
	if err != nil || !r.IsError || len(r.Content) != 1 {
		t.Fatalf("the call after it was disabled: got %+v, %v, want a result that is an error", r, err)
	}
	if text, ok := r.Content[0].(*mcp.TextContent); !ok || !strings.Contains(text.Text, "owner:search/find") || !strings.Contains(text.Text, "disabled: it leaks <secrets>") {
		t.Errorf("the call after it was disabled: got %+v, want what it was and why it is refused", r.Content[0])
	}
	if got := b.asked(); got != "" {
		t.Errorf("the server was asked %s, want it left alone", got)
	}
	if _, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "owner_search__ask"}); code(err) != -32000 || !strings.Contains(err.Error(), "it leaks <secrets>") {
		t.Errorf("its prompt: got %v, want -32000 and why", err)
	}
	if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "notes://today"}); code(err) != -32000 || !strings.Contains(err.Error(), "it leaks <secrets>") {
		t.Errorf("its resource: got %v, want -32000 and why", err)
	}
	if got := toolNames(t, s); strings.Contains(got, "search") {
		t.Errorf("tools/list: got %s, want it gone", got)
	}
	if _, err := s.CallTool(t.Context(), find); code(err) != -32602 {
		t.Errorf("the call after listing again: got %v, want -32602", err)
	}
	if _, err := other.Enable(t.Context(), host.Change{Subject: "owner:server/search"}); err != nil {
		t.Fatal(err)
	}
	toolNames(t, s)
	if r, err := s.CallTool(t.Context(), find); err != nil || r.IsError {
		t.Errorf("the call after it was enabled: got %+v, %v, want it to be answered", r, err)
	}
}

// What cannot be reached is a result as well, and costs nothing else.
func TestUnreachableIsAResult(t *testing.T) {
	b := workspace(t, said)
	s, _ := pipes(t, b.gateway(gateway.Options{}), nil)
	b.answers(says(`"x":1`))
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "owner_search__find"})
	if err != nil || !r.IsError {
		t.Errorf("an answer that is none: got %+v, %v, want a result that is an error", r, err)
	}
}

// Progress comes before the result, with the token that the client gave.
func TestProgressBeforeTheResult(t *testing.T) {
	b := workspace(t, said)
	b.answers(func(_ context.Context, _ string, params json.RawMessage, notify func(string)) string {
		var p struct {
			Meta struct {
				Token json.RawMessage `json:"progressToken"`
			} `json:"_meta"`
		}
		if err := json.Unmarshal(params, &p); err != nil {
			t.Error(err)
		}
		for _, n := range []string{"1", "2"} {
			notify(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + string(p.Meta.Token) + `,"progress":` + n + `,"total":2,"message":"step"}}`)
			notify(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`)
		}
		return `"result":{"content":[]}`
	})
	w := dial(t, b.gateway(gateway.Options{}))
	frames := w.post(`{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"owner_search__find","_meta":{"progressToken":"tok","other":1}}}`)
	const logged = `"method":"notifications/message","params":{"level":"info","data":"x"}`
	want := []string{
		`"method":"notifications/progress","params":{"progressToken":"tok","progress":1,"total":2,"message":"step"}`, logged,
		`"method":"notifications/progress","params":{"progressToken":"tok","progress":2,"total":2,"message":"step"}`, logged,
		`"id":"c","result":{"content":[]}`,
	}
	if len(frames) != len(want) {
		t.Fatalf("got %q, want progress and a log message twice, and then the result", frames)
	}
	for i := range want {
		if got, want := frames[i], `{"jsonrpc":"2.0",`+want[i]+`}`; got != want {
			t.Errorf("frame %d: got %s, want %s", i, got, want)
		}
	}
	if got := b.asked(); !strings.Contains(got, `"_meta":{"progressToken":"tok","other":1}`) {
		t.Errorf("the server was asked %s, want the client's _meta in it", got)
	}

	came := make(chan float64, 10)
	s, _ := pipes(t, b.gateway(gateway.Options{}), &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		came <- r.Params.Progress
	}})
	p := &mcp.CallToolParams{Name: "owner_search__find"}
	p.SetProgressToken(7)
	if _, err := s.CallTool(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if one, two := wait(t, "progress", came), wait(t, "more progress", came); one != 1 || two != 2 {
		t.Errorf("progress over pipes: got %v and %v, want 1 and 2", one, two)
	}
}

func asText(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestPrompts(t *testing.T) {
	b := workspace(t, said)
	s, _ := pipes(t, b.gateway(gateway.Options{}), nil)
	for _, c := range []struct {
		name      string
		arguments map[string]string
		want      string
	}{
		{"owner_ship", map[string]string{"arguments": "it & <all>"}, "Ship it & <all> now.\n"},
		{"owner_ship", nil, "Ship  now.\n"},
		{"owner_rest", nil, "Rest.\n"},
		{"owner_rest", map[string]string{"arguments": "long"}, "Rest.\n\nArguments: long\n"},
	} {
		r, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: c.name, Arguments: c.arguments})
		if err != nil || len(r.Messages) != 1 || r.Messages[0].Role != "user" {
			t.Fatalf("%s: got %+v, %v, want one message of the user", c.name, r, err)
		}
		if text, ok := r.Messages[0].Content.(*mcp.TextContent); !ok || text.Text != c.want {
			t.Errorf("%s %v: got %+v, want %q", c.name, c.arguments, r.Messages[0].Content, c.want)
		}
	}
	b.answers(says(`"result":{"messages":[{"role":"assistant","content":{"type":"text","text":"yes"}}]}`))
	r, err := s.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "owner_search__ask", Arguments: map[string]string{"topic": "x"}})
	if err != nil || len(r.Messages) != 1 || r.Messages[0].Role != "assistant" {
		t.Errorf("the server's prompt: got %+v, %v, want its answer", r, err)
	}
	if got, want := b.asked(), `owner:search prompts/get {"arguments":{"topic":"x"},"name":"ask"}`; got != want {
		t.Errorf("the server was asked %s, want %s", got, want)
	}
}

func TestResources(t *testing.T) {
	b := workspace(t, said)
	s, _ := pipes(t, b.gateway(gateway.Options{}), nil)
	for uri, want := range map[string]string{"skill://owner/review/SKILL.md": "Review & say so.\n", "agent://owner/critic": "Be severe.\n"} {
		r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || len(r.Contents) != 1 || r.Contents[0].Text != want || r.Contents[0].URI != uri || r.Contents[0].MIMEType != "text/markdown" {
			t.Errorf("%s: got %+v, %v, want %q", uri, r, err, want)
		}
	}
	b.answers(says(`"result":{"contents":[{"uri":"x","text":"theirs"}]}`))
	for _, uri := range []string{"notes://today", "notes://2026/a/b?c"} {
		r, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || len(r.Contents) != 1 || r.Contents[0].Text != "theirs" {
			t.Errorf("%s: got %+v, %v, want what the server answers", uri, r, err)
		}
		if got, want := b.asked(), `owner:search resources/read {"uri":"`+uri+`"}`; got != want {
			t.Errorf("the server was asked %s, want %s", got, want)
		}
	}
	for _, uri := range []string{"notes://2026", "other://2026/a", "notes:/2026/a", "skill://owner/review"} {
		if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); code(err) != -32002 {
			t.Errorf("%s: got %v, want -32002", uri, err)
		}
	}
	if _, err := b.open().Disable(t.Context(), host.Change{Subject: "owner:review", Reason: "old", By: "tester"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "skill://owner/review/SKILL.md"}); code(err) != -32000 || !strings.Contains(err.Error(), "disabled: old") {
		t.Errorf("a disabled skill: got %v, want -32000 and why", err)
	}
}

// A panic costs the request in which it happened, and nothing else.
func TestPanicCostsOneRequest(t *testing.T) {
	b := workspace(t, said)
	s, _ := pipes(t, b.gateway(gateway.Options{}), nil)
	b.answers(says(`"panic":true`))
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "owner_search__find"}); code(err) != jsonrpc.CodeInternalError || strings.Contains(err.Error(), "wits") {
		t.Errorf("the call: got %v, want an internal error that tells nothing of the inside", err)
	}
	b.answers(says(`"result":{"content":[]}`))
	if r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "owner_search__find"}); err != nil || r.IsError {
		t.Errorf("the call after it: got %+v, %v, want it answered", r, err)
	}
}

// A client that cancels is not answered, and what is in flight is given up.
func TestCancelled(t *testing.T) {
	b := workspace(t, said)
	began, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	b.answers(func(ctx context.Context, _ string, _ json.RawMessage, _ func(string)) string {
		began <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return `"result":{}`
	})
	s, _ := pipes(t, b.gateway(gateway.Options{}), nil)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "owner_search__find"})
		failed <- err
	}()
	wait(t, "the call", began)
	cancel()
	wait(t, "the end of the call at the driver", ended)
	if err := wait(t, "the end of the call at the client", failed); err == nil {
		t.Error("the call: want that it was cancelled")
	}
	if got := toolNames(t, s); !strings.Contains(got, "owner_search__find") {
		t.Errorf("afterwards: got %s, want the session to go on", got)
	}
}

// Only one server is offered, by its own names and in its own order.
func TestOnly(t *testing.T) {
	b := workspace(t, said)
	g := b.gateway(gateway.Options{Offer: sessionOnly("owner:search")})
	s, _ := pipes(t, g, nil)
	if got, want := toolNames(t, s), "find a.b/c"; got != want {
		t.Errorf("tools: got %s, want %s", got, want)
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "find"}); err != nil {
		t.Error(err)
	}
	if got, want := b.asked(), `owner:search tools/call {"name":"find","arguments":{}}`; got != want {
		t.Errorf("the server was asked %s, want %s", got, want)
	}
	if got := s.InitializeResult().Instructions; got != "Search says so." {
		t.Errorf("instructions: got %q, want what the server itself says, as to who connects directly", got)
	}
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "mortise_list"}); code(err) != -32602 {
		t.Errorf("something else: got %v, want -32602", err)
	}
}
