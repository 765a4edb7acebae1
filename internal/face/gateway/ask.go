package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/rpc"
	"github.com/mortise-dev/mortise/internal/session"
)

// use is a call of a tool as those are told of it that may object to it, the client's
// person among them where the client can ask.
func (r *request) use(o *session.Offer, arguments json.RawMessage) host.Use {
	said := r.client.said()
	u := host.Use{Offer: o, Arguments: arguments, Session: r.client.id, Client: said.name}
	if e := said.can.Elicitation; e != nil && (e.Form != nil || e.URL == nil) { // one that names no mode has forms
		u.Ask = r.elicit
	}
	return u
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
	params, err := ext.EncodeJSON(map[string]any{
		"message": asked(q),
		"requestedSchema": map[string]any{
			"type": "object", "required": []string{"answer"},
			"properties": map[string]any{"answer": map[string]any{"type": "string", "title": "Your answer", "enum": answers}},
		},
	})
	if err != nil {
		return host.Refuse, err
	}
	raw, err := r.question(ctx, "elicitation/create", params)
	if err != nil {
		return host.Refuse, err
	}
	var res struct {
		Action  string
		Content map[string]any
	}
	if err := json.Unmarshal(raw, &res); err != nil {
		return host.Refuse, errors.New("the client's answer cannot be read")
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

// question puts a question of our own to the client, and waits for the result.
func (r *request) question(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	came := make(chan []byte, 1)
	id := r.client.ask(question{answered: func(frame []byte) { came <- append([]byte(nil), frame...) }})
	defer r.client.withdraw(id)
	if err := r.emit(rpc.Compose(id, method, params).Raw); err != nil {
		return nil, err
	}
	select {
	case raw := <-came:
		a, err := rpc.Read(raw)
		switch {
		case err != nil:
			return nil, err
		case a.Fault.There():
			return nil, fmt.Errorf("the client answered with an error: %s", ext.Escape(ext.Shorten(string(a.Bytes(a.Fault)), 200)))
		}
		return a.Bytes(a.Result), nil
	case <-ctx.Done():
		_ = r.emit(rpc.Compose(nil, "notifications/cancelled", append(append([]byte(`{"requestId":`), id...), '}')).Raw)
		return nil, ctx.Err()
	}
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
