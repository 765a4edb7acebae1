package dialect_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/dialect"
)

func call(client, tool, input string) *dialect.Event {
	name := map[string]string{dialect.ClaudeCode: "PreToolUse", dialect.Codex: "PreToolUse", dialect.Gemini: "BeforeTool", dialect.Cursor: "preToolUse", dialect.Antigravity: "PreToolUse", dialect.Copilot: "preToolUse"}[client]
	e := &dialect.Event{Client: client, Name: name, Moment: dialect.BeforeTool, Session: "s", Dir: "/w", Tool: tool, Input: json.RawMessage(input)}
	if rest, ok := strings.CutPrefix(tool, "mcp__"); ok {
		server, name, _ := strings.Cut(rest, "__")
		e.Served = dialect.Served{Server: server, Tool: name}
	}
	return e
}

// ours is a call that our own gateway is asked to make.
func ours(extension, server, tool string) *dialect.Event {
	return &dialect.Event{
		Client: dialect.Mortise, Moment: dialect.BeforeTool, Session: "s", Dir: "/w", Tool: extension + "_" + server + "__" + tool,
		Served: dialect.Served{Extension: extension, Server: server, Tool: tool}, Input: json.RawMessage(`{"q":"x"}`),
	}
}

// TestTexts tells an event that happened elsewhere as the hooks of each dialect
// look for it: under their tool's name, and with their names for its arguments.
func TestTexts(t *testing.T) {
	for _, c := range []struct {
		name, to, event string
		of              *dialect.Event
		want            []string // in the texts, one for each
		fails           string
	}{
		{"a shell of Gemini to a guard of Claude Code", dialect.ClaudeCode, "PreToolUse", call(dialect.Gemini, "run_shell_command", `{"command":"rm -r /"}`),
			[]string{`"tool_name":"Bash"`}, ""},
		{"a shell of Antigravity to a guard of Claude Code", dialect.ClaudeCode, "PreToolUse", call(dialect.Antigravity, "run_command", `{"CommandLine":"rm -r /"}`),
			[]string{`"tool_input":{"CommandLine":"rm -r /","command":"rm -r /"}`}, ""},
		{"a shell of Claude Code to a guard of Cursor", dialect.Cursor, "beforeShellExecution", call(dialect.ClaudeCode, "Bash", `{"command":"ls"}`),
			[]string{`"command":"ls"`}, ""},
		{"a shell of Claude Code to a guard of Copilot", dialect.Copilot, "preToolUse", call(dialect.ClaudeCode, "Bash", `{"command":"ls"}`),
			[]string{`"toolArgs":"{\"command\":\"ls\"}","toolName":"bash"`}, ""},
		{"and to one of Visual Studio Code", dialect.Copilot, "PreToolUse", call(dialect.Gemini, "run_shell_command", `{"command":"ls"}`),
			[]string{`"tool_name":"Bash"`}, ""},
		{"a patch to Visual Studio Code is an edit", dialect.Copilot, "PreToolUse", call(dialect.Codex, "apply_patch", `{"command":"*** Begin Patch\n*** Delete File: b\n*** End Patch"}`),
			[]string{`"path":"b"},"tool_name":"Edit"`}, ""},
		{"an edit of Copilot to a guard of Claude Code", dialect.ClaudeCode, "PreToolUse", call(dialect.Copilot, "edit", `{"path":"/w/a","old_str":"a","new_str":"b"}`),
			[]string{`"file_path":"/w/a","new_string":"b","old_string":"a"`}, ""},
		{"a patch of two files is told twice", dialect.ClaudeCode, "PreToolUse", call(dialect.Codex, "apply_patch", `{"command":"*** Begin Patch\n*** Update File: a\n@@\n*** Delete File: b\n*** End Patch"}`),
			[]string{`"file_path":"a"`, `"file_path":"b"`}, ""},
		{"so are files in a list", dialect.ClaudeCode, "PreToolUse", call(dialect.Copilot, "editFiles", `{"files":["/w/a","/w/b"]}`),
			[]string{`"file_path":"/w/a"`, `"file_path":"/w/b"`}, ""},
		{"and files of objects in a list", dialect.ClaudeCode, "PreToolUse", call(dialect.Copilot, "multi_replace_string_in_file", `{"replacements":[{"filePath":"/w/a"},{"filePath":"/w/b"}]}`),
			[]string{`"file_path":"/w/a"`, `"file_path":"/w/b"`}, ""},
		{"a file beside a patch hides none", dialect.ClaudeCode, "PreToolUse", call(dialect.Codex, "apply_patch", `{"file_path":"ok","command":"*** Begin Patch\n*** Delete File: b\n*** End Patch"}`),
			[]string{`"file_path":"ok"`, `"file_path":"b"`}, ""},
		{"nor one beside a list", dialect.ClaudeCode, "PreToolUse", call(dialect.Copilot, "editFiles", `{"filePath":"ok","files":["/w/a"]}`),
			[]string{`"file_path":"ok"`, `"file_path":"/w/a"`}, ""},
		{"nor one beside objects in a list", dialect.ClaudeCode, "PreToolUse", call(dialect.Copilot, "multi_replace_string_in_file", `{"filePath":"ok","replacements":[{"filePath":"/w/a"},{"filePath":"ok"}]}`),
			[]string{`"file_path":"ok"`, `"file_path":"/w/a"`}, ""},
		{"a file that is in the list as well is one", dialect.ClaudeCode, "PreToolUse", call(dialect.Copilot, "multi_replace_string_in_file", `{"filePath":"/w/a","replacements":[{"filePath":"/w/a"}]}`),
			[]string{`"file_path":"/w/a"`}, ""},
		{"patches in a list are patches", dialect.ClaudeCode, "PreToolUse", call(dialect.Codex, "apply_patch", `{"patches":["*** Begin Patch\n*** Add File: a\n+x\n*** End Patch","*** Begin Patch\n*** Delete File: b\n*** End Patch"]}`),
			[]string{`"file_path":"a"`, `"file_path":"b"`}, ""},
		{"what is written may tell of patches", dialect.ClaudeCode, "PreToolUse", call(dialect.Gemini, "write_file", `{"file_path":"a","content":"*** Begin Patch\n*** Delete File: b\n*** End Patch"}`),
			[]string{`"file_path":"a"`}, ""},
		{"numbers of lines are no files", dialect.ClaudeCode, "PreToolUse", call(dialect.Copilot, "view", `{"path":"a","view_range":[1,20]}`),
			[]string{`"file_path":"a"`}, ""},
		{"a list of which some items name no file", dialect.ClaudeCode, "PreToolUse", call(dialect.Copilot, "multi_replace_string_in_file", `{"replacements":[{"filePath":"/w/a"},{"uri":"/w/b"}]}`), nil, "and none in others"},
		{"what is nested without end", dialect.ClaudeCode, "PreToolUse", call(dialect.Copilot, "editFiles", `{"files":`+strings.Repeat("[", 100)+strings.Repeat("]", 100)+`}`), nil, "nested too deep"},
		{"several files are no patch", dialect.Codex, "PreToolUse", call(dialect.Copilot, "editFiles", `{"files":["/w/a","/w/b"]}`), nil, "changes several files"},
		{"nor are several changes", dialect.Codex, "PreToolUse", call(dialect.ClaudeCode, "MultiEdit", `{"file_path":"a","old_string":"a","new_string":"b","edits":[{"old_string":"c","new_string":"d"}]}`), nil, "does not say what it changes"},
		{"one command in two spellings", dialect.ClaudeCode, "PreToolUse", call(dialect.Antigravity, "run_command", `{"CommandLine":"rm -rf /","command":"ls"}`), nil, `"CommandLine" and "command" values that differ`},
		{"and in Codex", dialect.ClaudeCode, "PreToolUse", call(dialect.Codex, "exec_command", `{"cmd":"rm -rf /","command":"ls"}`), nil, `"cmd" and "command" values that differ`},
		{"told to its own client too", dialect.Codex, "PreToolUse", call(dialect.Codex, "exec_command", `{"cmd":"rm -rf /","command":"ls"}`), nil, `"cmd" and "command" values that differ`},
		{"one file in two spellings", dialect.ClaudeCode, "PreToolUse", call(dialect.Copilot, "view", `{"path":"secret","file_path":"ok"}`), nil, `"path" and "file_path" values that differ`},
		{"of a third client", dialect.ClaudeCode, "PreToolUse", call(dialect.Gemini, "read_file", `{"file_path":"ok","path":"secret"}`), nil, `"file_path" and "path" values that differ`},
		{"with one value are one", dialect.ClaudeCode, "PreToolUse", call(dialect.Antigravity, "run_command", `{"CommandLine":"ls","command":"ls"}`),
			[]string{`"command":"ls"`}, ""},
		{"a hook of Cursor's for shells, told of what came for all tools", dialect.Cursor, "beforeShellExecution", call(dialect.Cursor, "Shell", `{"command":"ls","working_directory":"/w"}`),
			[]string{`"command":"ls","conversation_id":"s","cwd":"/w","hook_event_name":"beforeShellExecution"`}, ""},
		{"and one for reading, in another spelling", dialect.Cursor, "beforeReadFile", call(dialect.Cursor, "Read", `{"target_file":"/w/a"}`),
			[]string{`"file_path":"/w/a"`}, ""},
		{"and one for servers", dialect.Cursor, "beforeMCPExecution", call(dialect.Cursor, "MCP:find", `{"q":"x"}`),
			[]string{`"tool_input":"{\"q\":\"x\"}"`}, ""},
		{"one for all, told of what came for shells", dialect.Cursor, "preToolUse", &dialect.Event{Client: dialect.Cursor, Name: "beforeShellExecution", Moment: dialect.BeforeTool, Tool: "Shell", Input: json.RawMessage(`{"command":"ls"}`)},
			[]string{`"tool_input":{"command":"ls"},"tool_name":"Shell"`}, ""},
		{"a patch that names no file cannot be told", dialect.ClaudeCode, "PreToolUse", call(dialect.Codex, "apply_patch", `{"command":"*** Begin Patch"}`), nil, "names no file"},
		{"a shell without a command cannot be told", dialect.ClaudeCode, "PreToolUse", call(dialect.Antigravity, "run_command", `{"Line":"ls"}`), nil, "names no command"},
		{"an edit of Claude Code to a guard of Codex is a patch", dialect.Codex, "PreToolUse", call(dialect.ClaudeCode, "Edit", `{"file_path":"/w/a","old_string":"a\n","new_string":"b"}`),
			[]string{`"command":"*** Begin Patch\n*** Update File: /w/a\n@@\n-a\n+b\n*** End Patch"`}, ""},
		{"so is a new file", dialect.Codex, "PreToolUse", call(dialect.Gemini, "write_file", `{"file_path":"/w/a","content":"x\ny\n"}`),
			[]string{`*** Add File: /w/a\n+x\n+y\n*** End Patch"`}, ""},
		{"an edit that does not say what it changes", dialect.Codex, "PreToolUse", call(dialect.ClaudeCode, "NotebookEdit", `{"notebook_path":"/w/a"}`), nil, "does not say what it changes"},
		{"a tool of our gateway to Claude Code, as one of a plugin", dialect.ClaudeCode, "PreToolUse", ours("acme", "search", "find.it"),
			[]string{`"tool_name":"mcp__plugin_acme_search__find_it"`}, ""},
		{"and to Cursor", dialect.Cursor, "beforeMCPExecution", ours("acme", "search", "find"),
			[]string{`"tool_input":"{\"q\":\"x\"}","tool_name":"find"`}, ""},
		{"what is before a tool cannot be told as after one", dialect.ClaudeCode, "PostToolUse", ours("acme", "search", "find"), nil, "cannot be told"},
		{"nor as an event that nobody knows", dialect.ClaudeCode, "PreToolsUse", ours("acme", "search", "find"), nil, "cannot be told"},
		{"a prompt", dialect.Gemini, "BeforeAgent", &dialect.Event{Client: dialect.Cursor, Name: "beforeSubmitPrompt", Moment: dialect.Prompt, Session: "s", Prompt: "hi"},
			[]string{`"hook_event_name":"BeforeAgent","prompt":"hi","session_id":"s"`}, ""},
		{"the source of a session is kept", dialect.ClaudeCode, "SessionStart", &dialect.Event{Client: dialect.Gemini, Name: "SessionStart", Moment: dialect.SessionStart, Raw: json.RawMessage(`{"source":"resume"}`)},
			[]string{`"source":"resume"`}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			texts, err := c.of.Texts(c.to, c.event)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Fatalf("got %s, %v, want an error with %q", texts, err, c.fails)
				}
				return
			}
			if err != nil || len(texts) != len(c.want) {
				t.Fatalf("got %s, %v, want %d texts", texts, err, len(c.want))
			}
			for i, want := range c.want {
				if !strings.Contains(string(texts[i]), want) {
					t.Errorf("got %s, want %s in it", texts[i], want)
				}
			}
		})
	}
}

