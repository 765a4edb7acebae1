package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/rpc"
	"github.com/mortise-dev/mortise/internal/session"
)

// upstream is a client's link to what answers for some of its offers.
type upstream struct {
	client *client
	key    string // of it among the links of the client
	link   call.Link
	once   sync.Once
	ended  chan struct{} // closed when there is nothing more to hear; where nobody hears, never
	aside  chan []byte   // what is sent beside what the client says, in that order
	begun  sync.Once     // sending that
}

// mostAside is how many messages wait for a server that takes none.
const mostAside = 256

// upstream is the link to what answers for an offer, opened where there is none.
// Whether the offer may be used is settled before.
func (c *client) upstream(ctx context.Context, o *session.Offer) (*upstream, error) {
	key := keyOf(o)
	c.mu.Lock()
	u := c.upstreams[key]
	c.mu.Unlock()
	if u != nil {
		return u, nil
	}
	link, err := c.agent.Reach(ctx, o, c.peer())
	if err != nil {
		return nil, err
	}
	u = &upstream{client: c, key: key, link: link, ended: make(chan struct{}), aside: make(chan []byte, mostAside)}
	c.mu.Lock()
	if there := c.upstreams[key]; there != nil || c.over {
		c.mu.Unlock()
		_ = link.Close() // another request was faster, or the session is over
		if there == nil {
			return nil, errOver
		}
		return there, nil
	}
	c.upstreams[key] = u
	level := c.level
	c.mu.Unlock()
	if c.visitor == nil { // who lives for one request hears what comes for that
		u.hear()
	}
	if level != nil {
		c.wants(ctx, u, level)
	}
	return u, nil
}

// keyOf is what answers for an offer, as a key.
func keyOf(o *session.Offer) string { return o.Ref.Driver + "\x00" + o.Ref.Target }

// forget ends a link that is of no use any more: the next request opens another.
func (c *client) forget(u *upstream) {
	c.mu.Lock()
	if c.upstreams[u.key] == u {
		delete(c.upstreams, u.key)
	}
	c.mu.Unlock()
	_ = u.link.Close() // it is over already
	c.takesAllBack(u)
	c.renew(u.key)
}

// mention sends what needs no answer beside who says it, in order: a server that does
// not take it holds up nobody. What is too much for it is dropped.
func (u *upstream) mention(raw []byte) {
	u.begun.Do(func() {
		c := u.client
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.over {
			c.work.Go(u.mentions)
		}
	})
	select {
	case u.aside <- raw:
	default:
	}
}

// mentions sends what is mentioned until the client is gone. What it answered last is
// sent still.
func (u *upstream) mentions() {
	life := u.client.life
	for {
		select {
		case raw := <-u.aside:
			u.mentionNow(context.WithoutCancel(life), raw, slowServer)
		case <-life.Done():
			for {
				select {
				case raw := <-u.aside:
					u.mentionNow(context.WithoutCancel(life), raw, farewell)
				default:
					return
				}
			}
		}
	}
}

func (u *upstream) mentionNow(ctx context.Context, raw []byte, within time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	_ = u.link.Send(ctx, raw) // nobody waits for it
}

// slowServer is how long a server may take to take what is mentioned.
const slowServer = 30 * time.Second

// hear begins to take in what comes for no request, until the link ends.
func (u *upstream) hear() {
	u.once.Do(func() {
		c := u.client
		c.mu.Lock()
		defer c.mu.Unlock()
		if !c.over {
			c.work.Go(u.listen)
		}
	})
}

func (u *upstream) listen() {
	defer close(u.ended)
	defer u.client.forget(u)
	defer u.recovered("recv", nil)
	for {
		raw, err := u.link.Recv(u.client.life)
		if err != nil {
			return
		}
		if f, err := rpc.Read(raw); err == nil {
			_, _ = u.take(&f, u.client.unasked.put) // it is over when that fails
		}
	}
}

// recovered ends a panic, which becomes the error.
func (u *upstream) recovered(doing string, err *error) {
	if p := recover(); p != nil {
		u.client.gateway.panicked(doing, p)
		if err != nil {
			*err = errPanicked
		}
	}
}

var (
	errLinkOver = errors.New("the link has ended")
	errGone     = errors.New("the link had ended before, and nothing was sent")
	errPanicked = errors.New("the host failed to answer; its log says why")
)

// take brings one message to the client. It is the id of a question that it was put,
// as the client knows it; "" for anything else.
func (u *upstream) take(f *rpc.Frame, out emit) (asked string, err error) {
	if f.Kind == rpc.Request {
		id := u.asks(f)
		return string(id), out(f.Edited(f.ID.With(id), f.MetaToken.With(id)).Raw)
	}
	switch f.Method {
	case "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed":
		return "", nil // what changes is described anew, and told of as ours
	case "notifications/cancelled":
		if raw := u.client.takesBack(u, string(f.Bytes(f.RequestID))); raw != nil {
			return "", out(raw)
		}
		return "", nil
	}
	return "", out(f.Raw)
}

// asks takes note of a question of a server's, and gives it an id of ours.
func (u *upstream) asks(f *rpc.Frame) json.RawMessage {
	theirs := append([]byte(nil), f.Bytes(f.ID)...)
	return u.client.ask(question{
		of: u, theirs: string(theirs), token: string(f.Bytes(f.MetaToken)),
		answered: func(raw []byte) {
			if a, err := rpc.Read(raw); err == nil {
				u.mention(rpc.Splice(raw, a.ID.With(theirs)))
			}
		},
	})
}

// pass sends a request on and waits for its answer, which is returned as it came but
// for the id, which is that of the request. What comes before the answer is emitted.
func (c *client) pass(ctx context.Context, o *session.Offer, f *rpc.Frame, out emit, edits ...rpc.Edit) (*rpc.Frame, error) {
	for try := 0; ; try++ {
		u, err := c.upstream(ctx, o)
		if err != nil {
			return nil, err
		}
		answer, err := u.pass(ctx, f, out, edits)
		if !errors.Is(err, errGone) {
			return answer, err
		}
		c.forget(u) // it had ended before: nothing was sent
		if try > 0 {
			return nil, errLinkOver
		}
	}
}

func (u *upstream) pass(ctx context.Context, f *rpc.Frame, out emit, edits []rpc.Edit) (*rpc.Frame, error) {
	c := u.client
	if c.foreign(u.link, f) {
		return nil, errNoState
	}
	var asked []string
	told := false
	raw := rpc.Splice(f.Raw, append(edits, c.dated(u.link, f))...)
	answer, err := u.link.Call(ctx, raw, func(f *rpc.Frame) (err error) {
		defer u.recovered("take", &err)
		told = true
		id, err := u.take(f, out)
		if id != "" {
			asked = append(asked, id)
		}
		return err
	})
	switch {
	case errors.Is(err, io.EOF) && !told:
		return nil, errGone
	case err != nil:
		c.nobodyAnswers(asked)
		return nil, err
	}
	c.passedOn(u.link, answer)
	return answer, nil
}

// underID is a response under the id of another request.
func underID(raw []byte, f *rpc.Frame) ([]byte, error) {
	a, err := rpc.Read(raw)
	if err != nil {
		return nil, err
	}
	return rpc.Splice(raw, rpc.Edit{At: a.ID, With: f.Bytes(f.ID)}), nil
}
