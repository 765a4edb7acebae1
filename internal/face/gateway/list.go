package gateway

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/mortise-dev/mortise/internal/session"
)

// page is a list as a client gets it, whole: {"tools":[…]}.
func page(member string, offers []session.Offer) json.RawMessage {
	var out bytes.Buffer
	out.WriteString(`{"` + member + `":[`)
	for i := range offers {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(offers[i].Definition)
	}
	out.WriteString("]}")
	return out.Bytes()
}

// list gives the client what there is now.
func (r *request) list(ctx context.Context, list string, of func(*session.Offers) []session.Offer) (json.RawMessage, error) {
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
