package gateway

import (
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/rpc"
	"github.com/mortise-dev/mortise/internal/session"
)

// notices tells clients when what they may list has changed, each list for
// itself: they take it when they list again.
type notices struct {
	gateway *Gateway
	cancel  func()
	fresh   chan struct{} // holds one: there is a new generation
	stop    chan struct{}
	once    sync.Once
	done    sync.WaitGroup
	said    map[string]ext.Digest // what each list was when it was last told about
}

// notify begins to watch a host's generations.
func notify(g *Gateway) *notices {
	n := &notices{gateway: g, fresh: make(chan struct{}, 1), stop: make(chan struct{}), said: map[string]ext.Digest{}}
	n.cancel = g.host.Subscribe(func(*host.Generation) {
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

// lists are those that clients are told about, by the notice that says so.
var lists = []struct {
	list, notice string
	of           func(*session.Offers) ext.Digest
}{
	{tools, "notifications/tools/list_changed", func(o *session.Offers) ext.Digest { return sum(o.Tools) }},
	{prompts, "notifications/prompts/list_changed", func(o *session.Offers) ext.Digest { return sum(o.Prompts) }},
	{resources, "notifications/resources/list_changed", func(o *session.Offers) ext.Digest { return sum(o.Resources, o.Templates) }},
}

// tell says which lists changed since it was last called.
func (n *notices) tell() {
	o := n.gateway.host.Now().Session(false).Offer(n.gateway.options.Offer)
	first := len(n.said) == 0
	for _, l := range lists {
		was, is := n.said[l.list], l.of(o)
		n.said[l.list] = is
		if first || was == is {
			continue
		}
		frame := rpc.Compose(nil, l.notice, nil).Raw
		for _, c := range n.gateway.connected() {
			if c.said().version != "" { // one that shook no hands says what it listens for
				_ = c.unasked.put(frame) // a client that is gone needs none
			}
		}
		n.gateway.heard.tell(l.list, frame)
	}
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
