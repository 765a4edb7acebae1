// Package gateway is the face that speaks MCP: one endpoint in front of all
// servers and all extensions. It decodes what it must to know who is meant, and
// hands on the rest as it came: requests over a call.Link, answers as raw
// results.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/ext"
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
	idleSession = 24 * time.Hour // after which a client is taken to be gone: people come back to an agent the next morning
	largestBody = 16 << 20       // of a request
	mostClients = 1000           // that are connected at once; a new one ends the session that was idle longest
)

// Gateway serves any number of clients. Make one with New; Close it.
type Gateway struct {
	host    Host
	options Options
	server  *mcp.Server
	notices *notices

	mu      sync.Mutex
	closed  bool
	clients map[*mcp.ServerSession]*client
	over    map[*mcp.ServerSession]bool                // sessions that are being ended
	running map[*context.CancelFunc]*mcp.ServerSession // requests, and whose they are
	waiting sync.WaitGroup                             // for the ends of sessions
}

// New makes a gateway in front of a host that has a generation.
func New(h Host, o Options) *Gateway {
	g := &Gateway{
		host: h, options: o,
		clients: map[*mcp.ServerSession]*client{}, over: map[*mcp.ServerSession]bool{}, running: map[*context.CancelFunc]*mcp.ServerSession{},
	}
	g.server = mcp.NewServer(&mcp.Implementation{Name: "mortise", Title: "Mortise", Version: o.Version}, &mcp.ServerOptions{
		Logger: o.Log,
		Capabilities: &mcp.ServerCapabilities{
			Tools:     &mcp.ToolCapabilities{ListChanged: true},
			Prompts:   &mcp.PromptCapabilities{ListChanged: true},
			Resources: &mcp.ResourceCapabilities{ListChanged: true},
		},
		SupportedProtocolVersions: spoken(),
	})
	g.server.AddReceivingMiddleware(g.recovers, g.ends, g.answers) // outermost first
	g.notices = notify(h, g.server, o.Offer)
	return g
}

// spoken are the revisions of the protocol that are spoken: those with a
// handshake. A client of a newer one is told so, and shakes hands.
func spoken() []string {
	const newest = "2025-11-25" // revisions are dates
	return slices.DeleteFunc(mcp.SupportedProtocolVersions(), func(v string) bool { return v > newest })
}

// Handler serves MCP over Streamable HTTP at whatever path it is given. It
// refuses what a page in a browser could ask: requests from other origins, and
// those that came to this machine under another name than its own. The requests
// that a session has in flight are given up when it is deleted, and the session
// that has been idle longest when there are too many.
func (g *Gateway) Handler() http.Handler {
	known := spoken()
	serve := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		// The library asks once it has looked where a request comes from, and waits
		// for what is in flight before it deletes a session.
		version := r.Header.Get("Mcp-Protocol-Version")
		if r.Method == http.MethodDelete && (version == "" || slices.Contains(known, version)) {
			if s := g.session(r.Header.Get("Mcp-Session-Id")); s != nil {
				g.giveUp(s)
			}
		}
		return g.server
	}, &mcp.StreamableHTTPOptions{Logger: g.options.Log, SessionTimeout: idleSession, MaxRequestBodyBytes: largestBody})
	return http.NewCrossOriginProtection().Handler(serve)
}

// session is the session over HTTP of this ID; nil when there is none.
func (g *Gateway) session(id string) *mcp.ServerSession {
	g.mu.Lock()
	defer g.mu.Unlock()
	for s := range g.clients {
		if id != "" && s.ID() == id {
			return s
		}
	}
	return nil
}

// Serve serves one client over a pair of streams until it closes in or ctx ends,
// which is no error; that it sent what is no JSON-RPC is one. It then gives up the
// client's requests that are in flight.
func (g *Gateway) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	s, err := g.server.Connect(ctx, &mcp.IOTransport{Reader: in, Writer: out}, nil)
	if err != nil {
		return fmt.Errorf("serve a client: %w", err)
	}
	over := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(over)
		g.end(s)
	})
	err = s.Wait()
	if !stop() {
		<-over
	}
	if err != nil && ctx.Err() == nil {
		if ofStream(err) {
			return fmt.Errorf("serve a client: %w", err)
		}
		return fmt.Errorf("the client sent something that is no JSON-RPC: %s", ext.Escape(err.Error()))
	}
	return nil
}

// ofStream reports whether a session ended for a stream that failed. What else
// it ends for is what the client sent.
func ofStream(err error) bool {
	var path *fs.PathError
	var number syscall.Errno
	return errors.As(err, &path) || errors.As(err, &number) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, fs.ErrClosed)
}

// Close gives up the requests that are in flight, ends all sessions and waits
// for their ends. It may be called more than once.
func (g *Gateway) Close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.notices.close()
	for s := range g.server.Sessions() {
		g.end(s)
	}
	g.waiting.Wait()
}

// end ends a session. The library waits for requests that are in flight, so
// they are given up before.
func (g *Gateway) end(s *mcp.ServerSession) {
	g.giveUp(s)
	_ = s.Close() // what is left of it ends with the connection
}

// giveUp gives up the requests of a session that are in flight, and takes no
// more of it.
func (g *Gateway) giveUp(s *mcp.ServerSession) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.over[s] = true
	for cancel, of := range g.running {
		if of == s {
			(*cancel)()
		}
	}
}

// ends bounds each request by the life of its session.
func (g *Gateway) ends(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		s, ok := req.GetSession().(*mcp.ServerSession)
		if !ok {
			return next(ctx, method, req)
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		g.client(s).used.Store(time.Now().UnixNano())
		g.mu.Lock()
		over := g.closed || g.over[s]
		g.running[&cancel] = s
		g.mu.Unlock()
		defer func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			delete(g.running, &cancel)
		}()
		if over {
			return nil, &jsonrpc.Error{Code: codeRefused, Message: "the session is ending"}
		}
		return next(ctx, method, req)
	}
}
