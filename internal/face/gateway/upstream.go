package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/rpc"
	"github.com/mortise-dev/mortise/internal/session"
)

// upstream is a client's link to what answers for some of its offers. One reader
// brings what comes over it to the requests that it is for, in the order in which it
// came.
type upstream struct {
	client *client
	link   call.Link

	mu      sync.Mutex
	last    uint64
	waiting map[string]*passage // requests that were not answered, by our ids
	over    bool
	aside   chan struct{} // a place for each message that is sent beside what the client says
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
	u = &upstream{client: c, link: link, waiting: map[string]*passage{}, aside: make(chan struct{}, mostAside)}
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
	c.work.Add(1)
	c.mu.Unlock()
	go func() {
		defer c.work.Done()
		defer c.forget(key, u)
		u.read()
	}()
	if level != nil {
		c.wants(ctx, u, level)
	}
	return u, nil
}

// keyOf is what answers for an offer, as a key.
func keyOf(o *session.Offer) string { return o.Ref.Driver + "\x00" + o.Ref.Target }

// forget ends a link that is of no use any more: the next request opens another.
func (c *client) forget(key string, u *upstream) {
	c.mu.Lock()
	if c.upstreams[key] == u {
		delete(c.upstreams, key)
	}
	c.mu.Unlock()
	_ = u.link.Close() // it is over already
	c.takesAllBack(u)
	c.renew(key)
}

// tell sends what needs no answer that anybody waits for.
func (u *upstream) tell(ctx context.Context, raw []byte) { _ = u.link.Send(ctx, raw) }

// mention sends what needs no answer beside who says it: a server that does not take it
// holds up nobody. What is too much for it is dropped.
func (u *upstream) mention(raw []byte) {
	select {
	case u.aside <- struct{}{}:
	default:
		return
	}
	go func() {
		defer func() { <-u.aside }()
		ctx, cancel := context.WithTimeout(u.client.life, slowServer)
		defer cancel()
		u.tell(ctx, raw)
	}()
}

// slowServer is how long a server may take to take what is mentioned.
const slowServer = 30 * time.Second

// read takes in what comes until the link ends, and then tells all that wait.
func (u *upstream) read() {
	err := u.recv()
	u.mu.Lock()
	u.over = true
	left := u.waiting
	u.waiting = map[string]*passage{}
	u.mu.Unlock()
	for _, p := range left {
		p.push(frame{broken: err})
	}
}

func (u *upstream) recv() (err error) {
	defer func() {
		if p := recover(); p != nil {
			u.client.gateway.panicked("recv", p)
			err = errPanicked
		}
	}()
	for {
		raw, err := u.link.Recv(u.client.life)
		if err != nil {
			return errors.New("it ended before it answered")
		}
		u.take(raw)
	}
}

// take brings one message to whom it is for.
func (u *upstream) take(raw []byte) {
	f, err := rpc.Read(raw)
	if err != nil {
		u.spoilt(raw)
		return
	}
	switch f.Kind {
	case rpc.Response:
		if p := u.land(string(f.Bytes(f.ID))); p != nil {
			p.push(frame{raw: raw, answer: &f})
		}
	case rpc.Request:
		u.asks(&f)
	case rpc.Notification:
		u.notice(&f)
	}
}

// spoilt takes in what is no message. Where it has the id of a request, there will be
// no other answer.
func (u *upstream) spoilt(raw []byte) {
	at, err := rpc.Locate(raw, "id")
	if err != nil {
		return
	}
	if id := at["id"]; id.There() {
		if p := u.land(string(raw[id.From:id.To])); p != nil {
			p.push(frame{broken: errors.New("its answer is none: it holds neither a result nor an error, or cannot be read")})
		}
	}
}

// notice hands a notice on: progress to the request that it is of, the end of a
// question to who was asked, and all else to a request that is in flight here, or,
// where there is none, beside all requests.
func (u *upstream) notice(f *rpc.Frame) {
	switch f.Method {
	case "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed":
		return // what changes is described anew, and told of as ours
	case "notifications/cancelled":
		u.client.takesBack(u, string(f.Bytes(f.RequestID)))
		return
	case "notifications/progress":
		if p := u.of(string(f.Bytes(f.Token))); p != nil {
			p.push(frame{raw: f.Raw, notice: true})
		}
		return
	}
	u.hand(frame{raw: f.Raw, notice: true})
}

// hand brings a message to a request that is in flight here, or beside all.
func (u *upstream) hand(f frame) {
	if p := u.any(); p != nil {
		p.push(f)
		return
	}
	_ = u.client.unasked.put(f.raw)
}