// What came is told as it came to a hook of the same dialect: nothing is lost, and
// nothing is made up.
func TestTextsOfItsOwn(t *testing.T) {
	raw := []byte(`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"new_key":[1]}`)
	e, err := dialect.Read(dialect.ClaudeCode, "PreToolUse", raw)
	if err != nil {
		t.Fatal(err)
	}
	if texts, err := e.Texts(dialect.ClaudeCode, "PreToolUse"); err != nil || len(texts) != 1 || string(texts[0]) != string(raw) {
		t.Errorf("got %s, %v, want %s", texts, err, raw)
	}
}

// TestNames wants an event to be asked about under every name of a dialect that
// is about the same, in its own client as well: Cursor need not ask for a shell
// command by both of its events, nor Copilot by both of its spellings.
func TestNames(t *testing.T) {
	for _, c := range []struct {
		of   *dialect.Event
		to   string
		want string
	}{
		{call(dialect.ClaudeCode, "Bash", `{"command":"ls"}`), dialect.Cursor, "[preToolUse beforeShellExecution]"},
		{call(dialect.ClaudeCode, "Read", `{"file_path":"a"}`), dialect.Cursor, "[preToolUse beforeReadFile]"},
		{call(dialect.ClaudeCode, "Write", `{"file_path":"a"}`), dialect.Cursor, "[preToolUse]"},
		{call(dialect.ClaudeCode, "mcp__s__t", `{}`), dialect.Cursor, "[preToolUse beforeMCPExecution]"},
		{call(dialect.ClaudeCode, "Unheard", `{"command":"ls"}`), dialect.Cursor, "[preToolUse beforeShellExecution beforeMCPExecution]"},
		{call(dialect.Cursor, "Shell", `{"command":"ls"}`), dialect.Cursor, "[preToolUse beforeShellExecution]"},
		{call(dialect.Cursor, "Write", `{"file_path":"a"}`), dialect.Cursor, "[preToolUse]"},
		{&dialect.Event{Client: dialect.Cursor, Name: "postToolUse", Moment: dialect.AfterTool, Tool: "Write", Input: json.RawMessage(`{"file_path":"a"}`)}, dialect.Cursor, "[postToolUse afterFileEdit]"},
		{&dialect.Event{Client: dialect.Cursor, Name: "beforeShellExecution", Moment: dialect.BeforeTool, Tool: "Shell", Input: json.RawMessage(`{"command":"ls"}`)}, dialect.Cursor, "[beforeShellExecution preToolUse]"},
		{&dialect.Event{Client: dialect.Cursor, Name: "beforeTabFileRead", Moment: dialect.BeforeTool, Tool: "TabRead", Input: json.RawMessage(`{"file_path":"a"}`)}, dialect.Cursor, "[beforeTabFileRead]"},
		{call(dialect.Copilot, "bash", `{"command":"ls"}`), dialect.Copilot, "[preToolUse PreToolUse]"},
		{call(dialect.Cursor, "Shell", `{"command":"ls"}`), dialect.Copilot, "[preToolUse PreToolUse]"},
		{ours("acme", "search", "find"), dialect.Gemini, "[BeforeTool]"},
		{&dialect.Event{Client: dialect.Codex, Name: "Interrupt"}, dialect.ClaudeCode, "[]"},
		{&dialect.Event{Client: dialect.Codex, Name: "Interrupt"}, dialect.Codex, "[Interrupt]"},
	} {
		if got := fmt.Sprint(c.of.Names(c.to)); got != c.want {
			t.Errorf("%s of %s in %s: got %s, want %s", c.of.Tool, c.of.Client, c.to, got, c.want)
		}
	}
}

