package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// maxRounds is how often one request may want more input.
const maxRounds = 32

// round is what a server of 2026-07-28 wants to know before it answers a request of a
// peer of an older revision, and what the peer said. The peer is asked for it in the
// way it knows, and then the request is sent once more.
type round struct {
	wants []want
	state []byte        // what the server wants to have back; nil: nothing
	done  chan struct{} // closed when all was answered, or something with an error

	mu    sync.Mutex
	open  map[string]bool   // what has not been answered
	said  map[string][]byte // what was answered
	fault []byte            // what the peer answered instead; nil: nothing
}

// want is one thing that a server needs to know.
type want struct {
	key, method string
	params      []byte // nil: none
}

// rounds makes a request, and sees to it that the server gets to know what it needs.
func (l *Lane) rounds(ctx context.Context, e *errand, c *conn, f *rpc.Frame) (*rpc.Frame, error) {
	edits := func() []rpc.Edit { return introduce(f, c.client, &l.can, l.logLevel(c)) }
	answer, err := l.exchange(ctx, e, c, f, edits()...)
	for count := 1; err == nil; count++ {
		r, fault := l.round(answer)
		switch {
		case fault != nil:
			return failure(fault), nil
		case r == nil:
			return answer, nil
		case count > maxRounds:
			return failure(said("the server wanted more input %d times, which is taken for an endless loop", maxRounds)), nil
		case !f.Params.There() || f.Raw[f.Params.From] != '{' || hollow(f.Bytes(f.Params)):
			return failure(said("the server wants input for a request without parameters")), nil
		}
		switch err := r.ask(ctx, e); {
		case errors.Is(err, errEnded):
			return failure(c.explain(c.reason())), nil
		case errors.Is(err, errTooMany):
			return failure(err), nil
		case err != nil:
			return nil, err
		}
		if r.fault != nil {
			return rpc.Refuse(noID, r.fault), nil
		}
		answer, err = l.exchange(ctx, e, c, f, append(edits(), first(f, f.Params, r.answers()))...)
		if errors.Is(err, io.EOF) {
			return failure(c.explain(c.reason())), nil // it was asked before
		}
	}
	return answer, err
}

// unfinished is what an answer says that is none, because the server wants input. What
// cannot be read is left to the peer, who says what is wrong with it.
func unfinished(answer *rpc.Frame) (members map[string][]byte, is bool) {
	result := answer.Bytes(answer.Result)
	if !answer.Result.There() || !bytes.Contains(result, []byte("resultType")) { // which spares nearly all a reading
		return nil, false
	}
	members, err := rpc.Members(result, "resultType", "inputRequests", "requestState")
	kind, _ := rpc.Text(members["resultType"])
	return members, err == nil && kind == "input_required"
}

// round is what an answer wants to know; nil when it is an answer.
func (l *Lane) round(answer *rpc.Frame) (*round, error) {
	m, is := unfinished(answer)
	if !is {
		return nil, nil
	}
	wants, err := l.wants(m["inputRequests"])
	if err != nil {
		return nil, err
	}
	r := &round{wants: wants, state: m["requestState"], done: make(chan struct{}), open: map[string]bool{}, said: map[string][]byte{}}
	for _, w := range wants {
		r.open[w.key] = true
	}
	return r, nil
}

// wants is what a server needs to know, as far as it may ask this peer.
func (l *Lane) wants(raw []byte) (out []want, err error) {
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
		case !askable(method) || !l.can.answer(method):
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

var errTooMany = errors.New("the client has too many requests to answer")

// ask asks the peer, and waits for what it says.
func (r *round) ask(ctx context.Context, e *errand) error {
	if len(r.open) == 0 {
		return nil
	}
	l := e.lane
	defer l.recall(r)
	e.ready()
	for _, w := range r.wants {
		l.mu.Lock()
		number, ok := l.enlist(&ask{round: r, key: w.key})
		l.mu.Unlock()
		if !ok {
			return errTooMany
		}
		l.bring(rpc.Compose(strconv.AppendUint(nil, number, 10), w.method, orNone(w.params)), e)
	}
	_, err := e.wait(ctx, r.done, l.at().done)
	if errors.Is(err, errDone) {
		return nil
	}
	return err
}

func orNone(params []byte) []byte {
	if params == nil {
		return []byte(`{}`)
	}
	return params
}

// give takes in what the peer answered. That it answers with an error ends the
// request.
func (r *round) give(key string, f *rpc.Frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.open[key] || r.fault != nil {
		return
	}
	if delete(r.open, key); f.Fault.There() {
		r.fault = clone(f.Bytes(f.Fault))
	} else {
		r.said[key] = clone(f.Bytes(f.Result))
	}
	if len(r.open) == 0 || r.fault != nil {
		close(r.done)
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

// recall tells the peer that what it was asked for a request needs no answer any
// more.
func (l *Lane) recall(r *round) {
	l.mu.Lock()
	var left []uint64
	for number, a := range l.asks {
		if a.round == r {
			left = append(left, number)
		}
	}
	l.mu.Unlock()
	for _, number := range left {
		l.withdraw(number, nil)
	}
}
