package dialect_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/dialect"
)

// put reports whether a client's event puts one of the questions of a hook.
func put(client, event, of, hook string, matchers ...string) bool {
	wants := dialect.Wants(of, hook, matchers)
	return slices.ContainsFunc(dialect.Delivers(client, event), func(q string) bool { return slices.Contains(wants, q) })
}

// TestQuestions wants a hook to count as asked only by what can be about it: a
// client that asked before it reads a file made a guard of its shell count as
// asked, which then guarded nothing.
func TestQuestions(t *testing.T) {
	for _, c := range []struct {
		name, client, event, of, hook string
		matchers                      []string
		want                          bool
	}{
		{"a shell by the event for all tools", dialect.Gemini, "BeforeTool", dialect.ClaudeCode, "PreToolUse", []string{"Bash"}, true},
		{"by Cursor's for shells", dialect.Cursor, "beforeShellExecution", dialect.ClaudeCode, "PreToolUse", []string{"Bash"}, true},
		{"not by Cursor's for reading", dialect.Cursor, "beforeReadFile", dialect.ClaudeCode, "PreToolUse", []string{"Bash"}, false},
		{"nor if it is a pattern", dialect.Cursor, "beforeReadFile", dialect.ClaudeCode, "PreToolUse", []string{"^Bash$"}, false},
		{"which means reading too", dialect.Cursor, "beforeReadFile", dialect.ClaudeCode, "PreToolUse", []string{"^Bash$", "Read.*"}, true},
		{"or that cannot be told", dialect.Cursor, "beforeReadFile", dialect.ClaudeCode, "PreToolUse", []string{"^(?!Read)"}, true},
		{"any tool by one for some", dialect.Cursor, "beforeReadFile", dialect.ClaudeCode, "PreToolUse", nil, true},
		{"any tool not by what an editor does", dialect.Cursor, "beforeTabFileRead", dialect.ClaudeCode, "PreToolUse", nil, false},
		{"what an editor does by its own event", dialect.Cursor, "beforeTabFileRead", dialect.Cursor, "beforeTabFileRead", nil, true},
		{"and by no other", dialect.Cursor, "preToolUse", dialect.Cursor, "beforeTabFileRead", nil, false},
		{"Cursor's narrow events by the one for all", dialect.Cursor, "preToolUse", dialect.Cursor, "beforeShellExecution", []string{"curl|wget"}, true},
		{"or that of another client", dialect.ClaudeCode, "PreToolUse", dialect.Cursor, "beforeMCPExecution", nil, true},
		{"but not by one for other tools", dialect.Cursor, "beforeShellExecution", dialect.Cursor, "beforeMCPExecution", nil, false},
		{"edits by patches", dialect.Codex, "PreToolUse", dialect.ClaudeCode, "PreToolUse", []string{"Edit"}, true},
		{"what a client has no tools for", dialect.Antigravity, "PreToolUse", dialect.ClaudeCode, "PreToolUse", []string{"Task"}, false},
		{"tools of a client alone by that client", dialect.ClaudeCode, "PreToolUse", dialect.ClaudeCode, "PreToolUse", []string{"ExitPlanMode"}, true},
		{"and by no other", dialect.Gemini, "BeforeTool", dialect.ClaudeCode, "PreToolUse", []string{"ExitPlanMode"}, false},
		{"tools that nobody knows", dialect.Codex, "PreToolUse", dialect.ClaudeCode, "PreToolUse", []string{"Conjure"}, true},
		{"not by what is about some", dialect.Cursor, "beforeShellExecution", dialect.ClaudeCode, "PreToolUse", []string{"Conjure"}, false},
		{"a name in the letters of another client", dialect.Copilot, "preToolUse", dialect.ClaudeCode, "PreToolUse", []string{"bash"}, false},
		{"matchers that are not looked at", dialect.Cursor, "beforeReadFile", dialect.Copilot, "preToolUse", []string{"bash"}, true},
		{"another moment", dialect.ClaudeCode, "PostToolUse", dialect.ClaudeCode, "PreToolUse", []string{"Bash"}, false},
		{"a prompt", dialect.Cursor, "beforeSubmitPrompt", dialect.ClaudeCode, "UserPromptSubmit", nil, true},
		{"not by a client that is past denying it", dialect.Copilot, "userPromptSubmitted", dialect.ClaudeCode, "UserPromptSubmit", nil, false},
		{"which is enough for who only watches", dialect.Copilot, "userPromptSubmitted", dialect.Copilot, "userPromptSubmitted", nil, true},
		{"who may be told in time too", dialect.ClaudeCode, "UserPromptSubmit", dialect.Copilot, "userPromptSubmitted", nil, true},
		{"an event that no other client has", dialect.ClaudeCode, "ConfigChange", dialect.ClaudeCode, "ConfigChange", nil, true},
		{"not by that of another name", dialect.ClaudeCode, "PreCompact", dialect.ClaudeCode, "ConfigChange", nil, false},
		{"nor of another client", dialect.Codex, "PreCompact", dialect.ClaudeCode, "PreCompact", nil, false},
		{"an event that nobody knows", dialect.ClaudeCode, "NotYetInvented", dialect.ClaudeCode, "NotYetInvented", nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := put(c.client, c.event, c.of, c.hook, c.matchers...); got != c.want {
				t.Errorf("%s %s puts %q, and %s %s wants one of %q: got %v, want %v", c.client, c.event, dialect.Delivers(c.client, c.event), c.of, c.hook, dialect.Wants(c.of, c.hook, c.matchers), got, c.want)
			}
		})
	}
	if got, want := dialect.Wants(dialect.ClaudeCode, "PreToolUse", []string{"Bash"}), `["before a tool (shell)" of a client]`; fmt.Sprint(got) != want {
		t.Errorf("in words: got %s, want %s", got, want)
	}
}

