package dialect_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/dialect"
)

// TestField_POL02_FiveShapes: a guard says no in five shapes, each of which some
// client took for a yes. Each has its outcome, and none of them is a pass.
func TestField_POL02_FiveShapes(t *testing.T) {
	for _, c := range []struct {
		name   string
		exit   int
		stdout string
		stderr string
		denies bool
		fails  string
	}{
		{"exit code 2 with a reason", 2, "", "no", true, ""},
		{"a nested denial", 0, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`, "", true, ""},
		{"a denial at the top, where nobody looks", 0, `{"permissionDecision":"deny","permissionDecisionReason":"no"}`, "", false, "does not look for it"},
		{"exit code 2 with an answer that names no event", 2, `{"hookSpecificOutput":{"permissionDecision":"deny"}}`, "", true, ""},
		{"a decision to block", 0, `{"decision":"block","reason":"no"}`, "", true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := dialect.Heard(dialect.ClaudeCode, "PreToolUse", c.exit, []byte(c.stdout), []byte(c.stderr), false)
			switch {
			case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
				t.Errorf("got %v, %v, want an error with %q", a, err, c.fails)
			case c.fails == "" && (err != nil || a.Verdict != dialect.Deny || a.Reason == ""):
				t.Errorf("got %+v, %v, want a denial with its reason", a, err)
			}
		})
	}
}

// TestHeardMore is what the tables of docs/hooks.md do not show: what comes
// besides a verdict, and faults that are told apart.
func TestHeardMore(t *testing.T) {
	for _, c := range []struct {
		name, client, event, stdout string
		want                        dialect.Answer
		fails                       string
	}{
		{"another input", dialect.ClaudeCode, "PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"a":1}}}`, dialect.Answer{Input: json.RawMessage(`{"a":1}`)}, ""},
		{"of no use with a denial", dialect.ClaudeCode, "PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","updatedInput":{"a":1}}}`, dialect.Answer{Verdict: dialect.Deny, Reason: "it gives no reason"}, ""},
		{"an input that is none", dialect.ClaudeCode, "PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":"ls"}}`, dialect.Answer{}, `has text for "updatedInput"`},
		{"the end of the turn", dialect.ClaudeCode, "PreToolUse", `{"continue":false,"stopReason":"enough"}`, dialect.Answer{Verdict: dialect.Deny, Reason: "enough", Stop: true}, ""},
		{"which is no denial of the end", dialect.ClaudeCode, "Stop", `{"continue":false,"decision":"block","reason":"go on"}`, dialect.Answer{Stop: true}, ""},
		{"a permission that is taken back", dialect.ClaudeCode, "PermissionRequest", `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no","interrupt":true}}}`, dialect.Answer{Verdict: dialect.Deny, Reason: "no", Stop: true}, ""},
		{"a permission that nobody gave", dialect.ClaudeCode, "PermissionRequest", `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"message":"no"}}}`, dialect.Answer{}, "does not say how"},
		{"an elicitation", dialect.ClaudeCode, "Elicitation", `{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}`, dialect.Answer{Verdict: dialect.Deny, Reason: "it gives no reason"}, ""},
		{"text for the agent", dialect.ClaudeCode, "UserPromptSubmit", "mind the tests", dialect.Answer{Context: "mind the tests"}, ""},
		{"and for the person", dialect.ClaudeCode, "PostToolUse", `{"systemMessage":"careful","hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c","updatedToolOutput":"o"}}`, dialect.Answer{Message: "careful", Context: "c", Output: json.RawMessage(`"o"`)}, ""},
		{"of another event", dialect.ClaudeCode, "PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PostToolUse"}}`, dialect.Answer{}, "is about the event"},
		{"of no event", dialect.ClaudeCode, "PreToolUse", `{"hookSpecificOutput":{"permissionDecision":"deny"}}`, dialect.Answer{}, "does not say which event"},
		{"yes and no", dialect.ClaudeCode, "PreToolUse", `{"decision":"approve","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}`, dialect.Answer{}, "both allows and does not"},
		{"twice", dialect.ClaudeCode, "PreToolUse", `{"decision":"block","decision":"approve"}`, dialect.Answer{}, "a key twice"},
		{"an unknown word", dialect.ClaudeCode, "PreToolUse", `{"decision":"deny"}`, dialect.Answer{}, "which is no decision"},
		{"a truth for a word", dialect.ClaudeCode, "PreToolUse", `{"decision":true}`, dialect.Answer{}, `has true for "decision"`},
		{"a word for a truth", dialect.ClaudeCode, "PreToolUse", `{"continue":"false"}`, dialect.Answer{}, `has text for "continue"`},
		{"other letters", dialect.ClaudeCode, "PreToolUse", `{"Decision":"block"}`, dialect.Answer{}, "does not look for it"},
		{"the words of Cursor", dialect.ClaudeCode, "PreToolUse", `{"permission":"deny"}`, dialect.Answer{}, "does not look for it"},
		{"whose yes is no opinion either", dialect.ClaudeCode, "PreToolUse", `{"permission":"allow","continue":true}`, dialect.Answer{}, ""},
		{"later", dialect.ClaudeCode, "PreToolUse", `{"async":true}`, dialect.Answer{}, "comes later"},
		{"after other text", dialect.ClaudeCode, "PreToolUse", "checking\n{\"decision\":\"block\"}", dialect.Answer{}, "other text before its answer"},
		{"a decision at an event that takes none", dialect.ClaudeCode, "PostToolUse", `{"hookSpecificOutput":{"hookEventName":"PostToolUse","permissionDecision":"deny"}}`, dialect.Answer{}, "does not look for it"},
		{"Claude Code's output of a tool", dialect.ClaudeCode, "PostToolUse", `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedMCPToolOutput":{"a":1}}}`, dialect.Answer{Output: json.RawMessage(`{"a":1}`)}, ""},
		{"which is there twice", dialect.ClaudeCode, "PostToolUse", `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":"o","updatedMCPToolOutput":"p"}}`, dialect.Answer{Output: json.RawMessage(`"o"`), Left: []string{"updatedMCPToolOutput"}}, ""},
		{"an input that goes with a yes", dialect.ClaudeCode, "PermissionRequest", `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","updatedInput":{"a":1},"updatedPermissions":[]}}}`, dialect.Answer{Left: []string{"updatedInput", "updatedPermissions"}}, ""},
		{"a reason for nothing", dialect.ClaudeCode, "PreToolUse", `{"reason":"r","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecisionReason":"q","additionalContext":"c"}}`, dialect.Answer{Context: "c", Left: []string{"permissionDecisionReason", "reason"}}, ""},
		{"what is for the client alone", dialect.ClaudeCode, "UserPromptSubmit", `{"terminalSequence":"x","suppressOutput":true,"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","sessionTitle":"t"}}`, dialect.Answer{Left: []string{"sessionTitle", "terminalSequence"}}, ""},
		{"variables for Cursor", dialect.Cursor, "sessionStart", `{"env":{"A":"b"}}`, dialect.Answer{Left: []string{"env"}}, ""},
		{"an input where Cursor takes none", dialect.Cursor, "beforeShellExecution", `{"permission":"allow","updated_input":{"command":"x"},"agent_message":"m"}`, dialect.Answer{Left: []string{"agent_message", "updated_input"}}, ""},
		{"Copilot's text for the person", dialect.Copilot, "preToolUse", `{"systemMessage":"m"}`, dialect.Answer{Message: "m"}, ""},
		{"Copilot's result", dialect.Copilot, "postToolUse", `{"modifiedResult":{"a":1}}`, dialect.Answer{Output: json.RawMessage(`{"a":1}`)}, ""},
		{"Gemini's requests", dialect.Gemini, "BeforeModel", `{"hookSpecificOutput":{"llm_response":{"text":"deny"}}}`, dialect.Answer{Left: []string{"llm_response"}}, ""},
		{"Antigravity's steps", dialect.Antigravity, "PreInvocation", `{"injectSteps":[{"userMessage":"ask"}]}`, dialect.Answer{Left: []string{"injectSteps"}}, ""},
		{"what Antigravity's agent goes on with", dialect.Antigravity, "Stop", `{"decision":"continue","reason":"go on"}`, dialect.Answer{Verdict: dialect.Deny, Reason: "go on"}, ""},
		{"another client's text for the agent is no decision", dialect.Antigravity, "PreToolUse", `{"decision":"allow","hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"c"}}`, dialect.Answer{}, ""},
		{"a no deep inside of what nobody reads", dialect.ClaudeCode, "PreToolUse", `{"systemMessage":"m","data":[{"x":{"verdict":"denied"}}]}`, dialect.Answer{}, `objects under the key "data"`},
		{"what is too deep to look into", dialect.ClaudeCode, "PreToolUse", `{"systemMessage":"m","data":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, dialect.Answer{}, `objects under the key "data"`},
		{"a no in other words inside the right place", dialect.ClaudeCode, "PreToolUse", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","result":"deny"}}`, dialect.Answer{}, `objects under the key "result"`},
		{"other data is none", dialect.ClaudeCode, "PreToolUse", `{"systemMessage":"m","data":{"files":3,"state":"done"}}`, dialect.Answer{Message: "m"}, ""},
		{"a no among progress", dialect.Copilot, "preToolUse", `{"type":"progress","permissionDecision":"deny"}`, dialect.Answer{Verdict: dialect.Deny, Reason: "it gives no reason"}, ""},
		{"a no in a text for the agent", dialect.ClaudeCode, "UserPromptSubmit", `checking... {"decision":"block"}`, dialect.Answer{}, "may be meant for a decision"},
		{"braces in one are none", dialect.ClaudeCode, "UserPromptSubmit", `write {"a": 1}, and ask when in doubt`, dialect.Answer{Context: `write {"a": 1}, and ask when in doubt`}, ""},
		{"a text of JSON is no text", dialect.ClaudeCode, "UserPromptSubmit", `"block"`, dialect.Answer{}, "may be meant for a decision"},
		{"a truth of JSON", dialect.ClaudeCode, "PreToolUse", `false`, dialect.Answer{}, "may be meant for a decision"},
		{"words that hold others", dialect.ClaudeCode, "PreToolUse", `the task is unblocking`, dialect.Answer{}, ""},
		{"an observer may say anything", dialect.ClaudeCode, "PostToolUse", `{"status":"blocked"}`, dialect.Answer{}, ""},
		{"in any words", dialect.ClaudeCode, "PostToolUse", "blocked {", dialect.Answer{}, ""},
		{"a key that Codex refuses", dialect.Codex, "PreToolUse", `{"note":"x"}`, dialect.Answer{}, "for which codex refuses it"},
		{"a list", dialect.Codex, "PreToolUse", `[]`, dialect.Answer{}, "is no JSON object"},
		{"what Cursor's agent goes on with", dialect.Cursor, "stop", `{"followup_message":"run the tests"}`, dialect.Answer{Verdict: dialect.Deny, Reason: "run the tests"}, ""},
		{"Cursor's other input", dialect.Cursor, "preToolUse", `{"permission":"allow","updated_input":{"a":1}}`, dialect.Answer{Input: json.RawMessage(`{"a":1}`)}, ""},
		{"Cursor's older keys", dialect.Cursor, "beforeShellExecution", `{"permission":"deny","userMessage":"no","agentMessage":"not so"}`, dialect.Answer{Verdict: dialect.Deny, Reason: "not so", Message: "no"}, ""},
		{"Copilot's progress", dialect.Copilot, "preToolUse", "{\"type\":\"progress\",\"message\":\"…\"}\n{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"no\"}", dialect.Answer{Verdict: dialect.Deny, Reason: "no"}, ""},
		{"Copilot's other input", dialect.Copilot, "preToolUse", `{"modifiedArgs":{"a":1}}`, dialect.Answer{Input: json.RawMessage(`{"a":1}`)}, ""},
		{"two answers", dialect.Copilot, "preToolUse", "{\"permissionDecision\":\"deny\"}\n{\"permissionDecision\":\"allow\"}", dialect.Answer{}, "malformed"},
		{"Copilot's end of a turn", dialect.Copilot, "permissionRequest", `{"behavior":"deny","message":"no","interrupt":true}`, dialect.Answer{Verdict: dialect.Deny, Reason: "no", Stop: true}, ""},
		{"an input that is laid over", dialect.Gemini, "BeforeTool", `{"hookSpecificOutput":{"tool_input":{"a":1}}}`, dialect.Answer{Input: json.RawMessage(`{"a":1}`), Over: true}, ""},
		{"a call that nobody asked for", dialect.Gemini, "BeforeTool", `{"hookSpecificOutput":{"tailToolCallRequest":{"name":"x"}}}`, dialect.Answer{}, "another tool called"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := dialect.Heard(c.client, c.event, 0, []byte(c.stdout), nil, false)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Fatalf("got %+v, %v, want an error with %q", got, err, c.fails)
				}
				return
			}
			if err != nil || string(encode(got)) != string(encode(c.want)) {
				t.Errorf("got %s, %v, want %s", encode(got), err, encode(c.want))
			}
		})
	}
	if _, err := dialect.Heard("nobody", "PreToolUse", 0, nil, nil, false); err == nil {
		t.Error("a hook of nobody: got no error")
	}
}