// asks puts a question of a server's to the client, under an id of ours.
func (u *upstream) asks(f *rpc.Frame) {
	theirs := append([]byte(nil), f.Bytes(f.ID)...)
	id := u.client.ask(question{
		of: u, theirs: string(theirs), token: string(f.Bytes(f.MetaToken)),
		answered: func(raw []byte) {
			if a, err := rpc.Read(raw); err == nil {
				u.mention(rpc.Splice(raw, a.ID.With(theirs)))
			}
		},
	})
	u.hand(frame{raw: rpc.Splice(f.Raw, f.ID.With(id), f.MetaToken.With(id)), asks: string(id)})
}

// launch gives a request an id of ours.
func (u *upstream) launch(p *passage) (json.RawMessage, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.over {
		return nil, errLinkOver
	}
	u.last++
	id := strconv.FormatUint(u.last, 10)
	u.waiting[id] = p
	return json.RawMessage(id), nil
}

var (
	errLinkOver = errors.New("the link has ended")
	errPanicked = errors.New("the host failed to answer; its log says why")
)

func (u *upstream) land(id string) *passage {
	u.mu.Lock()
	defer u.mu.Unlock()
	p := u.waiting[id]
	delete(u.waiting, id)
	return p
}

// of is the passage that a token of progress is of.
func (u *upstream) of(token string) *passage {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, p := range u.waiting {
		if p.token != "" && p.token == token {
			return p
		}
	}
	return nil
}

// any is the passage that was launched first of those that wait: all are of the one
// client.
func (u *upstream) any() *passage {
	u.mu.Lock()
	defer u.mu.Unlock()
	var first *passage
	var least uint64
	for id, p := range u.waiting {
		if p.aside {
			continue
		}
		if n, _ := strconv.ParseUint(id, 10, 64); first == nil || n < least {
			first, least = p, n
		}
	}
	return first
}

// pass sends a request on and waits for its answer, which is returned as it came but
// for the id, which is that of the request. What comes before the answer is emitted.
func (c *client) pass(ctx context.Context, o *session.Offer, f *rpc.Frame, out emit, edits ...rpc.Edit) ([]byte, error) {
	for try := 0; ; try++ {
		u, err := c.upstream(ctx, o)
		if err != nil {
			return nil, err
		}
		answer, err := u.pass(ctx, f, out, edits)
		if errors.Is(err, errLinkOver) && try == 0 { // it was over before: nothing was sent
			continue
		}
		return answer, err
	}
}

func (u *upstream) pass(ctx context.Context, f *rpc.Frame, out emit, edits []rpc.Edit) ([]byte, error) {
	p := newPassage(string(f.Bytes(f.MetaToken)))
	defer p.close()
	id, err := u.launch(p)
	if err != nil {
		return nil, err
	}
	if u.client.foreign(u.link, f) {
		u.land(string(id))
		return nil, errNoState
	}
	edits = append(edits, rpc.Edit{At: f.ID, With: id}, u.client.dated(u.link, f))
	raw := rpc.Splice(f.Raw, edits...)
	if err := u.link.Send(ctx, raw); err != nil {
		u.land(string(id))
		return nil, fmt.Errorf("hand on %s: %w", f.Method, err)
	}
	for {
		came, err := p.next(ctx)
		switch {
		case err == nil && came.broken != nil:
			return nil, came.broken
		case err == nil && came.answer != nil:
			return u.reply(came.answer, f), nil
		case err == nil:
			err = out(came.raw)
		}
		if err != nil {
			u.giveUp(string(id))
			u.client.nobodyAnswers(p.questions())
			return nil, err
		}
	}
}

// giveUp tells the server that nobody waits for an answer any more.
func (u *upstream) giveUp(id string) {
	if u.land(id) == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(u.client.life), farewell)
	defer cancel()
	u.tell(ctx, rpc.Compose(nil, "notifications/cancelled", []byte(`{"requestId":`+id+`}`)).Raw)
}

// reply is an answer under the id of the request that it answers.
func (u *upstream) reply(a, f *rpc.Frame) []byte {
	u.client.passedOn(u.link, a)
	return rpc.Splice(a.Raw, a.ID.With(f.Bytes(f.ID)))
}

// underID is a response under the id of another request.
func underID(raw []byte, f *rpc.Frame) ([]byte, error) {
	a, err := rpc.Read(raw)
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return rpc.Splice(raw, rpc.Edit{At: a.ID, With: f.Bytes(f.ID)}), nil
}
