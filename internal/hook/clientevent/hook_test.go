package clientevent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/internal/hook/clientevent"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/surfacetest"
)

func TestOn(t *testing.T) { surfacetest.Run(t, clientevent.On.Spec) }

// TestRoleOf wants what can deny to be a guard, what is known to only watch to
// be an observer, and everything else to be a guard.
func TestRoleOf(t *testing.T) {
	for _, c := range []struct {
		client, event string
		role          surface.Role
		known         bool
	}{
		{"claude-code", "PreToolUse", surface.Guard, true},
		{"claude-code", "Stop", surface.Guard, true},
		{"claude-code", "PostToolUse", surface.Observer, true},
		{"claude-code", "SessionStart", surface.Observer, true},
		{"claude-code", "preToolUse", surface.Guard, false},
		{"claude-code", "sessionStart", surface.Guard, false},
		{"claude-code", "NotYetInvented", surface.Guard, false},
		{"codex", "PermissionRequest", surface.Guard, true},
		{"codex", "Interrupt", surface.Observer, true},
		{"codex", "Notification", surface.Guard, false},
		{"cursor", "beforeShellExecution", surface.Guard, true},
		{"cursor", "afterFileEdit", surface.Observer, true},
		{"cursor", "stop", surface.Guard, true},
		{"cursor", "postToolUse", surface.Observer, true},
		{"copilot", "preToolUse", surface.Guard, true},
		{"copilot", "userPromptSubmitted", surface.Observer, true},
		{"copilot", "PreToolUse", surface.Guard, true},
		{"copilot", "subagentStart", surface.Observer, true},
		{"gemini-cli", "BeforeTool", surface.Guard, true},
		{"gemini-cli", "AfterTool", surface.Observer, true},
		{"gemini-cli", "AfterModel", surface.Guard, true},
		{"gemini-cli", "SessionEnd", surface.Observer, true},
		{"antigravity", "PostToolUse", surface.Observer, true},
		{"antigravity", "Stop", surface.Guard, true},
		{"nobody", "SessionStart", surface.Guard, false},
		{"", "", surface.Guard, false},
	} {
		t.Run(c.client+" "+c.event, func(t *testing.T) {
			if got := clientevent.RoleOf(c.client, c.event); got != c.role {
				t.Errorf("RoleOf: got %s, want %s", got, c.role)
			}
			if got := clientevent.Known(c.client, c.event); got != c.known {
				t.Errorf("Known: got %v, want %v", got, c.known)
			}
		})
	}
}

// TestKnownAnywhere wants an event to be known in the capitals of any client, so
// that a file of none is told from a file of hooks.
func TestKnownAnywhere(t *testing.T) {
	for event, want := range map[string]bool{"PreToolUse": true, "pretooluse": true, "beforeShellExecution": true, "AFTERTOOL": true, "description": false, "": false} {
		if got := clientevent.KnownAnywhere(event); got != want {
			t.Errorf("KnownAnywhere(%q): got %v, want %v", event, got, want)
		}
	}
}

// TestConsent wants a person who lets a handler answer to be told of which
// event of which client it is and all else that it says, and what is not written
// to be absent.
func TestConsent(t *testing.T) {
	d := surfacetest.Read("hooks/client_event/PreToolUse-1.json", []byte(
		`{"ref": {"driver": "client-hook", "target": "./guard.sh", "name": "command"}, "matches": ["Bash"], "event": "PreToolUse", "client": "claude-code",
		"if": "Bash(rm *)", "prompt": "Is it safe?", "linux": "./l", "macos": "./m", "windows": "./w", "also": "async: true"}`))
	e := clientevent.On.Decode([]surface.Document{d})[0]
	im, ok := e.Value.(surface.Implementation)
	if !ok || len(e.Findings) > 0 || e.Name != "PreToolUse-1" {
		t.Fatalf("got %s, %T with %v, want an implementation", e.Name, e.Value, e.Findings)
	}
	if im.Option(clientevent.Event) != "PreToolUse" || im.Option(clientevent.Client) != "claude-code" || im.Option(clientevent.FailClosed) != "" {
		t.Errorf("got the options %v, want the event and the client", im.Options)
	}
	for _, want := range []string{"guard", "./guard.sh", "about Bash", "event: PreToolUse", "client: claude-code",
		"if: Bash(rm *)", "prompt: Is it safe?", "linux: ./l", "macos: ./m", "windows: ./w", "also: async: true"} {
		if got := im.Consents(); !strings.Contains(got, want) {
			t.Errorf("Consents: got %q, want %q in it", got, want)
		}
	}
	if s := clientevent.On.Spec; !s.Runs || !s.Whole || !s.Hook || s.Inert {
		t.Errorf("got %+v, want a hook whose implementations run", s)
	}
}

// TestQuestions wants a handler to count as asked by what can be about it alone: its
// moment with the kinds of tools that its matchers mean, and the gateway's questions
// where those may be tools of servers.
func TestQuestions(t *testing.T) {
	for _, c := range []struct{ client, event, matches, name, want string }{
		{"claude-code", "PreToolUse", `["Bash"]`, "command", `["before a tool (shell)" of a client]`},
		{"claude-code", "PreToolUse", `[]`, "command", `["before a tool" of a client before_tool_call]`},
		{"claude-code", "PreToolUse", `["mcp__search__find"]`, "command", `["before a tool (a tool of a server)" of a client "before a tool (a tool that is not known here)" of a client before_tool_call]`},
		{"claude-code", "PostToolUse", `[]`, "command", `["after a tool" of a client after_tool_call]`},
		{"cursor", "beforeShellExecution", `["curl"]`, "command", `["before a tool (shell)" of a client]`},
		{"cursor", "beforeMCPExecution", `[]`, "command", `["before a tool (a tool of a server)" of a client before_tool_call]`},
		{"claude-code", "Stop", `[]`, "command", `["stop" of a client]`},
		{"claude-code", "NotYetInvented", `[]`, "command", `["NotYetInvented" of claude-code]`},
		{"claude-code", "PreToolUse", `["Bash"]`, "prompt", `[]`},
	} {
		t.Run(c.client+" "+c.event+" "+c.matches+" "+c.name, func(t *testing.T) {
			d := surfacetest.Read("hooks/client_event/h.json", []byte(fmt.Sprintf(`{"ref": {"driver": "client-hook", "target": "./guard.sh", "name": %q}, "matches": %s, "event": %q, "client": %q}`, c.name, c.matches, c.event, c.client)))
			im, ok := clientevent.On.Decode([]surface.Document{d})[0].Value.(surface.Implementation)
			if !ok {
				t.Fatal("got no implementation")
			}
			if got := fmt.Sprint(clientevent.On.Spec.Asks(im)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
	if got := clientevent.Questions("cursor", "beforeReadFile"); fmt.Sprint(got) != `["before a tool (reading files)" of a client "before a tool" of a client]` {
		t.Errorf("a client's: got %s", got)
	}
}
