package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// session is one session with a server that is kept running: the first, which
// describes it, or one of peers.
type session struct {
	*server
	key    string    // of it among those of peers; "" is the first
	can    abilities // what the server is told that can be asked
	shared bool      // by peers of several clients
	stop   context.CancelFunc

	mu      sync.Mutex
	status  Status             // Pid, Noise, Stderr and Log are filled in when it is asked for
	conn    *conn              // while it is ready
	pid     int                // while there is a process
	moved   chan struct{}      // closed when status changes, and then another
	latest  *Description       // of the last time it described itself
	current bool               // latest is of this start
	steady  bool               // it was ready for long before it ended
	cut     context.CancelFunc // ends what is being done, for a restart
	again   bool               // a restart is wanted

	// The lock of the server guards what follows.
	users int
	idle  *time.Timer // ends it when it has no users
}

func newSession(s *server, key string, can abilities, shared bool) *session {
	t := &s.target
	return &session{
		server: s, key: key, can: can, shared: shared, moved: make(chan struct{}),
		status: Status{Name: t.Name, Key: t.Key, Transport: t.Transport, State: Starting, Since: time.Now()},
	}
}

// note writes a line into the log of the server.
func (s *session) note(format string, args ...any) {
	if s.key != "" {
		format = "a session of clients: " + format
	}
	s.log.note(format, args...)
}

// run keeps the server running until ctx ends.
func (s *session) run(ctx context.Context) {
	for row := (ends{}); ctx.Err() == nil; {
		err := s.within(ctx, func(ctx context.Context) error { return s.try(ctx, row.denied > 0) })
		row.count(err, s.steady)
		if ctx.Err() != nil {
			break
		}
		if s.restarts() || s.within(ctx, s.wait(err, row)) == nil && s.restarts() {
			row = ends{}
		}
	}
	s.note("stopped")
	s.move(func(st *Status) { st.State = Stopped })
}

// within runs f with a context that a restart ends.
func (s *session) within(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.cut = cancel
	if s.again {
		cancel()
	}
	s.mu.Unlock()
	return f(ctx)
}

// restart ends what is being done and begins anew.
func (s *session) restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.again = true
	if s.cut != nil {
		s.cut()
	}
}

// restarts reports whether a restart was wanted, once.
func (s *session) restarts() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.again
	s.again = false
	return was
}

// wait is what follows an end: a pause before the next try, or a rest until
// somebody wants it again. Servers that cost nothing while they are away are
// tried for ever, and so are those that may not run.
func (s *session) wait(err error, row ends) func(context.Context) error {
	return func(ctx context.Context) error {
		if no, ok := errors.AsType[*denied](err); ok {
			s.deny(no)
			pause(ctx, s.backoff(row.denied))
			return nil
		}
		_, no := errors.AsType[*refused](err)
		if no || row.quick >= s.opts.Tries && s.target.Transport == Stdio {
			if row.quick > 1 && !no {
				s.note("it ended quickly %d times in a row and is not started again: mend it, then restart it", row.quick)
			}
			s.move(func(st *Status) { st.State = Failed })
			<-ctx.Done()
			return nil
		}
		d := s.backoff(row.quick)
		s.note("it is tried again in %v", d)
		s.move(func(st *Status) { st.State = Waiting })
		pause(ctx, d)
		return nil
	}
}

// backoff is the pause after so many ends in a row.
func (s *session) backoff(ends int) time.Duration {
	if shift := ends - 1; shift < 16 {
		return min(s.opts.RetryMax, s.opts.Retry<<shift)
	}
	return s.opts.RetryMax
}

// live is one life of the server, from its start to its end, which the error
// explains.
func (s *session) live(ctx context.Context) (err error) {
	if s.key == "" {
		s.log.begin()
	}
	var p *process
	defer func() { s.ended(ctx, p, err) }()
	free, err := s.slot(ctx)
	if err != nil {
		return err
	}
	defer free()
	c, err := s.open(ctx)
	if err != nil {
		return err
	}
	defer c.work.Wait()
	defer c.wire.close()
	p = c.wire.process()
	s.move(func(st *Status) {
		if st.Starts++; p != nil {
			s.pid = p.pid
		}
	})
	if p != nil {
		s.note("started as process %d", p.pid)
	}
	h, err := s.greet(ctx, c)
	if err != nil {
		return fate(c, err)
	}
	free()
	if s.key != "" {
		s.move(func(st *Status) { st.State, s.conn = Ready, c })
		return fate(c, s.serve(ctx, c, h))
	}
	ttl, err := s.ask(ctx, c, h, true)
	if err != nil {
		return fate(c, err)
	}
	h.ttl = ttl
	return fate(c, s.serve(ctx, c, h))
}

