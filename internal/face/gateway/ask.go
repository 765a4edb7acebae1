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

// decide asks everything that may object to a call of a tool, and the client's
// person where that asks for them. An error says why the call may not be made.
func (r *request) decide(ctx context.Context, o *session.Offer, arguments json.RawMessage) error {
	u := host.Use{Offer: o, Arguments: arguments, Session: r.session.ID(), Client: r.clientName()}
	if r.mayElicit() {
		u.Ask = r.elicit
	}
	return r.client.agent.Decide(ctx, u)
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
	schema := json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"answer":{"type":"string","title":"Your answer","enum":[%q,%q,%q]}},"required":["answer"]}`, once, always, refuse))
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
		return host.Always, nil
	case refuse:
		return host.Refuse, nil
	}
	return host.Refuse, errors.New("the client answered with none of the answers that there are")
}

// asked is a question in words. What guards and agents say in it is foreign text:
// escaped, and bounded.
func asked(q host.Question) string {
	var b strings.Builder
	fmt.Fprintf(&b, "An agent wants to call %s.\n", ext.Escape(q.Call.Qualified))
	for _, o := range q.Objections {
		fmt.Fprintf(&b, "%s asks: %s\n", ext.Escape(o.Guard), ext.Escape(ext.Shorten(o.Reason, 500)))
	}
	const shown = 1000
	fmt.Fprintf(&b, "Arguments: %s\n", ext.Escape(ext.Shorten(string(q.Call.Arguments), shown)))
	fmt.Fprintf(&b, "Decision %s. %q holds for later calls of this tool, until the tool or what asks changes.", q.Decision, always)
	return b.String()
}
