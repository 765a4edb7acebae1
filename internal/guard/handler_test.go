package guard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/mortise-dev/mortise/internal/dialect"
	"github.com/mortise-dev/mortise/internal/guard"
)

// saying is a machine of one extension whose handlers each say what a script of its
// name says: the answer is made of what the handler was told.
func saying(t *testing.T, scripts map[string]func(told map[string]any) string, order ...string) *machine {
	t.Helper()
	x := &extension{name: "x0", granted: true}
	for _, name := range order {
		x.guards = append(x.guards, one{kind: handler, says: behaviour(name)})
	}
	m := newMachine(func(_ context.Context, p guard.Program) (guard.Ran, error) {
		var told map[string]any
		if err := json.Unmarshal(p.Input, &told); err != nil {
			return guard.Ran{}, err
		}
		text := scripts[p.Line](told)
		if reason, denied := strings.CutPrefix(text, "exit 2: "); denied {
			return guard.Ran{Exit: 2, Stderr: []byte(reason)}, nil
		}
		return guard.Ran{Stdout: []byte(text)}, nil
	})
	m.now = []*extension{x}
	m.refresh()
	return m
}

func (m *machine) decide(arguments string) guard.Judgement {
	c := guard.Call{Tool: "x0_read", Qualified: "x0:read", Extension: "x0", Arguments: json.RawMessage(arguments)}
	return m.set.Judge(context.Background(), &c, guard.Means{Run: m.run})
}

func input(told map[string]any) map[string]any { return told["tool_input"].(map[string]any) }

// sets answers with the input that was told, in which one argument has a value.
func sets(key, value string) func(map[string]any) string {
	return func(told map[string]any) string {
		in := input(told)
		in[key] = value
		text, _ := json.Marshal(in)
		return fmt.Sprintf(`{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": %s}}`, text)
	}
}

func passes(map[string]any) string { return "" }

// appends adds to an argument: it is never content.
func appends(key string) func(map[string]any) string {
	return func(told map[string]any) string { return sets(key, fmt.Sprint(input(told)[key])+"+")(told) }
}

// refusing denies a call in which an argument has a value.
func refusing(key, value string) func(map[string]any) string {
	return func(told map[string]any) string {
		if input(told)[key] == value {
			return "exit 2: not " + value
		}
		return ""
	}
}

// A rewrite counts wherever it stands among the others; one that passes changes
// nothing; rewriters are asked one after another about what the ones before made;
// and everybody is asked about what comes of it.
func TestField_POL09_rewrites_are_chained_and_judged_again(t *testing.T) {
	scripts := map[string]func(map[string]any) string{
		"none": passes, "a": sets("a", "1"), "b": sets("b", "2"), "other": sets("a", "9"), "same": sets("a", "1"),
		"more": appends("a"), "never": refusing("a", "1"), "back": sets("a", "0"), "list": func(map[string]any) string {
			return `{"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": []}}`
		},
	}
	for _, c := range []struct {
		name, order, want string
		verdict           guard.Verdict
		says              string
	}{
		{"nobody rewrites", "none", `{"a":"0","c":"x"}`, guard.Pass, ""},
		{"the second rewrites", "none a", `{"a":"1","c":"x"}`, guard.Pass, ""},
		{"the first rewrites", "a none", `{"a":"1","c":"x"}`, guard.Pass, ""},
		{"two rewrite what is different", "a b", `{"a":"1","b":"2","c":"x"}`, guard.Pass, ""},
		{"the other way round", "b a", `{"a":"1","b":"2","c":"x"}`, guard.Pass, ""},
		{"two rewrite one argument alike", "a same", `{"a":"1","c":"x"}`, guard.Pass, ""},
		{"two rewrite one argument", "a other", "", guard.Deny, `it rewrites the argument "a", which x0:g0 rewrote otherwise`},
		{"what comes of it is denied by one that was content before", "never a", "", guard.Deny, "not 1"},
		{"one is never content", "more", "", guard.Deny, "once more"},
		{"one rewrites to what was there", "back", `{"a":"0","c":"x"}`, guard.Pass, ""},
		{"one rewrites to a list", "list", "", guard.Deny, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := saying(t, scripts, strings.Fields(c.order)...).decide(`{"a":"0","c":"x"}`)
			if got := guard.Prevails(j.Objections); got != c.verdict {
				t.Fatalf("got %v: %+v, want %v", got, j.Objections, c.verdict)
			}
			if c.verdict == guard.Deny {
				if all := fmt.Sprint(j.Objections); !strings.Contains(all, c.says) {
					t.Errorf("got %s, want %q in it", all, c.says)
				}
				return
			}
			var got, want any
			if json.Unmarshal(j.Arguments, &got) != nil || json.Unmarshal([]byte(c.want), &want) != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("arguments: got %s, want %s", j.Arguments, c.want)
			}
		})
	}
}

// A guard that rewrites, asked anew about what others made of the arguments, may deny
// that: its first answer is not its last.
func TestRewriterMayDenyWhatOthersMade(t *testing.T) {
	scripts := map[string]func(map[string]any) string{
		"a": sets("a", "1"), "wary": func(told map[string]any) string {
			if input(told)["a"] == "1" {
				return "exit 2: not after that"
			}
			return sets("b", "2")(told)
		},
	}
	j := saying(t, scripts, "a", "wary").decide(`{"a":"0"}`)
	if guard.Prevails(j.Objections) != guard.Deny || !strings.Contains(fmt.Sprint(j.Objections), "not after that") {
		t.Errorf("got %+v, want the denial of who was asked anew", j)
	}
}

