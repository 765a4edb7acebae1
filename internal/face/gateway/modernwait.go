package gateway

import (
	"bytes"
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/rpc"
)

const (
	statePrefix  = "mortise:"      // of the states that are given out here
	longestWait  = 5 * time.Minute // for a client to come back with its answers
	mostStanding = 1000            // calls that wait for their clients at once
	mostPending  = 64              // questions of one call
)

// waits reports whether a request may be answered with questions.
func waits(method string) bool {
	return method == "tools/call" || method == "prompts/get" || method == "resources/read"
}

// standing is a call that goes on while its client is away to find the answers to what
// was asked meanwhile. Each request that comes for it waits until it is answered or
// something is asked.
type standing struct {
	gateway *Gateway
	client  *client
	frame   *rpc.Frame // the request that began it
	whose   string
	bound   ext.Digest // what it is a call of
	stop    context.CancelFunc
	done    chan struct{} // closed when it was answered
	said    answer        // after that
	asked   chan struct{} // holds one: something was asked

	mu      sync.Mutex
	visit   *visit // the request that waits; nil: none does
	can     askable
	pending []inquiry
}

// inquiry is a question that waits for its answer.
type inquiry struct{ key, id, method, params string }

// begin begins a call and waits for what becomes of it. leave ends its client.
func (s *standing) begin(ctx context.Context, v *visit, leave func()) answer {
	life, stop := context.WithCancel(s.client.life)
	s.stop, s.done, s.asked, s.bound = stop, make(chan struct{}), make(chan struct{}, 1), boundTo(v.frame)
	s.attach(v)
	go func() { // the work of the gateway waits for it
		defer leave()
		defer stop()
		s.said = s.client.completed(s.frame, s.client.handle(life, s.frame, s.emit))
		close(s.done)
	}()
	return s.wait(ctx, v)
}

// attach has a request wait for the call.
func (s *standing) attach(v *visit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visit, s.can = v, askableOf(v.frame)
}

func (s *standing) detach() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visit = nil
}

// wait waits until the call is answered, which answers the request, or something is
// asked, which does too. A request that is given up while it waits gives up the call.
func (s *standing) wait(ctx context.Context, v *visit) answer {
	for {
		select {
		case <-s.done:
			return s.reply(v)
		case <-s.asked:
			if out, left := s.leaveWith(v); left {
				return out
			}
		case <-ctx.Done():
			s.detach()
			s.stop()
			<-s.done
			return answer{}
		}
	}
}

// reply is the answer under the id of the request that waits for it.
func (s *standing) reply(v *visit) answer {
	s.detach()
	if s.said.raw == nil || v.frame == s.frame {
		return s.said
	}
	raw, err := underID(s.said.raw, v.frame)
	if err != nil {
		return answer{raw: refusal(v.frame, err)}
	}
	return answer{raw, s.said.code}
}

// leaveWith lets the request go with what was asked; false when nothing is asked any
// more.
func (s *standing) leaveWith(v *visit) (answer, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) == 0 {
		return answer{}, false
	}
	s.visit = nil
	state, ok := s.gateway.parked.put(s)
	if !ok {
		s.stop()
		return answer{raw: refusal(v.frame, &call.Error{Code: codeRefused, Message: "too many calls wait for their clients; call again later"})}, true
	}
	out := []byte(`{"resultType":"input_required","inputRequests":{`)
	for i, q := range s.pending {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, rpc.Quote(q.key)...), `:{"method":`...), rpc.Quote(q.method)...)
		if q.params != "" {
			out = append(append(out, `,"params":`...), q.params...)
		}
		out = append(out, '}')
	}
	out = append(append(append(out, `},"requestState":`...), rpc.Quote(state)...), '}')
	return answer{raw: rpc.Answer(v.frame.Bytes(v.frame.ID), out).Raw}, true
}

// emit takes what comes before the answer: a question waits for the client, a notice
// goes to the request that waits, when it may.
func (s *standing) emit(raw []byte) error {
	f, err := rpc.Read(raw)
	if err != nil {
		return nil // what is no message is nobody's
	}
	switch {
	case f.Kind == rpc.Request:
		if !s.asks(&f) {
			s.client.answered(string(f.Bytes(f.ID)), rpc.Refuse(f.Bytes(f.ID), rpc.Fault(codeUnknown, "this client did not declare that it answers this")).Raw)
		}
		return nil
	case f.Method == "notifications/cancelled":
		s.withdrawn(string(f.Bytes(f.RequestID)))
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.visit == nil || !ofRequest(&f, s.visit.frame) {
		return nil
	}
	if f.Token.There() && s.visit.frame != s.frame {
		return s.visit.out(rpc.Splice(raw, f.Token.With(s.visit.frame.Bytes(s.visit.frame.MetaToken))))
	}
	return s.visit.out(raw)
}

// ofRequest reports whether a notice may come before the answer to a request: what
// else servers tell of is listened to.
func ofRequest(notice, request *rpc.Frame) bool {
	switch notice.Method {
	case "notifications/progress":
		return request.MetaToken.There()
	case "notifications/message":
		return request.LogLevel.There()
	case "notifications/resources/updated", "notifications/elicitation/complete", "notifications/subscriptions/acknowledged",
		"notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed":
		return false
	}
	return true
}

// asks takes in a question that the client may be put.
func (s *standing) asks(f *rpc.Frame) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil || !s.can.answers(f.Method) || len(s.pending) >= mostPending {
		return false
	}
	id := string(f.Bytes(f.ID))
	s.pending = append(s.pending, inquiry{"q" + id, id, f.Method, string(f.Bytes(f.Params))})
	s.rouse()
	return true
}

