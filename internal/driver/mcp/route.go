package mcp

import (
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// asking is a request of the server that waits for an answer.
type asking struct {
	lane   *Lane
	number uint64 // its id there
}

const (
	maxID  = 1 << 10 // bytes of the id of a request that is answered, which repeats it
	maxAsk = 256     // requests of the server that one lane has not answered
)

// serve brings a request of the server to the one peer that it is for, and
// answers it where there is none.
func (c *conn) serve(f *rpc.Frame, from uint64) {
	switch {
	case f.ID.To-f.ID.From > maxID:
		c.log.noise(f.Raw)
		return
	case f.Method == "ping":
		c.reply(rpc.Answer(f.Bytes(f.ID), []byte(`{}`)))
		return
	case c.modern.Load() || !c.can.answer(f.Method):
		c.turnDown(f, codeNoMethod, "this client has no such method")
		return
	}
	if c.tooEarly(f) {
		return
	}
	l, with, unclear := c.addressee(from)
	switch {
	case l != nil:
		if say := l.consult(c, f, with); say != "" {
			c.turnDown(f, codeLost, say)
		}
		return
	case unclear && c.shared:
		c.turnDown(f, codeLost, "it cannot be told which client is meant, because several are connected; each gets a session of its own from now on")
		if !c.unclear.Swap(true) && c.apart != nil {
			c.apart()
		}
		return
	}
	c.turnDown(f, codeLost, "the client that could answer is gone")
}

// maxEarly is how many questions of a server wait for the first lane.
const maxEarly = 16

// tooEarly keeps a question for the first lane when there has been none: a
// session begins for a lane that comes right after.
func (c *conn) tooEarly(f *rpc.Frame) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.used || len(c.early) == maxEarly {
		return false
	}
	c.early = append(c.early, clone(f.Raw))
	return true
}

func (c *conn) reply(f *rpc.Frame) {
	f.Method = "an answer" // for who tells that it was lost
	c.wire.offer(&letter{frame: f, raw: f.Raw})
}

func (c *conn) turnDown(f *rpc.Frame, code int, say string) {
	c.reply(rpc.Refuse(f.Bytes(f.ID), rpc.Fault(code, say)))
	c.log.remark(func() string {
		return fmt.Sprintf("it asked for %s, which was turned down: %s", ext.Quote(ext.Shorten(f.Method, 80)), say)
	})
}

// addressee is the lane that a request of the server is for: the one on whose
// stream it came, else the only one that has something in flight, else, when
// nothing is, the only one there is. with is the call on whose stream it came.
// unclear means that there are several; nil without that, that whose it would be
// is gone.
func (c *conn) addressee(from uint64) (l *Lane, with *errand, unclear bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if from != 0 {
		if fl := c.flights[from]; fl != nil {
			return fl.lane(), fl.errand, false
		}
		if c.shared {
			return nil, nil, false // whose it was needs no answer any more
		}
	}
	if l, _ = c.flying(); l != nil {
		return l, nil, false
	}
	for other := range c.lanes {
		if l != nil && c.shared {
			return nil, nil, true
		}
		if l == nil || other.born < l.born {
			l = other
		}
	}
	return l, nil, false
}

// flying is the one lane that has requests in flight, nil when there is none or
// there are several users.
func (c *conn) flying() (one *Lane, several bool) {
	for _, fl := range c.flights {
		switch {
		case !fl.caller:
		case fl.errand == nil || one != nil && one != fl.errand.lane:
			return nil, true
		default:
			one = fl.errand.lane
		}
	}
	return one, false
}

// notice brings a notification to whom it belongs: progress to the request it
// speaks of, what came on a request's own stream to that request, and what
// cannot be told to the one lane that has requests in flight.
func (c *conn) notice(f *rpc.Frame, from uint64) {
	switch f.Method {
	case "notifications/progress":
		c.progress(f)
	case "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed":
		c.stir()
		c.relist(f)
	case "notifications/resources/updated":
		c.updated(f, from)
	case "notifications/cancelled":
		c.withdrawn(f)
	case "notifications/elicitation/complete":
		c.completed(f)
	case "notifications/subscriptions/acknowledged":
		c.acknowledged(f)
	case "notifications/message":
		level := severity(f)
		lanes, with := c.owners(from)
		for _, l := range lanes {
			if c.hears(l, level) {
				l.bring(f, with)
			}
		}
	default:
		lanes, with := c.owners(from)
		for _, l := range lanes {
			l.bring(f, with)
		}
	}
}

