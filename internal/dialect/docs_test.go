package dialect_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/dialect"
	"github.com/mortise-dev/mortise/internal/hook/clientevent"
	"github.com/mortise-dev/mortise/internal/surface"
)

func everyEvent(client string) []string { return append(dialect.Known(client), "NotYetInvented") }

// ending is one way in which a hook ends.
type ending struct {
	event, stdout, stderr string
	exit                  int
	closed                bool
}

// endings are the rows of the documentation's tables, for each client.
func endings(client string) []ending {
	tool := map[string]string{dialect.Cursor: "beforeShellExecution", dialect.Copilot: "preToolUse", dialect.Gemini: "BeforeTool"}[client]
	if tool == "" {
		tool = "PreToolUse"
	}
	out := []ending{
		{tool, "", "", 0, false},
		{tool, "", "not so", 2, false},
		{tool, `{"any": "thing"}`, "not so", 2, false},
		{tool, "", "", 2, false},
		{tool, "", "no jq here", 1, false},
		{tool, "", "", 127, false},
		{tool, `{"decision": "bl`, "", 0, false},
		{tool, `[]`, "", 0, false},
		{tool, "all is well", "", 0, false},
		{tool, "{}", "", 0, false},
	}
	nested := func(event, inner string) string {
		return fmt.Sprintf(`{"hookSpecificOutput": {"hookEventName": "%s", %s}}`, event, inner)
	}
	say := func(event string, texts ...string) {
		for _, s := range texts {
			out = append(out, ending{event: event, stdout: s})
		}
	}
	no := map[string]string{
		dialect.Cursor: `{"permission": "deny"}`, dialect.Copilot: `{"permissionDecision": "deny"}`,
		dialect.Gemini: `{"decision": "deny"}`, dialect.Antigravity: `{"decision": "deny"}`,
	}[client]
	if no == "" {
		no = nested(tool, `"permissionDecision": "deny"`)
	}
	say(tool, "\ufeff"+no, "checking... "+no, "\x1b[0m"+no, no+"\x00", `"deny"`, "blocked by the policy", `{"result": "deny"}`,
		`{"output": {"permissionDecision": "deny"}}`, `{"systemMessage": "hm", "result": "deny"}`)
	out = append(out, ending{event: tool, stderr: no}, ending{event: tool, stdout: "{}", stderr: "checked: " + no})
	switch client {
	case dialect.ClaudeCode, dialect.Codex:
		for _, word := range []string{"allow", "deny", "ask", "defer", "maybe"} {
			say(tool, nested(tool, `"permissionDecision": "`+word+`"`))
		}
		say(tool, nested("PostToolUse", `"permissionDecision": "deny"`), `{"hookSpecificOutput": {"permissionDecision": "deny"}}`,
			`{"permissionDecision": "deny"}`, `{"decision": "block"}`, `{"decision": "approve"}`, `{"decision": "deny"}`, `{"continue": false, "stopReason": "enough"}`,
			nested(tool, `"updatedInput": {"command": "ls"}`), `{"unknown": 1}`)
		say("PermissionRequest", nested("PermissionRequest", `"decision": {"behavior": "allow"}`), nested("PermissionRequest", `"decision": {"behavior": "deny"}`))
		say("UserPromptSubmit", "mind the tests", `{"decision": "block", "reason": "no"}`)
		say("Stop", `{"decision": "block", "reason": "go on"}`, `{"continue": false}`)
	case dialect.Cursor:
		for _, word := range []string{"allow", "deny", "ask", "maybe"} {
			say(tool, `{"permission": "`+word+`"}`)
		}
		say(tool, `{"decision": "block"}`, `{"continue": false}`)
		out = append(out, ending{tool, "", "", 0, true}, ending{tool, "{}", "", 0, true}, ending{tool, `{"permission": "allow"}`, "", 0, true})
		say("beforeSubmitPrompt", `{"continue": true}`, `{"continue": false}`)
		say("stop", `{"followup_message": "go on"}`)
	case dialect.Copilot:
		for _, word := range []string{"allow", "deny", "ask", "maybe"} {
			say(tool, `{"permissionDecision": "`+word+`"}`)
		}
		say(tool, nested(tool, `"permissionDecision": "deny"`), `{"modifiedArgs": {"command": "ls"}}`)
		say("PreToolUse", nested("PreToolUse", `"permissionDecision": "deny"`), `{"permissionDecision": "deny"}`)
		say("permissionRequest", `{"behavior": "allow"}`, `{"behavior": "deny"}`)
		say("agentStop", `{"decision": "block", "reason": "go on"}`, `{"decision": "allow"}`)
	case dialect.Gemini:
		for _, word := range []string{"allow", "deny", "block", "ask", "maybe"} {
			say(tool, `{"decision": "`+word+`"}`)
		}
		say(tool, `{"continue": false}`, `{"hookSpecificOutput": {"tool_input": {"command": "ls"}}}`, `{"hookSpecificOutput": {"permissionDecision": "deny"}}`)
		out = append(out, ending{tool, "", `{"decision": "deny"}`, 0, false}, ending{tool, "", "looked at it", 0, false})
		say("AfterAgent", `{"decision": "deny", "reason": "go on"}`)
	case dialect.Antigravity:
		for _, word := range []string{"allow", "deny", "ask", "force_ask", "maybe"} {
			say(tool, `{"decision": "`+word+`"}`)
		}
		say("Stop", `{"decision": "block", "reason": "go on"}`)
	}
	return out
}