func encode(v any) []byte {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return out
}

// passes reports whether nothing in an answer objects.
func passes(out string) bool {
	for _, word := range []string{"deny", "block", "ask", "defer", "no"} {
		if strings.Contains(strings.ToLower(out), `:"`+word+`"`) {
			return false
		}
	}
	return true
}

// FuzzHeard wants no output to weaken what a guard said: exit code 2 denies, what
// is neither 0 nor 2 is an error, and what begins as JSON and is none is an error.
func FuzzHeard(f *testing.F) {
	for _, s := range []string{"", "{}", `{"decision":"block"}`, `{"permission":"deny"}`, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}`, `{"continue":false}`, "[1]", "\xff{", "text", "\ufeff{}", `checking... {"decision":"deny"}`, `"deny"`, `{"result":"deny"}`} {
		f.Add(uint8(0), uint8(0), uint8(0), []byte(s), []byte("why"))
	}
	f.Fuzz(func(t *testing.T, client, event, exit uint8, stdout, stderr []byte) {
		clients := dialect.Clients()
		c := clients[int(client)%len(clients)]
		name := everyEvent(c)[int(event)%len(everyEvent(c))]
		for _, closed := range []bool{false, true} {
			a, err := dialect.Heard(c, name, int(exit), stdout, stderr, closed)
			switch {
			case exit == 2 && (err != nil || a.Verdict != dialect.Deny):
				t.Fatalf("%s %s: exit code 2 and %q: got %v, %v, want a denial", c, name, stdout, a.Verdict, err)
			case exit != 0 && exit != 2 && err == nil:
				t.Fatalf("%s %s: exit code %d: got no error", c, name, exit)
			case err == nil && a.Verdict == dialect.Deny && a.Input != nil:
				t.Fatalf("%s %s: %q: got a denial and another input", c, name, stdout)
			}
			said := strings.TrimSpace(string(stdout))
			if exit == 0 && err == nil && strings.ContainsAny(said, "\x00") && dialect.Guards(c, name) {
				t.Fatalf("%s %s: %q: got %v, want an error", c, name, said, a.Verdict)
			}
			if exit == 0 && err == nil && strings.HasPrefix(said, "{") && !json.Valid([]byte(said)) && c != dialect.Copilot {
				t.Fatalf("%s %s: %q: got %v, want an error", c, name, said, a.Verdict)
			}
		}
	})
}

// TestHeardOnErrorOutput wants a no that was written to the wrong output to be an
// error where nothing was decided, and a record of what was checked to be none.
func TestHeardOnErrorOutput(t *testing.T) {
	no := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}`
	for _, c := range []struct {
		name, event, stdout, stderr string
		fails                       bool
	}{
		{"a no", "PreToolUse", "", no, true},
		{"over several lines", "PreToolUse", "all is well", "{\n  \"decision\" :\n \"block\"\n}", true},
		{"the end of the turn", "PreToolUse", "{}", `{"continue": false}`, true},
		{"a yes", "PreToolUse", "", `{"decision":"approve"}`, false},
		{"words", "PreToolUse", "", "checked whether to deny it", false},
		{"beside a decision", "PreToolUse", `{"decision":"approve"}`, `rule 3: {"action":"block"}`, false},
		{"of an observer", "PostToolUse", "", no, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := dialect.Heard(dialect.ClaudeCode, c.event, 0, []byte(c.stdout), []byte(c.stderr), false)
			if c.fails != (err != nil) || a.Verdict != dialect.Pass {
				t.Errorf("got %v, %v, want an error: %v", a.Verdict, err, c.fails)
			}
		})
	}
}

