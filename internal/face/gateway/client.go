package gateway

import (
	"context"
	"crypto/rand"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/host"
)

// client is one connected client.
type client struct {
	agent    *host.Agent
	boundary string // around foreign text; no text can know it

	mu     sync.Mutex
	sealed map[string]*host.View // by list: what the client was given of it last
}

// client is who a session belongs to.
func (g *Gateway) client(s *mcp.ServerSession) *client {
	g.mu.Lock()
	defer g.mu.Unlock()
	c, known := g.clients[s]
	if known {
		return c
	}
	c = &client{agent: g.host.Agent(g.options.Offer), boundary: rand.Text(), sealed: map[string]*host.View{}}
	if g.closed { // a request that came at the last moment; nobody waits for its session
		return c
	}
	g.clients[s] = c
	g.waiting.Go(func() {
		_ = s.Wait() // why it ended does not matter
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.clients, s)
	})
	return c
}

// The lists that are sealed each for itself: a client that takes the new
// prompts has not seen the new tools.
const (
	tools     = "tools"
	prompts   = "prompts"
	resources = "resources"
	templates = "resourceTemplates"
)

// list gives the client what there is now of a list.
func (c *client) list(ctx context.Context, list string) (*host.View, error) {
	v, err := c.agent.List(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sealed[list] = v
	return v, nil
}

// view is what the client was given of a list, or what it was given last where
// it never asked for that.
func (c *client) view(ctx context.Context, list string) (*host.View, error) {
	c.mu.Lock()
	v := c.sealed[list]
	c.mu.Unlock()
	if v != nil {
		return v, nil
	}
	return c.agent.View(ctx)
}
