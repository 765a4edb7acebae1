package gateway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// wanted is the question that an answer puts, and the state that is to come back.
func wanted(t *testing.T, frames []string) (key, state string) {
	t.Helper()
	var f struct {
		Result struct {
			ResultType    string
			InputRequests map[string]struct{ Method string }
			RequestState  string
		}
	}
	last := frames[len(frames)-1]
	if err := json.Unmarshal([]byte(last), &f); err != nil || f.Result.ResultType != "input_required" || len(f.Result.InputRequests) != 1 {
		t.Errorf("got %s, %v, want a question", last, err)
		return "", ""
	}
	for key = range f.Result.InputRequests {
		if f.Result.InputRequests[key].Method != "elicitation/create" {
			t.Errorf("got %s, want a question for the person", last)
		}
	}
	return key, f.Result.RequestState
}

const askTool = `"name":"owner_search__ask","arguments":{"q":"x","p":1},`

// TestStatesHold wants a state to be good for the very call that it was given for,
// once, and for nothing else.
func TestStatesHold(t *testing.T) {
	e := newEra(t, false)
	can := meta(`{"elicitation":{}}`, "")
	_, frames := e.raw("1", "tools/call", askTool+can)
	key, state := wanted(t, frames)
	back := func(tool, state string) string {
		t.Helper()
		_, frames := e.raw("2", "tools/call", tool+fmt.Sprintf(`"inputResponses":{%q:{"action":"accept","content":{"name":"Ada"}}},"requestState":%q,`, key, state)+can)
		return frames[len(frames)-1]
	}
	for name, got := range map[string]string{
		"forged":             back(askTool, state[:len(state)-1]+"!"),
		"made up":            back(askTool, "state"),
		"of another tool":    back(`"name":"owner_search__find","arguments":{"q":"x","p":1},`, state),
		"of other arguments": back(`"name":"owner_search__ask","arguments":{"q":"y","p":1},`, state),
	} {
		if !strings.Contains(got, `"code":-32602`) || !strings.Contains(got, `"id":2`) {
			t.Errorf("a state that is %s: got %s, want -32602", name, got)
		}
	}
	if got := back(`"name":"owner_search__ask","arguments":{"p":1.0, "q":"\u0078"},`, state); !strings.Contains(got, "hello Ada") || !strings.Contains(got, `"id":2`) {
		t.Errorf("the state with its call, spelled otherwise: got %s, want the answer", got)
	}
	if got := back(askTool, state); !strings.Contains(got, `"code":-32602`) {
		t.Errorf("the state once more: got %s, want -32602", got)
	}
}

// What was not answered is asked again, under another state.
func TestAsksAgain(t *testing.T) {
	e := newEra(t, false)
	can := meta(`{"elicitation":{}}`, "")
	_, frames := e.raw("1", "tools/call", askTool+can)
	key, first := wanted(t, frames)
	_, frames = e.raw("2", "tools/call", askTool+fmt.Sprintf(`"inputResponses":{"another":{}},"requestState":%q,`, first)+can)
	again, second := wanted(t, frames)
	if again != key || second == first {
		t.Errorf("asked again: got %s with %s, want %s and another state than %s", again, second, key, first)
	}
	_, frames = e.raw("3", "tools/call", askTool+fmt.Sprintf(`"inputResponses":{%q:{"action":"decline"}},"requestState":%q,`, key, second)+can)
	if got := frames[len(frames)-1]; !strings.Contains(got, "hello <nil>") && !strings.Contains(got, `hello \u003cnil\u003e`) {
		t.Errorf("declined: got %s, want the server told so", got)
	}
}

// TestAsksNobody wants a server told that a client which declared nothing cannot be
// asked.
func TestAsksNobody(t *testing.T) {
	e := newEra(t, false)
	status, frames := e.raw("1", "tools/call", askTool+meta("{}", ""))
	if got := frames[len(frames)-1]; status != http.StatusOK || strings.Contains(got, "input_required") || !strings.Contains(got, "elicit") {
		t.Errorf("got %d %s, want the server's own error", status, got)
	}
}

