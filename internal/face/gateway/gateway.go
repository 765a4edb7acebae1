// Package gateway is the face that speaks MCP: one endpoint in front of all
// servers and all extensions. It reads of a message what it must to know who is
// meant and whether that may be, and hands on the rest as the bytes that came.
package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

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
	largestBody = 16 << 20       // of a message
	mostClients = 1000           // that are connected at once; a new one ends the session that was idle longest
	mostFlights = 1000           // requests of one client that are in flight at once
)

// Gateway serves any number of clients. Make one with New; Close it.
type Gateway struct {
	host    Host
	options Options
	notices *notices
	life    context.Context // of all that it does; Close ends it
	stop    context.CancelFunc
	work    sync.WaitGroup // goroutines of its own, and what clients have in flight
	lent    lent           // names of clients that shake no hands
	parked  parked         // calls of theirs that wait for them
	heard   listeners      // those of theirs that listen
	gone    gone           // tools that they may have been given, and that are not offered any more

	mu      sync.Mutex
	closed  bool
	clients map[string]*client // by the ids of their sessions
	visits  int                // requests of clients that have none
}

// New makes a gateway in front of a host that has a generation.
func New(h Host, o Options) *Gateway {
	g := &Gateway{host: h, options: o, clients: map[string]*client{}}
	g.life, g.stop = context.WithCancel(context.Background())
	g.notices = notify(g)
	g.work.Go(g.tidy)
	return g
}

// Close gives up the requests that are in flight, ends all sessions and waits
// for their ends. It may be called more than once.
func (g *Gateway) Close() {
	g.mu.Lock()
	g.closed = true
	all := make([]*client, 0, len(g.clients))
	for _, c := range g.clients {
		all = append(all, c)
	}
	g.mu.Unlock()
	g.notices.close()
	g.stop()
	g.parked.close()
	var ends sync.WaitGroup
	for _, c := range all {
		ends.Go(c.end)
	}
	ends.Wait()
	soon(&g.work)
}

// tidy ends sessions whose clients are gone.
func (g *Gateway) tidy() {
	t := time.NewTicker(time.Minute)
	defer t.Stop()
	for {
		select {
		case <-g.life.Done():
			return
		case now := <-t.C:
			for _, c := range g.connected() {
				if c.idle(now) > idleSession && !c.busy() {
					c.end()
				}
			}
		}
	}
}

// connected are the clients that have a session.
func (g *Gateway) connected() []*client {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]*client, 0, len(g.clients))
	for _, c := range g.clients {
		out = append(out, c)
	}
	return out
}

// client is the client whose session has an id; nil when there is none.
func (g *Gateway) client(id string) *client {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.clients[id]
}

// enter takes in a client. Where there are too many, the one that asked for nothing for
// longest, and waits for nothing, is ended; where all are busy it reports false.
func (g *Gateway) enter(c *client) bool {
	g.mu.Lock()
	if g.closed {
		g.mu.Unlock()
		return false
	}
	var idle *client
	if len(g.clients) >= mostClients {
		now := time.Now()
		for _, o := range g.clients {
			if !o.busy() && (idle == nil || o.idle(now) > idle.idle(now)) {
				idle = o
			}
		}
	}
	switch {
	case idle != nil:
		delete(g.clients, idle.id)
		g.work.Go(idle.end)
	case len(g.clients) >= mostClients:
		g.mu.Unlock()
		return false
	}
	g.clients[c.id] = c
	g.mu.Unlock()
	return true
}

// leave forgets a client.
func (g *Gateway) leave(c *client) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.clients[c.id] == c {
		delete(g.clients, c.id)
	}
}

// panicked tells of a panic, which costs the one request in which it happened.
func (g *Gateway) panicked(method string, p any) {
	if g.options.Log != nil {
		g.options.Log.Error("panic", "method", method, "panic", fmt.Sprint(p))
	}
}
