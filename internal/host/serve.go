package host

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/watch"
)

// Servers runs what sessions may reach.
type Servers interface {
	// Run has exactly the servers of a session run from now on. It returns at
	// once; a server that it knows already goes on. extension is the tree of an
	// extension: where it lies.
	Run(of *session.Session, extension func(ext.Name) ext.Tree)
	// Status is how each is doing, by name.
	Status() []call.Status
	// Restart starts one anew; false when there is none of that name.
	Restart(name string) bool
	// Close ends all and waits for their end.
	Close() error
}

// Described is what a server said of itself.
type Described struct {
	Extension   ext.Name
	Server      string
	Declaration ext.Digest // of the declaration that is running
	Content     string     // see source/live
}

// Hooks are how what runs servers speaks to the host. They may be called from
// any goroutine.
type Hooks struct {
	// Allowed is asked right before a server is started. An error says why it must
	// not be; Content counts for nothing.
	Allowed func(context.Context, Described) error
	// Described is told what a server said of itself.
	Described func(Described)
	// Changed is told that the status of a server changed.
	Changed func()
}

const (
	// pollState is how often the host looks whether another process changed the
	// state, where no call does.
	pollState = 2 * time.Second
	// restMost is how long it waits at most before it makes a failed pass again.
	restMost = 30 * time.Second
)

// serving is what a host does while it serves.
type serving struct {
	mu          sync.Mutex
	servers     Servers        // nil: none
	watcher     *watch.Watcher // nil: nothing is watched
	pending     []Described    // not taken in yet
	fresh       chan struct{}  // pending has something
	unseen      chan struct{}  // more is watched than before: what changed until then is not known
	generations listeners[*Generation]
	statuses    listeners[struct{}] // of servers
	faults      listeners[error]
	fault       error // why the last pass failed; nil when it did not
}

// Serve runs what the generations name, takes in what it says of itself, and
// makes a pass whenever something changes, until ctx ends; then it ends all that
// it started. Fault says when a pass failed; it is made again until one does not.
// The host must have a generation.
func (h *Host) Serve(ctx context.Context) error {
	s := &h.serving
	s.mu.Lock()
	s.fresh, s.unseen = make(chan struct{}, 1), make(chan struct{}, 1)
	if h.options.Serve != nil {
		s.servers = h.options.Serve(Hooks{Allowed: h.allowed, Described: h.described, Changed: h.changed})
	}
	changes := make(<-chan watch.Change)
	if h.options.Watch {
		s.watcher = watch.New(watch.Options{Skip: []string{".git"}})
		changes = s.watcher.Changes()
	}
	s.mu.Unlock()
	h.begun()
	poll := time.NewTicker(pollState)
	defer poll.Stop()
	var rest rest
	var servers, unseen arriving
	for {
		select {
		case <-ctx.Done():
			return h.end()
		case <-s.fresh:
			servers.settle(ctx, s.fresh)
			h.takeIn(ctx)
		case c := <-changes:
			if c.All {
				_, _ = h.Refresh(ctx)
			} else {
				_, _ = h.Reread(ctx, c.Roots)
			}
		case <-s.unseen:
			unseen.settle(ctx, s.unseen) // who has just come is answered first
			_, _ = h.Refresh(ctx)
		case <-poll.C:
			h.poll(ctx, &rest)
		}
	}
}

// settleLapsed writes down that a level of the worktree has ended, so that it stays ended
// when the clock is set back.
func (h *Host) settleLapsed(ctx context.Context) {
	g := h.Now()
	now := h.options.Clock()
	ended := slices.ContainsFunc(lasting(g.state.LevelsOf(g.Config.Workspace().Dir), now, h.options.Uptime), func(l state.Level) bool {
		return !l.Until.IsZero() && !now.Before(l.Until)
	})
	if !ended {
		return
	}
	if _, err := h.SettleMode(ctx, g); err != nil {
		h.Notice(err)
	}
}