// TestAsks wants a guard to be asked wherever its matcher means the tool in the
// words of its own client, and where nobody can tell.
func TestAsks(t *testing.T) {
	gemini := func(tool, input string) *dialect.Event { return call(dialect.Gemini, tool, input) }
	for _, c := range []struct {
		name, client, event, matcher string
		of                           *dialect.Event
		asked, unsure                bool
	}{
		{"a guard of a shell", dialect.ClaudeCode, "PreToolUse", "Bash", gemini("run_shell_command", `{"command":"ls"}`), true, false},
		{"by another name of it", dialect.ClaudeCode, "PreToolUse", "PowerShell", gemini("run_shell_command", `{"command":"ls"}`), true, false},
		{"a guard of something else", dialect.ClaudeCode, "PreToolUse", "Read|Grep", gemini("run_shell_command", `{"command":"ls"}`), false, false},
		{"of edits, asked about a patch", dialect.ClaudeCode, "PreToolUse", "Edit|Write", call(dialect.Codex, "apply_patch", `{}`), true, false},
		{"of writing, asked about Cursor's editing", dialect.ClaudeCode, "PreToolUse", "Write", call(dialect.Cursor, "StrReplace", `{}`), true, false},
		{"a tool that nobody knows", dialect.ClaudeCode, "PreToolUse", "Bash", gemini("conjure", `{}`), true, true},
		{"a tool that is known to be like none", dialect.ClaudeCode, "PreToolUse", "Bash", gemini("save_memory", `{}`), false, false},
		{"in its own client a name is a name", dialect.ClaudeCode, "PreToolUse", "Bash", call(dialect.ClaudeCode, "Conjure", `{}`), false, false},
		{"aliases of its own client", dialect.Codex, "PreToolUse", "Write", call(dialect.Codex, "apply_patch", `{}`), true, false},
		{"a server of a plugin", dialect.ClaudeCode, "PreToolUse", "mcp__plugin_acme_search__.*", ours("acme", "search", "find"), true, false},
		{"by its plain name", dialect.ClaudeCode, "PreToolUse", "mcp__search__find", ours("acme", "search", "find"), true, false},
		{"another server", dialect.ClaudeCode, "PreToolUse", "mcp__memory__.*", ours("acme", "search", "find"), false, false},
		{"of Gemini", dialect.Gemini, "BeforeTool", "mcp_search_.*", ours("acme", "search", "find"), true, false},
		{"a shell's guard and a server's tool", dialect.ClaudeCode, "PreToolUse", "Bash", ours("acme", "search", "find"), false, false},
		{"the command itself, in Cursor", dialect.Cursor, "beforeShellExecution", "curl|wget", call(dialect.ClaudeCode, "Bash", `{"command":"cd x && curl y"}`), true, false},
		{"another command", dialect.Cursor, "beforeShellExecution", "curl|wget", call(dialect.ClaudeCode, "Bash", `{"command":"ls"}`), false, false},
		{"a command with characters that patterns differ on", dialect.Cursor, "beforeShellExecution", "^curl$", call(dialect.ClaudeCode, "Bash", "{\"command\":\"ls\u2028\"}"), true, true},
		{"matchers that Visual Studio Code does not read", dialect.Copilot, "preToolUse", "bash", call(dialect.ClaudeCode, "Read", `{}`), true, false},
		{"a pattern of another language", dialect.ClaudeCode, "PreToolUse", "^(?!Read)", call(dialect.ClaudeCode, "Read", `{}`), true, true},
		{"no matcher", dialect.ClaudeCode, "PreToolUse", "", gemini("conjure", `{}`), true, false},
		{"a matcher where there is nothing to match", dialect.ClaudeCode, "Stop", "Bash", &dialect.Event{Client: dialect.ClaudeCode, Name: "Stop", Moment: dialect.Stop}, true, false},
		{"the source of a session", dialect.ClaudeCode, "SessionStart", "resume", &dialect.Event{Client: dialect.ClaudeCode, Name: "SessionStart", Moment: dialect.SessionStart, Raw: json.RawMessage(`{"source":"startup"}`)}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked, err := c.of.Asks(c.client, c.event, c.matcher)
			if asked != c.asked || (err != nil) != c.unsure {
				t.Errorf("got %v, %v, want %v and that it is unsure: %v", asked, err, c.asked, c.unsure)
			}
		})
	}
}

