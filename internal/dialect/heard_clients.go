package dialect

import (
	"cmp"
	"maps"

	"github.com/mortise-dev/mortise/ext"
)

// The words of decisions, per place. An "allow" is no opinion; "defer" leaves it
// to whoever decides next, which is the person.
var (
	permissions = map[string]Verdict{"allow": Pass, "ask": Ask, "deny": Deny}
	deferring   = with(permissions, "defer", Ask)
	blocking    = map[string]Verdict{"approve": Pass, "block": Deny}
	going       = map[string]Verdict{"allow": Pass, "block": Deny}
	behaviors   = map[string]Verdict{"allow": Pass, "deny": Deny}
	geminis     = map[string]Verdict{"allow": Pass, "approve": Pass, "ask": Ask, "deny": Deny, "block": Deny}
	gravities   = with(permissions, "force_ask", Ask)
)

func with(words map[string]Verdict, word string, v Verdict) map[string]Verdict {
	out := maps.Clone(words)
	out[word] = v
	return out
}

// claude reads an answer to Claude Code, to Codex, or to Visual Studio Code.
func (h *hearing) claude(o *object) {
	h.general(o)
	h.read = append(h.read, "reason", "hookSpecificOutput", "async", "asyncTimeout")
	h.leaves(o, "terminalSequence")
	h.unexplained(o, "decision", "reason")
	if later, _ := o.flag("async"); later {
		o.fail("says that it comes later, which is too late for a decision")
	}
	known := blocking
	if h.client == Copilot {
		known = with(blocking, "allow", Pass)
	}
	h.decision(o, "decision", o.text("reason"), known)
	in := o.object("hookSpecificOutput")
	if in == nil {
		return
	}
	n := hearing{client: h.client, event: h.event}
	n.read = []string{"hookEventName", "permissionDecisionReason", "additionalContext"}
	if said := in.text("hookEventName"); said == "" {
		in.fail("does not say which event it is about, for which %s refuses it", h.client)
	} else if said != h.event.name {
		in.fail("is about the event %s", ext.Quote(ext.Shorten(said, 80)))
	}
	h.a.Context = in.text("additionalContext")
	if h.event.moment == BeforeTool || h.event.name == "PreSkillShellCommand" {
		n.decision(in, "permissionDecision", in.text("permissionDecisionReason"), deferring)
		n.unexplained(in, "permissionDecision", "permissionDecisionReason")
		n.read = append(n.read, "updatedInput")
		h.a.Input = in.raw("updatedInput")
	}
	if h.event.moment == Permission {
		n.behaviour(in)
	}
	if h.event.moment == AfterTool {
		n.read = append(n.read, "updatedToolOutput", "updatedMCPToolOutput")
		h.a.Output = or(in.any("updatedToolOutput"), in.any("updatedMCPToolOutput"))
		if in.has("updatedToolOutput") {
			n.leaves(in, "updatedMCPToolOutput")
		}
	}
	if h.client == ClaudeCode {
		n.leaves(in, "retry", "sessionTitle", "initialUserMessage", "watchPaths", "worktreePath", "content")
	}
	if h.event.name == "Elicitation" || h.event.name == "ElicitationResult" {
		n.decision(in, "action", "", map[string]Verdict{"accept": Pass, "decline": Deny, "cancel": Deny})
	}
	h.joins(o, in, &n)
}

// unexplained leaves a reason that no decision is given for.
func (h *hearing) unexplained(o *object, decision, reason string) {
	if !o.has(decision) {
		h.leaves(o, reason)
	}
}

// joins takes in what a part of an answer decided.
func (h *hearing) joins(o, part *object, n *hearing) {
	n.stray(part)
	if part.fault != nil && o.fault == nil {
		o.fault = part.fault
	}
	h.allowed = h.allowed || n.allowed
	h.decided = h.decided || n.decided
	h.a.Left = append(h.a.Left, n.a.Left...)
	if n.a.Verdict != Pass {
		h.says(n.a.Verdict, n.a.Reason)
	}
	h.a.Stop = h.a.Stop || n.a.Stop
	if n.halted != "" {
		h.halted = n.halted
	}
}

// behaviour reads the decision about a permission, {"behavior": …}.
func (h *hearing) behaviour(o *object) {
	h.read = append(h.read, "decision")
	in := o.object("decision")
	if in == nil {
		return
	}
	n := hearing{client: h.client, event: h.event, read: []string{"message", "interrupt"}}
	n.leaves(in, "updatedInput", "updatedPermissions") // an input and rules that go with a yes, which is the person's to give
	n.decision(in, "behavior", in.text("message"), behaviors)
	if !in.has("behavior") {
		in.fail("decides and does not say how")
	}
	if stop, _ := in.flag("interrupt"); stop {
		n.a.Stop, n.halted = true, reason(in.text("message"), "it interrupts the agent")
	}
	h.joins(o, in, &n)
}

