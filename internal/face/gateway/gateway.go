// Package gateway is the face that speaks MCP: one endpoint in front of all
// servers and all extensions. It decodes what it must to know who is meant, and
// hands on the rest as it came: requests over a call.Link, answers as raw
// results.
package gateway

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/session"
)

// Host is what a gateway needs of a host.
type Host interface {
	Now() *host.Generation // never nil
	Agent(session.OfferOptions) *host.Agent
	Subscribe(func(*host.Generation)) (cancel func())
}

// Options say how a gateway serves.
type Options struct {
	Version string // of this program
	Offer   session.OfferOptions
	Log     *slog.Logger // for faults of clients; nil: nowhere
}

const (
	idleSession = 30 * time.Minute // after which a client is taken to be gone
	largestBody = 16 << 20         // of a request
)

// Gateway serves any number of clients. Make one with New; Close it.
type Gateway struct {
	host    Host
	options Options
	server  *mcp.Server
	notices *notices

	mu      sync.Mutex
	clients map[*mcp.ServerSession]*client
	waiting sync.WaitGroup // for the ends of sessions
}

// client is one connected client.
type client struct {
	agent    *host.Agent
	boundary string // around foreign text; no text can know it
}

// New makes a gateway in front of a host that has a generation.
func New(h Host, o Options) *Gateway {
	g := &Gateway{host: h, options: o, clients: map[*mcp.ServerSession]*client{}}
	g.server = mcp.NewServer(&mcp.Implementation{Name: "mortise", Title: "Mortise", Version: o.Version}, &mcp.ServerOptions{
		Logger: o.Log,
		Capabilities: &mcp.ServerCapabilities{
			Tools:     &mcp.ToolCapabilities{ListChanged: true},
			Prompts:   &mcp.PromptCapabilities{ListChanged: true},
			Resources: &mcp.ResourceCapabilities{ListChanged: true},
		},
	})
	g.server.AddReceivingMiddleware(g.recovers, g.answers) // outermost first
	g.notices = notify(h, g.server, o.Offer)
	return g
}

// Handler serves MCP over Streamable HTTP at whatever path it is given.
func (g *Gateway) Handler() http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return g.server }, &mcp.StreamableHTTPOptions{
		Logger: g.options.Log, SessionTimeout: idleSession, MaxRequestBodyBytes: largestBody,
	})
}

// Serve serves one client over a pair of streams until it closes in or ctx
// ends.
func (g *Gateway) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	return g.server.Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
}

// Close ends all sessions and waits for their ends.
func (g *Gateway) Close() {
	g.notices.close()
	for s := range g.server.Sessions() {
		_ = s.Close() // what is left of it ends with the connection
	}
	g.waiting.Wait()
}

// client is who a session belongs to.
func (g *Gateway) client(s *mcp.ServerSession) *client {
	g.mu.Lock()
	defer g.mu.Unlock()
	c, known := g.clients[s]
	if !known {
		c = &client{agent: g.host.Agent(g.options.Offer), boundary: rand.Text()}
		g.clients[s] = c
		g.waiting.Go(func() {
			_ = s.Wait() // why it ended does not matter
			g.mu.Lock()
			defer g.mu.Unlock()
			delete(g.clients, s)
		})
	}
	return c
}
