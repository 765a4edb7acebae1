package mcp

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// maxRounds is how often one request may want more input.
const maxRounds = 32

// round is a request to a server of 2026-07-28 by a peer of an older revision.
// Such a server answers that it needs input first; the peer is asked for that in
// the way it knows, and then the request is sent once more with what it said.
type round struct {
	lane  *Lane
	frame *rpc.Frame // the request as the peer sent it

	mu    sync.Mutex
	count int
	state []byte            // what the server wants to have back; nil: nothing
	open  map[string]bool   // what has been asked and not answered
	said  map[string][]byte // what was answered
}

// want is one thing that a server needs to know.
type want struct {
	key, method string
	params      []byte // nil: none
}

// take looks at a result. It reports whether that was no answer, but a want of
// input, which is then seen to.
func (r *round) take(c *conn, result []byte) bool {
	m, err := rpc.Members(result, "resultType", "inputRequests", "requestState")
	if err != nil || m["resultType"] == nil {
		return false
	}
	if kind, _ := rpc.Text(m["resultType"]); kind != "input_required" {
		return false
	}
	wants, err := r.wants(m["inputRequests"])
	if err != nil {
		r.fail(rpc.Fault(codeLost, err.Error()))
		return true
	}
	r.mu.Lock()
	r.count++
	r.state, r.open, r.said = clone(m["requestState"]), map[string]bool{}, map[string][]byte{}
	if m["requestState"] == nil {
		r.state = nil
	}
	for _, w := range wants {
		r.open[w.key] = true
	}
	enough := r.count > maxRounds
	r.mu.Unlock()
	switch {
	case enough:
		r.fail(rpc.Fault(codeLost, fmt.Sprintf("the server wanted more input %d times, which is taken for an endless loop", maxRounds)))
	case len(wants) == 0:
		c.work.Go(func() { r.resume(context.Background(), c) }) // it ends with the connection
	default:
		r.put(wants)
	}
	return true
}

// wants is what a server needs to know, as far as it may ask this peer.
func (r *round) wants(raw []byte) (out []want, err error) {
	if raw == nil {
		return nil, nil
	}
	err = rpc.Each(raw, func(key string, value []byte) error {
		m, err := rpc.Members(value, "method", "params")
		if err != nil {
			return err
		}
		method, _ := rpc.Text(m["method"])
		switch {
		case len(out) == maxAsk:
			return said("the server wants more than %d things to be answered at once", maxAsk)
		case !askable(method) || !r.lane.can.answer(method):
			return said("the server wants %s to be answered, which this client has not declared", ext.Quote(ext.Shorten(method, 80)))
		}
		out = append(out, want{key, method, m["params"]})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("the server wants input: %w", err)
	}
	return out, nil
}

func askable(method string) bool {
	return method == "sampling/createMessage" || method == "elicitation/create" || method == "roots/list"
}

// put asks the peer.
func (r *round) put(wants []want) {
	l, own := r.lane, r.own()
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, there := l.ids[string(own)]; !there {
		return // it was cancelled
	}
	l.ids[string(own)] = 0
	if l.rounds == nil {
		l.rounds = map[string]*round{}
	}
	l.rounds[string(own)] = r
	for _, w := range wants {
		number, ok := l.enlist(&ask{round: r, key: w.key})
		if !ok {
			continue // the lane is at its end
		}
		l.put(rpc.Compose(strconv.AppendUint(nil, number, 10), w.method, clone(orNone(w.params))).Raw)
	}
}

func orNone(params []byte) []byte {
	if params == nil {
		return []byte(`{}`)
	}
	return params
}

func (r *round) own() []byte { return r.frame.Bytes(r.frame.ID) }

// give takes in what the peer answered. That it answers with an error ends the
// request.
func (r *round) give(ctx context.Context, c *conn, key string, f *rpc.Frame) error {
	if f.Fault.There() {
		r.fail(f.Bytes(f.Fault))
		return nil
	}
	r.mu.Lock()
	was := r.open[key]
	delete(r.open, key)
	if was {
		r.said[key] = clone(f.Bytes(f.Result))
	}
	all := len(r.open) == 0
	r.mu.Unlock()
	if !was || !all {
		return nil
	}
	r.resume(ctx, c)
	return nil
}

// resume sends the request once more, with what was answered. What becomes of
// that is its answer.
func (r *round) resume(ctx context.Context, c *conn) {
	l, f := r.lane, r.frame
	fl := &flight{id: clone(r.own()), lane: l, caller: true, again: r}
	if f.MetaToken.There() {
		fl.token = clone(f.Bytes(f.MetaToken))
	}
	if !f.Params.There() || f.Raw[f.Params.From] != '{' || hollow(f.Bytes(f.Params)) {
		r.fail(rpc.Fault(codeLost, "the server wants input for a request without parameters"))
		return
	}
	l.mu.Lock()
	_, there := l.ids[string(fl.id)]
	delete(l.rounds, string(fl.id))
	if !there || l.closed {
		l.mu.Unlock()
		return // it was cancelled
	}
	id, err := c.launch(fl)
	if err != nil {
		delete(l.ids, string(fl.id))
		l.put(failure(fl.id, c.explain(err)))
		l.mu.Unlock()
		return
	}
	l.ids[string(fl.id)] = id
	l.mu.Unlock()
	edits := introduce(f, c.client, &l.can, l.logLevel(c))
	if err := l.dispatch(ctx, c, f, fl, id, append(edits, first(f, f.Params, r.answers()))); err != nil {
		l.push(failure(fl.id, c.explain(err)))
	}
}

// answers are the members that a request has when it is sent once more.
func (r *round) answers() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []byte
	if len(r.said) > 0 {
		keys := make([]string, 0, len(r.said))
		for key := range r.said {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			out = append(append(append(append(out, ','), rpc.Quote(key)...), ':'), r.said[key]...)
		}
		out[0] = '{'
		out = slices.Concat([]byte(`"inputResponses":`), out, []byte(`}`))
	}
	if r.state != nil {
		if out != nil {
			out = append(out, ',')
		}
		out = append(append(out, `"requestState":`...), r.state...)
	}
	return out
}

// fail answers the request with an error.
func (r *round) fail(fault []byte) {
	l, own := r.lane, r.own()
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, there := l.ids[string(own)]; !there {
		return
	}
	delete(l.ids, string(own))
	delete(l.rounds, string(own))
	l.recall(r)
	l.put(rpc.Refuse(own, fault).Raw)
}

// recall tells the peer that what it was asked for a request needs no answer.
// The lock is held.
func (l *Lane) recall(r *round) {
	for number, a := range l.asks {
		if a.round == r {
			delete(l.asks, number)
			l.put(cancelling(number))
		}
	}
}

// giveUp is told that a request was cancelled that is not at the server.
func (l *Lane) giveUp(c *conn, own []byte) {
	l.mu.Lock()
	r := l.rounds[string(own)]
	if r != nil {
		delete(l.rounds, string(own))
		l.recall(r)
	}
	l.mu.Unlock()
	if r == nil {
		c.unlistenOne(l, own)
	}
}
