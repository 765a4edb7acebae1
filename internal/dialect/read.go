package dialect

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// Read reads what a client told a hook on its standard input about an event,
// whose name stood on the hook's command line. It is strict where a guard depends
// on it: what is told of another event, names no tool, or has no object for its
// input is an error, and so is a key that is there twice. An event that is not
// known is read for what it says of itself alone.
func Read(client, name string, stdin []byte) (Event, error) {
	if _, known := events[client]; !known {
		return Event{}, fmt.Errorf("no client %s is known: %s", ext.Quote(client), strings.Join(Clients(), ", "))
	}
	o, err := parse(stdin)
	if err != nil {
		return Event{}, fmt.Errorf("what %s told the hook of %s %w", client, ext.Quote(name), err)
	}
	ev, _ := find(client, name)
	e := Event{Client: client, Name: name, Moment: ev.moment, Raw: bytes.Clone(bytes.TrimSpace(stdin))}
	e.common(o)
	if e.Moment.tooled() {
		e.called(o)
	}
	if e.Moment == Prompt {
		if e.Prompt = o.text("prompt"); !o.has("prompt") {
			o.fail("holds no \"prompt\"")
		}
	}
	if o.fault != nil {
		return Event{}, fmt.Errorf("what %s told the hook of %s %w", client, ext.Quote(name), o.fault)
	}
	return e, nil
}

// common reads what every event of a client says.
func (e *Event) common(o *object) {
	e.Session = cmp.Or(o.text("session_id"), o.text("sessionId"), o.text("conversation_id"), o.text("conversationId"))
	e.Dir = o.text("cwd")
	switch said := o.sole("hook_event_name", "hookEventName"); {
	case said != "" && said != e.Name && !(e.Client == Copilot && strings.EqualFold(said, e.Name)):
		o.fail("is about %s", ext.Quote(ext.Shorten(said, 80)))
	case said == "" && e.named():
		o.fail("does not say which event it is about")
	}
	switch {
	case e.Dir != "":
	case e.Client == Cursor:
		e.Dir = o.first("workspace_roots")
	case e.Client == Antigravity:
		e.Dir = o.first("workspacePaths")
	}
}

// named reports whether the client says the event in what it tells.
func (e *Event) named() bool {
	switch e.Client {
	case Antigravity:
		return false
	case Copilot:
		return pascal(e.Name)
	}
	return true
}

// pascal reports whether a name of Copilot's is one that Visual Studio Code
// spells, whose hooks are told and answer as those of Claude Code.
func pascal(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

// called reads which tool was called, and with what.
func (e *Event) called(o *object) {
	e.Use = o.sole("tool_use_id", "toolUseId")
	switch {
	case e.Client == Cursor:
		e.cursor(o)
	case e.Client == Antigravity:
		if call := o.object("toolCall"); call != nil {
			e.Tool, e.Input = call.text("name"), call.raw("args")
			if call.fault != nil {
				o.fault = call.fault
			}
		}
		e.Output = o.any("toolResult")
	case e.Client == Copilot && !pascal(e.Name):
		e.Tool, e.Input = o.text("toolName"), o.wrapped("toolArgs")
		if !o.has("toolArgs") {
			e.Input = o.wrapped("toolInput") // as a permission request says it
		}
		e.Output = or(o.any("toolResult"), o.any("error"))
	case e.Client == Copilot:
		e.Tool, e.Input = o.text("tool_name"), o.wrapped("tool_input")
		e.Output = or(o.any("tool_result"), o.any("tool_response"), o.any("error"))
	default:
		e.Tool, e.Input = o.text("tool_name"), o.raw("tool_input")
		e.Output = or(o.any("tool_response"), o.any("error"))
	}
	if e.Tool == "" {
		o.fail("names no tool")
	}
	if e.Input == nil {
		o.fail("has no object for the input of the tool")
	}
	e.Served = e.servedBy(o)
}

// cursor reads the events of Cursor, some of which are for one kind of tool each.
func (e *Event) cursor(o *object) {
	if l, narrow := lifted[e.Name]; narrow {
		e.Tool, e.Input = l.tool, l.read(o)
		if e.Moment == AfterTool {
			e.Output = o.any("output")
		}
		return
	}
	e.Tool, e.Input = o.text("tool_name"), o.wrapped("tool_input")
	switch e.Name {
	case "beforeMCPExecution", "afterMCPExecution":
		if e.Tool != "" && !strings.HasPrefix(e.Tool, "MCP:") {
			e.Tool = "MCP:" + e.Tool
		}
		e.Output = o.any("result_json")
	default:
		e.Output = or(o.any("tool_output"), o.any("error_message"))
	}
}

// or is the first of several values that is there.
func or[T ~[]byte](values ...T) T {
	for _, v := range values {
		if v != nil {
			return v
		}
	}
	return nil
}
