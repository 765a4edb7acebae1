package clientevent

import (
	"slices"

	"github.com/mortise-dev/mortise/internal/surface"
)

// events are the events of one client. A guard is asked about something that
// its answer can still keep from happening, or from being seen by the agent; an
// observer is told of something and can at most add to it.
type events struct{ guards, observers []string }

// clients are the events that are known, under the names of the formats.
var clients = map[string]events{
	"claude-code": {
		guards: []string{
			"PreToolUse", "PermissionRequest", "UserPromptSubmit", "UserPromptExpansion", "PostToolBatch",
			"Stop", "SubagentStop", "TeammateIdle", "TaskCreated", "TaskCompleted",
			"ConfigChange", "WorktreeCreate", "PreCompact", "Elicitation", "ElicitationResult",
		},
		observers: []string{
			"SessionStart", "Setup", "SessionEnd", "PermissionDenied", "PostToolUse", "PostToolUseFailure",
			"Notification", "MessageDisplay", "SubagentStart", "StopFailure", "InstructionsLoaded",
			"CwdChanged", "DirectoryAdded", "FileChanged", "WorktreeRemove", "PostCompact",
		},
	},
	"codex": {
		guards:    []string{"PreToolUse", "PermissionRequest", "UserPromptSubmit", "PreCompact", "Stop", "SubagentStop"},
		observers: []string{"PostToolUse", "PostCompact", "SubagentStart", "Interrupt", "SessionStart", "SessionEnd"},
	},
	"cursor": {
		guards: []string{
			"preToolUse", "beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "beforeTabFileRead",
			"beforeSubmitPrompt", "subagentStart",
		},
		observers: []string{
			"sessionStart", "sessionEnd", "postToolUse", "postToolUseFailure", "afterShellExecution", "afterMCPExecution",
			"afterFileEdit", "afterTabFileEdit", "afterAgentResponse", "afterAgentThought", "preCompact", "stop", "subagentStop",
		},
	},
	"copilot": {
		guards:    []string{"preToolUse", "permissionRequest", "agentStop", "subagentStop"},
		observers: []string{"sessionStart", "sessionEnd", "userPromptSubmitted", "postToolUse", "postToolUseFailure", "errorOccurred", "notification"},
	},
	"gemini-cli": {
		guards:    []string{"BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection"},
		observers: []string{"SessionStart", "SessionEnd", "PreCompress", "Notification"},
	},
	"antigravity": {
		guards:    []string{"PreToolUse", "PreInvocation", "PostInvocation", "Stop"},
		observers: []string{"PostToolUse", "SessionStart"},
	},
}

// RoleOf is what a handler of a client's event is. An event that nobody here
// knows, by its exact spelling, may be one that can deny: its handler is a guard.
func RoleOf(client, event string) surface.Role {
	if slices.Contains(clients[client].observers, event) {
		return surface.Observer
	}
	return surface.Guard
}

// Known reports whether a client is known to have an event of that spelling.
func Known(client, event string) bool {
	c := clients[client]
	return slices.Contains(c.guards, event) || slices.Contains(c.observers, event)
}