// A call that waits for its client ends with the gateway.
func TestParkedCallsEndWithTheGateway(t *testing.T) {
	e := newEra(t, false)
	_, frames := e.raw("1", "tools/call", askTool+meta(`{"elicitation":{}}`, ""))
	wanted(t, frames)
	closed := make(chan struct{})
	go func() { e.g.Close(); close(closed) }()
	wait(t, "the end of the gateway", closed)
}

// A person decides about a call of a client of this revision too: the question goes out
// in the answer, and the call goes on with what they said.
func TestPersonDecidesStatelessly(t *testing.T) {
	for _, modern := range []bool{false, true} {
		for answer, want := range map[string]string{"allow this call": "found", "refuse": "isError"} {
			t.Run(answer+" for a server that is "+eraName(modern), func(t *testing.T) {
				e := newEra(t, modern)
				e.bench.write(".mortise/policies/confirm.yaml", strings.ReplaceAll(confirm, "query", "q"))
				e.readopt()
				call := `"name":"owner_search__find","arguments":{"q":"x"},` + meta(`{"elicitation":{"form":{}}}`, "")
				_, frames := e.raw("1", "tools/call", call)
				key, state := wanted(t, frames)
				if !strings.Contains(frames[0], "An agent wants to call owner:search/find") {
					t.Errorf("the question: got %s, want it to say what is called", frames[0])
				}
				_, frames = e.raw("2", "tools/call", fmt.Sprintf(`"inputResponses":{%q:{"action":"accept","content":{"answer":%q}}},"requestState":%q,`, key, answer, state)+call)
				if got := frames[len(frames)-1]; !strings.Contains(got, want) || !strings.Contains(got, `"resultType":"complete"`) {
					t.Errorf("got %s, want %s", got, want)
				}
				_, frames = e.raw("3", "tools/call", `"name":"owner_search__find","arguments":{"q":"x"},`+meta("{}", ""))
				if got := frames[len(frames)-1]; !strings.Contains(got, "isError") {
					t.Errorf("a client that cannot ask: got %s, want a denial", got)
				}
			})
		}
	}
}

// readopt adopts the workspace as it is written now.
func (e *era) readopt() {
	e.t.Helper()
	p, _, err := e.bench.host.Propose(e.t.Context())
	if err != nil {
		e.t.Fatal(err)
	}
	if err := e.bench.host.Adopt(e.t.Context(), "tester", p); err != nil {
		e.t.Fatal(err)
	}
	e.bench.refresh()
}