func (s *standing) rouse() {
	select {
	case s.asked <- struct{}{}:
	default:
	}
}

// withdrawn forgets a question that nobody waits for any more.
func (s *standing) withdrawn(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = slices.DeleteFunc(s.pending, func(q inquiry) bool { return q.id == id })
}

// resume goes on with the call that a state stands for.
func (g *Gateway) resume(ctx context.Context, v *visit, state string) answer {
	s := g.parked.take(state, v)
	if s == nil {
		return answer{raw: refusal(v.frame, errNoState)}
	}
	s.attach(v)
	s.answers(v.frame)
	return s.wait(ctx, v)
}

var errNoState = &call.Error{Code: codeInvalid, Message: "the requestState is of no call that waits, or of another call; it holds once, and for some minutes: call again without it"}

// answers hands what a client found out to who asked. What it left out is asked again.
func (s *standing) answers(f *rpc.Frame) {
	parts, err := rpc.Members(f.Bytes(f.Params), "inputResponses")
	if err != nil || parts["inputResponses"] == nil {
		parts = map[string][]byte{"inputResponses": []byte("{}")}
	}
	given := map[string][]byte{}
	_ = rpc.Each(parts["inputResponses"], func(key string, value []byte) error { // what is no object answers nothing
		if rpc.IsObject(value) {
			given[key] = value
		}
		return nil
	})
	s.mu.Lock()
	var found []inquiry
	s.pending = slices.DeleteFunc(s.pending, func(q inquiry) bool {
		if given[q.key] != nil {
			found = append(found, q)
		}
		return given[q.key] != nil
	})
	if len(s.pending) > 0 {
		s.rouse()
	}
	s.mu.Unlock()
	for _, q := range found {
		s.client.answered(q.id, rpc.Answer([]byte(q.id), given[q.key]).Raw)
	}
}

// stateOf is the state that a request brings back, and whether it was given out here:
// that of a server is the server's.
func stateOf(f *rpc.Frame) (string, bool) {
	if !waits(f.Method) {
		return "", false
	}
	state, _ := rpc.Text(stateIn(f))
	return state, strings.HasPrefix(state, statePrefix)
}

func stateIn(f *rpc.Frame) []byte {
	if !bytes.Contains(f.Bytes(f.Params), []byte("requestState")) { // which spares nearly all a reading
		return nil
	}
	parts, err := rpc.Members(f.Bytes(f.Params), "requestState")
	if err != nil {
		return nil
	}
	return parts["requestState"]
}

// foreign reports whether a request for a server with a handshake brings back a state:
// such a server gives out none.
func (c *client) foreign(l call.Link, f *rpc.Frame) bool {
	return c.visitor != nil && !call.IsModern(l) && f == c.visitor.visit.frame && waits(f.Method) && stateIn(f) != nil
}

// boundTo covers what a call is: a state that was given out for it holds for no other.
func boundTo(f *rpc.Frame) ext.Digest {
	arguments := jsontext.Value(slices.Clone(f.Bytes(f.Arguments)))
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = jsontext.Value("{}")
	}
	_ = arguments.Canonicalize() // what cannot be is compared as it came
	name, _ := rpc.Text(f.Bytes(f.Name))
	uri, _ := rpc.Text(f.Bytes(f.URI))
	h := ext.NewHash("call").Text(f.Method, name, uri).Bytes(arguments)
	return h.Sum()
}

// parked are the calls that wait for their clients, by the states that were given out
// for them. The zero value is ready.
type parked struct {
	mu  sync.Mutex
	all map[string]*parking
}

type parking struct {
	call  *standing
	leave *time.Timer
}

// put keeps a call until its client comes back, or does not. It reports false when
// there are too many.
func (p *parked) put(s *standing) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.all) >= mostStanding {
		return "", false
	}
	if p.all == nil {
		p.all = map[string]*parking{}
	}
	state := statePrefix + rand.Text()
	p.all[state] = &parking{s, time.AfterFunc(longestWait, func() {
		p.mu.Lock()
		delete(p.all, state)
		p.mu.Unlock()
		s.stop()
	})}
	return state, true
}

// take is the call that a state stands for, which then stands for it no more. Who
// brings it must be who it was given to, for that very call; else it is nil.
func (p *parked) take(state string, v *visit) *standing {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := p.all[state]
	if at == nil || at.call.whose != v.whose() || at.call.bound != boundTo(v.frame) || !at.leave.Stop() {
		return nil
	}
	delete(p.all, state)
	return at.call
}

// close forgets all: their calls end with the gateway.
func (p *parked) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for state, at := range p.all {
		at.leave.Stop()
		delete(p.all, state)
	}
}