// fate is why a connection is over: its own reason if it ended by itself.
func fate(c *conn, err error) error {
	if reason := c.reason(); reason != nil {
		return reason
	}
	return err
}

// open makes the connection: starts the process, or makes ready to post.
func (s *session) open(ctx context.Context) (*conn, error) {
	if s.target.Fault != "" {
		return nil, refuse("%s", s.target.Fault)
	}
	t, err := expand(&s.target, s.opts.Env)
	if err != nil {
		return nil, err
	}
	s.log.hide(t.Env, t.Headers)
	c := newConn(s.log)
	c.client, c.can, c.shared, c.apart = s.opts.Client, s.can, s.shared, s.part
	c.explain = func(err error) error { return s.explain(context.Background(), "reach "+s.called, err) }
	switch t.Transport {
	case Stdio:
		return c, s.openProcess(ctx, c, t)
	case HTTP:
		return c, s.openRemote(c, t)
	case SSE:
		return c, s.openTwoWay(ctx, c, t)
	}
	return nil, refuse("the transport %q is not known", t.Transport)
}

func (s *session) openProcess(ctx context.Context, c *conn, t *Target) error {
	spec, err := prepare(t, s.opts.Env)
	if err != nil {
		return err
	}
	spec.Stderr, spec.Grace = s.stderr(), s.opts.Grace
	p, err := start(ctx, s.opts.Keeper, spec)
	if err != nil {
		return err
	}
	openStdio(c, p, s.opts.Patience, s.opts.Frame)
	return nil
}

func (s *session) openRemote(c *conn, t *Target) error {
	if err := checkRemote(t); err != nil {
		return err
	}
	w := openRemote(c, s.client, s.aside, t.URL, t.Headers, s.opts.Frame)
	w.renew = func(ctx context.Context) error {
		if err := s.allowed(ctx); err != nil {
			return err
		}
		_, err := s.limited(ctx, func(ctx context.Context) (*hello, error) { return shake(ctx, c, s.opts.Client, &s.can) })
		c.stir() // its lists may be others now
		if err == nil {
			w.spawn(func() { s.remind(c) })
		}
		return err
	}
	return nil
}

// remind says in a new session what was said in the one that was forgotten. Where
// that cannot be, the connection ends: nobody may think that they are still told
// what they subscribed to.
func (s *session) remind(c *conn) {
	ctx, cancel := context.WithTimeout(context.Background(), s.opts.Connect) // it ends with the connection
	defer cancel()
	c.recant()
	if err := c.remind(ctx); err != nil {
		c.end(fmt.Errorf("it has forgotten its session, and what was subscribed to there cannot be subscribed to again: %w", err))
	}
}

func checkRemote(t *Target) error {
	if err := checkAddress(t.URL); err != nil {
		return &refused{err.Error()}
	}
	if err := checkHeaders(t.Headers); err != nil {
		return &refused{err.Error()}
	}
	return nil
}

// greet finds out how the server is spoken to, and greets it so.
func (s *session) greet(ctx context.Context, c *conn) (*hello, error) {
	was := s.known()
	if s.target.Transport == SSE {
		was = oldest
	}
	h, err := s.limited(ctx, func(ctx context.Context) (*hello, error) {
		return meet(ctx, c, s.opts.Client, &s.can, was, s.opts.Probe)
	})
	switch {
	case err == nil && c.modern.Load(), errors.Is(err, errTwice):
		s.know(newer)
	case err == nil:
		s.know(older)
	case was == unknown && c.wire.process() != nil && c.reason() != nil:
		s.know(older) // perhaps it ended because of a question that it does not know
	}
	return h, err
}

// limited greets within the limit.
func (s *session) limited(ctx context.Context, greet func(context.Context) (*hello, error)) (*hello, error) {
	ctx, cancel := context.WithTimeout(ctx, s.opts.Connect)
	defer cancel()
	h, err := greet(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("it did not answer the greeting within %v", s.opts.Connect)
	}
	if err != nil {
		return nil, fmt.Errorf("greet it: %w", err)
	}
	return h, nil
}

// ask has the server describe itself and tells who wants to know. The first
// time it is ready then. It returns for how long the server says that this
// holds, 0 when it does not say.
func (s *session) ask(ctx context.Context, c *conn, h *hello, first bool) (time.Duration, error) {
	limited, cancel := context.WithTimeout(ctx, s.opts.Connect)
	defer cancel()
	d, err := describe(limited, c, h)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return 0, fmt.Errorf("%w: it did not answer within %v", err, s.opts.Connect)
	}
	if err != nil {
		return 0, err
	}
	s.described(c, d, first)
	return d.ttl, nil
}

