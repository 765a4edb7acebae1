package gateway

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/session"
)

// notices tells clients when what they may list has changed, each list for
// itself: they take it when they list again.
type notices struct {
	server *mcp.Server
	offer  session.OfferOptions
	cancel func()
	done   sync.WaitGroup

	mu     sync.Mutex
	latest *host.Generation
	fresh  chan struct{}
	said   map[string]ext.Digest // what each list was when it was last told about
}

// notify begins to watch a host's generations.
func notify(h Host, server *mcp.Server, o session.OfferOptions) *notices {
	n := &notices{server: server, offer: o, fresh: make(chan struct{}, 1), said: map[string]ext.Digest{}}
	n.tell(h.Now().Session(false).Offer(o)) // nobody is connected yet: what is told about is what comes
	n.done.Go(n.run)
	n.cancel = h.Subscribe(func(g *host.Generation) {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.latest = g; n.fresh != nil {
			select {
			case n.fresh <- struct{}{}:
			default:
			}
		}
	})
	return n
}

func (n *notices) close() {
	n.cancel()
	n.mu.Lock()
	fresh := n.fresh
	n.fresh = nil
	n.mu.Unlock()
	if fresh != nil {
		close(fresh)
	}
	n.done.Wait()
}

func (n *notices) run() {
	n.mu.Lock()
	fresh := n.fresh
	n.mu.Unlock()
	for range fresh {
		n.mu.Lock()
		g := n.latest
		n.mu.Unlock()
		n.tell(g.Session(false).Offer(n.offer))
	}
}

// tell says which lists changed. The library sends its notices when something
// is added to a list or taken out: the lists that it keeps are never shown.
func (n *notices) tell(o *session.Offers) {
	const name = "mortise"
	for _, l := range []struct {
		list    string
		offers  [][]session.Offer
		changed func()
	}{
		{"tools", [][]session.Offer{o.Tools}, func() {
			n.server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return nil, invalid("it is not for calling")
			})
		}},
		{"prompts", [][]session.Offer{o.Prompts}, func() {
			n.server.AddPrompt(&mcp.Prompt{Name: name}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
				return nil, invalid("it is not for starting")
			})
		}},
		{"resources", [][]session.Offer{o.Resources, o.Templates}, func() {
			n.server.AddResource(&mcp.Resource{Name: name, URI: "mortise:none"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return nil, invalid("it is not for reading")
			})
		}},
	} {
		now := sum(l.offers...)
		was, told := n.said[l.list]
		n.said[l.list] = now
		if told && was != now {
			l.changed()
		}
	}
}

func sum(lists ...[]session.Offer) ext.Digest {
	h := ext.NewHash("offers")
	for _, list := range lists {
		h.Int(len(list))
		for i := range list {
			h.Text(list[i].Name).Bytes(list[i].Definition)
		}
	}
	return h.Sum()
}
