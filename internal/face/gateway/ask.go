package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/session"
)

// use is a call of a tool as those are told of it that may object to it, the client's
// person among them where the client can ask.
func (r *request) use(o *session.Offer, arguments json.RawMessage) host.Use {
	u := host.Use{Offer: o, Arguments: arguments, Session: r.session.ID(), Client: r.clientName()}
	if r.mayElicit() {
		u.Ask = r.elicit
	}
	return u
}

// clientName is what the client calls itself; "" when it does not say.
func (r *request) clientName() string {
	if p := r.session.InitializeParams(); p != nil && p.ClientInfo != nil {
		return ext.Shorten(p.ClientInfo.Name, 100)
	}
	return ""
}

// mayElicit reports whether the client can put a form to its person.
func (r *request) mayElicit() bool {
	p := r.session.InitializeParams()
	if p == nil || p.Capabilities == nil || p.Capabilities.Elicitation == nil {
		return false
	}
	e := p.Capabilities.Elicitation
	return e.Form != nil || e.URL == nil // a client that names no mode has forms
}

// The answers that a person chooses from.
const (
	once   = "allow this call"
	always = "always allow it"
	refuse = "refuse"
)

// elicit puts a question to the client's person.
func (r *request) elicit(ctx context.Context, q host.Question) (host.Answer, error) {
	answers := []string{once, always, refuse}
	if !shownWhole(q) { // what was not seen is not allowed for good
		answers = []string{once, refuse}
	}
	schema := map[string]any{
		"type": "object", "required": []string{"answer"},
		"properties": map[string]any{"answer": map[string]any{"type": "string", "title": "Your answer", "enum": answers}},
	}
	res, err := r.session.Elicit(ctx, &mcp.ElicitParams{Message: asked(q), RequestedSchema: schema})
	if err != nil {
		return host.Refuse, err
	}
	if res.Action != "accept" {
		return host.Refuse, nil
	}
	switch res.Content["answer"] {
	case once:
		return host.Once, nil
	case always:
		if shownWhole(q) {
			return host.Always, nil
		}
	case refuse:
		return host.Refuse, nil
	}
	return host.Refuse, errors.New("the client answered with none of the answers that there are")
}

// shown is how much of the arguments a question holds.
const shown = 1000

func shownWhole(q host.Question) bool { return len(q.Call.Arguments) <= shown }

// asked is a question in words. What guards and agents say in it is foreign text:
// escaped, and bounded.
func asked(q host.Question) string {
	var b strings.Builder
	fmt.Fprintf(&b, "An agent wants to call %s.\n", ext.Escape(q.Call.Qualified))
	for _, o := range q.Objections {
		fmt.Fprintf(&b, "%s asks: %s\n", ext.Escape(o.Guard), ext.Escape(ext.Shorten(o.Reason, 500)))
	}
	fmt.Fprintf(&b, "Arguments: %s\n", ext.Escape(ext.Shorten(string(q.Call.Arguments), shown)))
	if !shownWhole(q) {
		fmt.Fprintf(&b, "That is the beginning of %d bytes of arguments: the call can be allowed, and not others like it. Decision %s.", len(q.Call.Arguments), q.Decision)
		return b.String()
	}
	fmt.Fprintf(&b, "Decision %s. %q holds for later calls of this tool in this workspace, until the tool or what asks changes.", q.Decision, always)
	return b.String()
}
