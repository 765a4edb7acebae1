package dialect

import "slices"

// kind is what a tool of a client's own does, whatever the client calls it.
type kind uint8

const (
	unknown kind = iota
	served       // a tool of a server of MCP
	shell
	read
	write
	edit
	patch // writes, edits and deletes, several files at once
	tab   // what an editor does on its own, besides the agent
	remove
	list
	glob
	grep
	fetch
	search
	task
	todo
	ask
	lone // known to have no like elsewhere
)

// tools are the names of the clients' own tools, per kind. The first of a client
// is the one by which its hooks are told about a tool of another client. Copilot
// has three sets of names: those of its command line, those that it gives to
// hooks in the spelling of Claude Code, and those of Visual Studio Code.
var tools = map[string]map[kind][]string{
	ClaudeCode: {
		shell: {"Bash", "PowerShell"}, read: {"Read"}, write: {"Write"}, edit: {"Edit", "MultiEdit", "NotebookEdit"},
		list: {"LS"}, glob: {"Glob"}, grep: {"Grep"}, fetch: {"WebFetch"}, search: {"WebSearch"},
		task: {"Agent", "Task"}, todo: {"TodoWrite"}, ask: {"AskUserQuestion"},
		lone: {"BashOutput", "KillShell", "KillBash", "TaskOutput", "TaskStop", "Skill", "SlashCommand", "EnterPlanMode", "ExitPlanMode", "ToolSearch", "LSP", "ListMcpResourcesTool", "ReadMcpResourceTool", "TaskCreate", "TaskGet", "TaskList", "TaskUpdate"},
	},
	Codex: {
		shell: {"Bash", "shell", "local_shell", "exec_command", "unified_exec"}, patch: {"apply_patch"},
		todo: {"update_plan"}, search: {"web_search"}, ask: {"request_user_input"}, task: {"spawn_agent"}, lone: {"view_image"},
	},
	Cursor: {
		shell: {"Shell"}, read: {"Read"}, write: {"Write"}, edit: {"StrReplace", "Edit"}, tab: {"TabRead", "TabWrite"}, remove: {"Delete"},
		list: {"LS"}, glob: {"Glob"}, grep: {"Grep"}, fetch: {"WebFetch"}, search: {"WebSearch"}, task: {"Task"}, todo: {"TodoWrite"},
	},
	Copilot: {
		shell: {"bash", "powershell", "Bash", "runInTerminal", "run_in_terminal"}, read: {"view", "Read", "readFile", "read_file"},
		write: {"create", "Write", "createFile", "create_file"},
		edit:  {"edit", "str_replace_editor", "Edit", "editFiles", "replaceString", "replace_string_in_file", "multi_replace_string_in_file", "insert_edit_into_file"},
		patch: {"apply_patch"}, list: {"listDirectory", "list_dir"}, glob: {"glob", "Glob", "fileSearch", "file_search"},
		grep: {"grep", "rg", "Grep", "textSearch", "grep_search"}, fetch: {"web_fetch", "WebFetch", "fetch", "fetch_webpage"},
		search: {"web_search", "WebSearch"}, task: {"task", "Agent", "Task", "runSubagent"},
		todo: {"update_todo", "TodoWrite", "manage_todo_list"}, ask: {"ask_user", "AskUserQuestion"},
	},
	Gemini: {
		shell: {"run_shell_command"}, read: {"read_file", "read_many_files"}, write: {"write_file"}, edit: {"replace"},
		list: {"list_directory"}, glob: {"glob"}, grep: {"grep_search", "search_file_content"}, fetch: {"web_fetch"},
		search: {"google_web_search"}, todo: {"write_todos"}, ask: {"ask_user"},
		lone: {"save_memory", "activate_skill", "enter_plan_mode", "exit_plan_mode", "get_internal_docs", "cli_help"},
	},
	Antigravity: {
		shell: {"run_command"}, read: {"view_file", "view_code_item", "view_file_outline"}, write: {"write_to_file"},
		edit: {"replace_file_content", "multi_replace_file_content"}, list: {"list_dir"}, glob: {"find_by_name"},
		grep: {"grep_search"}, fetch: {"read_url_content"}, search: {"search_web"},
	},
}

// covers are the kinds that hooks of a dialect know where it has no tool of a
// kind: what patches is written about by guards of writing and of editing alike.
var covers = map[kind][]kind{
	patch: {patch, edit, write, remove}, edit: {edit, patch, write}, write: {write, patch, edit}, remove: {remove, patch},
	list: {list, glob},
}

// kind is what the tool of an event does.
func (e *Event) kind() kind {
	if e.Served.Is() || servedName(e.Client, e.Tool) {
		return served
	}
	return kindOf(e.Client, e.Tool)
}

// kindOf is what a tool of a client's own does, by its name.
func kindOf(client, name string) kind {
	for k, names := range tools[client] {
		if slices.Contains(names, name) {
			return k
		}
	}
	return unknown
}

// ToolNames are the names by which hooks of a client's dialect may know the tool
// of an event. The first is the one that they are told. Where the client has no
// tool that does the same they are the tool's own name, and the one that it would
// have in Claude Code. It is unsure when nobody here knows what the tool does, or
// how the client would name it: a guard is then asked, whatever its matcher says.
func (e *Event) ToolNames(client string) (names []string, sure bool) {
	if e.Tool == "" && !e.Served.Is() {
		return nil, false
	}
	k := e.kind()
	switch {
	case k == served:
		return e.servedNames(client)
	case e.Client == client:
		return unique(append([]string{e.Tool}, e.aliases(k)...)), true
	case k == unknown:
		return []string{e.Tool}, false
	case k == lone:
		return []string{e.Tool}, true
	}
	for _, k := range or2(covers[k], []kind{k}) {
		names = append(names, tools[client][k]...)
	}
	if len(names) == 0 {
		names = append([]string{e.Tool}, tools[ClaudeCode][k]...)
	}
	return unique(names), true
}

// lacks reports whether a client has no tool of a kind, and knows what such tools
// do as another kind.
func lacks(client string, k, as kind) bool {
	return len(tools[client][k]) == 0 && len(tools[client][as]) > 0 && slices.Contains(covers[k], as)
}

// aliases are other names that a client itself compares matchers with.
func (e *Event) aliases(k kind) []string {
	switch {
	case e.Client == Codex && k == patch:
		return []string{"Edit", "Write"}
	case e.Client == Copilot, e.Client == ClaudeCode && k == task:
		return tools[e.Client][k]
	}
	return nil
}

func unique(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// or2 is the first of two lists, or the second where the first is empty.
func or2[T any](a, b []T) []T {
	if len(a) > 0 {
		return a
	}
	return b
}
