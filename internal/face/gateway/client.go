package gateway

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// emit hands a message to a client: a notice or a question that belongs to a
// request, before its answer. It does not keep the bytes.
type emit func(frame []byte) error

// client is one connected client, from its handshake to the end of its session.
type client struct {
	gateway  *Gateway
	id       string // of its session
	agent    *host.Agent
	boundary string       // around foreign text; no text can know it
	used     atomic.Int64 // when it last asked for something, in ns since 1970
	life     context.Context
	stop     context.CancelFunc
	unasked  outbox         // what belongs to no request of its
	work     sync.WaitGroup // what is in flight, and readers of upstreams

	telling   sync.Mutex // held while servers are told of a level
	mu        sync.Mutex
	greeted   greeting
	sealed    map[string]*host.View         // by list: what the client was given of it last
	flights   map[string]context.CancelFunc // of its requests that are in flight, by their ids
	questions map[string]question           // what it was asked and has not answered, by our ids
	asked     uint64                        // how many questions it was put
	upstreams map[string]*upstream          // by the targets of references
	followed  map[string]*followed          // what it subscribed to, by the same
	level     json.RawMessage               // of the log messages that it wants, as it spells that; nil: it did not say
	over      bool

	stays   bool     // it is at pipes: it is gone when those end, not when it is idle
	visitor *visitor // of one that lives for one request; nil: it shook hands
}

// greeting is what a client said of itself.
type greeting struct {
	version      string
	name         string
	capabilities json.RawMessage
	can          abilities
}

// abilities are what a client can be asked.
type abilities struct {
	Elicitation *struct {
		Form *struct{} `json:"form"`
		URL  *struct{} `json:"url"`
	} `json:"elicitation"`
}

// newClient is a client that has not shaken hands. Its life is that of the gateway,
// and ends earlier with end.
func (g *Gateway) newClient() *client {
	c := &client{
		gateway: g, id: rand.Text(), agent: g.host.Agent(g.options.Offer), boundary: rand.Text(),
		sealed: map[string]*host.View{}, flights: map[string]context.CancelFunc{}, questions: map[string]question{}, upstreams: map[string]*upstream{}, followed: map[string]*followed{},
	}
	c.life, c.stop = context.WithCancel(g.life)
	context.AfterFunc(c.life, c.cancelAll)
	c.unasked.lost = c.neverHears
	c.touch()
	return c
}

func (c *client) touch()                           { c.used.Store(time.Now().UnixNano()) }
func (c *client) idle(now time.Time) time.Duration { return now.Sub(time.Unix(0, c.used.Load())) }

// busy reports whether the client is there: it waits for something, or listens.
func (c *client) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stays || len(c.flights) > 0 || c.unasked.heard()
}

// end gives up what is in flight, ends the session and waits for its end.
func (c *client) end() {
	c.mu.Lock()
	c.over = true
	ups := c.linked()
	c.mu.Unlock()
	c.gateway.leave(c)
	c.stop()
	for _, u := range ups {
		_ = u.link.Close() // what is left of it ends with its server
	}
	c.unasked.close()
	soon(&c.work)
}

// soon waits for what is ending, for a while: a write ends with who reads it, which
// nobody else can hasten.
func soon(work *sync.WaitGroup) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		work.Wait()
	}()
	late := time.NewTimer(farewell)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
	}
}

// peer is the client as servers may know it.
func (c *client) peer() *call.Peer {
	if c.visitor != nil {
		return c.visitor.peer
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return &call.Peer{ID: c.id, Capabilities: c.greeted.capabilities}
}

// said is what the client said of itself.
func (c *client) said() greeting {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.greeted
}

// links are the links that the client has.
func (c *client) links() []*upstream {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.linked()
}

// linked is links for who holds the lock.
func (c *client) linked() []*upstream { return slices.Collect(maps.Values(c.upstreams)) }

// launch takes in a request. It fails for one whose id is in flight, and for a
// session that is over.
func (c *client) launch(id string, cancel context.CancelFunc) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, there := c.flights[id]; there || c.over || c.life.Err() != nil || len(c.flights) >= mostFlights {
		return false
	}
	c.flights[id] = cancel
	c.work.Add(1)
	return true
}

func (c *client) land(id string) {
	c.mu.Lock()
	delete(c.flights, id)
	c.mu.Unlock()
	c.work.Done()
}

