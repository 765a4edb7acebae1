package clientevent

import (
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/internal/surface"
)

// events are the events of one client. The answer of a guard can keep an
// action, a prompt or a stop from happening. An observer is told of something
// that its answer cannot undo: what it may do is add to what the agent is told,
// replace a result that was there already, or end the turn.
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
			"stop", "subagentStop", // what they answer is what the agent goes on with
		},
		observers: []string{
			"sessionStart", "sessionEnd", "postToolUse", "postToolUseFailure", "afterShellExecution", "afterMCPExecution",
			"afterFileEdit", "afterTabFileEdit", "afterAgentResponse", "afterAgentThought", "preCompact",
		},
	},
	"copilot": {
		guards: []string{
			"preToolUse", "permissionRequest", "agentStop", "subagentStop",
			"PreToolUse", "PermissionRequest", "UserPromptSubmit", "Stop", "SubagentStop", // as Visual Studio Code spells them
		},
		observers: []string{
			"sessionStart", "sessionEnd", "userPromptSubmitted", "userPromptTransformed", "postToolUse", "postToolUseFailure",
			"errorOccurred", "notification", "preCompact", "subagentStart",
			"SessionStart", "SessionEnd", "PostToolUse", "PostToolUseFailure", "ErrorOccurred", "PreCompact",
		},
	},
	"gemini-cli": {
		guards:    []string{"BeforeTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection"},
		observers: []string{"AfterTool", "SessionStart", "SessionEnd", "PreCompress", "Notification"},
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

// KnownAnywhere reports whether some client is known to have an event of that
// name, in whatever capitals.
func KnownAnywhere(event string) bool {
	same := func(known string) bool { return strings.EqualFold(known, event) }
	for _, c := range clients {
		if slices.ContainsFunc(c.guards, same) || slices.ContainsFunc(c.observers, same) {
			return true
		}
	}
	return false
}
