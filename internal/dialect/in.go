package dialect

import (
	"cmp"
	"strings"

	"github.com/mortise-dev/mortise/ext"
)

// In is how we answer a client that asked about an event: what goes to standard
// output and error output, and the exit code. No opinion is exit code 0 and no
// output, or the least that a client takes for an answer; it is never an "allow".
// A denial is said in every way that the client reads, so that it holds though
// one of them is not understood. What the client or the event has no way to say
// is said by the next stricter one: a question that cannot be put to the person,
// and an input that cannot be given, are denials whose reason says so. Text for
// the agent or the person that an event has no place for is left out.
//
// Which events can say what stands in docs/hooks.md.
func (a Answer) In(client, name string) (stdout []byte, stderr string, exit int) {
	ev, _ := find(client, name)
	a = a.within(client, ev)
	r := reply{client: client, event: ev, top: map[string]any{}, in: map[string]any{}}
	switch a.Verdict {
	case Deny:
		r.deny(tidy(a.Reason, "denied by Mortise, without a reason"))
		r.tell(a.Context)
		r.end(a)
		return r.text(), r.stderr, ev.exit
	case Ask:
		r.ask(tidy(a.Reason, "Mortise leaves this to you"))
	}
	if ev.ask != silent || a.Verdict != Ask {
		r.change(a)
	}
	r.tell(a.Context)
	r.note(a)
	r.end(a)
	return r.text(), "", 0
}

// within is an answer as an event can say it.
func (a Answer) within(client string, ev event) Answer {
	if a.Verdict == Deny && !ev.guards() { // there is nothing left to keep from happening
		a.Context = strings.TrimSpace(a.Context + "\n\n" + a.Reason)
		a.Verdict, a.Message = Pass, strings.TrimSpace(a.Message+"\n"+a.Reason)
	}
	if a.Verdict == Ask && (ev.moment == Stop || ev.moment == SubagentStop) { // once it stopped, it is the person's turn
		a.Verdict, a.Message = Pass, strings.TrimSpace(a.Message+"\n"+a.Reason)
	}
	if a.Verdict == Ask && ev.ask == none && ev.guards() {
		a.Verdict = Deny
		a.Reason = tidy(a.Reason, "this is for the person to decide") + " (" + client + " cannot ask the person here, so it is denied)"
	}
	if a.Input != nil && a.Verdict != Deny && !ev.changes(&a) {
		a.Verdict = Deny
		a.Reason = "the input was changed, which " + client + " cannot be told here, so it is denied"
	}
	if client == ClaudeCode && a.Input != nil && a.Verdict == Pass {
		a.Verdict, a.Reason = Ask, "the input was changed" // without a decision it might be left out
	}
	return a
}

// changes reports whether an event can be given another input.
func (e event) changes(a *Answer) bool {
	if e.change != merged || a.Over {
		return e.change != none
	}
	was, err := members(a.Was)
	if err != nil {
		return false
	}
	is, err := members(a.Input)
	if err != nil {
		return false
	}
	for _, m := range was {
		if is.at(m.key) < 0 {
			return false
		}
	}
	return true
}

// reply is an answer that is being written.
type reply struct {
	client string
	event  event
	top    map[string]any
	in     map[string]any // of hookSpecificOutput
	stderr string
}

// inside puts a key into hookSpecificOutput.
func (r *reply) inside(key string, value any) {
	r.in["hookEventName"] = r.event.name
	r.in[key] = value
}

func (r *reply) deny(why string) {
	if r.event.exit != 0 {
		r.stderr = why
	}
	switch r.event.deny {
	case nested, flat, twice:
		r.permission("deny", why)
	case behaviour, behaviours, plainly:
		decision := map[string]any{"behavior": "deny", "message": why}
		if r.event.deny != plainly {
			r.inside("decision", decision)
		}
		if r.event.deny != behaviour {
			r.top["behavior"], r.top["message"] = "deny", why
		}
	case block:
		r.top["decision"], r.top["reason"] = "block", why
	case deny:
		r.top["decision"], r.top["reason"] = "deny", why
	case permission:
		r.top["permission"], r.top["user_message"], r.top["agent_message"] = "deny", why, why
	case proceed:
		r.top["continue"], r.top["user_message"] = false, why
	case halt:
		r.top["continue"], r.top["stopReason"] = false, why
	case followup:
		r.top["followup_message"] = why
	case noTools:
		r.inside("toolConfig", map[string]any{"mode": "NONE"})
	}
}

func (r *reply) ask(why string) {
	switch r.event.ask {
	case nested, flat, twice:
		r.permission("ask", why)
	case force:
		r.top["decision"], r.top["reason"] = "force_ask", why
	}
}

// permission says a decision about a call, in hookSpecificOutput or at the top.
func (r *reply) permission(word, why string) {
	f := cmp.Or(r.event.deny, r.event.ask)
	if f != flat {
		r.inside("permissionDecision", word)
		r.inside("permissionDecisionReason", why)
	}
	if f != nested {
		r.top["permissionDecision"], r.top["permissionDecisionReason"] = word, why
	}
}

func (r *reply) change(a Answer) {
	if a.Input == nil {
		return
	}
	switch r.event.change {
	case nested:
		r.inside("updatedInput", a.Input)
		if r.client == Codex { // which takes the word for nothing else, and no new input without it
			r.inside("permissionDecision", "allow")
		}
	case flat:
		r.top["modifiedArgs"] = a.Input
	case twice:
		r.inside("updatedInput", a.Input)
		r.top["modifiedArgs"] = a.Input
	case merged:
		r.inside("tool_input", a.Input)
	}
}

func (r *reply) tell(text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	text = ext.EscapeText(text)
	switch r.event.tell {
	case nested:
		r.inside("additionalContext", text)
	case flat:
		r.top["additionalContext"] = text
	case twice:
		r.inside("additionalContext", text)
		r.top["additionalContext"] = text
	case context:
		r.top["additional_context"] = text
	}
}

// note says what is for the person, and gives another result.
func (r *reply) note(a Answer) {
	if r.client != ClaudeCode && r.client != Codex && r.client != Gemini {
		return
	}
	if s := strings.TrimSpace(a.Message); s != "" {
		r.top["systemMessage"] = ext.EscapeText(s)
	}
	if a.Output != nil && r.event.moment == AfterTool && r.client != Gemini {
		r.inside("updatedToolOutput", a.Output)
	}
}

// end says that the turn ends, where the client takes that besides a decision.
func (r *reply) end(a Answer) {
	switch {
	case !a.Stop:
	case r.client == ClaudeCode || r.client == Gemini:
		r.top["continue"], r.top["stopReason"] = false, tidy(a.Reason, "a hook ended the turn")
	case r.top["behavior"] == "deny":
		r.top["interrupt"] = true
	}
}

// text is the reply on one line, or nothing.
func (r *reply) text() []byte {
	if len(r.in) > 0 {
		r.top["hookSpecificOutput"] = r.in
	}
	if len(r.top) == 0 && r.client == Cursor {
		if r.event.deny == proceed {
			r.top["continue"] = true
		} else {
			return []byte("{}\n") // failClosed takes no output for a refusal
		}
	}
	if len(r.top) == 0 {
		return nil
	}
	return append(encode(r.top), '\n')
}

// tidy is a reason as it can be shown: bounded, and nothing in it that does not show.
func tidy(text, otherwise string) string {
	const longest = 8000
	return ext.EscapeText(ext.Shorten(reason(text, otherwise), longest))
}
