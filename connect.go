package mortise

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/driver/mcp"
	"github.com/mortise-dev/mortise/internal/surface/server"
)

// serverDriver is what references call the driver of servers.
const serverDriver = "mcp"

// servers are the servers of a host.
type servers struct {
	mu       sync.Mutex
	closed   bool
	all      []*connection // in the order of the composition; none before Connect
	version  uint64        // counts descriptions
	made     uint64        // the version of composed
	composed *Composed     // with what servers said of themselves; nil: nothing yet

	telling sync.Mutex
	moved   chan struct{} // closed when the status of one changes, and then another
}

// connection is one server. What identifies it does not change.
type connection struct {
	extension   ext.Name
	server      string // its name in the extension
	qualified   string
	declaration ext.Digest
	target      mcp.Target

	// The lock of servers guards what follows.
	driver driver
	said   *described // nil: nothing yet
	lock   *sync.Mutex
}

// driver runs one server.
type driver interface {
	call.Caller
	Status() []mcp.Status
	Close() error
}

// running is the driver of servers, with the one server that it runs.
type running struct {
	*mcp.Pool
	keeper *child.Keeper
}

// Close implements driver.
func (r running) Close() error { return errors.Join(r.Pool.Close(), r.keeper.Close()) }

func (c *connection) now() driver {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.driver
}

// Call implements call.Caller.
func (c *connection) Call(ctx context.Context, ref ext.Ref, argument json.RawMessage) (json.RawMessage, error) {
	return c.now().Call(ctx, ref, argument)
}

// close ends the server. That it panics is an error as well.
func (c *connection) close() error { return closing(c.qualified, c.now()) }

func closing(server string, d driver) error {
	said, err := safely(d.Close)
	if err := cmp.Or(err, said); err != nil {
		return fmt.Errorf("the server %s: %w", server, err)
	}
	return nil
}

// status is how the server is doing.
func (c *connection) status() mcp.Status {
	for _, st := range c.now().Status() {
		return st
	}
	return mcp.Status{Name: c.qualified, State: mcp.Stopped}
}

// Connect starts the servers of the composition, and returns when each has described
// itself or could not be reached. What they describe comes through the door of every
// extension, and is part of sessions that are opened later: a tool that is at fault,
// or whose name is reserved or taken, is not offered, and [Host.Servers] says so. The
// error counts the servers that are not connected, shows the first and unwraps to
// all; the others are in use, and those that ended or did not answer are tried again
// until the host is closed, or connects once more.
//
// A server runs for the host, not for ctx: the end of that ends the waiting. To
// connect again leaves alone what runs, and tries anew what is not tried any more.
func (h *Host) Connect(ctx context.Context) error {
	if err := h.begin(); err != nil {
		return err
	}
	defer h.end()
	if err := h.start(); err != nil {
		return err
	}
	for {
		moved := h.servers.watch()
		failed, settled := h.servers.settled()
		if settled {
			return counted("not connected", failed)
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return fmt.Errorf("wait for servers: %w", ctx.Err())
		}
	}
}

// start begins to run what should run and does not.
func (h *Host) start() error {
	targets, err := h.targets()
	if err != nil {
		return err
	}
	s := &h.servers
	var gone []func() error
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	for _, c := range targets {
		at := slices.IndexFunc(s.all, func(o *connection) bool { return o.target.Key == c.target.Key })
		if at < 0 {
			s.all, at = append(s.all, c), len(s.all)
			c.lock = &s.mu
		} else if st := s.all[at].driver.Status(); len(st) > 0 && st[0].State == mcp.Failed {
			old := s.all[at].driver
			gone = append(gone, func() error { return closing(c.qualified, old) })
		} else {
			continue
		}
		s.all[at].driver = s.run(s.all[at])
	}
	s.mu.Unlock()
	return together(gone) // what it waits for may want the lock
}

// run runs a server. The lock is held.
func (s *servers) run(c *connection) driver {
	keeper := child.New()
	pool := mcp.New(mcp.Options{
		Keeper: keeper, Env: os.Environ(), Client: mcp.Client{Name: "mortise"},
		Joined:  func(_ string, d mcp.Description) { s.joined(c, string(d.JSON)) },
		Changed: s.tell,
	})
	pool.Run([]mcp.Target{c.target})
	return running{pool, keeper}
}

// targets are the servers of the composition.
func (h *Host) targets() ([]*connection, error) {
	var out []*connection
	for i := range h.composed.session.Servers {
		e := &h.composed.session.Servers[i]
		t, err := h.target(e)
		if err != nil {
			return nil, fmt.Errorf("connect to %s: %w", e.Qualified, err)
		}
		out = append(out, &connection{extension: e.Extension, server: e.Name, qualified: e.Qualified, declaration: e.Digest, target: t})
	}
	return out, nil
}

func (h *Host) target(e *compose.Typed[server.Server]) (mcp.Target, error) {
	v := e.Value
	t := mcp.Target{
		Key: e.Qualified + "@" + e.Digest.String(), Name: e.Qualified, Transport: string(v.Transport),
		Command: v.Command, Args: v.Args, Env: pairs(v.Env), URL: v.URL, Headers: pairs(v.Headers),
	}
	if v.Transport != server.Stdio {
		return t, nil
	}
	if !mainRan.Load() {
		return t, ext.AsUsage(errors.New("it is a process, and the program does not begin with mortise.Main: call that first in main, or in TestMain"))
	}
	for _, p := range h.composed.parts {
		if p.name == e.Extension {
			t.Root = p.servers[e.Name].Dir
		}
	}
	var err error
	if t.Root == "" {
		t.Root, err = os.Getwd()
	}
	return t, err
}

