package dialect

import (
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/mortise-dev/mortise/ext"
)

// Texts are what a hook of a client's dialect gets on its standard input about an
// event, asked under one of the client's event names. It is one text but for a
// patch of several files, which other dialects tell one file at a time: the hook
// is then asked about each. Told in its own client's dialect, an event is told as
// it came. What the other dialect has no place for is kept under the name that it
// has; what was never told is not made up, but for empty texts where a dialect
// always has one.
func (e *Event) Texts(client, name string) ([]json.RawMessage, error) {
	if e.Moment.tooled() {
		if _, err := e.agreed(); err != nil {
			return nil, fmt.Errorf("the input of %s %w", ext.Quote(e.Tool), err)
		}
	}
	if e.Client == client && e.Name == name {
		if own := e.With(e.Input); own.Raw != nil {
			return []json.RawMessage{own.Raw}, nil
		}
	}
	ev, known := find(client, name)
	if !known || ev.moment != e.Moment || ev.moment == Other {
		return nil, fmt.Errorf("what happened in %s cannot be told as %s of %s", e.Client, ext.Quote(name), client)
	}
	if !e.Moment.tooled() {
		return []json.RawMessage{encode(e.told(client, name))}, nil
	}
	in, _, err := e.respelt(client)
	if err != nil {
		return nil, fmt.Errorf("the input of %s %w", ext.Quote(e.Tool), err)
	}
	files, err := e.files(client, in)
	if err != nil {
		return nil, fmt.Errorf("told as %s of %s: %w", ext.Quote(name), client, err)
	}
	if len(files) > 1 && lacks(client, e.kind(), patch) {
		return nil, fmt.Errorf("told as %s of %s: the call changes several files, which is no patch that is known", ext.Quote(name), client)
	}
	var out []json.RawMessage
	for _, file := range files {
		own := in
		if key := paths[client]; file != "" {
			own = in.with(key[0], file)
		}
		text, err := e.toldCall(client, name, own)
		if err != nil {
			return nil, fmt.Errorf("told as %s of %s: %w", ext.Quote(name), client, err)
		}
		out = append(out, text)
	}
	return out, nil
}

// told is what a dialect says of every event.
func (e *Event) told(client, name string) map[string]any {
	out := map[string]any{}
	if e.Raw != nil { // what the other dialect says besides, such as the source of a session
		if o, err := parse(e.Raw); err == nil {
			for _, key := range []string{"transcript_path", "permission_mode", "source", "reason", "trigger", "stop_hook_active", "model", "agent_id", "agent_type", "last_assistant_message"} {
				if o.has(key) {
					out[key] = o.any(key)
				}
			}
		}
	}
	snake := true
	switch client {
	case Cursor:
		out["conversation_id"], out["workspace_roots"] = e.Session, e.dirs()
	case Antigravity:
		out["conversationId"], out["workspacePaths"], snake = e.Session, e.dirs(), false
	case Copilot:
		if !pascal(name) {
			out["sessionId"], out["cwd"], snake = e.Session, e.Dir, false
		}
	}
	if snake {
		out["session_id"], out["cwd"], out["hook_event_name"] = e.Session, e.Dir, name
		if _, there := out["transcript_path"]; !there {
			out["transcript_path"] = ""
		}
	}
	if e.Moment == Prompt {
		out["prompt"] = e.Prompt
	}
	return out
}

func (e *Event) dirs() []string {
	if e.Dir == "" {
		return []string{}
	}
	return []string{e.Dir}
}

// toldCall is what a dialect says of a call of a tool.
func (e *Event) toldCall(client, name string, in arguments) (json.RawMessage, error) {
	out := e.told(client, name)
	names, _ := e.ToolNames(client)
	if lacks(client, e.kind(), patch) {
		var err error
		if in, err = e.asPatch(in); err != nil {
			return nil, err
		}
	}
	tool, input := names[0], in.encode()
	if e.Use != "" {
		out["tool_use_id"] = e.Use
	}
	if e.Output != nil {
		out["tool_response"] = e.Output
	}
	switch {
	case client == Copilot && !pascal(name):
		out["toolName"], out["toolArgs"] = tool, string(input)
		if e.Output != nil {
			out["toolResult"] = e.Output
		}
	case client == Copilot:
		out["tool_name"], out["tool_input"] = claudeName(e, tool), input
	case client == Antigravity:
		out["toolCall"] = map[string]any{"name": tool, "args": input}
	case client == Cursor:
		if err := e.toldCursor(out, name, tool, in); err != nil {
			return nil, err
		}
	default:
		out["tool_name"], out["tool_input"] = tool, input
	}
	return encode(out), nil
}

// claudeName is the name that Copilot gives a tool towards hooks in the spelling
// of Claude Code.
func claudeName(e *Event, tool string) string {
	k := e.kind()
	for _, k := range or2(covers[k], []kind{k}) {
		if names := tools[ClaudeCode][k]; len(names) > 0 {
			return names[0]
		}
	}
	return tool
}

// toldCursor fills in what the events of Cursor for one kind of tool say.
func (e *Event) toldCursor(out map[string]any, name, tool string, in arguments) error {
	out["tool_name"], out["tool_input"] = tool, in.encode()
	if l, narrow := lifted[name]; narrow {
		if e.Output != nil && l.keys[0] == "command" {
			out["output"] = e.Output
		}
		return e.lift(out, name, in)
	}
	switch name {
	case "beforeMCPExecution", "afterMCPExecution":
		out["tool_name"], out["tool_input"] = cmp.Or(e.Served.Tool, e.Tool), string(in.encode())
		if e.Output != nil {
			out["result_json"] = e.Output
		}
	case "postToolUse":
		if e.Output != nil {
			out["tool_output"] = e.Output
		}
	}
	return nil
}

// lift puts arguments where an event of Cursor's for one kind of tool has them. That
// which it always has must be there, if need be in another spelling.
func (e *Event) lift(out map[string]any, name string, in arguments) error {
	keys := lifted[name].keys
	if field := map[string]string{"command": "command", "file_path": "path"}[keys[0]]; !in.text(keys[0]) {
		if s := e.field(field); s != "" {
			in = in.with(keys[0], s)
		}
	}
	for _, k := range keys {
		if i := in.at(k); i >= 0 {
			out[k] = json.RawMessage(in[i].value)
		}
	}
	if !in.text(keys[0]) {
		return fmt.Errorf("the call has no %s, which %s tells its hooks of %s", ext.Quote(keys[0]), Cursor, ext.Quote(name))
	}
	return nil
}
