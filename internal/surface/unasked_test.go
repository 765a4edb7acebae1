package surface_test

import (
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/hook/clientevent"
	"github.com/mortise-dev/mortise/internal/surface"
)

// hooksOf are the findings on front matter whose hooks declare one event, or
// are the value alone.
func hooksOf(event string, value ext.Doc) ext.Findings {
	if event != "" {
		value = ext.Doc{Kind: ext.Map, Line: 3, Map: []ext.Pair{{Key: event, Line: 4, Value: value}}}
	}
	fields := []surface.Field{{Name: "hooks", Type: surface.Any}}
	d := surface.Document{Doc: ext.Doc{Kind: ext.Map, Map: []ext.Pair{{Key: "hooks", Line: 3, Value: value}}}}
	var e surface.Entry[string]
	surface.ReadHooks(surface.ReadFields(d, fields, &e), &e)
	return e.Findings
}

// TestReadHooks wants hooks of front matter to refuse their entry wherever one
// may be a guard, which nobody would ask (law 6), and to be told otherwise.
func TestReadHooks(t *testing.T) {
	text := ext.Doc{Kind: ext.String, Text: "x", Line: 4}
	handlers := ext.Doc{Kind: ext.List, List: []ext.Doc{text}, Line: 4}
	for _, c := range []struct {
		name, event string
		value       ext.Doc
		want        *ext.Check
		line        int
	}{
		{"a guard", "PreToolUse", handlers, surface.EntryGuard, 4},
		{"what was done already", "PostToolUse", handlers, surface.EntryHooks, 0},
		{"an event that nobody knows", "Tomorrow", handlers, surface.EntryGuard, 4},
		{"another spelling", "sessionstart", handlers, surface.EntryGuard, 4},
		{"an event with text", "PreToolUse", text, surface.EntryGuard, 4},
		{"an event without handlers", "PreToolUse", ext.Doc{Kind: ext.List}, surface.EntryHooks, 0},
		{"an observer", "SessionStart", handlers, surface.EntryHooks, 0},
		{"text", "", ext.Doc{Kind: ext.String, Text: "./guard.json", Line: 3}, surface.EntryGuard, 3},
		{"a flag", "", ext.Doc{Kind: ext.Bool, Text: "true", Line: 3}, surface.EntryGuard, 3},
		{"a list", "", handlers, surface.EntryGuard, 4},
		{"an empty list", "", ext.Doc{Kind: ext.List}, nil, 0},
		{"an empty object", "", ext.Doc{Kind: ext.Map}, nil, 0},
		{"no text", "", ext.Doc{Kind: ext.String}, nil, 0},
		{"nothing", "", ext.Doc{}, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := hooksOf(c.event, c.value)
			switch {
			case c.want == nil && len(found) == 0:
			case c.want == nil || len(found) != 1 || found[0].Check != c.want || c.line > 0 && found[0].Origin.Line != c.line || found[0].Field != "hooks":
				t.Errorf("found %v, want %v at line %d", found, c.want, c.line)
			}
		})
	}
}

// TestReadHooksFollowsHookFiles wants an event that passes here for one that can
// deny nothing to be an observer in the hook files of Claude Code and GitHub
// Copilot, whose front matter has hooks, and in neither a guard.
func TestReadHooksFollowsHookFiles(t *testing.T) {
	handlers := ext.Doc{Kind: ext.List, List: []ext.Doc{{Kind: ext.String, Text: "x"}}}
	passed := 0
	for _, event := range []string{
		"PreToolUse", "PermissionRequest", "UserPromptSubmit", "UserPromptExpansion", "PostToolBatch", "Stop", "SubagentStop", "TeammateIdle",
		"TaskCreated", "TaskCompleted", "ConfigChange", "WorktreeCreate", "PreCompact", "Elicitation", "ElicitationResult",
		"SessionStart", "Setup", "SessionEnd", "PermissionDenied", "PostToolUse", "PostToolUseFailure", "Notification", "MessageDisplay",
		"SubagentStart", "StopFailure", "InstructionsLoaded", "CwdChanged", "DirectoryAdded", "FileChanged", "WorktreeRemove", "PostCompact",
		"preToolUse", "permissionRequest", "agentStop", "subagentStop", "sessionStart", "sessionEnd", "postToolUse", "postToolUseFailure", "errorOccurred", "notification",
	} {
		observer := true
		for _, client := range []string{"claude-code", "copilot"} {
			observer = observer && (!clientevent.Known(client, event) || clientevent.RoleOf(client, event) == surface.Observer)
		}
		if refused := hooksOf(event, handlers).Failed(); refused == observer {
			t.Errorf("hooks for %s: refused is %v, and in a hook file it is an observer: %v", event, refused, observer)
		}
		if observer {
			passed++
		}
	}
	if passed == 0 {
		t.Error("every event is refused, want some to be known to deny nothing")
	}
}
