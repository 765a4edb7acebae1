package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/face/gateway"
)

// asksFirst is a server that asks the client something before it answers a call, and
// answers with what it was told.
func asksFirst(b *bench, question string) {
	b.answers(func(ctx context.Context, method string, _ json.RawMessage, notify func(string)) string {
		if method != "tools/call" {
			return `"result":{}`
		}
		notify(question)
		select {
		case told := <-b.driver.heard:
			text, err := json.Marshal(told)
			if err != nil {
				return `"error":{"code":-32603,"message":"what was told cannot be written"}`
			}
			return `"result":{"content":[{"type":"text","text":` + string(text) + `}]}`
		case <-ctx.Done():
			return `"result":{}`
		}
	})
}

func textOf(t *testing.T, r *mcp.CallToolResult, err error) string {
	t.Helper()
	if err != nil || len(r.Content) != 1 {
		t.Fatalf("the call: got %+v, %v, want one text", r, err)
	}
	text, ok := r.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("the call: got %+v, want text", r.Content[0])
	}
	return text.Text
}

// What a server asks while it works reaches the client, whichever way it came, and
// the answer comes back under the server's own id, with everything in it.
func TestQuestionsOfServersCross(t *testing.T) {
	b := workspace(t, said)
	o := &mcp.ClientOptions{
		CreateMessageHandler: func(_ context.Context, r *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) { //nolint:staticcheck // deprecated, and what gateways have to get through
			return &mcp.CreateMessageResult{Role: "assistant", Model: "none", Content: &mcp.TextContent{Text: "about " + r.Params.SystemPrompt}}, nil //nolint:staticcheck // likewise
		},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"told": r.Params.Message}}, nil
		},
	}
	for _, c := range []struct{ name, question, want string }{
		{"sampling", `{"jsonrpc":"2.0","id":"s-1","method":"sampling/createMessage","params":{"messages":[],"maxTokens":3,"systemPrompt":"blue"}}`, "about blue"},
		{"elicitation", `{"jsonrpc":"2.0","id":71,"method":"elicitation/create","params":{"message":"which?","requestedSchema":{"type":"object","properties":{"told":{"type":"string"}}}}}`, `"told":"which?"`},
		{"roots", `{"jsonrpc":"2.0","id":"r","method":"roots/list"}`, `"roots":[`},
		{"ping", `{"jsonrpc":"2.0","id":"p","method":"ping"}`, `"result":{}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			asksFirst(b, c.question)
			over(t, b, o, func(t *testing.T, s *mcp.ClientSession) {
				r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "owner_search__find"})
				var q struct{ ID json.RawMessage }
				if err := json.Unmarshal([]byte(c.question), &q); err != nil {
					t.Fatal(err)
				}
				got := textOf(t, r, err)
				if !strings.Contains(got, c.want) || !strings.Contains(got, `"id":`+string(q.ID)) {
					t.Errorf("the server was told %s, want %s under the id %s", got, c.want, q.ID)
				}
			})
		})
	}
}

// An answer counts from the client that was asked alone: an id is of one session,
// and another session that uses it answers nothing.
func TestNobodyAnswersForAnother(t *testing.T) {
	b := workspace(t, said)
	g := b.gateway(gateway.Options{})
	asked := make(chan struct{}, 1)
	b.answers(func(ctx context.Context, _ string, _ json.RawMessage, notify func(string)) string {
		notify(`{"jsonrpc":"2.0","id":"q","method":"ping"}`)
		asked <- struct{}{}
		select {
		case told := <-b.driver.heard:
			return `"result":{"content":[],"_meta":` + told + `}`
		case <-ctx.Done():
			return `"result":{}`
		}
	})
	a, other := dial(t, g), dial(t, g)
	answered := make(chan []string, 1)
	go func() {
		answered <- a.post(`{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"owner_search__find"}}`)
	}()
	wait(t, "the question", asked)
	for id := range 9 {
		other.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"forged":true}}`, id))
		other.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d","result":{"forged":true}}`, id))
	}
	var frames []string
	for end := time.Now().Add(patience); frames == nil && time.Now().Before(end); {
		a.post(`{"jsonrpc":"2.0","id":1,"result":{"forged":false}}`) // what comes before the question is an answer to nothing
		select {
		case frames = <-answered:
		default:
		}
	}
	if len(frames) == 0 {
		t.Fatal("no answer came")
	}
	if last := frames[len(frames)-1]; !strings.Contains(last, `"forged":false`) {
		t.Errorf("got %s, want what the client that was asked answered", last)
	}
}