// poll looks whether another process changed the state, and does again what
// failed before: no file need change for it to succeed now.
func (h *Host) poll(ctx context.Context, r *rest) {
	h.serving.mu.Lock()
	waiting := len(h.serving.pending) > 0
	h.serving.mu.Unlock()
	if waiting || h.unwritten() {
		h.takeIn(ctx)
		return
	}
	h.settleLapsed(ctx)
	g, err := h.unchanged(ctx)
	switch {
	case err != nil && ctx.Err() == nil:
		h.failed(err)
	case err != nil:
	case h.Fault() == nil && g == nil:
		_, _ = h.Current(ctx)
	case h.Fault() != nil && r.over():
		_, _ = h.Refresh(ctx)
	}
	if h.Fault() == nil {
		*r = rest{}
	}
}

// rest is the pause before a failed pass is made again: each is twice as long as
// the one before, so that what fails for ever costs next to nothing.
type rest struct {
	until time.Time
	last  time.Duration
}

// over reports whether the pause is over, and begins the next one if so.
func (r *rest) over() bool {
	now := time.Now()
	if now.Before(r.until) {
		return false
	}
	r.last = min(max(2*r.last, pollState), restMost)
	r.until = now.Add(r.last - pollState/2) // the poll that is due then must find it over
	return true
}

// begun has what the current generation names run.
func (h *Host) begun() {
	h.pass.Lock()
	defer h.pass.Unlock()
	h.published(h.Now())
}

// end ends all that was started, each whatever failed before it.
func (h *Host) end() error {
	s := &h.serving
	s.mu.Lock()
	servers, watcher := s.servers, s.watcher
	s.servers, s.watcher = nil, nil
	s.mu.Unlock()
	var errs []error
	if watcher != nil {
		errs = append(errs, watcher.Close())
	}
	if servers != nil {
		errs = append(errs, servers.Close())
	}
	return errors.Join(errs...)
}

// failed remembers why a pass failed, or with nil that one did not.
func (h *Host) failed(err error) {
	s := &h.serving
	s.mu.Lock()
	same := (err == nil) == (s.fault == nil)
	s.fault = err
	s.mu.Unlock()
	if !same {
		s.faults.tell(err)
	}
}

// Fault is why the last pass of a serving host failed; nil when it did not.
func (h *Host) Fault() error {
	h.serving.mu.Lock()
	defer h.serving.mu.Unlock()
	return h.serving.fault
}

// SubscribeFaults has listen told when passes begin to fail, and with nil when one
// does not fail any more. It must not block and not
// call the host. The function returned ends it.
func (h *Host) SubscribeFaults(listen func(error)) (cancel func()) {
	return h.serving.faults.add(listen)
}

// Polled are the files and directories where the system does not tell of all
// changes, so that a serving host looks for them every two seconds, and why; nil
// where nothing is watched.
func (h *Host) Polled() map[string]string {
	h.serving.mu.Lock()
	watcher := h.serving.watcher
	h.serving.mu.Unlock()
	if watcher == nil {
		return nil
	}
	return watcher.Polled()
}

// published is told of each new generation, while the lock of the pass is held.
func (h *Host) published(g *Generation) {
	s := &h.serving
	s.mu.Lock()
	servers, watcher := s.servers, s.watcher
	s.mu.Unlock()
	if servers != nil {
		servers.Run(g.Session(false), g.tree)
	}
	if watcher != nil && watcher.Set(h.roots(g)) {
		select {
		case h.serving.unseen <- struct{}{}: // one more pass sees what changed since the last
		default:
		}
	}
	s.generations.tell(g)
}

// tree is the first tree of an extension; zero when there is none.
func (g *Generation) tree(name ext.Name) ext.Tree {
	for i := range g.decisions {
		if t := g.decisions[i].Tree(); t.Extension == name && t.Describes == nil {
			return t
		}
	}
	return ext.Tree{}
}

