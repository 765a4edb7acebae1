package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/rpc"
	"github.com/mortise-dev/mortise/internal/session"
)

// callTool calls a tool by its exposed name. That it may not be called, or
// cannot be reached, is a result that says so: an agent can act on it.
func (r *request) callTool(ctx context.Context) ([]byte, error) {
	name := r.text(r.frame.Name)
	if name == "" {
		return nil, invalid("tools/call names no tool")
	}
	v, err := r.client.view(ctx, tools)
	if err != nil {
		return nil, err
	}
	o := v.Offers.Tool(name)
	if o == nil && r.client.visitor != nil {
		o = r.client.gateway.gone.tool(name)
	}
	if o == nil {
		return nil, invalid("there is no tool %s; list the tools again", ext.Quote(ext.Shorten(name, 80)))
	}
	answer, err := r.call(ctx, o)
	var theirs *call.Error
	if err == nil || errors.As(err, &theirs) || errors.Is(err, errPanicked) || ctx.Err() != nil {
		return answer, err
	}
	result, err := ext.EncodeJSON(map[string]any{
		"content": []map[string]string{{"type": "text", "text": said(err)}}, "isError": true,
	})
	return r.result(result), err
}

// call decides about a call of a tool, makes it, and tells those of it that watch.
func (r *request) call(ctx context.Context, o *session.Offer) ([]byte, error) {
	arguments := json.RawMessage(r.frame.Bytes(r.frame.Arguments))
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	if !rpc.IsObject(arguments) {
		return nil, invalid("the arguments of %s are no object", ext.Quote(ext.Shorten(o.Name, 80)))
	}
	u := r.use(o, arguments)
	d, err := r.client.agent.Decide(ctx, u)
	if err != nil {
		return nil, err
	}
	edits := []rpc.Edit{{At: r.frame.Name, With: rpc.Quote(o.Ref.Name)}}
	if len(d.Rewrote) > 0 {
		edits = append(edits, r.rewritten(d.Arguments))
	}
	a, err := r.client.pass(ctx, o, r.frame, r.emit, edits...)
	switch {
	case err != nil:
		return nil, err
	case !a.Result.There() || len(d.Said) == 0 && !r.client.agent.Watched():
		return a.Raw, nil
	}
	u.Arguments = d.Arguments
	result := json.RawMessage(a.Bytes(a.Result))
	more := added(result, append(d.Said, r.client.agent.After(ctx, u, result, failed(result))...))
	return rpc.Splice(a.Raw, a.Result.With(more)), nil
}

// pass sends the request on, and is the answer.
func (r *request) pass(ctx context.Context, o *session.Offer, edits ...rpc.Edit) ([]byte, error) {
	a, err := r.client.pass(ctx, o, r.frame, r.emit, edits...)
	if err != nil {
		return nil, err
	}
	return a.Raw, nil
}

// rewritten is the edit that gives the call other arguments, or some where it has none.
func (r *request) rewritten(arguments json.RawMessage) rpc.Edit {
	if at := r.frame.Arguments; at.There() {
		return at.With(arguments)
	}
	end := r.frame.Name.To
	return rpc.Edit{At: rpc.Span{From: end, To: end}, With: append([]byte(`,"arguments":`), arguments...)}
}

// getPrompt gets a prompt: a command's text with its arguments in place, or a
// server's.
func (r *request) getPrompt(ctx context.Context) ([]byte, error) {
	name := r.text(r.frame.Name)
	if name == "" {
		return nil, invalid("prompts/get names no prompt")
	}
	v, err := r.client.view(ctx, prompts)
	if err != nil {
		return nil, err
	}
	o := v.Offers.Prompt(name)
	if o == nil {
		return nil, invalid("there is no prompt %s; list the prompts again", ext.Quote(ext.Shorten(name, 80)))
	}
	if err := r.client.agent.Allowed(ctx, o); err != nil {
		return nil, err
	}
	if o.Command == nil {
		return r.pass(ctx, o, rpc.Edit{At: r.frame.Name, With: rpc.Quote(o.Ref.Name)})
	}
	var given map[string]string
	if raw := r.frame.Bytes(r.frame.Arguments); len(raw) > 0 && json.Unmarshal(raw, &given) != nil {
		return nil, invalid("the arguments of a prompt are texts")
	}
	result, err := ext.EncodeJSON(map[string]any{
		"description": o.Entry.Description,
		"messages": []map[string]any{{
			"role": "user", "content": map[string]string{"type": "text", "text": o.Command.With(given[session.Arguments])},
		}},
	})
	return r.result(result), err
}

// readResource reads a resource: an entry's text, or a server's by an address
// that it listed or that fits a template of its.
func (r *request) readResource(ctx context.Context) ([]byte, error) {
	o, uri, err := r.addressed(ctx)
	if err != nil {
		return nil, err
	}
	if o.Ref != (ext.Ref{}) {
		return r.pass(ctx, o)
	}
	result, err := ext.EncodeJSON(map[string]any{
		"contents": []map[string]string{{"uri": uri, "mimeType": o.MIMEType, "text": o.Text}},
	})
	return r.result(result), err
}