// TestMatches holds each client's own rules for matchers.
func TestMatches(t *testing.T) {
	for _, c := range []struct {
		client, matcher, subject string
		matched, unsure          bool
	}{
		{dialect.ClaudeCode, "", "Bash", true, false},
		{dialect.ClaudeCode, "*", "Bash", true, false},
		{dialect.ClaudeCode, "Bash", "Bash", true, false},
		{dialect.ClaudeCode, "Bash", "BashOutput", false, false},
		{dialect.ClaudeCode, "bash", "Bash", false, false},
		{dialect.ClaudeCode, "Edit, Write|Read", "Write", true, false},
		{dialect.ClaudeCode, "mcp__my-server__x", "mcp__my-server__xy", false, false},
		{dialect.ClaudeCode, "Bash.*", "xBashy", true, false},
		{dialect.ClaudeCode, "^Bash$", "BashOutput", false, false},
		{dialect.ClaudeCode, `mcp__.*__write\w*`, "mcp__fs__write_file", true, false},
		{dialect.ClaudeCode, `(?<!x)Bash`, "Read", true, true},
		{dialect.ClaudeCode, `(?i)bash`, "Read", true, true},
		{dialect.ClaudeCode, `(a)\1`, "Read", true, true},
		{dialect.ClaudeCode, `\ABash`, "Read", true, true},
		{dialect.ClaudeCode, `[[:alpha:]]+!`, "Read", true, true},
		{dialect.ClaudeCode, `[^]`, "Read", true, true},
		{dialect.ClaudeCode, `[`, "Read", true, true},
		{dialect.ClaudeCode, `a{2000}`, "Read", true, true},
		{dialect.Codex, "mcp__my-server__x", "mcp__my-server__xy", true, false},
		{dialect.Codex, "mcp__memory", "mcp__memory__x", false, false},
		{dialect.Codex, "Edit|Write", "Write", true, false},
		{dialect.Cursor, "Shell", "Shell", true, false},
		{dialect.Cursor, "Shell|Read", "Write", false, false},
		{dialect.Cursor, "MCP:(?!ctx_)", "Read", true, true},
		{dialect.Gemini, "read_.*", "read_many_files", true, false},
		{dialect.Gemini, " * ", "anything", true, false},
		{dialect.Gemini, "write_file", "read_file", false, false},
		{dialect.Antigravity, "run_command", "run_command", true, false},
		{dialect.Copilot, "bash", "view", true, false},
	} {
		matched, err := dialect.Matches(c.client, c.matcher, c.subject)
		if matched != c.matched || (err != nil) != c.unsure {
			t.Errorf("%s: %q and %q: got %v, %v, want %v and that it is unsure: %v", c.client, c.matcher, c.subject, matched, err, c.matched, c.unsure)
		}
	}
}