// Clients that number their requests alike, hundreds at once, numbers beside texts of
// the same spelling, get their own answers and their own progress, however long each
// takes.
func TestField_TRA03_nothing_crosses_between_clients(t *testing.T) {
	b := workspace(t, said)
	g := b.gateway(gateway.Options{})
	const clients, calls = 2, 250 // and as many with ids that are texts
	var gate sync.WaitGroup       // answers come when all have asked, in no order
	gate.Add(2 * clients * calls)
	b.answers(func(ctx context.Context, method string, params json.RawMessage, notify func(string)) string {
		var p struct {
			Arguments json.RawMessage `json:"arguments"`
			Meta      struct {
				Token json.RawMessage `json:"progressToken"`
			} `json:"_meta"`
		}
		if json.Unmarshal(params, &p) != nil || method != "tools/call" {
			return `"error":{"code":-32602,"message":"no call"}`
		}
		gate.Done()
		gate.Wait()
		notify(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + string(p.Meta.Token) + `,"progress":1,"message":` + string(p.Arguments) + `}}`)
		return `"result":{"content":[],"structuredContent":` + string(p.Arguments) + `}`
	})
	var all sync.WaitGroup
	for n := range clients {
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		go func() { _ = g.Serve(t.Context(), in, out) }()
		all.Go(func() { readOwn(t, n, 2*calls, fromServer) })
		say := func(frame string) {
			if _, err := io.WriteString(toServer, frame+"\n"); err != nil {
				t.Error(err)
			}
		}
		all.Go(func() {
			say(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"wire","version":"1"}}}`)
			for i := range calls {
				for _, id := range []string{strconv.Itoa(i), strconv.Quote(strconv.Itoa(i))} {
					own, err := json.Marshal(fmt.Sprintf("%d/%s", n, id))
					if err != nil {
						t.Error(err)
						return
					}
					say(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"owner_search__find","arguments":{"of":` + string(own) + `},"_meta":{"progressToken":` + id + `}}}`)
				}
			}
		})
	}
	all.Wait()
}

// readOwn reads answers of client n until it has as many as it asked for, each once,
// with its own text in it and progress before it.
func readOwn(t *testing.T, n, want int, from io.Reader) {
	d := json.NewDecoder(from)
	progress, answered := map[string]bool{}, map[string]bool{}
	for len(answered) < want {
		var f struct {
			ID     json.RawMessage
			Error  json.RawMessage
			Params struct {
				Token   json.RawMessage `json:"progressToken"`
				Message struct{ Of string }
			}
			Result struct {
				StructuredContent struct{ Of string }
			}
		}
		if err := d.Decode(&f); err != nil {
			t.Errorf("client %d has %d of %d answers: %v", n, len(answered), want, err)
			return
		}
		id, of, told := string(f.ID), f.Result.StructuredContent.Of, answered
		if id == `"hello"` {
			continue
		}
		if f.ID == nil {
			id, of, told = string(f.Params.Token), f.Params.Message.Of, progress
		} else if !progress[id] {
			t.Errorf("client %d: the answer to %s came before its progress", n, id)
		}
		if own := fmt.Sprintf("%d/%s", n, id); of != own || told[id] || f.Error != nil {
			t.Errorf("client %d: %s got what is of %q (error %s), want what is of %q, once", n, id, of, f.Error, own)
		}
		told[id] = true
	}
}

