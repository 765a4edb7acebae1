package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/session"
)

// callTool calls a tool by its exposed name. That it may not be called, or
// cannot be reached, is a result that says so: an agent can act on it.
func (r *request) callTool(ctx context.Context) (json.RawMessage, error) {
	p, ok := r.params.(*mcp.CallToolParamsRaw)
	if !ok || p == nil || p.Name == "" {
		return nil, invalid("tools/call names no tool")
	}
	v, err := r.client.view(ctx, tools)
	if err != nil {
		return nil, err
	}
	o := v.Offers.Tool(p.Name)
	if o == nil {
		return nil, invalid("there is no tool %s; list the tools again", ext.Quote(ext.Shorten(p.Name, 80)))
	}
	arguments := p.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	answer, err := r.call(ctx, o, arguments, p.Meta)
	var theirs *call.Error
	if err == nil || errors.As(err, &theirs) || ctx.Err() != nil {
		return answer, err
	}
	return ext.EncodeJSON(map[string]any{
		"content": []map[string]string{{"type": "text", "text": said(err)}}, "isError": true,
	})
}

// call decides about a call of a tool, makes it, and tells those of it that watch.
func (r *request) call(ctx context.Context, o *session.Offer, arguments json.RawMessage, meta mcp.Meta) (json.RawMessage, error) {
	u := r.use(o, arguments)
	d, err := r.client.agent.Decide(ctx, u)
	if err != nil {
		return nil, err
	}
	u.Arguments = d.Arguments
	answer, err := r.ask(ctx, o, "tools/call", map[string]any{"name": o.Ref.Name, "arguments": d.Arguments}, meta)
	if err != nil {
		return answer, err
	}
	return added(answer, append(d.Said, r.client.agent.After(ctx, u, answer, failed(answer))...)), nil
}

// getPrompt gets a prompt: a command's text with its arguments in place, or a
// server's.
func (r *request) getPrompt(ctx context.Context) (json.RawMessage, error) {
	p, ok := r.params.(*mcp.GetPromptParams)
	if !ok || p == nil || p.Name == "" {
		return nil, invalid("prompts/get names no prompt")
	}
	v, err := r.client.view(ctx, prompts)
	if err != nil {
		return nil, err
	}
	o := v.Offers.Prompt(p.Name)
	switch {
	case o == nil:
		return nil, invalid("there is no prompt %s; list the prompts again", ext.Quote(ext.Shorten(p.Name, 80)))
	case o.Command == nil:
		params := map[string]any{"name": o.Ref.Name}
		if p.Arguments != nil {
			params["arguments"] = p.Arguments
		}
		return r.ask(ctx, o, "prompts/get", params, p.Meta)
	}
	if err := r.client.agent.Allowed(ctx, o); err != nil {
		return nil, err
	}
	return ext.EncodeJSON(map[string]any{
		"description": o.Entry.Description,
		"messages": []map[string]any{{
			"role": "user", "content": map[string]string{"type": "text", "text": o.Command.With(p.Arguments[session.Arguments])},
		}},
	})
}

// readResource reads a resource: an entry's text, or a server's by an address
// that it listed or that fits a template of its.
func (r *request) readResource(ctx context.Context) (json.RawMessage, error) {
	p, ok := r.params.(*mcp.ReadResourceParams)
	if !ok || p == nil || p.URI == "" {
		return nil, invalid("resources/read names no address")
	}
	o, err := r.at(ctx, p.URI)
	if err != nil {
		return nil, err
	}
	switch {
	case o == nil:
		return nil, &jsonrpc.Error{Code: codeNotFound, Message: fmt.Sprintf("there is no resource at %s", ext.Quote(ext.Shorten(p.URI, 200)))}
	case o.Ref != (ext.Ref{}):
		return r.ask(ctx, o, "resources/read", map[string]any{"uri": p.URI}, p.Meta)
	}
	if err := r.client.agent.Allowed(ctx, o); err != nil {
		return nil, err
	}
	return ext.EncodeJSON(map[string]any{
		"contents": []map[string]string{{"uri": p.URI, "mimeType": "text/markdown", "text": o.Text}},
	})
}

// at is what answers for an address: the resource that was listed there, or a
// template that it fits; nil when nothing does.
func (r *request) at(ctx context.Context, uri string) (*session.Offer, error) {
	v, err := r.client.view(ctx, resources)
	if err != nil {
		return nil, err
	}
	if o := v.Offers.Resource(uri); o != nil {
		return o, nil
	}
	if v, err = r.client.view(ctx, templates); err != nil {
		return nil, err
	}
	return fitting(v.Templates, uri), nil
}

// fitting is the template that an address fits; nil without one. Of several it is
// the owner's before a plugin's, then the one that says the most of the address.
func fitting(templates []session.Offer, uri string) *session.Offer {
	var best *session.Offer
	for i := range templates {
		t := &templates[i]
		if fits(t.Name, uri) && (best == nil || cmp.Or(cmp.Compare(t.Entry.Origin.Trust, best.Entry.Origin.Trust), cmp.Compare(fixed(t.Name), fixed(best.Name))) > 0) {
			best = t
		}
	}
	return best
}

// fixed is how much of a template is text.
func fixed(template string) int { return len(expression.ReplaceAllString(template, "")) }

var expression = regexp.MustCompile(`\{[^{}]*\}`)

// fits reports whether an address could be made of a template (RFC 6570): the
// text between its expressions is there, in order. The server, which knows what
// the expressions mean, has the last word.
func fits(template, uri string) bool {
	fixed := expression.Split(template, -1)
	if len(fixed) == 1 {
		return template == uri
	}
	rest, ok := strings.CutPrefix(uri, fixed[0])
	last := fixed[len(fixed)-1]
	for _, part := range fixed[1 : len(fixed)-1] {
		at := strings.Index(rest, part)
		if !ok || at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	return ok && strings.HasSuffix(rest, last)
}

// ask asks what answers for an offer. meta is handed on, and so is the progress
// that it asks for.
func (r *request) ask(ctx context.Context, o *session.Offer, method string, params map[string]any, meta mcp.Meta) (json.RawMessage, error) {
	if len(meta) > 0 {
		params["_meta"] = meta
	}
	encoded, err := ext.EncodeJSON(params)
	if err != nil {
		return nil, fmt.Errorf("hand on %s: %w", method, err)
	}
	link, err := r.client.agent.Reach(ctx, o, nil)
	if err != nil {
		return nil, err
	}
	return call.Ask(ctx, link, call.Request{Method: method, Params: encoded, Notify: func(method string, params json.RawMessage) {
		r.progress(ctx, method, params)
	}})
}

// progress hands on what a server says of its progress.
func (r *request) progress(ctx context.Context, method string, params json.RawMessage) {
	var p mcp.ProgressNotificationParams
	if method != "notifications/progress" || json.Unmarshal(params, &p) != nil {
		return
	}
	_ = r.session.NotifyProgress(ctx, &p) // a client that is gone needs none
}