// roots are the files and directories that a generation was read from.
func (h *Host) roots(g *Generation) []string {
	roots := append([]string(nil), h.options.Files...)
	seen := map[string]bool{}
	add := func(root string) {
		if !seen[root] {
			seen[root] = true
			roots = append(roots, root)
		}
	}
	for _, c := range []*config.Config{g.Config, g.now} {
		add(c.OwnerDir())
		dir, _ := c.MonorepoDir() // what is not there may come
		add(filepath.Join(dir, colony.Dir))
	}
	for i := range g.decisions {
		for _, root := range watched(g.decisions[i].Tree()) {
			add(root)
		}
	}
	return roots
}

// watched are the places in which everything lies that a tree is read from.
func watched(t ext.Tree) []string {
	switch {
	case len(t.Watch) > 0:
		return t.Watch
	case t.Root != "":
		return []string{t.Root}
	}
	return nil
}

// Subscribe has listen told of each new generation, in order. It must not block
// and not call the host. The function returned ends it.
func (h *Host) Subscribe(listen func(*Generation)) (cancel func()) {
	return h.serving.generations.add(listen)
}

// SubscribeServers has listen called when the status of a server changed. It
// must not block and not call the host. The function returned ends it.
func (h *Host) SubscribeServers(listen func()) (cancel func()) {
	return h.serving.statuses.add(func(struct{}) { listen() })
}

// changed is told that the status of a server changed.
func (h *Host) changed() { h.serving.statuses.tell(struct{}{}) }

// Servers is how the running servers are doing; nil for a host that runs none.
func (h *Host) Servers() []call.Status {
	h.serving.mu.Lock()
	servers := h.serving.servers
	h.serving.mu.Unlock()
	if servers == nil {
		return nil
	}
	return servers.Status()
}

// Restart starts a server anew, from what is on the disk now: one that is not
// what was consented to any more is refused. What nobody knows by that name is a
// usage error.
func (h *Host) Restart(ctx context.Context, name string) error {
	g, err := h.Refresh(ctx)
	if err != nil {
		return err
	}
	h.serving.mu.Lock()
	servers := h.serving.servers
	h.serving.mu.Unlock()
	if servers != nil && servers.Restart(name) {
		return nil
	}
	for i := range g.decisions {
		d := &g.decisions[i]
		for _, c := range d.Contributions() {
			if c.Spec.Runs && ext.Qualified(d.Tree().Extension, c.Name) == name && c.Status != admit.Active {
				return ext.AsRefused(fmt.Errorf("%s %s", ext.Escape(name), g.absence(c.Spec, d.Tree().Extension, c.Name)))
			}
		}
	}
	var known []string
	for _, s := range h.Servers() {
		known = append(known, s.Name)
	}
	return unknown("running server", name, known)
}

// alive reports whether something running answers for a reference.
func (h *Host) alive(ref ext.Ref) bool {
	for _, s := range h.Servers() {
		if s.Target == ref.Target {
			return s.State == call.Ready
		}
	}
	return false
}

// fresh is how old what was read may be for a server to be started from it: a
// start follows a pass, and thirty of them are no thirty passes.
const fresh = 250 * time.Millisecond

// allowed looks at the disk once more, right before a server is started: what is
// there must be what its person consented to, however a change comes to be
// noticed otherwise.
func (h *Host) allowed(ctx context.Context, d Described) error {
	h.pass.Lock()
	defer h.pass.Unlock()
	g := h.Now()
	if root := g.tree(d.Extension).Root; time.Since(g.read[root]) > fresh {
		h.kept.told([]string{root})
		var err error
		if g, err = h.publish(ctx); err != nil {
			return err
		}
	}
	for i := range g.decisions {
		if g.decisions[i].Tree().Extension != d.Extension || g.decisions[i].Tree().Describes != nil {
			continue
		}
		for _, c := range g.decisions[i].Contributions() {
			if c.Spec.Runs && c.Name == d.Server && c.Digest == d.Declaration && c.Status == admit.Active {
				return nil
			}
		}
	}
	return ext.AsRefused(fmt.Errorf("%s is not what was consented to any more, or is not in use; mortise list says why", ext.Escape(ext.Qualified(d.Extension, d.Server))))
}