// TestCancelStateless wants a request that is given up given up at the server: over HTTP
// by the end of its stream, over pipes by the notice.
func TestCancelStateless(t *testing.T) {
	for _, modern := range []bool{false, true} {
		for _, can := range []string{"{}", `{"elicitation":{}}`} {
			t.Run(fmt.Sprintf("a server that is %s, a client that can %s", eraName(modern), can), func(t *testing.T) {
				e := newEra(t, modern)
				began, ended := make(chan struct{}, 2), make(chan struct{}, 2)
				e.server.AddTool(&mcp.Tool{Name: "find", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					began <- struct{}{}
					<-ctx.Done()
					ended <- struct{}{}
					return nil, ctx.Err()
				})
				call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"owner_search__find","arguments":{},` + meta(can, "") + `}}`
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, strings.NewReader(call))
				if err != nil {
					t.Fatal(err)
				}
				for name, value := range map[string]string{"Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "owner_search__find"} {
					req.Header.Set(name, value)
				}
				go func() {
					if res, err := http.DefaultClient.Do(req); err == nil {
						_ = res.Body.Close()
					}
				}()
				wait(t, "the call over HTTP", began)
				cancel()
				wait(t, "its end", ended)
				fromClient, toServer := io.Pipe()
				go func() { _ = e.g.Serve(context.Background(), fromClient, discard{}) }()
				_, _ = io.WriteString(toServer, call+"\n")
				wait(t, "the call over pipes", began)
				_, _ = io.WriteString(toServer, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+"\n")
				wait(t, "its end", ended)
				_ = toServer.Close()
			})
		}
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) Close() error                { return nil }

// Sampling and roots are asked for as elicitation is. Roots of a client over HTTP are
// not: its server could not tell them from those of the next.
func TestAsksForRootsAndSampling(t *testing.T) {
	e := newEra(t, false)
	object := json.RawMessage(`{"type":"object"}`)
	e.server.AddTool(&mcp.Tool{Name: "find", InputSchema: object}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		roots, err := r.Session.ListRoots(ctx, nil) //nolint:staticcheck // what is deprecated is carried still
		if err != nil {
			return nil, err
		}
		said, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 1}) //nolint:staticcheck // likewise
		if err != nil {
			return nil, err
		}
		text := fmt.Sprintf("%s and %s", roots.Roots[0].URI, said.Content.(*mcp.TextContent).Text)
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	})
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	go func() { _ = e.g.Serve(context.Background(), fromClient, toClient) }()
	lines := scan(fromServer)
	answers := map[string]string{
		"roots/list":             `{"roots":[{"uri":"file:///mine"}]}`,
		"sampling/createMessage": `{"role":"assistant","model":"m","content":{"type":"text","text":"sampled"}}`,
	}
	more := ""
	for id := 1; ; id++ {
		say := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"owner_search__find","arguments":{},%s%s}}`, id, more, meta(`{"roots":{},"sampling":{}}`, ""))
		if _, err := io.WriteString(toServer, say+"\n"); err != nil {
			t.Fatal(err)
		}
		got := wait(t, "the answer", lines)
		if strings.Contains(got, "file:///mine and sampled") && id == 3 {
			break
		}
		var f struct {
			Result struct {
				InputRequests map[string]struct{ Method string }
				RequestState  string
			}
		}
		if err := json.Unmarshal([]byte(got), &f); err != nil || len(f.Result.InputRequests) != 1 {
			t.Fatalf("the answer to %s: got %s, want a question", say, got)
		}
		for key, q := range f.Result.InputRequests {
			more = fmt.Sprintf(`"inputResponses":{%q:%s},"requestState":%q,`, key, answers[q.Method], f.Result.RequestState)
		}
	}
	_ = toServer.Close()
	_, frames := e.raw("1", "tools/call", `"name":"owner_search__find","arguments":{},`+meta(`{"roots":{},"sampling":{}}`, ""))
	if got := frames[len(frames)-1]; strings.Contains(got, "input_required") {
		t.Errorf("over HTTP: got %s, want no question for roots", got)
	}
}

// A state that was given out at one client's pipes is of no use at another's.
func TestStatesStayAtTheirPipes(t *testing.T) {
	e := newEra(t, false)
	ask := func(more string, to io.Writer, from <-chan string) string {
		t.Helper()
		_, _ = io.WriteString(to, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+askTool+more+meta(`{"elicitation":{}}`, "")+"}}\n")
		return wait(t, "the answer", from)
	}
	type pipe struct {
		to   *io.PipeWriter
		from <-chan string
	}
	var pipes [2]pipe
	for i := range pipes {
		fromClient, toServer := io.Pipe()
		fromServer, toClient := io.Pipe()
		go func() { _ = e.g.Serve(context.Background(), fromClient, toClient) }()
		pipes[i] = pipe{toServer, scan(fromServer)}
		defer func() { _ = toServer.Close() }()
	}
	key, state := wanted(t, []string{ask("", pipes[0].to, pipes[0].from)})
	back := fmt.Sprintf(`"inputResponses":{%q:{"action":"accept","content":{"name":"Ada"}}},"requestState":%q,`, key, state)
	if got := ask(back, pipes[1].to, pipes[1].from); !strings.Contains(got, `"code":-32602`) {
		t.Errorf("at another's pipes: got %s, want -32602", got)
	}
	if got := ask(back, pipes[0].to, pipes[0].from); !strings.Contains(got, "hello Ada") {
		t.Errorf("at its own: got %s, want the answer", got)
	}
}