func (s *session) described(c *conn, d *description, first bool) {
	said := ""
	if d.err != nil {
		said = s.log.shown(d.err.Error())
	}
	for _, n := range d.notes {
		s.note("%s", n)
	}
	fresh := Description{JSON: d.doc}
	s.mu.Lock()
	news := first || s.latest == nil || !bytes.Equal(s.latest.JSON, fresh.JSON)
	s.mu.Unlock()
	if news && s.opts.Joined != nil {
		s.opts.Joined(s.target.Key, fresh)
	}
	s.move(func(st *Status) {
		s.latest, s.current, s.conn = &fresh, true, c
		st.Tools, st.Prompts, st.Resources = d.counts.tools, d.counts.prompts, d.counts.resources
		if first {
			st.State = Ready
		}
		if first || said != "" {
			st.Error = said
		}
	})
}

// serve waits for the end, and has the server describe itself again when its
// lists changed, or when what it said of them does not hold any more: what it
// offers last is always described in the end.
func (s *session) serve(ctx context.Context, c *conn, h *hello) error {
	s.note("ready")
	if c.modern.Load() {
		c.work.Go(func() { c.listen(ctx) })
	}
	stale := time.NewTimer(s.holds(h.ttl))
	defer stale.Stop()
	late := time.NewTicker(s.opts.glance())
	defer late.Stop()
	p := pace{first: s.opts.Settle}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.done:
			return c.reason()
		case now := <-late.C:
			c.expire(now, s.opts.Call, s.opts.Silence)
			continue
		case <-stale.C:
		case <-c.changed:
			if !pauseOr(ctx, p.next(time.Now()), c.done) {
				continue
			}
		}
		c.still()
		if s.key != "" {
			continue // the first session describes the server
		}
		ttl, err := s.ask(ctx, c, h, false)
		if err != nil {
			return err
		}
		stale.Reset(s.holds(ttl))
		p.last = time.Now()
	}
}

// holds is how long a description is not asked for again when the server says
// for how long it holds: not less than a minute, and for ever where it does not
// say.
func (s *session) holds(ttl time.Duration) time.Duration {
	if ttl <= 0 || s.key != "" {
		return forEver
	}
	return max(ttl, quiet)
}

const forEver = 1 << 62

// quiet is how long a server must say nothing new to be heard at once again,
// and the longest that one is not heard.
const quiet = time.Minute

// pace is how often a server is asked again what it offers. Each time costs
// everybody who has its tools, so that one that changes them all the time is
// asked ever less often.
type pace struct {
	first, wait time.Duration
	last        time.Time // that it was asked again
}

// next is how long to wait after a notice that comes now.
func (p *pace) next(now time.Time) time.Duration {
	if p.last.IsZero() || now.Sub(p.last) >= quiet {
		p.wait = p.first
	} else {
		p.wait = min(2*p.wait, quiet)
	}
	return p.wait
}

// ended takes the end of a life into the status.
func (s *session) ended(ctx context.Context, p *process, err error) {
	say, how := "", ""
	if err != nil && ctx.Err() == nil {
		say = s.log.shown(err.Error())
		s.note("%s", say)
	}
	if p != nil {
		how = s.log.shown(p.exit())
	}
	s.move(func(st *Status) {
		s.conn, s.current, s.pid = nil, false, 0
		s.steady = st.State == Ready && time.Since(st.Since) >= s.opts.Steady
		if say != "" {
			st.Error = say
		}
		if how != "" {
			st.Exit = how
		}
		if st.State == Ready || st.State == Starting {
			st.State = Waiting // what comes next is not settled yet
		}
	})
}

// move changes the status and wakes who waits for that.
func (s *session) move(change func(*Status)) {
	s.mu.Lock()
	was := s.status.State
	change(&s.status)
	if s.status.State != was {
		s.status.Since = time.Now()
	}
	close(s.moved)
	s.moved = make(chan struct{})
	s.mu.Unlock()
	if s.opts.Changed != nil {
		s.opts.Changed()
	}
}

// look is the status now, without the sessions of peers.
func (s *session) look() Status {
	s.mu.Lock()
	st := s.status
	st.Pid = s.pid
	if s.conn != nil {
		st.Sessions = 1
	}
	s.mu.Unlock()
	st.Noise, st.Stderr, st.Log = s.log.counted(), s.log.lines(), s.log.where()
	return st
}

// pauseOr is pause that ends early with done too.
func pauseOr(ctx context.Context, d time.Duration, done <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
	case <-done:
	}
	return false
}
