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
	host   Host
	server *mcp.Server
	offer  session.OfferOptions
	cancel func()
	fresh  chan struct{} // holds one: there is a new generation
	stop   chan struct{}
	once   sync.Once
	done   sync.WaitGroup
	said   map[string]ext.Digest // what each list was when it was last told about
}

// notify begins to watch a host's generations.
func notify(h Host, server *mcp.Server, o session.OfferOptions) *notices {
	n := &notices{
		host: h, server: server, offer: o,
		fresh: make(chan struct{}, 1), stop: make(chan struct{}), said: map[string]ext.Digest{},
	}
	n.cancel = h.Subscribe(func(*host.Generation) {
		select {
		case n.fresh <- struct{}{}:
		default: // it is known already
		}
	})
	n.tell() // nobody is connected yet: what is told about is what comes after
	n.done.Go(n.run)
	return n
}

func (n *notices) close() {
	n.once.Do(func() {
		n.cancel()
		close(n.stop)
	})
	n.done.Wait()
}

func (n *notices) run() {
	for {
		select {
		case <-n.fresh:
			n.tell()
		case <-n.stop:
			return
		}
	}
}

// tell says which lists changed since it was last called.
func (n *notices) tell() {
	o := n.host.Now().Session(false).Offer(n.offer)
	first := len(n.said) == 0
	for _, l := range []struct {
		list    string
		digest  ext.Digest
		changed func(*mcp.Server)
	}{
		{tools, sum(o.Tools), touchTools},
		{prompts, sum(o.Prompts), touchPrompts},
		{resources, sum(o.Resources, o.Templates), touchResources},
	} {
		was := n.said[l.list]
		n.said[l.list] = l.digest
		if !first && was != l.digest {
			l.changed(n.server)
		}
	}
}

// The library sends its notices when something is added to a list of its own.
// Those lists are never shown, and nothing on them can be used.
const nothing = "mortise"

func touchTools(s *mcp.Server) {
	s.AddTool(&mcp.Tool{Name: nothing, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, invalid("it is not for calling")
	})
}

func touchPrompts(s *mcp.Server) {
	s.AddPrompt(&mcp.Prompt{Name: nothing}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return nil, invalid("it is not for starting")
	})
}

func touchResources(s *mcp.Server) {
	s.AddResource(&mcp.Resource{Name: nothing, URI: "mortise:none"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return nil, invalid("it is not for reading")
	})
}

// sum covers what clients see of lists, and what answers for it: calls of what
// is declared otherwise are refused until it is listed again.
func sum(lists ...[]session.Offer) ext.Digest {
	h := ext.NewHash("offers")
	for _, list := range lists {
		h.Int(len(list))
		for i := range list {
			h.Text(list[i].Name, list[i].Ref.Driver, list[i].Ref.Target).Bytes(list[i].Definition)
		}
	}
	return h.Sum()
}