// cursor reads an answer to Cursor. Older hooks spell its keys without underscores.
func (h *hearing) cursor(o *object) {
	h.read = append(h.read, "user_message", "agent_message", "userMessage", "agentMessage", "additional_context", "followup_message")
	h.leaves(o, "env")
	person, agent := o.sole("user_message", "userMessage"), o.sole("agent_message", "agentMessage")
	h.a.Message, h.a.Context = person, o.text("additional_context")
	if h.event.deny == permission {
		h.decision(o, "permission", cmp.Or(agent, person), permissions)
		h.read = append(h.read, "updated_input", "continue")
		if h.event.name == "preToolUse" {
			h.a.Input = o.raw("updated_input")
		} else {
			h.leaves(o, "updated_input")
		}
	}
	if h.event.deny == proceed || h.event.moment == SessionStart {
		h.read = append(h.read, "continue")
	}
	if on, there := o.flag("continue"); there {
		h.decided = true
		if !on {
			h.says(Deny, cmp.Or(person, agent))
		}
	}
	if text := o.text("followup_message"); text != "" && h.event.deny == followup {
		h.says(Deny, text)
	} else if h.event.deny != followup {
		h.leaves(o, "followup_message")
	}
	if h.a.Verdict == Pass {
		h.leaves(o, "agent_message", "agentMessage")
	}
	if h.event.moment == AfterTool {
		h.read = append(h.read, "updated_mcp_tool_output")
		h.a.Output = o.any("updated_mcp_tool_output")
	}
	if h.failClosed && h.event.guards() && h.event.deny != followup && !h.decided && o.fault == nil {
		h.says(Deny, "it gave no decision, and is declared to deny without one")
	}
}

// copilot reads an answer to Copilot's command line, or to Visual Studio Code
// where the event is spelled so.
func (h *hearing) copilot(o *object) {
	if pascal(h.event.name) {
		h.claude(o)
	} else {
		h.read = append(h.read, "suppressOutput", "systemMessage")
		h.a.Message = o.text("systemMessage")
		if h.event.moment == Stop || h.event.moment == SubagentStop {
			h.decision(o, "decision", o.text("reason"), going)
		}
	}
	h.read = append(h.read, "reason", "permissionDecisionReason", "message", "additionalContext")
	switch h.event.moment {
	case BeforeTool:
		h.decision(o, "permissionDecision", o.text("permissionDecisionReason"), permissions)
		h.read = append(h.read, "modifiedArgs")
		h.a.Input = or(h.a.Input, o.wrapped("modifiedArgs"))
	case Permission:
		h.decision(o, "behavior", o.text("message"), behaviors)
		if stop, _ := o.flag("interrupt"); stop {
			h.a.Stop, h.halted = true, reason(o.text("message"), "it interrupts the agent")
		}
	case AfterTool:
		h.read = append(h.read, "modifiedResult")
		h.a.Output = or(h.a.Output, o.any("modifiedResult"))
	}
	if more := o.text("additionalContext"); h.a.Context == "" {
		h.a.Context = more
	}
}

// gemini reads an answer to Gemini CLI.
func (h *hearing) gemini(o *object) {
	h.general(o)
	h.read = append(h.read, "reason", "hookSpecificOutput")
	h.decision(o, "decision", o.text("reason"), geminis)
	h.unexplained(o, "decision", "reason")
	in := o.object("hookSpecificOutput")
	if in == nil {
		return
	}
	n := hearing{client: h.client, event: h.event, read: []string{"hookEventName"}}
	if said := in.text("hookEventName"); said != "" && said != h.event.name {
		in.fail("is about the event %s", ext.Quote(ext.Shorten(said, 80)))
	}
	h.a.Context = in.text("additionalContext")
	if h.event.moment == BeforeTool {
		n.read = append(n.read, "tool_input")
		h.a.Input, h.a.Over = in.raw("tool_input"), true
		if h.a.Input == nil {
			h.a.Over = false
		}
	}
	n.leaves(in, "llm_request", "llm_response", "clearContext")
	if tools := in.object("toolConfig"); tools != nil && tools.text("mode") == "NONE" {
		n.says(Deny, "no tool may be chosen")
	} else {
		n.leaves(in, "toolConfig")
	}
	if in.has("tailToolCallRequest") {
		in.fail("has another tool called, which nobody was asked about")
	}
	h.joins(o, in, &n)
}

// antigravity reads an answer to Antigravity, which takes none for a question.
func (h *hearing) antigravity(o *object) {
	h.read = append(h.read, "reason")
	known := gravities
	if h.event.moment != BeforeTool {
		known = with(with(going, "deny", Deny), "continue", Deny) // the agent is to go on
	}
	h.leaves(o, "injectSteps", "terminationBehavior", "permissionOverrides")
	h.decision(o, "decision", o.text("reason"), known)
	h.unexplained(o, "decision", "reason")
	if h.event.moment == BeforeTool && !h.decided {
		h.says(Ask, "it gave no decision, which its client takes for a question")
	}
}
