package gateway

import (
	"sync"

	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/session"
)

// gone are tools that were offered before and are not now. A client with a session calls
// them by the list that it was given, and is told why it may not; one without has no list
// of its own, and is told the same. The zero value is ready.
type gone struct {
	mu    sync.Mutex
	now   *host.View // what is offered
	tools map[string]*session.Offer
}

// mostGone is how many such tools are remembered.
const mostGone = 1000

// see is told what is offered now.
func (g *gone) see(v *host.View) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.now == v || g.now != nil && g.now.Generation > v.Generation {
		return
	}
	if g.tools == nil {
		g.tools = map[string]*session.Offer{}
	}
	if g.now != nil {
		for i := range g.now.Offers.Tools {
			if o := g.now.Offers.Tools[i]; v.Offers.Tool(o.Name) == nil && len(g.tools) < mostGone {
				g.tools[o.Name] = &o
			}
		}
	}
	for name := range g.tools {
		if v.Offers.Tool(name) != nil {
			delete(g.tools, name)
		}
	}
	g.now = v
}

// tool is the tool of that name, as it was offered last; nil: none was.
func (g *gone) tool(name string) *session.Offer {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.tools[name]
}
