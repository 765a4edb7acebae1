package dialect

import "slices"

// event is one event of a client's.
type event struct {
	name   string
	moment Moment
	deny   form // how a denial is said; none where the client takes none
	exit   int  // with which exit code it is said
	ask    form // how the person is asked; none where the client cannot
	change form // how another input is given
	tell   form // how text for the agent is given
}

// guards reports whether what the event is about can be kept from happening.
func (e event) guards() bool { return e.deny != none }

// form is a shape of an answer.
type form uint8

const (
	none       form = iota
	nested          // hookSpecificOutput: permissionDecision, updatedInput, additionalContext
	twice           // as nested, and as flat
	flat            // permissionDecision, modifiedArgs, additionalContext
	behaviour       // hookSpecificOutput.decision.behavior
	behaviours      // as behaviour, and behavior at the top
	plainly         // behavior at the top
	block           // decision "block" and reason
	deny            // decision "deny" and reason
	force           // decision "force_ask" and reason
	permission      // permission, user_message, agent_message
	proceed         // continue and user_message
	followup        // followup_message, which the agent goes on with
	halt            // continue and stopReason: no exit code is read as a denial there
	noTools         // hookSpecificOutput.toolConfig: no tool may be chosen
	context         // additional_context
	merged          // hookSpecificOutput.tool_input, laid over the input
	silent          // no answer: the client asks the person by itself
	codeAlone       // the exit code and the error output say it, and nothing else
)

