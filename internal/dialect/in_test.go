package dialect_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/dialect"
)

// TestInSaysNoInEveryWay wants a denial to hold in each client at each event that
// takes one: said in JSON and, where the client reads the exit code, by it too,
// with a reason, since Codex lets a call be made that is blocked without one.
func TestInSaysNoInEveryWay(t *testing.T) {
	for _, client := range dialect.Clients() {
		for _, name := range everyEvent(client) {
			if !dialect.Guards(client, name) {
				continue
			}
			for _, why := range []string{"", "  ", "because", "No such file or directory", `{"decision":"allow"}`, "\x1b[2Kall is well"} {
				stdout, stderr, exit := dialect.Answer{Verdict: dialect.Deny, Reason: why}.In(client, name)
				if exit == 2 && strings.TrimSpace(stderr) == "" || exit != 0 && exit != 2 || exit == 0 && len(stdout) == 0 {
					t.Errorf("%s %s: got %s, %q, %d", client, name, stdout, stderr, exit)
				}
				if strings.ContainsRune(string(stdout)+stderr, '\x1b') {
					t.Errorf("%s %s: an escape sequence is passed on: %q, %q", client, name, stdout, stderr)
				}
			}
		}
	}
}

// TestInIsHeard wants what we answer to be heard as what was meant, or as what is
// stricter, by the rules by which we hear others.
func TestInIsHeard(t *testing.T) {
	for _, client := range dialect.Clients() {
		for _, name := range dialect.Known(client) {
			for _, v := range []dialect.Verdict{dialect.Pass, dialect.Ask, dialect.Deny} {
				for _, input := range []json.RawMessage{nil, json.RawMessage(`{"a":2}`)} {
					a := dialect.Answer{Verdict: v, Reason: "why", Input: input, Was: json.RawMessage(`{"a":1}`), Context: "c", Message: "m"}
					stdout, stderr, exit := a.In(client, name)
					heard, err := dialect.Heard(client, name, exit, stdout, []byte(stderr), false)
					m := dialect.MomentOf(client, name) // where not to object leaves it to the person
					asked := v == dialect.Ask && (client == dialect.ClaudeCode && name == "PermissionRequest" || m == dialect.Stop || m == dialect.SubagentStop)
					if err != nil || heard.Verdict < v && dialect.Guards(client, name) && !asked {
						t.Errorf("%s %s, %v with input %s: answered %s, %q, %d, which is heard as %v, %v", client, name, v, input, stdout, stderr, exit, heard.Verdict, err)
					}
					if stdout, _, _ = heard.In(client, name); strings.Contains(string(stdout), `"allow"`) && client != dialect.Codex {
						t.Errorf("%s %s: got %s, want no allow", client, name, stdout)
					}
				}
			}
		}
	}
}

// No opinion is no output, or no more than a client needs; never an "allow", with
// which we would answer for the person.
func TestInNoOpinion(t *testing.T) {
	for _, client := range dialect.Clients() {
		for _, name := range everyEvent(client) {
			stdout, stderr, exit := dialect.Answer{}.In(client, name)
			want := ""
			switch {
			case client == dialect.Cursor && name == "beforeSubmitPrompt":
				want = "{\"continue\":true}\n"
			case client == dialect.Cursor:
				want = "{}\n"
			}
			if string(stdout) != want || stderr != "" || exit != 0 {
				t.Errorf("%s %s: got %q, %q, %d, want %q", client, name, stdout, stderr, exit, want)
			}
		}
	}
}

// TestInWhatCannotBeSaid wants the next stricter answer, and that it says why.
func TestInWhatCannotBeSaid(t *testing.T) {
	for _, c := range []struct {
		name, client, event string
		a                   dialect.Answer
		want                string
		exit                int
	}{
		{"a question that Codex cannot put", dialect.Codex, "PreToolUse", dialect.Answer{Verdict: dialect.Ask, Reason: "sure?"}, "codex cannot ask the person here", 2},
		{"nor Cursor, in every mode", dialect.Cursor, "beforeShellExecution", dialect.Answer{Verdict: dialect.Ask}, "cannot ask the person here", 2},
		{"an event without questions", dialect.ClaudeCode, "UserPromptSubmit", dialect.Answer{Verdict: dialect.Ask}, "cannot ask the person here", 2},
		{"a question about a stop, after which the person is asked anyway", dialect.ClaudeCode, "Stop", dialect.Answer{Verdict: dialect.Ask, Reason: "enough?"}, `"systemMessage":"enough?"`, 0},
		{"an input that Cursor might not take", dialect.Cursor, "preToolUse", dialect.Answer{Input: json.RawMessage(`{}`)}, "the input was changed", 2},
		{"an argument that Gemini cannot be told to leave out", dialect.Gemini, "BeforeTool", dialect.Answer{Input: json.RawMessage(`{"a":1}`), Was: json.RawMessage(`{"a":1,"force":true}`)}, "the input was changed", 2},
		{"one that it is not known whether it leaves out", dialect.Gemini, "BeforeTool", dialect.Answer{Input: json.RawMessage(`{"a":1}`)}, "the input was changed", 2},
		{"an input without a decision, to Claude Code", dialect.ClaudeCode, "PreToolUse", dialect.Answer{Input: json.RawMessage(`{"a":1}`)}, `"permissionDecision":"ask"`, 0},
		{"a denial of what has happened", dialect.ClaudeCode, "PostToolUse", dialect.Answer{Verdict: dialect.Deny, Reason: "oh"}, `"additionalContext":"oh"`, 0},
		{"the end of the turn", dialect.ClaudeCode, "PreToolUse", dialect.Answer{Verdict: dialect.Deny, Reason: "oh", Stop: true}, `"continue":false`, 2},
		{"an event that nobody knows", dialect.ClaudeCode, "NotYetInvented", dialect.Answer{Verdict: dialect.Deny, Reason: "oh"}, "", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			stdout, stderr, exit := c.a.In(c.client, c.event)
			if exit != c.exit || !strings.Contains(string(stdout), c.want) {
				t.Errorf("got %s, %q, %d, want %q in it and %d", stdout, stderr, exit, c.want, c.exit)
			}
		})
	}
}

// TestApply wants an input that is laid over another to keep what it does not name.
func TestApply(t *testing.T) {
	for _, c := range []struct {
		a    dialect.Answer
		was  string
		want string
	}{
		{dialect.Answer{}, `{"a":1}`, `{"a":1}`},
		{dialect.Answer{Input: json.RawMessage(`{"b":2}`)}, `{"a":1}`, `{"b":2}`},
		{dialect.Answer{Input: json.RawMessage(`{"b":2,"a":3}`), Over: true}, `{"a":1,"c":0}`, `{"a":3,"c":0,"b":2}`},
	} {
		if got, err := c.a.Apply(json.RawMessage(c.was)); err != nil || string(got) != c.want {
			t.Errorf("got %s, %v, want %s", got, err, c.want)
		}
	}
	if _, err := (dialect.Answer{Input: json.RawMessage(`{}`), Over: true}).Apply(json.RawMessage(`[]`)); err == nil {
		t.Error("laid over a list: got no error")
	}
}
