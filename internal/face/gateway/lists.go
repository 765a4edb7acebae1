package gateway

import (
	"context"
	"encoding/json"

	"github.com/mortise-dev/mortise/internal/rpc"
	"github.com/mortise-dev/mortise/internal/session"
)

// page is a list as a client gets it, whole: {"tools":[…]}.
func page(member string, offers []session.Offer) json.RawMessage {
	size := len(member) + 8
	for i := range offers {
		size += len(offers[i].Definition) + 1
	}
	out := append(make([]byte, 0, size), `{"`+member+`":[`...)
	for i := range offers {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, offers[i].Definition...)
	}
	return append(out, "]}"...)
}

// list gives the client what there is now. A list is one page: who asks for another
// has its cursor from elsewhere.
func (r *request) list(ctx context.Context, list string, of func(*session.Offers) []session.Offer) (json.RawMessage, error) {
	if r.frame.Params.There() {
		parts, err := rpc.Members(r.frame.Bytes(r.frame.Params), "cursor")
		if err != nil && string(r.frame.Bytes(r.frame.Params)) != "null" {
			return nil, invalid("the parameters are no object")
		}
		if len(parts) > 0 {
			return nil, invalid("there is no such page: a list is one page here")
		}
	}
	v, err := r.client.list(ctx, list)
	if err != nil {
		return nil, err
	}
	return page(list, of(v.Offers)), nil
}

func (r *request) listTools(ctx context.Context) (json.RawMessage, error) {
	return r.list(ctx, tools, func(o *session.Offers) []session.Offer { return o.Tools })
}

func (r *request) listPrompts(ctx context.Context) (json.RawMessage, error) {
	return r.list(ctx, prompts, func(o *session.Offers) []session.Offer { return o.Prompts })
}

func (r *request) listResources(ctx context.Context) (json.RawMessage, error) {
	return r.list(ctx, resources, func(o *session.Offers) []session.Offer { return o.Resources })
}

func (r *request) listTemplates(ctx context.Context) (json.RawMessage, error) {
	return r.list(ctx, templates, func(o *session.Offers) []session.Offer { return o.Templates })
}
