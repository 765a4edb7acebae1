// Package host is the shell around the stages: it reads sources, runs a pass,
// and publishes the outcome as a generation. It knows no extension point by
// name.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/guard"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/prepare"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/source"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Options is what a host is made of.
type Options struct {
	Specs     []*surface.Spec // in catalogue order
	Catalogue ext.Digest      // of the build's catalogue: what the specs mean
	// Configure reads the configuration anew, with the workspace's files as they
	// were instead of as they are where these are given.
	Configure func(instead *config.Files) (*config.Config, ext.Findings, error)
	// Sources makes the sources of a configuration, in load order. vouched says
	// whether the workspace's person vouches for it; described is what servers
	// said of themselves.
	Sources func(c *config.Config, vouched bool, described []state.Description) []ext.Source
	// Installed makes the sources of what is installed in the workspace of a
	// configuration, in load order. Nil: nothing is.
	Installed func(c *config.Config, installed []state.Installed) []ext.Source
	// Using is told what of the roster a pass has in use, so that its files stay as long
	// as this host may read them. Nil: nobody is.
	Using func([]state.Installed) error
	// Unnamed are the folders of the workspace's clients that its configuration
	// does not name. Nil: nobody looks.
	Unnamed func(*config.Config) []source.Folder
	Store   state.Store
	Look    bool             // the host only looks: it goes on without a state that cannot be read
	Cache   *Cache           // nil: one of its own
	Memory  *discover.Memory // spares reading what did not change; nil: everything is read anew
	Clock   func() time.Time // nil: time.Now
	// Uptime names this boot of the machine and says how long it has lasted, sleep included;
	// "" where it cannot be told. Nil: as the system says.
	Uptime  func() (boot string, lasted time.Duration)
	Workers int                    // how many trees are read at once; 0: one
	Drivers map[string]call.Driver // by the names that references use; nil: nothing is known about them
	// Refer is the least trust that may refer to a driver in a file. A driver that
	// is not in it is referred to by what something running says of itself alone.
	Refer map[string]ext.Trust
	// Asked are the questions that a connected door puts before something is done:
	// the names of hooks, and what policies are for.
	Asked []string
	// Question are the questions that a client's event puts, as Asked names them; nil: no
	// event puts any.
	Question func(client, event string) []string
	// Run runs the programs of guards, and those that answer hooks. Nil: nothing does, so
	// that guards deny and hooks are not answered.
	Run guard.Runner
	// Within: this program was itself started by one that is asked something, so that it
	// asks no programs what a worktree should be like: they could ask for ever.
	Within bool
	// Data is the directory that an extension may keep things in. Nil: none has one.
	Data func(ext.Tree) string
	// Prepared is how the set-up steps of plugins ended. The zero Store knows of none.
	Prepared prepare.Store
	// Keep keeps the guards that are remembered. Nil: none are.
	Keep Keep
	// Trees keeps trees of plugins whose programs guard. Nil: none are, so that a
	// program that is not in use denies what it guards.
	Trees KeepTrees
	// Definitions keeps the definitions of what servers offer that were approved, so
	// that what changed can be shown. Nil: none are kept.
	Definitions Keep
	// Locks is a folder for the locks of those who write in the owner's directory.
	Locks string
	// Log writes one line of the log of calls, and with durable waits until it is on
	// the disk. A call that it fails for is not made. Nil: calls are not logged.
	Log func(ctx context.Context, l Logged, durable bool) error
	// Note writes one line of the log of calls about something that is no call: a mode
	// that was set, or refused. Nil: nothing is noted.
	Note func(ctx context.Context, l Logged) error
	// Serve makes what runs servers. Nil: this host runs none.
	Serve func(Hooks) Servers
	Watch bool     // a serving host watches what it reads
	Files []string // what it reads besides the extensions: configuration, state
}

// Host holds the current generation of one workspace.
type Host struct {
	options  Options
	pass     sync.Mutex
	waits    time.Time // since when passes are not whole; zero: the last one was
	now      atomic.Pointer[Generation]
	kept     kept
	plans    registries
	held     held
	serving  serving
	notices  listeners[error]
	watchers sync.WaitGroup // programs that only watch, of calls that did not wait for them
}

// Watchers waits until what only watches calls has seen them: who ends this process
// waits before.
func (h *Host) Watchers() { h.watchers.Wait() }