func (c *conn) progress(f *rpc.Frame) {
	if !f.Token.There() {
		return
	}
	id, ok := rpc.Number(f.Bytes(f.Token))
	c.mu.Lock()
	fl := c.flights[id]
	if fl != nil {
		fl.hear()
	}
	c.mu.Unlock()
	if ok && fl != nil && fl.errand != nil && fl.token != nil {
		fl.errand.bring(f.Edited(f.Token.With(fl.token)))
	}
}

// owners are the lanes that a notice without an address belongs to, none when
// several peers could be meant: one caller's messages are never shown to
// another. with is the call on whose stream it came.
func (c *conn) owners(from uint64) (lanes []*Lane, with *errand) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if fl := c.flights[from]; fl != nil {
		fl.hear()
		if fl.errand != nil {
			return []*Lane{fl.errand.lane}, fl.errand
		}
		return nil, nil
	}
	if from != 0 && c.shared {
		return nil, nil
	}
	one, several := c.flying()
	switch {
	case one != nil:
		return []*Lane{one}, nil
	case !c.shared:
		return c.everyone(), nil
	case several:
		c.unheard++
	}
	return nil, nil
}

// errand is the call on whose stream something came; nil: it came on one for all.
func (c *conn) errand(from uint64) *errand {
	c.mu.Lock()
	defer c.mu.Unlock()
	if fl := c.flights[from]; fl != nil {
		return fl.errand
	}
	return nil
}

func (c *conn) everyone() []*Lane {
	out := make([]*Lane, 0, len(c.lanes))
	for l := range c.lanes {
		out = append(out, l)
	}
	return out
}

// relist tells all lanes that a list has changed.
func (c *conn) relist(f *rpc.Frame) {
	if f.Subscription.There() {
		c.relay(f, "")
		return
	}
	c.mu.Lock()
	all := c.everyone()
	c.mu.Unlock()
	for _, l := range all {
		l.bring(f, nil)
	}
}

// updated tells those that subscribed to a resource, or to what it is a part
// of, that it has changed.
func (c *conn) updated(f *rpc.Frame, from uint64) {
	uri, ok := rpc.Text(f.Bytes(f.URI))
	if !ok {
		return
	}
	if f.Subscription.There() {
		c.relay(f, uri)
		return
	}
	c.mu.Lock()
	who := c.subscribers(uri)
	if len(who) == 0 && !c.shared {
		who = c.everyone()
	}
	c.mu.Unlock()
	with := c.errand(from)
	for _, l := range who {
		l.bring(f, with)
	}
}

// withdrawn tells who was asked something that no answer is wanted any more.
func (c *conn) withdrawn(f *rpc.Frame) {
	if !f.RequestID.There() {
		return
	}
	c.mu.Lock()
	a, there := c.asked[string(f.Bytes(f.RequestID))]
	delete(c.asked, string(f.Bytes(f.RequestID)))
	c.mu.Unlock()
	if there {
		a.lane.withdraw(a.number, f)
	}
}

// recant takes back all that the server has asked.
func (c *conn) recant() {
	c.mu.Lock()
	all := c.asked
	c.asked = map[string]asking{}
	c.mu.Unlock()
	for _, a := range all {
		a.lane.withdraw(a.number, nil)
	}
}

// completed tells whose person was sent to an address that what was to be done
// there is done.
func (c *conn) completed(f *rpc.Frame) {
	id := elicitation(f.Bytes(f.Params))
	c.mu.Lock()
	l := c.forms[id]
	delete(c.forms, id)
	c.mu.Unlock()
	if l != nil {
		l.bring(f, nil)
		return
	}
	if !c.shared {
		lanes, _ := c.owners(0)
		for _, l := range lanes {
			l.bring(f, nil)
		}
	}
}

// maxForms is how many addresses are remembered that persons were sent to.
const maxForms = 1024

// sent remembers whose person is sent to an address.
func (c *conn) sent(params []byte, l *Lane) {
	id := elicitation(params)
	if id == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.forms) < maxForms {
		c.forms[id] = l
	}
}

// elicitation is the id in the parameters of an elicitation; "" when there is
// none.
func elicitation(params []byte) string {
	m, err := rpc.Members(params, "elicitationId")
	if err != nil {
		return ""
	}
	id, _ := rpc.Text(m["elicitationId"])
	return strings.TrimSpace(id)
}
