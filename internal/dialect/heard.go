package dialect

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
)

// Heard is what the end of a hook of a client's dialect comes to. An error says
// that it did not answer as its protocol has it: a guard then denies. We are
// stricter than the clients: an exit code that is none of "no objection" and
// "blocked" is an error, and so is an answer that could be overlooked by where it
// stands, contradicts itself, or is not wholly understood in what it decides.
//
// failClosed is what a hook of Cursor's declares by that name: no answer denies.
func Heard(client, name string, exit int, stdout, stderr []byte, failClosed bool) (Answer, error) {
	switch {
	case events[client] == nil:
		return Answer{}, fmt.Errorf("no client %s is known", ext.Quote(client))
	case exit == 2:
		return Answer{Verdict: Deny, Reason: reason(string(stderr), "it ended with exit code 2 and gives no reason")}, nil
	case exit != 0:
		return Answer{}, fmt.Errorf("it ended with exit code %d, which is no answer%s", exit, because(stderr))
	}
	ev, _ := find(client, name)
	said := bytes.TrimSpace(stdout)
	if why := unseen(said); why != "" && ev.guards() {
		return Answer{}, errors.New(why)
	}
	a, decided, err := heard(client, ev, said, stderr, failClosed)
	if err == nil && a.Verdict == Pass && !decided && ev.guards() && objection.Match(stderr) {
		return Answer{}, fmt.Errorf("it objects on its error output, where %s does not look%s", client, because(stderr))
	}
	return a, err
}

// heard is what output with exit code 0 comes to, and whether a decision is in it.
func heard(client string, ev event, said, stderr []byte, failClosed bool) (a Answer, decided bool, err error) {
	if client == Copilot {
		said = withoutProgress(said)
	}
	if client == Gemini && len(said) == 0 && startsJSON(bytes.TrimSpace(stderr)) {
		said = bytes.TrimSpace(stderr) // that is where Gemini looks next
	}
	switch {
	case len(said) == 0:
		a, err = silence(client, ev, failClosed)
		return a, false, err
	case !startsJSON(said):
		a, err = text(client, ev, said)
		return a, false, err
	}
	o, err := parse(said)
	if err != nil {
		return Answer{}, false, fmt.Errorf("its answer %w: %s", err, ext.Quote(ext.Shorten(string(said), 80)))
	}
	h := hearing{client: client, event: ev, failClosed: failClosed}
	h.listen(o)
	a, err = h.outcome(o)
	return a, h.decided, err
}

// silence is what no output at all comes to.
func silence(client string, ev event, failClosed bool) (Answer, error) {
	switch {
	case failClosed && ev.guards():
		return Answer{Verdict: Deny, Reason: "it gave no answer, and is declared to deny without one"}, nil
	case client == Antigravity && ev.moment == BeforeTool:
		return Answer{Verdict: Ask, Reason: "it gave no decision, which its client takes for a question"}, nil
	}
	return Answer{}, nil
}

// text is what output that is no JSON comes to. Text with a line in it that could
// have been meant as an answer is an error: the client would not see it.
func text(client string, ev event, said []byte) (Answer, error) {
	for line := range bytes.Lines(said) {
		if startsJSON(bytes.TrimSpace(line)) {
			return Answer{}, errors.New("there is other text before its answer, so that its client would not see it")
		}
	}
	read := ev.moment == Prompt || ev.moment == SessionStart || ev.name == "UserPromptExpansion" // by the agent
	switch {
	case client != ClaudeCode && client != Codex:
		return Answer{}, fmt.Errorf("its answer %w: %s", errNoObject, ext.Quote(ext.Shorten(string(said), 80)))
	case ev.guards() && mayDecide(said, read):
		return Answer{}, fmt.Errorf("its output is text that may be meant for a decision, which %s would not see: %s", client, ext.Quote(ext.Shorten(string(said), 80)))
	case read:
		return Answer{Context: string(said)}, nil
	}
	return Answer{}, nil
}

func startsJSON(said []byte) bool { return len(said) > 0 && (said[0] == '{' || said[0] == '[') }