// New makes a host. It has no generation until Refresh made one.
func New(o Options) *Host {
	if o.Cache == nil {
		o.Cache = new(Cache)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Uptime == nil {
		o.Uptime = sinceBoot
	}
	return &Host{options: o}
}

// Now is the current generation; nil before the first Refresh.
func (h *Host) Now() *Generation { return h.now.Load() }

// Refresh runs one pass and publishes its generation. When it fails the
// current generation stays.
func (h *Host) Refresh(ctx context.Context) (*Generation, error) {
	return h.reread(ctx, nil)
}

// Reread is Refresh where it is known below which roots something changed: what
// lies elsewhere is not looked at, unless something was told to have changed
// there before and no pass has read it since. Configuration and state are read
// in any case.
func (h *Host) Reread(ctx context.Context, roots []string) (*Generation, error) {
	return h.reread(ctx, append([]string{}, roots...))
}

// reread is Reread; nil roots are all.
func (h *Host) reread(ctx context.Context, roots []string) (*Generation, error) {
	h.pass.Lock()
	defer h.pass.Unlock()
	h.kept.told(roots)
	return h.publish(ctx)
}

// publish makes a pass, for who holds the lock of the pass, and remembers
// whether it failed or is not whole.
func (h *Host) publish(ctx context.Context) (*Generation, error) {
	g, err := h.next(ctx)
	switch {
	case err == nil:
		h.failed(cmp.Or(g.whole(), h.rememberGuards(ctx, g), h.pinFirst(ctx, g), h.use(g)))
	case ctx.Err() == nil: // else nothing failed: nobody waits for it any more
		h.failed(err)
	}
	return g, err
}

// use tells which lines of the roster are in use.
func (h *Host) use(g *Generation) error {
	if h.options.Using == nil {
		return nil
	}
	return h.options.Using(roster.In(g.state.Roster, g.Config.Workspace().ID))
}

func (h *Host) next(ctx context.Context) (*Generation, error) {
	g, err := h.run(ctx, false)
	if err == nil {
		err = h.fit(g)
	}
	was := h.Now()
	switch {
	case err != nil && was != nil:
		return nil, fmt.Errorf("read the workspace: %w; what was read before stays in use", err)
	case err != nil:
		return nil, fmt.Errorf("read the workspace: %w", err)
	}
	g.Number = 1
	if was != nil {
		g.Number = was.Number + 1
	}
	h.now.Store(g)
	_ = h.options.Memory.Sweep() // what is not kept is read again
	h.published(g)
	return g, nil
}

// Current is the generation that holds now: a change of the state that another
// process made is in it. It is an error when that cannot be told, since the
// change could have forbidden something.
func (h *Host) Current(ctx context.Context) (*Generation, error) {
	if g, err := h.unchanged(ctx); g != nil || err != nil {
		return g, err
	}
	h.pass.Lock()
	defer h.pass.Unlock()
	if g, err := h.unchanged(ctx); g != nil || err != nil { // another call made the pass meanwhile
		return g, err
	}
	h.untold()
	g, err := h.publish(ctx)
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return g, err
}

// ErrUnknown is wrapped by the errors of Current.
var ErrUnknown = errors.New("it cannot be told now what is allowed, so that nothing is")

// untold takes everything for changed in a host that is told of no changes.
func (h *Host) untold() {
	h.serving.mu.Lock()
	defer h.serving.mu.Unlock()
	if h.serving.watcher == nil {
		h.kept.told(nil)
	}
}

// unchanged is the current generation, nil when the state has moved since or a
// grant has ended.
func (h *Host) unchanged(ctx context.Context) (*Generation, error) {
	g := h.Now()
	if g == nil {
		return nil, nil
	}
	revision, err := state.RevisionOf(ctx, h.options.Store)
	switch {
	case err != nil && h.options.Look:
		return g, nil
	case err != nil:
		return nil, fmt.Errorf("%w: look whether the state has changed: %w", ErrUnknown, err)
	case revision != g.revision, !g.lapses.IsZero() && !h.options.Clock().Before(g.lapses):
		return nil, nil
	}
	return g, nil
}

// Generation is the outcome of one pass. It is immutable, and what is made of it
// is made once.
type Generation struct {
	Number uint64
	Config *config.Config // that is in use
	// Adopted: the workspace's person adopted what is in use. Where that is not
	// all that is here now, Lapsed says how what is here differs from it.
	Adopted     bool
	Lapsed      []Difference
	Composition *compose.Composition
	// Effects is what an adoption of the workspace would consent to.
	Effects ext.Digest

	specs     []*surface.Spec
	now       *config.Config // as it is written now, adopted or not
	known     bool           // what the person and the machine forbid
	effects   []Effect
	consents  []admit.Consent
	decisions []admit.Decision
	unread    []ext.Tree
	read      map[string]time.Time // by root: when it was read
	findings  ext.Findings
	setups    []Setup // set-up steps of what is in use, or waits
	trial     func() *compose.Composition
	proposed  []admit.Decision             // what adopting it would admit
	kept      func() map[ext.Digest][]byte // of the guards that it remembers
	views     sync.Map                     // by session.OfferOptions: func() *View
	alive     func(ext.Ref) bool           // whether something running answers for a reference
	state     state.Snapshot               // that the pass began with, as it holds at its time
	guarding  func() *guard.Set
	revision  uint64    // of the state that the pass began with
	lapses    time.Time // when the next grant ends; zero: none does
	at        time.Time // when it was made
	resolving sync.Once
	resolved  *session.Session // of the composition; made when it is first asked for
	planning  sync.Once
	planned   *plan.Registry // of what is in use; made when it is first asked for
	mode      atomic.Pointer[timedMode]
	caller    call.Caller // of what answers hooks
	plans     *registries
	uptime    func() (string, time.Duration)
	run       guard.Runner // of programs that answer hooks
	dirs      func(ext.Tree) string
	costing   sync.Once
	costed    map[*admit.Decision][]session.Cost // by decision; counted when it is first asked for

	unanswered
}

// Digest identifies the composition in use.
func (g *Generation) Digest() ext.Digest { return g.Composition.Digest() }

// Trial is the composition that adoption would give; the one in use where the
// workspace is adopted.
func (g *Generation) Trial() *compose.Composition {
	if g.Adopted && g.Lapsed == nil {
		return g.Composition
	}
	return g.trial()
}

// Session is what an agent would get: of the composition in use, or of the one that
// adoption would give.
func (g *Generation) Session(adopted bool) *session.Session {
	if c := g.Composition; !adopted || g.Trial() == c {
		g.resolving.Do(func() { g.resolved = session.Resolve(c) })
		return g.resolved
	}
	return session.Resolve(g.Trial())
}