// What a guard makes of the arguments is what all are asked about, in the client's own
// dialect as well.
func TestRewriteIsJudgedInTheClientsOwnWords(t *testing.T) {
	m := saying(t, map[string]func(map[string]any) string{
		"rewrite": sets("command", "rm -rf /"), "never": refusing("command", "rm -rf /"),
	}, "rewrite", "never")
	e, err := dialect.Read(dialect.ClaudeCode, "PreToolUse", []byte(`{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"kept":1}`))
	if err != nil {
		t.Fatal(err)
	}
	call := guard.Call{Tool: "Bash", Qualified: "claude-code:Bash", Arguments: e.Input, Client: dialect.ClaudeCode, Event: &e}
	if j := m.set.Judge(t.Context(), &call, guard.Means{Run: m.run}); guard.Prevails(j.Objections) != guard.Deny {
		t.Errorf("got %+v, want the denial of what was made of the command", j)
	}
}

// A guard on the shell of Claude Code is asked about that of every client, with the
// command in its own words, and what it makes of it comes back in theirs.
func TestHandlerIsAskedAboutOtherClients(t *testing.T) {
	var mu sync.Mutex
	var told []string
	m := newMachine(func(_ context.Context, p guard.Program) (guard.Ran, error) {
		mu.Lock()
		defer mu.Unlock()
		var v struct {
			Tool  string         `json:"tool_name"`
			Input map[string]any `json:"tool_input"`
		}
		if err := json.Unmarshal(p.Input, &v); err != nil {
			return guard.Ran{}, err
		}
		told = append(told, fmt.Sprint(v.Tool, " ", v.Input["command"]))
		if v.Input["command"] == "rm -rf /" {
			return guard.Ran{Exit: 2, Stderr: []byte("no")}, nil
		}
		return guard.Ran{}, nil
	})
	m.now = []*extension{{name: "x0", granted: true, guards: []one{{kind: handler, says: silent}}}}
	m.refresh()
	for _, c := range []struct{ client, event, text string }{
		{dialect.ClaudeCode, "PreToolUse", `{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf /"}}`},
		{dialect.Gemini, "BeforeTool", `{"session_id":"s","cwd":"/w","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"rm -rf /"}}`},
		{dialect.Copilot, "preToolUse", `{"sessionId":"s","timestamp":1,"cwd":"/w","toolName":"bash","toolArgs":"{\"command\":\"rm -rf /\"}"}`},
		{dialect.Cursor, "beforeShellExecution", `{"conversation_id":"s","hook_event_name":"beforeShellExecution","workspace_roots":["/w"],"command":"rm -rf /","cwd":"/w"}`},
	} {
		e, err := dialect.Read(c.client, c.event, []byte(c.text))
		if err != nil {
			t.Fatalf("%s: %v", c.client, err)
		}
		told = nil
		call := guard.Call{Tool: e.Tool, Qualified: c.client + ":" + e.Tool, Arguments: e.Input, Client: c.client, Event: &e}
		j := m.set.Judge(t.Context(), &call, guard.Means{Run: m.run})
		if guard.Prevails(j.Objections) != guard.Deny || len(told) != 1 || told[0] != "Bash rm -rf /" {
			t.Errorf("%s: got %+v, told %q, want a denial by what was told as Claude Code tells it", c.client, j.Objections, told)
		}
	}
}

// An observer that fails costs nothing, and is told; what it says reaches the agent.
func TestObserversCostNothing(t *testing.T) {
	m := saying(t, map[string]func(map[string]any) string{
		"deny": func(map[string]any) string { return "exit 2: I would not" },
		"say": func(map[string]any) string {
			return `{"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "Mind the gap."}}`
		},
		"odd": func(map[string]any) string { return "{" },
	}, "deny", "say", "odd")
	for i := range m.now[0].guards {
		m.now[0].guards[i].watches = true
	}
	m.refresh()
	c := guard.Call{Tool: "x0_read", Qualified: "x0:read", Extension: "x0", Arguments: json.RawMessage("{}")}
	if j := m.set.Judge(t.Context(), &c, guard.Means{Run: m.run}); len(j.Objections) > 0 {
		t.Errorf("objections: got %+v, want none of who only watches", j.Objections)
	}
	j := m.set.Observe(t.Context(), &c, guard.Means{Run: m.run})
	if len(j.Said) != 2 || len(j.Notes) != 1 || j.Notes[0].Guard != "x0:g2" {
		t.Errorf("observed: got %+v, want two that say something and a note of the third", j)
	}
}

// The denial of a handler of which it is not known that it guards names the one
// command by which its owner declares that it only watches.
func TestDenialNamesHowToDeclareAnObserver(t *testing.T) {
	m := saying(t, map[string]func(map[string]any) string{"odd": func(map[string]any) string { return "{" }}, "odd")
	j := m.decide("{}")
	if len(j.Objections) != 1 || !strings.Contains(j.Objections[0].Fix, "mortise grant observer x0:g0") || !j.Objections[0].Failed {
		t.Errorf("got %+v, want a failed guard with the command", j.Objections)
	}
}

// Set is empty where nobody is to be asked, so that nothing is paid for it.
func TestOnlyObserversAreNoGuards(t *testing.T) {
	var none *guard.Set
	if none.Watched() || !none.Empty() || len(none.Occur(t.Context(), &dialect.Event{}, guard.Means{}).Objections) > 0 {
		t.Error("no set: want nobody asked")
	}
}
