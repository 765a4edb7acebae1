package gateway

import (
	"context"
	"maps"
	"time"

	"github.com/mortise-dev/mortise/internal/rpc"
	"github.com/mortise-dev/mortise/internal/session"
)

// followed is what a client subscribed to at one server: what answers for each address.
type followed struct {
	of       map[string]*session.Offer
	renewing bool
}

// follows takes note of a subscription, or of its end.
func (c *client) follows(o *session.Offer, uri string, wants bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.followed[keyOf(o)]
	switch {
	case !wants && at != nil:
		delete(at.of, uri)
	case wants && at == nil:
		c.followed[keyOf(o)] = &followed{of: map[string]*session.Offer{uri: o}}
	case wants && len(at.of) < mostFollowed:
		at.of[uri] = o
	}
}

const (
	firstPause = 250 * time.Millisecond
	lastPause  = time.Minute
)

// renew subscribes anew, beside who says so, to what the client follows at a server
// whose link has ended, as soon as the server is there again.
func (c *client) renew(key string) {
	c.mu.Lock()
	at := c.followed[key]
	begin := at != nil && len(at.of) > 0 && !at.renewing && !c.over
	if begin {
		at.renewing = true
	}
	c.mu.Unlock()
	if !begin {
		return
	}
	go func() {
		for pause := firstPause; !c.renewed(at); pause = min(2*pause, lastPause) {
			wait := time.NewTimer(pause)
			select {
			case <-wait.C:
			case <-c.life.Done():
				wait.Stop()
				return
			}
		}
	}()
}

// renewed tries to subscribe anew. It reports whether there is nothing left to try.
// What happened meanwhile nobody knows: the client is told that each has changed.
func (c *client) renewed(at *followed) bool {
	c.mu.Lock()
	left := maps.Clone(at.of)
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(c.life, settling)
	defer cancel()
	for uri, o := range left {
		if c.agent.AllowedAt(ctx, o, uri) != nil {
			c.follows(o, uri, false) // its list has changed, which the client is told
			continue
		}
		u, err := c.upstream(ctx, o)
		if err != nil {
			return false
		}
		named := append(append([]byte(`{"uri":`), rpc.Quote(uri)...), '}')
		a, err := u.link.Call(ctx, rpc.Compose(ownID, "resources/subscribe", named).Raw, nil)
		if err != nil {
			return false
		}
		if !a.Result.There() {
			c.follows(o, uri, false)
		}
		_ = c.unasked.put(rpc.Compose(nil, "notifications/resources/updated", named).Raw) // it is over when that fails
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at.renewing = false
	return true
}