// events of each client. What a client has that is not here is known to nobody
// here: a denial of it is said by the exit code.
var events = map[string][]event{
	ClaudeCode: {
		{name: "PreToolUse", moment: BeforeTool, deny: nested, exit: 2, ask: nested, change: nested, tell: nested},
		{name: "PermissionRequest", moment: Permission, deny: behaviour, ask: silent},
		{name: "PostToolUse", moment: AfterTool, tell: nested},
		{name: "PostToolUseFailure", moment: AfterToolFailure, tell: nested},
		{name: "UserPromptSubmit", moment: Prompt, deny: block, exit: 2, tell: nested},
		{name: "UserPromptExpansion", deny: block, exit: 2, tell: nested},
		{name: "Stop", moment: Stop, deny: block, exit: 2},
		{name: "SubagentStop", moment: SubagentStop, deny: block, exit: 2},
		{name: "SessionStart", moment: SessionStart, tell: nested},
		{name: "SessionEnd", moment: SessionEnd},
		{name: "PostToolBatch", deny: block, exit: 2, tell: nested},
		{name: "TeammateIdle", deny: codeAlone, exit: 2}, {name: "TaskCreated", deny: codeAlone, exit: 2}, {name: "TaskCompleted", deny: codeAlone, exit: 2},
		{name: "ConfigChange", deny: block, exit: 2}, {name: "PreCompact", deny: block, exit: 2},
		{name: "WorktreeCreate", deny: codeAlone, exit: 2},
		{name: "Elicitation", deny: codeAlone, exit: 2}, {name: "ElicitationResult", deny: codeAlone, exit: 2},
		{name: "SubagentStart", tell: nested}, {name: "Notification", tell: nested},
		{name: "Setup", tell: nested},
		{name: "PermissionDenied"}, {name: "MessageDisplay"}, {name: "StopFailure"}, {name: "InstructionsLoaded"},
		{name: "CwdChanged"}, {name: "DirectoryAdded"}, {name: "FileChanged"}, {name: "WorktreeRemove"}, {name: "PostCompact"},
	},
	Codex: {
		{name: "PreToolUse", moment: BeforeTool, deny: nested, exit: 2, change: nested, tell: nested},
		{name: "PermissionRequest", moment: Permission, deny: behaviour, exit: 2},
		{name: "PostToolUse", moment: AfterTool, tell: nested},
		{name: "UserPromptSubmit", moment: Prompt, deny: block, exit: 2, tell: nested},
		{name: "Stop", moment: Stop, deny: block, exit: 2},
		{name: "SubagentStop", moment: SubagentStop, deny: block, exit: 2},
		{name: "SessionStart", moment: SessionStart, tell: nested},
		{name: "SessionEnd", moment: SessionEnd},
		{name: "PreCompact", deny: halt},
		{name: "PostCompact"}, {name: "SubagentStart", tell: nested}, {name: "Interrupt"},
	},
	Cursor: {
		{name: "preToolUse", moment: BeforeTool, deny: permission, exit: 2},
		{name: "beforeShellExecution", moment: BeforeTool, deny: permission, exit: 2},
		{name: "beforeMCPExecution", moment: BeforeTool, deny: permission, exit: 2},
		{name: "beforeReadFile", moment: BeforeTool, deny: permission, exit: 2},
		{name: "beforeTabFileRead", moment: BeforeTool, deny: permission, exit: 2},
		{name: "postToolUse", moment: AfterTool, tell: context},
		{name: "afterShellExecution", moment: AfterTool}, {name: "afterMCPExecution", moment: AfterTool},
		{name: "afterFileEdit", moment: AfterTool}, {name: "afterTabFileEdit", moment: AfterTool},
		{name: "postToolUseFailure", moment: AfterToolFailure},
		{name: "beforeSubmitPrompt", moment: Prompt, deny: proceed, exit: 2},
		{name: "stop", moment: Stop, deny: followup}, {name: "subagentStop", moment: SubagentStop, deny: followup},
		{name: "sessionStart", moment: SessionStart, tell: context},
		{name: "sessionEnd", moment: SessionEnd},
		{name: "subagentStart", deny: permission, exit: 2},
		{name: "preCompact"}, {name: "afterAgentResponse"}, {name: "afterAgentThought"},
	},
	Copilot: {
		{name: "preToolUse", moment: BeforeTool, deny: flat, exit: 2, ask: flat, change: flat},
		{name: "PreToolUse", moment: BeforeTool, deny: twice, exit: 2, ask: twice, change: twice, tell: nested},
		{name: "permissionRequest", moment: Permission, deny: plainly, exit: 2},
		{name: "PermissionRequest", moment: Permission, deny: behaviours, exit: 2},
		{name: "postToolUse", moment: AfterTool, tell: flat}, {name: "PostToolUse", moment: AfterTool, tell: twice},
		{name: "postToolUseFailure", moment: AfterToolFailure, tell: flat}, {name: "PostToolUseFailure", moment: AfterToolFailure, tell: twice},
		{name: "userPromptSubmitted", moment: Prompt}, {name: "UserPromptSubmit", moment: Prompt, deny: block, exit: 2},
		{name: "agentStop", moment: Stop, deny: block}, {name: "Stop", moment: Stop, deny: block},
		{name: "subagentStop", moment: SubagentStop, deny: block}, {name: "SubagentStop", moment: SubagentStop, deny: block},
		{name: "sessionStart", moment: SessionStart, tell: flat}, {name: "SessionStart", moment: SessionStart, tell: twice},
		{name: "sessionEnd", moment: SessionEnd}, {name: "SessionEnd", moment: SessionEnd},
		{name: "subagentStart", tell: flat}, {name: "notification", tell: flat},
		{name: "userPromptTransformed"}, {name: "errorOccurred"}, {name: "ErrorOccurred"}, {name: "preCompact"}, {name: "PreCompact"},
	},
	Gemini: {
		{name: "BeforeTool", moment: BeforeTool, deny: deny, exit: 2, change: merged},
		{name: "AfterTool", moment: AfterTool, tell: nested},
		{name: "BeforeAgent", moment: Prompt, deny: deny, exit: 2, tell: nested},
		{name: "AfterAgent", moment: Stop, deny: deny, exit: 2},
		{name: "SessionStart", moment: SessionStart, tell: nested},
		{name: "SessionEnd", moment: SessionEnd},
		{name: "BeforeModel", deny: deny, exit: 2}, {name: "AfterModel", deny: deny, exit: 2},
		{name: "BeforeToolSelection", deny: noTools},
		{name: "PreCompress"}, {name: "Notification"},
	},
	Antigravity: {
		{name: "PreToolUse", moment: BeforeTool, deny: deny, ask: force},
		{name: "PostToolUse", moment: AfterTool},
		{name: "Stop", moment: Stop, deny: block},
		{name: "SessionStart", moment: SessionStart},
		{name: "PreInvocation", deny: deny}, {name: "PostInvocation", deny: deny},
	},
}

// find is what is known of a client's event.
func find(client, name string) (event, bool) {
	list := events[client]
	if i := slices.IndexFunc(list, func(e event) bool { return e.name == name }); i >= 0 {
		return list[i], true
	}
	return event{name: name, deny: codeAlone, exit: 2}, false
}

// MomentOf is what an event of a client's is about; Other where it is not known.
func MomentOf(client, name string) Moment {
	e, _ := find(client, name)
	return e.moment
}

// Known are all events that are known of a client, in the order of the
// documentation.
func Known(client string) []string {
	out := make([]string, len(events[client]))
	for i, e := range events[client] {
		out[i] = e.name
	}
	return out
}

// Guards reports whether what an event is about can be kept from happening by an
// answer. An event that is not known may be one of those.
func Guards(client, name string) bool {
	e, _ := find(client, name)
	return e.guards()
}