// withoutProgress leaves out the lines by which hooks of Copilot tell how far they are.
func withoutProgress(said []byte) []byte {
	var out []byte
	for line := range bytes.Lines(said) {
		if o, err := parse(line); err == nil && o.text("type") == "progress" && o.fault == nil && !deep(line) && !objects(jsontext.Value(bytes.TrimSpace(line))) {
			continue
		}
		out = append(out, line...)
	}
	return bytes.TrimSpace(out)
}

func reason(text, otherwise string) string {
	if text = strings.TrimSpace(text); text == "" {
		return otherwise
	}
	return text
}

func because(stderr []byte) string {
	if s := strings.TrimSpace(string(stderr)); s != "" {
		return ": " + ext.Escape(ext.Shorten(s, 500))
	}
	return ""
}

// hearing collects what an answer says, word by word.
type hearing struct {
	client     string
	event      event
	failClosed bool

	a       Answer
	allowed bool     // it said yes somewhere
	read    []string // the keys that mean something here
	decided bool     // a decision was made, if only that there is none
	halted  string   // why the turn is to end
}

// says takes in one decision.
func (h *hearing) says(v Verdict, why string) {
	h.decided = true
	if v == Pass {
		h.allowed = true
		return
	}
	if v > h.a.Verdict || h.a.Reason == "" {
		h.a.Reason = strings.TrimSpace(why)
	}
	h.a.Verdict = max(h.a.Verdict, v)
}

// decision takes in the word under a key, which is one of those that are known.
func (h *hearing) decision(o *object, key, why string, known map[string]Verdict) {
	h.read = append(h.read, key)
	if !o.has(key) {
		return
	}
	word := o.text(key)
	if v, ok := known[word]; ok {
		h.says(v, why)
	} else if o.fault == nil {
		o.fail("says %s for %s, which is no decision", ext.Quote(ext.Shorten(word, 80)), ext.Quote(key))
	}
}

// leaves takes in keys of which nothing is made here.
func (h *hearing) leaves(o *object, keys ...string) {
	h.read = append(h.read, keys...)
	for _, key := range keys {
		if o.has(key) {
			h.a.Left = append(h.a.Left, key)
		}
	}
}

// listen takes in an answer, in the words of its client.
func (h *hearing) listen(o *object) {
	switch h.client {
	case ClaudeCode, Codex:
		h.claude(o)
	case Cursor:
		h.cursor(o)
	case Copilot:
		h.copilot(o)
	case Gemini:
		h.gemini(o)
	case Antigravity:
		h.antigravity(o)
	}
}

// outcome settles what was taken in.
func (h *hearing) outcome(o *object) (Answer, error) {
	h.stray(o)
	if h.event.guards() && len(o.keys) > 0 && !h.knows(o) {
		o.fail("has no key that %s knows", h.client)
	}
	switch {
	case o.fault != nil:
		return Answer{}, fmt.Errorf("its answer %w", o.fault)
	case h.allowed && h.a.Verdict != Pass:
		return Answer{}, errors.New("its answer both allows and does not")
	}
	if h.a.Stop && h.a.Verdict != Deny && h.event.moment != Stop && h.event.moment != SubagentStop {
		h.a.Verdict, h.a.Reason = Deny, h.halted
	}
	if h.a.Stop && (h.event.moment == Stop || h.event.moment == SubagentStop) {
		h.a.Verdict, h.a.Reason = Pass, "" // to end the turn is what was about to happen
	}
	if h.a.Verdict == Deny {
		h.a.Input, h.a.Over = nil, false
	}
	if h.a.Verdict != Pass {
		h.a.Reason = reason(h.a.Reason, "it gives no reason")
	}
	slices.Sort(h.a.Left)
	return h.a, nil
}

// general takes in what Claude Code, Codex, Gemini and Visual Studio Code all say.
func (h *hearing) general(o *object) {
	h.read = append(h.read, "continue", "stopReason", "suppressOutput", "systemMessage")
	h.a.Message = o.text("systemMessage")
	o.flag("suppressOutput")
	why := o.text("stopReason")
	if on, there := o.flag("continue"); there && !on {
		h.a.Stop, h.halted = true, reason(why, "it ends the turn")
	}
}