// subscribe subscribes to a resource, or ends that. What is text here does not
// change without a notice that lists have.
func (r *request) subscribe(ctx context.Context) ([]byte, error) {
	o, uri, err := r.addressed(ctx)
	if err != nil {
		return nil, err
	}
	if o.Ref == (ext.Ref{}) {
		return r.result(json.RawMessage("{}")), nil
	}
	a, err := r.client.pass(ctx, o, r.frame, r.emit)
	if err != nil {
		return nil, err
	}
	r.client.follows(o, uri, r.frame.Method == "resources/subscribe" && a.Result.There())
	return a.Raw, nil
}

// addressed is what answers for the address that the request names, once it may be
// used.
func (r *request) addressed(ctx context.Context) (*session.Offer, string, error) {
	uri := r.text(r.frame.URI)
	if uri == "" {
		return nil, "", invalid("%s names no address", r.frame.Method)
	}
	o, err := r.client.at(ctx, uri)
	switch {
	case err != nil:
		return nil, "", err
	case o == nil:
		return nil, "", &call.Error{Code: codeNotFound, Message: "there is no resource at " + ext.Quote(ext.Shorten(uri, 200))}
	}
	return o, uri, r.client.agent.AllowedAt(ctx, o, uri)
}

// complete completes an argument of a prompt or of an address. Of what is text here
// nothing is known.
func (r *request) complete(ctx context.Context) ([]byte, error) {
	at, err := rpc.Locate(r.frame.Bytes(r.frame.Params), "ref")
	if err != nil {
		return nil, invalid("completion/complete names nothing to complete")
	}
	ref := within(r.frame.Params, at["ref"])
	of, err := rpc.Locate(r.frame.Bytes(ref), "type", "name", "uri")
	if err != nil {
		return nil, invalid("completion/complete names nothing to complete, or two things")
	}
	uri, name := r.text(within(ref, of["uri"])), within(ref, of["name"])
	if r.text(within(ref, of["type"])) == "ref/resource" {
		return r.completeAddress(ctx, uri)
	}
	v, err := r.client.view(ctx, prompts)
	if err != nil {
		return nil, err
	}
	o := v.Offers.Prompt(r.text(name))
	if o == nil {
		return nil, invalid("there is no prompt of that name to complete; list the prompts again")
	}
	if err := r.client.agent.Allowed(ctx, o); err != nil {
		return nil, err
	}
	if o.Ref == (ext.Ref{}) {
		return r.result(noValues), nil
	}
	return r.pass(ctx, o, name.With(rpc.Quote(o.Ref.Name)))
}

var noValues = json.RawMessage(`{"completion":{"values":[],"hasMore":false}}`)

func (r *request) completeAddress(ctx context.Context, uri string) ([]byte, error) {
	o, err := r.client.template(ctx, uri)
	switch {
	case err != nil:
		return nil, err
	case o == nil:
		return nil, invalid("there is no address of that kind to complete; list the templates again")
	}
	if err := r.client.agent.AllowedAt(ctx, o, uri); err != nil {
		return nil, err
	}
	if o.Ref == (ext.Ref{}) {
		return r.result(noValues), nil
	}
	return r.pass(ctx, o)
}

// within is where something lies whose place in a part is known.
func within(part, at rpc.Span) rpc.Span {
	if !at.There() || !part.There() {
		return rpc.Span{}
	}
	return rpc.Span{From: part.From + at.From, To: part.From + at.To}
}

// setLevel says which log messages the client wants, of all servers.
func (r *request) setLevel(ctx context.Context) ([]byte, error) {
	if !slices.Contains(levels, r.text(r.frame.Level)) {
		return nil, invalid("logging/setLevel names none of the levels %s", strings.Join(levels, ", "))
	}
	c := r.client
	level := append(json.RawMessage(nil), r.frame.Bytes(r.frame.Level)...)
	c.telling.Lock() // so that all servers hear of levels in the order in which they were set
	defer c.telling.Unlock()
	c.mu.Lock()
	c.level = level
	ups := c.linked()
	c.mu.Unlock()
	var all sync.WaitGroup
	for _, u := range ups {
		all.Go(func() { u.level(ctx, level) })
	}
	all.Wait()
	return r.result(json.RawMessage("{}")), nil
}

// levels of log messages.
var levels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// level tells a server which log messages are wanted, and waits until it has heard that:
// what is asked of it next is told of from that level on. One without log messages
// refuses, and one that does not answer is not waited for for long.
func (u *upstream) level(ctx context.Context, level json.RawMessage) {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	_, _ = u.link.Call(ctx, rpc.Compose(ownID, "logging/setLevel", slices.Concat([]byte(`{"level":`), level, []byte(`}`))).Raw, nil)
}

// ownID is the id of requests of our own: of a link, answers are told apart by who asks.
var ownID = []byte("1")