// TestHeardNeverWeakens throws answers together out of the words that hooks use,
// and wants one that objects in any of them never to be taken for a pass.
func TestHeardNeverWeakens(t *testing.T) {
	keys := []string{"decision", "permissionDecision", "permission", "behavior", "verdict", "denied"}
	words := []string{"deny", "block", "ask", "allow", "approve", "no", "defer", "DENY", ""}
	r := rand.New(rand.NewPCG(1, 2))
	for range 40_000 {
		c := dialect.Clients()[r.IntN(len(dialect.Clients()))]
		name := everyEvent(c)[r.IntN(len(everyEvent(c)))]
		object := func() map[string]any {
			out := map[string]any{}
			for range 1 + r.IntN(2) {
				out[keys[r.IntN(len(keys))]] = words[r.IntN(len(words))]
			}
			return out
		}
		top := object()
		if r.IntN(2) == 0 {
			in := object()
			in["hookEventName"] = name
			top["hookSpecificOutput"] = in
		}
		out := encode(top)
		a, err := dialect.Heard(c, name, 0, out, nil, false)
		if err == nil && a.Verdict == dialect.Pass && !passes(string(out)) && dialect.Guards(c, name) {
			t.Fatalf("%s %s: %s: got a pass", c, name, out)
		}
	}
}