// cancel gives up a request.
func (c *client) cancel(id string) {
	c.mu.Lock()
	cancel := c.flights[id]
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// cancelAll gives up all requests.
func (c *client) cancelAll() {
	c.mu.Lock()
	all := slices.Collect(maps.Values(c.flights))
	c.mu.Unlock()
	for _, cancel := range all {
		cancel()
	}
}

// question is what a client was asked: who waits for the answer.
type question struct {
	of       *upstream // whose question it is; nil: our own
	theirs   string    // its id there
	token    string    // what its progress is told by there; "" it wants none
	answered func(frame []byte)
}

// ask registers a question and returns its id.
func (c *client) ask(q question) json.RawMessage {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	id := strconv.FormatUint(c.asked, 10)
	c.questions[id] = q
	return json.RawMessage(id)
}

// withdraw forgets a question.
func (c *client) withdraw(id json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.questions, string(id))
}

// answered brings an answer to who asked. One to what nobody asked is dropped.
func (c *client) answered(id string, frame []byte) {
	c.mu.Lock()
	q, there := c.questions[id]
	delete(c.questions, id)
	c.mu.Unlock()
	if there {
		q.answered(frame)
	}
}

// takesAllBack tells the client that a server that ended waits for no answers.
func (c *client) takesAllBack(u *upstream) {
	c.mu.Lock()
	var ids []string
	for id, q := range c.questions {
		if q.of == u {
			ids = append(ids, id)
			delete(c.questions, id)
		}
	}
	c.mu.Unlock()
	for _, id := range ids {
		_ = c.unasked.put(withdrawal(id)) // it is over when that fails
	}
}

// nobodyAnswers answers questions that were put where nobody hears them any more.
func (c *client) nobodyAnswers(ids []string) {
	for _, id := range ids {
		c.mu.Lock()
		q, there := c.questions[id]
		delete(c.questions, id)
		c.mu.Unlock()
		if there && q.of != nil {
			q.of.mention(rpc.Refuse([]byte(q.theirs), rpc.Fault(codeRefused, "the client that was asked is gone")).Raw)
		}
	}
}

// neverHears is told of a message that was dropped because nobody listened. A question
// is answered: whose it is would wait for ever.
func (c *client) neverHears(frame []byte) {
	if f, err := rpc.Read(frame); err == nil && f.Kind == rpc.Request {
		c.nobodyAnswers([]string{string(f.Bytes(f.ID))})
	}
}

// progressed hands progress with a question to the server whose it is.
func (c *client) progressed(f *rpc.Frame) {
	c.mu.Lock()
	q, there := c.questions[string(f.Bytes(f.Token))]
	c.mu.Unlock()
	if there && q.of != nil && q.token != "" {
		q.of.mention(rpc.Splice(f.Raw, f.Token.With([]byte(q.token))))
	}
}

// takesBack forgets a question whose answer a server does not wait for any more. It is
// the notice that tells the client; nil when the client was not asked.
func (c *client) takesBack(u *upstream, theirs string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, q := range c.questions {
		if q.of == u && q.theirs == theirs {
			delete(c.questions, id)
			return withdrawal(id)
		}
	}
	return nil
}

// withdrawal is the notice that a question of an id of ours needs no answer.
func withdrawal(id string) []byte {
	return rpc.Compose(nil, "notifications/cancelled", []byte(`{"requestId":`+id+`}`)).Raw
}

// The lists that are sealed each for itself: a client that takes the new
// prompts has not seen the new tools.
const (
	tools     = "tools"
	prompts   = "prompts"
	resources = "resources"
	templates = "resourceTemplates"
)

// list gives the client what there is now of a list.
func (c *client) list(ctx context.Context, list string) (*host.View, error) {
	v, err := c.agent.List(ctx)
	if err != nil {
		return nil, err
	}
	if c.visitor != nil {
		c.gateway.gone.see(v)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sealed[list] = v
	return v, nil
}

// view is what the client was given of a list, or what it was given last where
// it never asked for that.
func (c *client) view(ctx context.Context, list string) (*host.View, error) {
	c.mu.Lock()
	v := c.sealed[list]
	c.mu.Unlock()
	if v != nil {
		return v, nil
	}
	v, err := c.agent.View(ctx)
	if err == nil && c.visitor != nil {
		c.gateway.gone.see(v)
	}
	return v, err
}

// shortName is a name that a client gives, for people and policies.
func shortName(name string) string { return ext.Shorten(name, 100) }
