package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// Pool keeps servers running. It may be used by several goroutines at once.
type Pool struct {
	opts   Options
	ctx    context.Context // of all servers; Close ends it
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	slots   chan struct{}      // one for each process that is being started
	servers map[string]*server // that should run, by key
	leaving map[string]*server // that are being ended, the last of each key
}

// New returns a pool that runs nothing yet.
func New(opts Options) *Pool {
	ctx, cancel := context.WithCancel(context.Background())
	opts = opts.withDefaults()
	return &Pool{
		opts: opts, ctx: ctx, cancel: cancel, slots: make(chan struct{}, opts.Starts),
		servers: map[string]*server{}, leaving: map[string]*server{},
	}
}

// Run says which servers should run from now on: exactly these. One that is
// named again without a change keeps its process. It returns at once; starting
// and ending go on behind it. Of targets with one key the first counts.
func (p *Pool) Run(targets []Target) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	wanted := map[string]bool{}
	for _, t := range targets {
		if wanted[t.Key] {
			continue
		}
		wanted[t.Key] = true
		if s := p.servers[t.Key]; s != nil {
			if reflect.DeepEqual(s.target, t) {
				continue
			}
			p.end(s)
		}
		p.begin(t)
	}
	for key, s := range p.servers {
		if !wanted[key] {
			p.end(s)
		}
	}
}

// begin starts a server, after the one it replaces is gone.
func (p *Pool) begin(t Target) {
	var after <-chan struct{}
	if old := p.leaving[t.Key]; old != nil {
		after = old.done
	}
	s := newServer(p.ctx, t, &p.opts, p.slots, after)
	p.servers[t.Key] = s
	p.work.Go(s.run)
}

// end has a server end, and forgets it when it has.
func (p *Pool) end(s *server) {
	key := s.target.Key
	delete(p.servers, key)
	p.leaving[key] = s
	s.stop()
	p.work.Go(func() {
		<-s.done
		p.mu.Lock()
		if p.leaving[key] == s {
			delete(p.leaving, key)
		}
		p.mu.Unlock()
		if p.opts.Changed != nil {
			p.opts.Changed()
		}
	})
}

// Restart ends the server with that name or key and starts it anew, whatever
// became of it before. It reports false when there is none.
func (p *Pool) Restart(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := false
	for key, s := range p.servers {
		if key == name || s.target.Name == name {
			found = true
			s.restart()
		}
	}
	return found
}

// Describe waits until the server with that key has described itself, and is
// what it said last. It does not wait for one that is not tried any more.
func (p *Pool) Describe(ctx context.Context, key string) (Description, error) {
	s, err := p.find(key)
	if err != nil {
		return Description{}, err
	}
	return s.first.describe(ctx)
}

// Call sends one tools/call and is the result as it was sent: ref.Target is
// the key, ref.Name the tool, arg the object of arguments, empty for none. An
// error that the server answered with is an *Error within the error. A server
// that is starting is waited for, not for long; for any other that is not
// ready the error says at once what it is, why, and what to do.
func (p *Pool) Call(ctx context.Context, ref ext.Ref, arg json.RawMessage) (json.RawMessage, error) {
	s, err := p.find(ref.Target)
	if err != nil {
		return nil, err
	}
	params := append([]byte(`{"name":`), rpc.Quote(ref.Name)...)
	if len(arg) > 0 {
		if !rpc.IsObject(arg) {
			return nil, ext.AsUsage(fmt.Errorf("call %s of %s: the arguments are no JSON object", ext.Quote(ref.Name), s.called))
		}
		params = append(append(params, `,"arguments":`...), rpc.Legible(arg)...)
	}
	c, err := s.first.ready(ctx)
	if err != nil {
		return nil, err
	}
	result, err := c.ask(ctx, "tools/call", append(params, '}'), true)
	if err != nil {
		return nil, s.explain(ctx, fmt.Sprintf("call %s of %s", ext.Quote(ref.Name), s.called), err)
	}
	return result, nil
}

// Link is a lane of frames to the server that ref names, for a peer; nil is
// nobody in particular. It waits for the server as Call does.
//
// Peers of whom nothing can be asked share the first session of a server, which
// runs always, and so do all peers of a server that has no sessions (2026-07-28).
// Others have it told what can be asked of them: those that declared the same
// share a session, until the server asks something and does not tell whom; those
// that declared roots have one each. Such a session begins with the first lane
// that needs it, and ends a while after the last one was closed.
func (p *Pool) Link(ctx context.Context, ref ext.Ref, peer *Peer) (*Lane, error) {
	s, err := p.find(ref.Target)
	if err != nil {
		return nil, err
	}
	return s.link(ctx, peer)
}

func (p *Pool) find(key string) (*server, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.servers[key]; s != nil {
		return s, nil
	}
	return nil, fmt.Errorf("no server %s is running", ext.Quote(ext.Shorten(key, 100)))
}

// Status is how each server is, sorted by name. Those that are being ended are
// shown until they have.
func (p *Pool) Status() []Status {
	p.mu.Lock()
	var all []*server
	for _, s := range p.servers {
		all = append(all, s)
	}
	for key, s := range p.leaving {
		if p.servers[key] == nil {
			all = append(all, s)
		}
	}
	p.mu.Unlock()
	out := make([]Status, len(all))
	for i, s := range all {
		out[i] = s.look()
	}
	slices.SortFunc(out, func(a, b Status) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Key, b.Key))
	})
	return out
}

// Close ends all servers and waits until nothing of them is left. Nothing runs
// afterwards.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.cancel()
	p.work.Wait()
	return nil
}

// describe is the description of this start, waited for.
func (s *session) describe(ctx context.Context) (Description, error) {
	for {
		s.mu.Lock()
		moved, latest, current, state := s.moved, s.latest, s.current, s.status.State
		s.mu.Unlock()
		switch {
		case current:
			return *latest, nil
		case state == Failed || state == Stopped:
			return Description{}, s.unready()
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return Description{}, fmt.Errorf("%w: %w", s.unready(), ctx.Err())
		}
	}
}

// ready is the connection to call by. It waits for a server that starts.
func (s *session) ready(ctx context.Context) (*conn, error) {
	t := time.NewTimer(s.opts.Wait)
	defer t.Stop()
	for {
		s.mu.Lock()
		c, moved, state := s.conn, s.moved, s.status.State
		s.mu.Unlock()
		switch {
		case c != nil && c.reason() == nil:
			return c, nil
		case c == nil && state != Starting:
			return nil, s.unready()
		}
		select {
		case <-moved:
		case <-t.C:
			return nil, s.unready()
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", s.unready(), ctx.Err())
		}
	}
}

// unready says what a server is instead of ready, why, and what to do.
func (s *session) unready() error {
	st := s.look()
	say := fmt.Sprintf("the server %s is %s", s.called, st.State)
	switch st.State {
	case Starting:
		say += fmt.Sprintf(" for %v", time.Since(st.Since).Round(time.Second/10))
	case Waiting:
		say += " to be tried again"
	}
	if st.Error != "" {
		say += ": " + st.Error
	}
	return fmt.Errorf("%s: see `mortise server logs %s`", say, s.called)
}

// explain is an error of a call, for people.
func (s *server) explain(ctx context.Context, doing string, err error) error {
	var fault *Error
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", doing, err)
	case errors.As(err, &fault):
		return fmt.Errorf("%s: it answered: %w", doing, fault)
	}
	return fmt.Errorf("%s: %s: see `mortise server logs %s`", doing, s.log.shown(err.Error()), s.called)
}