// Two servers that have resources are asked each for its own; that a list of a server
// has changed is told when it has been read anew, not by the server.
func TestField_TRA09_TRA10_two_servers_with_resources(t *testing.T) {
	b := workspace(t, said)
	b.describe("other", `{"resources": [{"uri": "notes://today", "name": "theirs"}, {"uri": "other://one", "name": "one"}], "tools": [{"name": "find", "inputSchema": {"type": "object"}}]}`)
	b.answers(func(_ context.Context, method string, _ json.RawMessage, notify func(string)) string {
		notify(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		if method == "resources/read" {
			return `"result":{"contents":[]}`
		}
		return `"result":{"content":[]}`
	})
	w := dial(t, b.gateway(gateway.Options{}))
	for uri, want := range map[string]string{"other://one": "owner:other", "notes://2026/x": "owner:search"} {
		if got := w.request("resources/read", `{"uri":"`+uri+`"}`); got != `"result":{"contents":[]}` {
			t.Errorf("%s: got %s", uri, got)
		}
		if got, want := b.asked(), want+` resources/read {"uri":"`+uri+`"}`; got != want {
			t.Errorf("asked %s, want %s", got, want)
		}
	}
	list := w.request("resources/list", "")
	if strings.Count(list, `"notes://today"`) != 1 || !strings.Contains(list, `"other://one"`) {
		t.Errorf("the list: got %s, want the address that both have once, and the other", list)
	}
	for name, want := range map[string]string{"owner_search__find": "owner:search", "owner_other__find": "owner:other"} {
		frames := w.post(`{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":"` + name + `"}}`)
		if got := b.asked(); !strings.HasPrefix(got, want+" ") {
			t.Errorf("%s: asked %s, want %s", name, got, want)
		}
		if len(frames) != 1 {
			t.Errorf("%s: got %q, want the answer alone", name, frames)
		}
	}
}

// Two requests of a session that use one id at once cannot be told apart: the second
// is refused, and the first is answered.
func TestAnIdInFlightIsRefused(t *testing.T) {
	b := workspace(t, said)
	began, release := make(chan struct{}, 1), make(chan struct{})
	b.answers(func(ctx context.Context, _ string, _ json.RawMessage, _ func(string)) string {
		began <- struct{}{}
		select {
		case <-release:
		case <-ctx.Done():
		}
		return `"result":{"content":[]}`
	})
	w := dial(t, b.gateway(gateway.Options{}))
	const frame = `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"owner_search__find"}}`
	first := make(chan []string, 1)
	go func() { first <- w.post(frame) }()
	wait(t, "the first call", began)
	if got := w.post(frame); len(got) != 1 || !strings.Contains(got[0], "a request with that id is in flight") {
		t.Errorf("the second: got %q, want it refused and why", got)
	}
	close(release)
	if got := wait(t, "the answer to the first", first); len(got) != 1 || !strings.Contains(got[0], `"result"`) {
		t.Errorf("the first: got %q, want its answer", got)
	}
}

// Subscriptions go to the server that has the resource, and what it tells of the
// resource comes to the client although it waits for nothing.
func TestSubscriptionsCross(t *testing.T) {
	b := workspace(t, said)
	b.answers(func(_ context.Context, method string, _ json.RawMessage, notify func(string)) string {
		if method == "resources/subscribe" {
			notify(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"notes://today","_meta":{"k":1}}}`)
		}
		return `"result":{}`
	})
	updated := make(chan string, 8)
	o := &mcp.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
		updated <- r.Params.URI
	}}
	over(t, b, o, func(t *testing.T, s *mcp.ClientSession) {
		if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "notes://today"}); err != nil {
			t.Fatal(err)
		}
		if got := b.asked(); got != `owner:search resources/subscribe {"uri":"notes://today"}` {
			t.Errorf("the server was asked %s, want the subscription", got)
		}
		if got := wait(t, "the update", updated); got != "notes://today" {
			t.Errorf("updated: got %s", got)
		}
		if err := s.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: "notes://today"}); err != nil {
			t.Fatal(err)
		}
		if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "skill://owner/review/SKILL.md"}); err != nil {
			t.Errorf("what is text here: got %v, want it accepted", err)
		}
		if err := s.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "nothing://x"}); code(err) != -32002 {
			t.Errorf("an unknown address: got %v, want -32002", err)
		}
	})
}

// Completion is the server's, asked by its own name of the prompt.
func TestCompletionCrosses(t *testing.T) {
	b := workspace(t, said)
	b.answers(says(`"result":{"completion":{"values":["tea"],"total":1}}`))
	w := dial(t, b.gateway(gateway.Options{}))
	for _, c := range []struct{ ref, asked string }{
		{`{"type":"ref/prompt","name":"owner_search__ask"}`, `{"type":"ref/prompt","name":"ask"}`},
		{`{"type":"ref/resource","uri":"notes://{year}/{+rest}"}`, `{"type":"ref/resource","uri":"notes://{year}/{+rest}"}`},
	} {
		got := w.request("completion/complete", `{"ref":`+c.ref+`,"argument":{"name":"topic","value":"t"},"context":{"arguments":{}}}`)
		if got != `"result":{"completion":{"values":["tea"],"total":1}}` {
			t.Errorf("%s: got %s, want what the server answers", c.ref, got)
		}
		if got, want := b.asked(), `owner:search completion/complete {"ref":`+c.asked+`,"argument":{"name":"topic","value":"t"},"context":{"arguments":{}}}`; got != want {
			t.Errorf("the server was asked %s, want %s", got, want)
		}
	}
	if got := w.request("completion/complete", `{"ref":{"type":"ref/prompt","name":"owner_ship"},"argument":{"name":"arguments","value":"t"}}`); got != `"result":{"completion":{"values":[],"hasMore":false}}` {
		t.Errorf("a command: got %s, want that nothing is known", got)
	}
	if got := w.request("completion/complete", `{"ref":{"type":"ref/prompt","name":"nothing"},"argument":{"name":"a","value":"t"}}`); !strings.HasPrefix(got, `"error":{"code":-32602,`) {
		t.Errorf("an unknown prompt: got %s, want -32602", got)
	}
}

// A client says once which log messages it wants; servers that it uses before and
// after are told.
func TestLogLevelReachesEveryServer(t *testing.T) {
	b := workspace(t, said)
	levels := make(chan string, 8)
	b.answers(func(_ context.Context, method string, params json.RawMessage, _ func(string)) string {
		if method == "logging/setLevel" {
			levels <- string(params)
			return `"result":{}`
		}
		return `"result":{"content":[]}`
	})
	w := dial(t, b.gateway(gateway.Options{}))
	if got := w.request("logging/setLevel", `{"level":"debug"}`); got != `"result":{}` {
		t.Fatalf("before any call: got %s", got)
	}
	w.request("tools/call", `{"name":"owner_search__find"}`)
	if got := wait(t, "the level at a new link", levels); got != `{"level":"debug"}` {
		t.Errorf("a server that is used after: told %s", got)
	}
	w.request("logging/setLevel", `{"level":"error"}`)
	if got := wait(t, "the level at a link that was there", levels); got != `{"level":"error"}` {
		t.Errorf("a server that was used before: told %s", got)
	}
}

// What was asked before the end of the input is answered: a request can be piped
// into the program.
func TestInputThatEndsIsAnswered(t *testing.T) {
	b := workspace(t, said)
	b.answers(says(`"result":{"content":[{"type":"text","text":"found"}]}`))
	g := b.gateway(gateway.Options{})
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"pipe","version":"1"}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"owner_search__find"}}`)
	out := &written{}
	if err := g.Serve(t.Context(), nopCloser{in}, out); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 2 || !strings.Contains(lines[1], "found") {
		t.Errorf("got %q, want both requests answered", lines)
	}
}

type nopCloser struct{ *strings.Reader }

func (nopCloser) Close() error { return nil }

// written keeps what is written to it until it is closed.
type written struct {
	mu sync.Mutex
	strings.Builder
}

func (w *written) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Builder.Write(b)
}

func (w *written) Close() error { return nil }