// TestRewritten wants what a hook changed in its own words to be changed in those
// of the client that the call came from, and no argument to stay as it was under
// one of two names.
func TestRewritten(t *testing.T) {
	for _, c := range []struct {
		name     string
		of       *dialect.Event
		by       string
		said     string
		want     string
		conflict bool
	}{
		{"in the same dialect", call(dialect.ClaudeCode, "Bash", `{"command":"a"}`), dialect.ClaudeCode, `{"command":"b"}`, `{"command":"b"}`, false},
		{"under the hook's own name", call(dialect.Antigravity, "run_command", `{"CommandLine":"a","Cwd":"/"}`), dialect.ClaudeCode, `{"CommandLine":"a","Cwd":"/","command":"b"}`, `{"CommandLine":"b","Cwd":"/"}`, false},
		{"as the whole input of its own client", call(dialect.Antigravity, "run_command", `{"CommandLine":"a","Cwd":"/"}`), dialect.ClaudeCode, `{"command":"b"}`, `{"CommandLine":"b"}`, false},
		{"under the name that it came with", call(dialect.Antigravity, "run_command", `{"CommandLine":"a"}`), dialect.ClaudeCode, `{"CommandLine":"b","command":"a"}`, `{"CommandLine":"b"}`, false},
		{"both alike", call(dialect.Antigravity, "run_command", `{"CommandLine":"a"}`), dialect.ClaudeCode, `{"CommandLine":"b","command":"b"}`, `{"CommandLine":"b"}`, false},
		{"both, and not alike", call(dialect.Antigravity, "run_command", `{"CommandLine":"a"}`), dialect.ClaudeCode, `{"CommandLine":"b","command":"c"}`, "", true},
		{"nothing", call(dialect.Copilot, "edit", `{"path":"/a","old_str":"x","new_str":"y"}`), dialect.ClaudeCode, `{"path":"/a","old_str":"x","new_str":"y","file_path":"/a","new_string":"y","old_string":"x"}`, `{"path":"/a","old_str":"x","new_str":"y"}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.of.Rewritten(c.by, json.RawMessage(c.said))
			if (err != nil) != c.conflict || string(got) != c.want {
				t.Errorf("got %s, %v, want %s and that it conflicts: %v", got, err, c.want, c.conflict)
			}
		})
	}
}

// A tool has at least one name in every dialect that has a moment for it, the one
// that it is told by.
func TestToolNames(t *testing.T) {
	for _, of := range []*dialect.Event{call(dialect.ClaudeCode, "Read", `{}`), call(dialect.Codex, "apply_patch", `{}`), call(dialect.Cursor, "Delete", `{}`), ours("acme", "search", "find")} {
		for _, client := range dialect.Clients() {
			names, _ := of.ToolNames(client)
			if len(names) == 0 || slices.Contains(names, "") {
				t.Errorf("%s of %s in %s: got the names %q", of.Tool, of.Client, client, names)
			}
		}
	}
	if names, sure := (&dialect.Event{Client: dialect.ClaudeCode}).ToolNames(dialect.Codex); len(names) != 0 || sure {
		t.Errorf("the names of no tool: got %q, %v", names, sure)
	}
}
