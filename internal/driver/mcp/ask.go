package mcp

import (
	"context"
	"errors"
	"strconv"

	"github.com/mortise-dev/mortise/internal/rpc"
)

// ask is a request of the server to a peer.
type ask struct {
	call  *errand // that it was brought to; nil: to none
	id    []byte  // as the server spells it; nil for one of a round
	token []byte  // for its progress, as the server spells it; nil when it wants none
	round *round  // what it is a part of; nil: it is a request by itself
	key   string  // of it there
}

// consult hands a request of the server to the peer. with is the call on whose
// stream it came. What is returned is why that cannot be, "" when it could.
func (l *Lane) consult(c *conn, f *rpc.Frame, with *errand) string {
	a := &ask{id: clone(f.Bytes(f.ID))}
	if f.MetaToken.There() {
		a.token = clone(f.Bytes(f.MetaToken))
	}
	if f.Method == "elicitation/create" {
		c.sent(f.Bytes(f.Params), l)
	}
	c.mu.Lock()
	_, twice := c.asked[string(a.id)]
	c.mu.Unlock()
	if twice {
		return "a request with that id is in flight"
	}
	l.mu.Lock()
	number, ok := l.enlist(a)
	l.mu.Unlock()
	if !ok {
		return "the client has too many requests to answer"
	}
	c.mu.Lock()
	c.asked[string(a.id)] = asking{l, number}
	c.mu.Unlock()
	ours := strconv.AppendUint(nil, number, 10)
	to := l.bring(f.Edited(f.ID.With(ours), f.MetaToken.With(ours)), with)
	l.mu.Lock()
	a.call = to
	l.mu.Unlock()
	return ""
}

// enlist gives a request its number. The lock is held.
func (l *Lane) enlist(a *ask) (uint64, bool) {
	if l.closed || l.ended || len(l.asks) >= maxAsk {
		return 0, false
	}
	if l.asks == nil {
		l.asks = map[uint64]*ask{}
	}
	l.asked++
	l.asks[l.asked] = a
	return l.asked, true
}

// withdraw tells the peer that what it was asked needs no answer, unless it has not
// heard of it yet. f is what the server says of that; nil: nothing.
func (l *Lane) withdraw(number uint64, f *rpc.Frame) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.asks[number]
	if a == nil {
		return
	}
	delete(l.asks, number)
	if f == nil {
		f = cancelling(number)
	} else {
		f = f.Edited(f.RequestID.With(strconv.AppendUint(nil, number, 10)))
	}
	if a.call != nil && (a.call.unask(number) || a.call.bring(f)) {
		return
	}
	l.bringAny(f)
}

// refuse answers for the peer what it never heard of.
func (l *Lane) refuse(number uint64, why string) {
	l.mu.Lock()
	a, c := l.asks[number], l.conn
	delete(l.asks, number)
	l.mu.Unlock()
	if a == nil || a.round != nil {
		return
	}
	c.mu.Lock()
	delete(c.asked, string(a.id))
	c.mu.Unlock()
	if c.reason() == nil {
		c.reply(rpc.Refuse(a.id, rpc.Fault(codeLost, why)))
	}
}

// cancelling is a notice that a request needs no answer.
func cancelling(number uint64) *rpc.Frame {
	return rpc.Compose(nil, "notifications/cancelled", append(strconv.AppendUint([]byte(`{"requestId":`), number, 10), '}'))
}

// respond hands on what the peer answers.
func (l *Lane) respond(ctx context.Context, f *rpc.Frame) error {
	number, ok := rpc.Number(f.Bytes(f.ID))
	l.mu.Lock()
	c, a, known := l.conn, l.asks[number], ok && number > 0 && number <= l.asked
	delete(l.asks, number)
	l.mu.Unlock()
	switch {
	case !known:
		return errors.New("send to a server: it has asked nothing that this could answer")
	case a == nil:
		return nil // it is not wanted any more
	case a.round != nil:
		a.round.give(a.key, f)
		return nil
	}
	err := c.wire.send(ctx, &letter{frame: f, raw: rpc.Splice(f.Raw, f.ID.With(a.id))})
	if err != nil {
		l.again(number, a)
		return err
	}
	c.mu.Lock()
	delete(c.asked, string(a.id))
	c.mu.Unlock()
	return nil
}

// again keeps a question whose answer could not be sent: it is answered once more, or
// when the lane is closed.
func (l *Lane) again(number uint64, a *ask) {
	l.mu.Lock()
	open := !l.closed && !l.ended
	if open {
		if l.asks == nil {
			l.asks = map[uint64]*ask{}
		}
		l.asks[number] = a
	}
	c := l.conn
	l.mu.Unlock()
	if !open && c.reason() == nil {
		c.reply(rpc.Refuse(a.id, rpc.Fault(codeLost, "the client is gone")))
	}
}

// progress hands on what the peer says of its progress with what it was asked.
func (l *Lane) progress(ctx context.Context, c *conn, f *rpc.Frame) error {
	number, ok := rpc.Number(f.Bytes(f.Token))
	l.mu.Lock()
	a := l.asks[number]
	l.mu.Unlock()
	if !ok || a == nil || a.token == nil {
		return nil
	}
	return c.wire.send(ctx, &letter{frame: f, raw: rpc.Splice(f.Raw, f.Token.With(a.token))})
}

// addresses remembers whose person an error sends to an address.
func (c *conn) addresses(fault []byte, l *Lane) {
	m, err := rpc.Members(fault, "code", "data")
	if err != nil || string(m["code"]) != "-32042" {
		return
	}
	data, err := rpc.Members(m["data"], "elicitations")
	if err != nil {
		return
	}
	all, _ := rpc.Elements(data["elicitations"], maxAsk) // what is no list names nobody
	for _, e := range all {
		c.sent(e, l)
	}
}
