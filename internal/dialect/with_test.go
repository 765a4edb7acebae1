package dialect_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/dialect"
)

// TestWith wants a hook of an event's own client to be told the input that there is
// by then, at every event about a tool: it was told the one from before a rewrite,
// so that the new one was judged by nobody. All else is told as it came.
func TestWith(t *testing.T) {
	for _, client := range dialect.Clients() {
		for _, name := range dialect.Known(client) {
			moment := dialect.MomentOf(client, name)
			if !slices.Contains([]dialect.Moment{dialect.BeforeTool, dialect.AfterTool, dialect.AfterToolFailure, dialect.Permission}, moment) {
				continue
			}
			t.Run(client+" "+name, func(t *testing.T) {
				e := came(t, client, name, moment)
				input := strings.ReplaceAll(string(e.Input), "before", "after")
				changed := e.With(json.RawMessage(input))
				texts, err := changed.Texts(client, name)
				if err != nil || len(texts) != 1 {
					t.Fatalf("got %s, %v, want one text", texts, err)
				}
				back, err := dialect.Read(client, name, texts[0])
				if err != nil || !same(back.Input, json.RawMessage(input)) || back.Tool != e.Tool {
					t.Errorf("told %s, which is read as %s %s, %v, want the input %s", texts[0], back.Tool, back.Input, err, input)
				}
				if s := string(texts[0]); strings.Contains(s, "before-") || !strings.Contains(s, `"kept":[1,"x"]`) {
					t.Errorf("told %s, want nothing of the input before, and all else", s)
				}
				if unchanged := e.With(e.Input); string(unchanged.Raw) != string(e.Raw) {
					t.Errorf("with the input that it has: got %s, want %s", unchanged.Raw, e.Raw)
				}
			})
		}
	}
}

// came is an event as its client tells it, with a key that nobody knows.
func came(t *testing.T, client, name string, moment dialect.Moment) *dialect.Event {
	t.Helper()
	of := &dialect.Event{Client: dialect.ClaudeCode, Name: "any", Moment: moment, Session: "s", Dir: "/w", Tool: "Bash", Input: json.RawMessage(`{"command":"before-it"}`)}
	switch {
	case strings.Contains(name, "File"):
		of.Tool, of.Input = "Write", json.RawMessage(`{"file_path":"before-it","content":"x"}`)
	case strings.Contains(name, "MCP"):
		*of = *ours("acme", "search", "find")
		of.Moment, of.Input = moment, json.RawMessage(`{"q":"before-it"}`)
	}
	texts, err := of.Texts(client, name)
	if err != nil {
		t.Fatal(err)
	}
	raw := strings.Replace(string(texts[0]), "{", `{"kept":[1,"x"],`, 1)
	e, err := dialect.Read(client, name, []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return &e
}

func same(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}

// Where the client has two ways to tell an input, it is told in the one that it took;
// arguments never take the place of what stands beside them.
func TestWithKeepsTheWayOfTelling(t *testing.T) {
	for _, c := range []struct{ name, client, event, raw, input, want string }{
		{"text of JSON", dialect.Copilot, "preToolUse", `{"toolName":"bash","toolArgs":"{\"command\":\"a\"}"}`, `{"command":"b"}`, `{"toolName":"bash","toolArgs":"{\"command\":\"b\"}"}`},
		{"an object", dialect.Copilot, "preToolUse", `{"toolName":"bash","toolArgs":{"command":"a"}}`, `{"command":"b"}`, `{"toolName":"bash","toolArgs":{"command":"b"}}`},
		{"of a permission", dialect.Copilot, "permissionRequest", `{"toolName":"bash","toolInput":{"command":"a"}}`, `{"command":"b"}`, `{"toolName":"bash","toolInput":{"command":"b"}}`},
		{"of Antigravity", dialect.Antigravity, "PreToolUse", `{"stepIdx":3,"toolCall":{"name":"x","args":{"a":1},"id":7}}`, `{"a":2}`, `{"stepIdx":3,"toolCall":{"name":"x","args":{"a":2},"id":7}}`},
		{"arguments that are left out", dialect.Cursor, "afterFileEdit", `{"hook_event_name":"afterFileEdit","file_path":"a","edits":[]}`, `{"file_path":"b"}`, `{"hook_event_name":"afterFileEdit","file_path":"b"}`},
		{"arguments named like what is beside", dialect.Cursor, "beforeShellExecution", `{"hook_event_name":"beforeShellExecution","command":"a","cwd":"/w"}`, `{"command":"b","cwd":"/x","more":1}`, `{"hook_event_name":"beforeShellExecution","command":"b","cwd":"/w","more":1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := dialect.Read(c.client, c.event, []byte(c.raw))
			if err != nil {
				t.Fatal(err)
			}
			if got := e.With(json.RawMessage(c.input)); string(got.Raw) != c.want || string(got.Input) != c.input {
				t.Errorf("got %s with the input %s, want %s", got.Raw, got.Input, c.want)
			}
		})
	}
	prompt := dialect.Event{Client: dialect.ClaudeCode, Name: "UserPromptSubmit", Moment: dialect.Prompt, Raw: json.RawMessage(`{"prompt":"x"}`)}
	if got := prompt.With(json.RawMessage(`{}`)); string(got.Raw) != `{"prompt":"x"}` {
		t.Errorf("an event about no tool: got %s", got.Raw)
	}
	broken := dialect.Event{Client: dialect.ClaudeCode, Name: "PreToolUse", Moment: dialect.BeforeTool, Tool: "Bash", Raw: json.RawMessage(`[]`)}
	if got := broken.With(json.RawMessage(`{"command":"b"}`)); got.Raw != nil {
		t.Errorf("what nothing can be put into: got %s, want it not to be told", got.Raw)
	}
}
