package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// server is one target with its sessions.
type server struct {
	target Target
	called string // its name, for people
	opts   *Options
	client *http.Client // its own, so that it holds up no other server of its host
	aside  *http.Client // see remote.do
	log    *journal
	slots  chan struct{}
	after  <-chan struct{} // closed when the server it replaces is gone; nil for none
	ctx    context.Context // of all its sessions
	stop   context.CancelFunc
	done   chan struct{} // closed when nothing of it runs
	first  *session      // which describes it
	work   sync.WaitGroup

	allowing sync.Mutex // held while it is asked whether the server may run

	hold    sync.Mutex // guards what follows
	over    bool
	era     era
	parted  bool                // each peer has a session of its own
	others  map[string]*session // those of peers
	strange int                 // peers without an ID
}

func newServer(ctx context.Context, t Target, opts *Options, slots chan struct{}, after <-chan struct{}) *server {
	s := &server{
		target: t, called: ext.Escape(t.Name), opts: opts, client: faithful(opts.Env), aside: faithful(opts.Env), after: after,
		log: &journal{path: t.Log}, slots: slots, done: make(chan struct{}), others: map[string]*session{},
	}
	s.ctx, s.stop = context.WithCancel(ctx)
	s.first = newSession(s, "", abilities{}, true)
	return s
}

// run keeps the server running until it is stopped.
func (s *server) run() {
	defer close(s.done)
	defer s.log.close()
	defer s.client.CloseIdleConnections()
	defer s.aside.CloseIdleConnections()
	if s.after != nil {
		<-s.after
	}
	s.first.run(s.ctx)
	s.hold.Lock()
	s.over = true
	s.hold.Unlock()
	s.work.Wait()
}

// restart begins anew, with nothing but the first session.
func (s *server) restart() {
	s.hold.Lock()
	for key, o := range s.others {
		delete(s.others, key)
		o.stop()
	}
	s.era = unknown // it may be another program by now
	s.hold.Unlock()
	s.first.restart()
}

// look is the status now, of the first session, with the number of all that run.
func (s *server) look() Status {
	st := s.first.look()
	s.hold.Lock()
	defer s.hold.Unlock()
	for _, o := range s.others {
		o.mu.Lock()
		if o.conn != nil {
			st.Sessions++
		}
		o.mu.Unlock()
	}
	return st
}

// known is what era the server is of, as far as that was found out.
func (s *server) known() era {
	s.hold.Lock()
	defer s.hold.Unlock()
	return s.era
}

func (s *server) know(e era) {
	s.hold.Lock()
	defer s.hold.Unlock()
	s.era = e
}

// part gives each peer a session of its own from now on.
func (s *server) part() {
	s.hold.Lock()
	defer s.hold.Unlock()
	s.parted = true
}

// link is a lane for a peer.
func (s *server) link(ctx context.Context, p *Peer) (*Lane, error) {
	c, err := s.first.ready(ctx)
	if err != nil {
		return nil, err
	}
	can, release := ablesOf(p), func() {}
	if can.raw != nil && !c.modern.Load() {
		if c, release, err = s.enter(ctx, p, can); err != nil {
			return nil, err
		}
	}
	l, err := c.lane(p)
	if err != nil {
		release()
		return nil, s.explain(ctx, "reach "+s.called, err)
	}
	l.release = release
	l.apart = func(ctx context.Context) (*conn, func(), error) { return s.enter(ctx, p, can) }
	return l, nil
}

// enter is the connection of a session that a peer may use, and what is to be
// called when it does not any more.
func (s *server) enter(ctx context.Context, p *Peer, can abilities) (*conn, func(), error) {
	o, err := s.session(p, can)
	if err != nil {
		return nil, nil, err
	}
	release := sync.OnceFunc(func() { s.leave(o) })
	c, err := o.ready(ctx)
	if err != nil {
		release()
		return nil, nil, err
	}
	return c, release, nil
}

// session is the one for a peer, which has one user more then.
func (s *server) session(p *Peer, can abilities) (*session, error) {
	s.hold.Lock()
	defer s.hold.Unlock()
	key, shared := s.whose(p, can)
	o := s.others[key]
	if o == nil {
		if s.over || s.ctx.Err() != nil {
			return nil, fmt.Errorf("the server %s is being ended", s.called)
		}
		if err := s.room(); err != nil {
			return nil, err
		}
		o = newSession(s, key, can, shared)
		var ctx context.Context
		ctx, o.stop = context.WithCancel(s.ctx)
		s.others[key] = o
		s.work.Go(func() { o.run(ctx) })
	}
	if o.users++; o.idle != nil {
		o.idle.Stop()
	}
	return o, nil
}

// whose says which session a peer uses.
func (s *server) whose(p *Peer, can abilities) (key string, shared bool) {
	switch {
	case p.ID == "":
		s.strange++
		return "nobody " + strconv.Itoa(s.strange), false
	case s.parted || can.has("roots"):
		return "peer " + p.ID + " " + string(can.raw), false
	}
	return "all " + string(can.raw), true
}

// room makes room for one session more: one that nobody uses makes it.
func (s *server) room() error {
	if len(s.others) < s.opts.Peers {
		return nil
	}
	for key, o := range s.others {
		if o.users == 0 {
			delete(s.others, key)
			o.stop()
			return nil
		}
	}
	return fmt.Errorf("the server %s has sessions of %d clients already, and there may be no more: close one of them", s.called, len(s.others))
}

// leave is told that a session has one user less.
func (s *server) leave(o *session) {
	s.hold.Lock()
	defer s.hold.Unlock()
	if o.users--; o.users > 0 {
		return
	}
	o.idle = time.AfterFunc(s.opts.Idle, func() {
		s.hold.Lock()
		defer s.hold.Unlock()
		if o.users == 0 && s.others[o.key] == o {
			delete(s.others, o.key)
			o.stop()
		}
	})
}

// slotTime is how long a process counts as being started at most, for others
// that wait for it.
const slotTime = 10 * time.Second

// slot waits until a process may be started. What it returns says that it has
// been.
func (s *session) slot(ctx context.Context) (func(), error) {
	if s.target.Transport != Stdio {
		return func() {}, nil
	}
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	once := sync.OnceFunc(func() { <-s.slots })
	late := time.AfterFunc(slotTime, once)
	return func() { late.Stop(); once() }, nil
}

// stderr takes in what a process of the session prints beside the protocol.
func (s *session) stderr() io.Writer {
	if s.key == "" {
		return s.log
	}
	return &aside{log: s.log}
}