// TestQuestionsAreWhatIsAsked throws every tool of every client at hooks with many
// matchers, and wants each hook that is asked for sure to count as asked by that event.
func TestQuestionsAreWhatIsAsked(t *testing.T) {
	tools := map[string][]string{
		dialect.ClaudeCode:  {"Bash", "Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "Glob", "Grep", "LS", "WebFetch", "WebSearch", "Task", "TodoWrite", "Skill", "mcp__s__t", "Conjure"},
		dialect.Codex:       {"Bash", "apply_patch", "update_plan", "view_image", "mcp__s__t", "conjure"},
		dialect.Cursor:      {"Shell", "Read", "Write", "StrReplace", "Delete", "Grep", "Task", "MCP:t", "Conjure"},
		dialect.Copilot:     {"bash", "view", "create", "edit", "editFiles", "apply_patch", "glob", "rg", "web_fetch", "task", "ask_user", "conjure"},
		dialect.Gemini:      {"run_shell_command", "read_file", "write_file", "replace", "glob", "list_directory", "save_memory", "mcp_s_t", "conjure"},
		dialect.Antigravity: {"run_command", "view_file", "write_to_file", "replace_file_content", "find_by_name", "conjure"},
	}
	matchers := []string{"", "*", "Bash", "Shell|Read", "Edit|Write", "Write", "^Edit$", "mcp__.*", "mcp__s__t", "Conjure", "run_shell_command", "apply_patch", ".*", "^(?!x)", "Task", "Skill", "MCP:t", "view|create", "glob"}
	for client, names := range tools {
		for _, event := range dialect.Known(client) {
			if dialect.MomentOf(client, event) != dialect.BeforeTool || strings.HasPrefix(event, "before") {
				continue
			}
			for _, tool := range names {
				e := &dialect.Event{Client: client, Name: event, Moment: dialect.BeforeTool, Tool: tool, Input: json.RawMessage(`{"command":"x","file_path":"y"}`)}
				for _, of := range dialect.Clients() {
					for _, hook := range e.Names(of) {
						for _, m := range matchers {
							if strings.EqualFold(tool, "conjure") && of == dialect.Cursor && hook != event {
								continue // what nobody knows may be of any kind, and need not
							}
							if asks, err := e.Asks(of, hook, m); asks && err == nil && !put(client, event, of, hook, m) {
								t.Errorf("%s %s about %s asks %s %s with the matcher %q, which wants one of %q", client, event, tool, of, hook, m, dialect.Wants(of, hook, []string{m}))
							}
						}
					}
				}
			}
		}
	}
}

// TestEventsOfCursor wants no line of ours for events that the one for all tools
// says as well: Cursor would ask twice.
func TestEventsOfCursor(t *testing.T) {
	want := "[preToolUse postToolUse postToolUseFailure beforeSubmitPrompt stop subagentStop sessionStart sessionEnd]"
	if got := fmt.Sprint(dialect.Events(dialect.Cursor)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestOnly wants a hook to be left out for its condition only where that cannot hold:
// one for "Edit" was not asked about what was written, though its client applies that
// rule to all that changes files.
func TestOnly(t *testing.T) {
	claude := func(tool string) *dialect.Event { return call(dialect.ClaudeCode, tool, `{}`) }
	for _, c := range []struct {
		of        *dialect.Event
		condition string
		may       bool
	}{
		{claude("Bash"), "Bash(git *)", true},
		{claude("Bash"), " Bash ", true},
		{claude("Bash"), "Bash(echo (x))", true},
		{claude("Read"), "Bash(git *)", false},
		{claude("Read"), "Bash", false},
		{claude("Edit"), "Edit(*.env)", true},
		{claude("Write"), "Edit(*.env)", true},
		{claude("MultiEdit"), "Edit(*.env)", true},
		{claude("NotebookEdit"), "Edit(*.env)", true},
		{claude("Edit"), "Write(*.env)", true},
		{claude("Read"), "Edit(*.env)", false},
		{claude("Bash"), "Edit(*.env)", false},
		{claude("Grep"), "Read(*.env)", true},
		{claude("Glob"), "Read(*.env)", true},
		{claude("Write"), "Read(*.env)", false},
		{claude("Read"), "Bash(git *) || Read(*)", true},
		{claude("Read"), "Bash|Read", true},
		{claude("Read"), "Bash(git *", true},
		{claude("Read"), `Bash(\)) Read(*)`, true},
		{claude("Read"), "tool_input.command matches 'x'", true},
		{claude("Read"), "", true},
		{claude("Read"), "Conjure(x)", true},
		{claude("Conjure"), "Bash(x)", true},
		{claude("Skill"), "Skill(x)", true},
		{claude("ExitPlanMode"), "Skill(x)", false},
		{claude("Skill"), "Bash(x)", false},
		{call(dialect.Gemini, "run_shell_command", `{}`), "Bash(x)", true},
		{call(dialect.Gemini, "read_file", `{}`), "Bash(x)", false},
		{call(dialect.Codex, "apply_patch", `{}`), "Write(x)", true},
		{ours("acme", "search", "find"), "Bash(x)", false},
		{ours("acme", "search", "find"), "mcp__search__find", true},
		{&dialect.Event{Client: dialect.ClaudeCode, Name: "Stop", Moment: dialect.Stop}, "Bash(x)", true},
	} {
		if got := c.of.Only(dialect.ClaudeCode, c.condition); got != c.may {
			t.Errorf("%q for %s of %s: got %v, want %v", c.condition, c.of.Tool, c.of.Client, got, c.may)
		}
	}
}

// TestOurs wants a call to count as one of a server's tools only where the client's
// name for it says so beyond doubt: it is left to the gateway then, and judged there.
func TestOurs(t *testing.T) {
	for _, c := range []struct {
		client, event, raw string
		want               string
	}{
		{dialect.ClaudeCode, "PreToolUse", `{"hook_event_name":"PreToolUse","tool_name":"mcp__mortise__acme_search__find","tool_input":{}}`, "acme_search__find"},
		{dialect.ClaudeCode, "PreToolUse", `{"hook_event_name":"PreToolUse","tool_name":"mcp__mortise_x__find","tool_input":{}}`, ""},
		{dialect.ClaudeCode, "PreToolUse", `{"hook_event_name":"PreToolUse","tool_name":"mcp__plugin_acme_mortise__find","tool_input":{}}`, ""},
		{dialect.ClaudeCode, "PreToolUse", `{"hook_event_name":"PreToolUse","tool_name":"mcp__mortise__","tool_input":{}}`, ""},
		{dialect.Codex, "PreToolUse", `{"hook_event_name":"PreToolUse","tool_name":"mcp__mortise__find","tool_input":{}}`, "find"},
		{dialect.Gemini, "BeforeTool", `{"hook_event_name":"BeforeTool","tool_name":"mcp_mortise_find","tool_input":{}}`, ""},
		{dialect.Gemini, "BeforeTool", `{"hook_event_name":"BeforeTool","tool_name":"mcp_mortise_find","tool_input":{},"mcp_context":{"server_name":"mortise","tool_name":"find"}}`, "find"},
		{dialect.Gemini, "BeforeTool", `{"hook_event_name":"BeforeTool","tool_name":"mcp_mortise_find","tool_input":{},"mcp_context":{"server_name":"mortise_find","tool_name":"x"}}`, ""},
		{dialect.Cursor, "preToolUse", `{"hook_event_name":"preToolUse","tool_name":"MCP:mortise/find","tool_input":{}}`, ""},
		{dialect.Cursor, "preToolUse", `{"hook_event_name":"preToolUse","tool_name":"MCP:find","tool_input":{}}`, ""},
		{dialect.Copilot, "preToolUse", `{"toolName":"mortise-acme_search__find","toolArgs":{}}`, "acme_search__find"},
		{dialect.Copilot, "preToolUse", `{"toolName":"mortise-acme-find","toolArgs":{}}`, ""},
		{dialect.Copilot, "PreToolUse", `{"hookEventName":"PreToolUse","tool_name":"mcp_mortise_find","tool_input":{}}`, ""},
		{dialect.Antigravity, "PreToolUse", `{"toolCall":{"name":"mcp__mortise__find","args":{}}}`, ""},
	} {
		e, err := dialect.Read(c.client, c.event, []byte(c.raw))
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := e.Ours("mortise"); got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %s: got %q, %v, want %q", c.client, c.raw, got, ok, c.want)
		}
	}
}

func BenchmarkWants(b *testing.B) {
	for b.Loop() {
		dialect.Wants(dialect.ClaudeCode, "PreToolUse", []string{"^(Edit|Write)$"})
	}
}
