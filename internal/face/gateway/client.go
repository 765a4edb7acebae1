package gateway

import (
	"context"
	"crypto/rand"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/host"
)

// client is one connected client.
type client struct {
	agent    *host.Agent
	boundary string       // around foreign text; no text can know it
	used     atomic.Int64 // when it last asked for something, in ns since 1970

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
	if len(g.clients) >= mostClients {
		g.endIdle()
	}
	g.clients[s] = c
	g.waiting.Go(func() {
		_ = s.Wait() // why it ended does not matter
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.clients, s)
		delete(g.over, s)
	})
	return c
}

// endIdle ends the session that asked for nothing for longest and has nothing in
// flight, for who holds the lock. Its client begins another when it comes back.
func (g *Gateway) endIdle() {
	busy := map[*mcp.ServerSession]bool{}
	for _, s := range g.running {
		busy[s] = true
	}
	var idle *mcp.ServerSession
	for s, c := range g.clients {
		if !busy[s] && !g.over[s] && (idle == nil || c.used.Load() < g.clients[idle].used.Load()) {
			idle = s
		}
	}
	if idle == nil {
		return
	}
	g.over[idle] = true
	g.waiting.Go(func() { _ = idle.Close() }) // what is left of it ends with the connection
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
