package gateway

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// shaking are the revisions of the protocol with a handshake, the newest last.
var shaking = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}

// settled is the revision that a client is answered in that asks for one.
func settled(asked string) string {
	if slices.Contains(shaking, asked) {
		return asked
	}
	return shaking[len(shaking)-1]
}

// greets takes in what the client says of itself, which it does once.
func (c *client) greets(g greeting) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.greeted.version != "" {
		return false
	}
	c.greeted = g
	return true
}

// initialize shakes hands: it takes in what the client says of itself, and answers
// with what there is for it and the text that it begins with.
func (r *request) initialize(ctx context.Context) (json.RawMessage, error) {
	var p struct {
		Version string `json:"protocolVersion"`
		Client  struct {
			Name string `json:"name"`
		} `json:"clientInfo"`
		Capabilities json.RawMessage `json:"capabilities"`
	}
	if err := json.Unmarshal(r.frame.Bytes(r.frame.Params), &p); err != nil {
		return nil, invalid("what the client says of itself cannot be read")
	}
	g := greeting{version: settled(p.Version), name: shortName(p.Client.Name)}
	if rpc.IsObject(p.Capabilities) {
		g.capabilities = slices.Clone(p.Capabilities)
		if json.Unmarshal(p.Capabilities, &g.can) != nil {
			g.can = abilities{}
		}
	}
	v, err := r.client.agent.List(ctx)
	if err != nil {
		return nil, err
	}
	if !r.client.greets(g) {
		return nil, &call.Error{Code: codeBad, Message: "the session has begun already: servers know the client as it introduced itself"}
	}
	type changes struct {
		ListChanged bool `json:"listChanged"`
	}
	type subscribed struct {
		Subscribe bool `json:"subscribe"`
		changes
	}
	type server struct {
		Name    string `json:"name"`
		Title   string `json:"title"`
		Version string `json:"version"`
	}
	return ext.EncodeJSON(struct {
		Version      string         `json:"protocolVersion"`
		Capabilities map[string]any `json:"capabilities"`
		Server       server         `json:"serverInfo"`
		Instructions string         `json:"instructions,omitempty"`
	}{
		g.version, map[string]any{
			"tools": changes{true}, "prompts": changes{true}, "resources": subscribed{true, changes{true}},
			"logging": struct{}{}, "completions": struct{}{},
		},
		server{"mortise", "Mortise", r.client.gateway.options.Version}, v.Begins(r.client.boundary, r.client.gateway.options.Offer.Only),
	})
}