func pairs(in []server.Pair) []mcp.Pair {
	out := make([]mcp.Pair, len(in))
	for i, p := range in {
		out[i] = mcp.Pair(p)
	}
	return out
}

// joined takes in what a server said of itself.
func (s *servers) joined(c *connection, content string) {
	read, err := readDescription(c, content)
	if err != nil {
		panic(err) // nothing ends that context
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c.said = &read
	s.version++
}

// tell wakes who watches.
func (s *servers) tell() {
	s.telling.Lock()
	defer s.telling.Unlock()
	close(s.moved)
	s.moved = make(chan struct{})
}

// watch is closed at the next change of a status.
func (s *servers) watch() <-chan struct{} {
	s.telling.Lock()
	defer s.telling.Unlock()
	return s.moved
}

// settled reports whether no server is being started, and what became of those that
// are not in use.
func (s *servers) settled() (failed []error, all bool) {
	for _, c := range s.list() {
		switch st := c.status(); {
		case st.State == mcp.Starting:
			return nil, false
		case st.State != mcp.Ready || st.Error != "":
			failed = append(failed, fmt.Errorf("the server %s is %s: %s", c.qualified, st.State, cmp.Or(st.Error, st.Exit, "it was ended")))
		}
	}
	return failed, true
}

func (s *servers) list() []*connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.all)
}

// close ends every server.
func (s *servers) close() error {
	s.mu.Lock()
	s.closed = true
	var all []func() error
	for _, c := range s.all {
		all = append(all, c.close)
	}
	s.mu.Unlock()
	return together(all)
}

// together does all at once, whatever becomes of one of them.
func together(all []func() error) error {
	errs := make([]error, len(all))
	var doing sync.WaitGroup
	for i, do := range all {
		doing.Go(func() {
			errs[i] = do()
		})
	}
	doing.Wait()
	return counted("not ended", slices.DeleteFunc(errs, func(err error) bool { return err == nil }))
}

// countedError is several errors, of which it shows the first.
type countedError struct {
	count string // how many of what
	errs  []error
}

// counted is the error of servers that are not what they should be; nil for none.
func counted(what string, errs []error) error {
	switch len(errs) {
	case 0:
		return nil
	case 1:
		return &countedError{"1 server is " + what, errs}
	}
	return &countedError{fmt.Sprintf("%d servers are %s", len(errs), what), errs}
}

// Error counts the errors and shows the first.
func (e *countedError) Error() string {
	if len(e.errs) == 1 {
		return fmt.Sprintf("%s: %s", e.count, e.errs[0])
	}
	return fmt.Sprintf("%s; the first: %s", e.count, e.errs[0])
}

// Unwrap is all of them.
func (e *countedError) Unwrap() []error { return e.errs }

// base is the providers with what their servers said of themselves by now. Nothing
// of that can refuse the providers; if it did they would be without it.
func (h *Host) base() *Composed {
	s := &h.servers
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.made != s.version {
		var said []described
		for _, c := range s.all {
			if c.said != nil {
				said = append(said, *c.said)
			}
		}
		a := h.composed.again(said)
		if composed, refused := a.compose(); refused == nil {
			s.composed = composed
		}
		s.made = s.version
	}
	if s.composed == nil {
		return h.composed
	}
	return s.composed
}

// changed is why a tool of a server is not the one that the session has any more; ""
// when it is, and for tools of code.
func (h *Host) changed(o *offer) string {
	if _, served := o.through.(*connection); !served {
		return ""
	}
	now := h.base().offers
	at, there := slices.BinarySearchFunc(now, o.Name, func(o offer, name string) int { return cmp.Compare(o.Name, name) })
	if there && now[at].ref == o.ref && now[at].digest == o.digest {
		return ""
	}
	return fmt.Sprintf("the server %s describes it otherwise by now, or not at all; a session that is opened now has what it says", ext.Qualified(o.call.Extension, o.call.Server))
}

// ServerStatus is how a server of a host is doing, and what became of what it said of
// itself. It is safe to print, and holds no value of a variable or a header.
type ServerStatus struct {
	Name   string   // qualified: "extension:server"
	State  string   // "idle" until the host connects, then "starting", "ready", "waiting" to be tried again, "failed" for good, or "stopped"
	Pid    int      // 0: there is no process
	Starts int      // how often it was started
	Error  string   // the last one
	Stderr []string // its last lines
	Tools  int      // that sessions are offered
	// Prompts and Resources are how many it has; no session offers them.
	Prompts, Resources int
	Withheld           []Refusal // what is not offered, each with cause, owner and both names
	Findings           ext.Findings
}

// Servers are the servers of the composition.
func (h *Host) Servers() []ServerStatus {
	base, connections := h.base(), h.servers.list()
	var out []ServerStatus
	for _, e := range h.composed.session.Servers {
		one := ServerStatus{Name: e.Qualified, State: "idle"}
		for _, c := range connections {
			if c.qualified == e.Qualified {
				st := c.status()
				one.State, one.Pid, one.Starts, one.Error, one.Stderr = st.State, st.Pid, st.Starts, st.Error, st.Stderr
				one.Prompts, one.Resources = st.Prompts, st.Resources
			}
		}
		for _, o := range base.outcomes {
			if o.of.qualified == e.Qualified {
				one.Tools, one.Withheld, one.Findings = o.tools, slices.Clone(o.withheld), slices.Clone(o.findings)
			}
		}
		out = append(out, one)
	}
	return out
}