func cell(s string) string {
	if s == "" {
		return "–"
	}
	return "`" + seen.Replace(strings.TrimSpace(s)) + "`"
}

// seen puts signs for what cannot be seen in a table.
var seen = strings.NewReplacer("|", `\|`, "\ufeff", "⟨BOM⟩", "\x1b", "␛", "\x00", "␀")

// tables are what the documentation says of a client, as this package does it.
func tables(client string) string {
	var b strings.Builder
	b.WriteString("| event | moment | can be denied |\n|---|---|---|\n")
	for _, name := range dialect.Known(client) {
		can := "no"
		if dialect.Guards(client, name) {
			can = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, dialect.MomentOf(client, name), can)
	}
	b.WriteString("\nWhat the end of a hook that we run comes to:\n\n| event | exit code | output | error output | outcome |\n|---|--:|---|---|---|\n")
	for _, e := range endings(client) {
		a, err := dialect.Heard(client, e.event, e.exit, []byte(e.stdout), []byte(e.stderr), e.closed)
		outcome := a.Verdict.String()
		switch {
		case err != nil:
			outcome = "error: " + err.Error()
		case a.Reason != "":
			outcome += ": " + a.Reason
		case a.Input != nil:
			outcome += ", with another input"
		case a.Context != "":
			outcome += ", with text for the agent"
		case a.Stop:
			outcome += ", and the turn ends"
		}
		name := "`" + e.event + "`"
		if e.closed {
			name += ", `failClosed`"
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s |\n", name, e.exit, cell(e.stdout), cell(e.stderr), seen.Replace(outcome))
	}
	b.WriteString("\nWhat we answer to `mortise hook " + client + " EVENT`, with the exit code before it:\n\n| event | no opinion | ask | deny | another input |\n|---|---|---|---|---|\n")
	for _, name := range dialect.Known(client) {
		if !dialect.Guards(client, name) {
			continue
		}
		fmt.Fprintf(&b, "| `%s` |", name)
		for _, a := range []dialect.Answer{
			{}, {Verdict: dialect.Ask, Reason: "WHY"}, {Verdict: dialect.Deny, Reason: "WHY"},
			{Input: []byte(`{"a":2}`), Was: []byte(`{"a":1}`)},
		} {
			if m := dialect.MomentOf(client, name); a.Input != nil && m != dialect.BeforeTool && m != dialect.Permission {
				b.WriteString(" |")
				continue
			}
			stdout, _, exit := a.In(client, name)
			fmt.Fprintf(&b, " %d %s |", exit, cell(string(stdout)))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestDocs holds the tables of docs/hooks.md to what is done. go test -update
// writes them.
func TestDocs(t *testing.T) {
	const path = "../../docs/hooks.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, client := range dialect.Clients() {
		between := regexp.MustCompile(`(?s)(<!-- tables: ` + client + ` -->\n\n)(.*?)(\n<!-- end -->)`)
		found := between.FindStringSubmatch(text)
		if found == nil {
			t.Errorf("docs/hooks.md has no place for the tables of %s", client)
			continue
		}
		if want := tables(client); found[2] != want {
			if f := flag.Lookup("update"); f == nil || f.Value.String() != "true" {
				t.Errorf("the tables of %s in docs/hooks.md are not what is done (go test ./internal/dialect -run TestDocs -update)", client)
			}
			text = strings.Replace(text, found[0], found[1]+want+found[3], 1)
		}
	}
	if f := flag.Lookup("update"); f != nil && f.Value.String() == "true" {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestEventsAreThoseOfTheHook wants every event here to be known to the hook for
// clients' events, and to be one that can be denied where its handlers are guards.
func TestEventsAreThoseOfTheHook(t *testing.T) {
	for _, client := range dialect.Clients() {
		for _, name := range dialect.Known(client) {
			if !clientevent.Known(client, name) {
				t.Errorf("%s %s: the hook for clients' events does not know it", client, name)
			}
			if got, want := dialect.Guards(client, name), clientevent.RoleOf(client, name) == surface.Guard; got != want {
				t.Errorf("%s %s can be denied: got %v, want %v", client, name, got, want)
			}
		}
	}
}
