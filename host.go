package mortise

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// Host opens sessions on a composition, and holds the plugins that were loaded. It
// keeps everything in memory, but for [RememberInstalls], and is safe for concurrent
// use. Make one with [Open], or with [New] where nothing has lifecycle hooks.
type Host struct {
	composed *Composed
	memory   *memory               // of install hooks; nil: in the composition alone
	unopened bool                  // there are lifecycle hooks, and they were not run
	roster   func() []LegacyPlugin // nil: none
	asker    Asker                 // nil: nobody can be asked
	patience time.Duration
	notify   Notifier    // nil: a line in the log
	places   []workplace // whose notifications are looked through as well

	servers servers
	running sync.WaitGroup // calls and turns
	closing sync.Once
	ended   error // what became of Close

	mu         sync.Mutex
	closed     bool
	version    uint64         // counts what changed loaded or quarantine
	loaded     []LegacyPlugin // by LoadPlugin
	quarantine []Quarantined  // refused by LoadPlugin
	lastRoster []LegacyPlugin // what roster answered last, to the reading lastRead
	lastRead   uint64
	bridges    []*bridged // of the objects that are live
	readings   uint64     // how many were begun
	latest     *tried     // the roster as it was last composed; nil: never
}

// HostOption says how a host works.
type HostOption func(*Host)

// Roster is the adopter's own list of plugins, where it keeps one. It is read on
// every turn and before every call, so that it must be quick and safe for
// concurrent use. What it lists is used as if it were loaded, as long as all of it
// can be composed; see [Turn].
func Roster(list func() []LegacyPlugin) HostOption { return func(h *Host) { h.roster = list } }

// Asker puts a question to the person: whether a call may be made to which guards
// object that only ask. false is no. An error or a panic is no, too. It may take as
// long as the call lasts.
type Asker func(ctx context.Context, question Question) (bool, error)

// Question is what a person is asked about a call.
type Question struct {
	Decision   string // its id
	Action     Action
	Objections []Objection // each asks
}

// AskPerson has questions put to the person. Without it a call that somebody asks
// about is denied.
func AskPerson(ask Asker) HostOption { return func(h *Host) { h.asker = ask } }

// Patience is how long foreign code may take that has no time of its own: a plugin to
// answer (its veto, its prompt hook, and what it says of itself), a lifecycle hook to
// return, and calls that are in flight when the host is closed before teardown hooks
// are run all the same. It is ten seconds where nothing else is said.
func Patience(d time.Duration) HostOption { return func(h *Host) { h.patience = d } }

// New makes a host on a composition; nil is one of no providers. It runs nothing: on
// a composition with lifecycle hooks it makes a host where everything that is begun
// is an error that says to use [Open].
func New(composed *Composed, opts ...HostOption) *Host {
	h := newHost(composed, opts)
	h.unopened = h.composed.hooked()
	return h
}

func newHost(composed *Composed, opts []HostOption) *Host {
	if composed == nil {
		a := assembly{names: map[ext.Name]string{}}
		composed, _ = a.compose() // of nothing, which nothing is wrong with
	}
	h := &Host{composed: composed, patience: 10 * time.Second}
	h.servers.moved = make(chan struct{})
	for _, set := range opts {
		set(h)
	}
	if h.patience <= 0 {
		h.patience = 10 * time.Second
	}
	return h
}

// ErrClosed is what a closed host answers.
var ErrClosed = errors.New("the host is closed")

var errUnopened = errors.New("an extension has lifecycle hooks, and New runs none: make the host with mortise.Open")

// begin reports that something begins that Close waits for; end says that it is
// over.
func (h *Host) begin() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return ErrClosed
	}
	if h.unopened {
		return ext.AsUsage(errUnopened)
	}
	h.running.Add(1)
	return nil
}

func (h *Host) end() { h.running.Done() }

// Close ends the host: nothing can be called, loaded or begun any more, nothing of its
// servers is left, and the teardown hooks are run. First every server is ended, and
// calls of them end with an error; when the other calls in flight have returned, or
// the host's [Patience] with them is over, every teardown hook is run, the last one
// first and each for its own time. Each of that is done whatever became of another;
// the error counts what failed, shows the first and unwraps to all.
//
// Close returns when the calls in flight have returned, so that no tool may call it.
// To close a host again changes nothing, and returns the same.
func (h *Host) Close() error {
	h.closing.Do(func() {
		h.mu.Lock()
		h.closed = true
		h.mu.Unlock()
		servers := h.servers.close()
		calm := make(chan struct{})
		go func() {
			h.running.Wait()
			close(calm)
		}()
		h.ended = ended(servers, h.closeDown(calm))
		<-calm
	})
	return h.ended
}

// Composed is what the host was made with.
func (h *Host) Composed() *Composed { return h.composed }

// LoadPlugin admits a plugin, as if it were one more provider: it is composed with
// all that is there, on trial. One that cannot be bridged, or that claims a name or
// a tool that another has, is refused with an [*AdmissionError] that names cause and
// owner. Nothing else changes then; the plugin is in quarantine, where it offers
// nothing and its veto is still asked, until Forget or until it is loaded after all.
// Loading a plugin that is loaded changes nothing.
func (h *Host) LoadPlugin(p LegacyPlugin) error {
	if err := h.begin(); err != nil {
		return err
	}
	defer h.end()
	if p == nil {
		return ext.AsRefused(refuse([]Refusal{{Extension: typeOf(p), Cause: Unbridgeable, Reason: "the plugin is nil"}}, nil))
	}
	b := h.pin(p)
	defer h.unpin(b)
	for {
		refused, version := h.trial(b)
		if h.settle(b, refused, version) {
			if refused != nil {
				return ext.AsRefused(refused)
			}
			return nil
		}
	}
}

// pin is the bridge of a plugin that is being loaded: the one that there is, unless
// what that knows was refused, which is worth another try. It is kept until unpin.
func (h *Host) pin(p LegacyPlugin) *bridged {
	h.mu.Lock()
	defer h.mu.Unlock()
	at := slices.IndexFunc(h.bridges, func(b *bridged) bool { return same(b.plugin, p) })
	if at >= 0 && (h.bridges[at].pinned > 0 || !h.bridges[at].failed() && !h.quarantined(p)) {
		h.bridges[at].pinned++
		return h.bridges[at]
	}
	b := &bridged{plugin: p, pinned: 1}
	h.bridges = slices.Clone(h.bridges)
	switch {
	case at >= 0:
		h.bridges[at] = b
	case unidentified(p) == "":
		h.bridges = append(h.bridges, b)
	}
	return b
}

func (h *Host) unpin(b *bridged) {
	h.mu.Lock()
	defer h.mu.Unlock()
	b.pinned--
}

// trial composes the roster with a plugin. The version is of what was tried.
func (h *Host) trial(b *bridged) (*AdmissionError, uint64) {
	h.mu.Lock()
	version := h.version
	h.mu.Unlock()
	r, err := h.read(context.Background(), b)
	if err != nil {
		panic(err) // nothing ends that context
	}
	if r.refused == nil {
		return nil, version
	}
	return r.blame(b.plugin), version
}

// settle enters the outcome of a trial, unless what was tried is no longer what is
// there.
func (h *Host) settle(b *bridged, refused *AdmissionError, version uint64) bool {
	p := b.plugin
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.version != version {
		return false
	}
	switch {
	case has(h.loaded, p):
	case refused == nil:
		h.version++
		h.quarantine = released(h.quarantine, p, same)
		h.loaded = append(slices.Clip(h.loaded), p)
	default:
		if !h.quarantined(p) {
			h.version++
		}
		h.quarantine = append(released(h.quarantine, p, same), Quarantined{p, refused})
	}
	return true
}

// quarantined reports whether a plugin is in quarantine. The host is locked.
func (h *Host) quarantined(p LegacyPlugin) bool {
	return slices.ContainsFunc(h.quarantine, func(q Quarantined) bool { return same(q.Plugin, p) })
}

// Forget ends what the host knows of a plugin, loaded or in quarantine: nothing of
// it is offered, and its veto is not asked, unless the adopter's own roster lists
// it. It reports whether there was anything to forget. A value that has no identity
// is forgotten with all others of its type.
func (h *Host) Forget(p LegacyPlugin) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := len(h.loaded) + len(h.quarantine)
	h.loaded, h.quarantine = without(h.loaded, p, alike), released(h.quarantine, p, alike)
	h.lastRoster = without(h.lastRoster, p, alike)
	h.bridges = slices.DeleteFunc(slices.Clone(h.bridges), func(b *bridged) bool { return alike(b.plugin, p) })
	if len(h.loaded)+len(h.quarantine) == before {
		return false
	}
	h.version++
	return true
}

// without is a list without an object. The list itself is not changed.
func without(list []LegacyPlugin, p LegacyPlugin, is func(a, b LegacyPlugin) bool) []LegacyPlugin {
	return slices.DeleteFunc(slices.Clone(list), func(q LegacyPlugin) bool { return is(p, q) })
}

// released is a quarantine without an object, likewise.
func released(list []Quarantined, p LegacyPlugin, is func(a, b LegacyPlugin) bool) []Quarantined {
	return slices.DeleteFunc(slices.Clone(list), func(q Quarantined) bool { return is(p, q.Plugin) })
}

// Quarantined is a plugin that was refused and is still asked for its veto.
type Quarantined struct {
	Plugin  LegacyPlugin
	Refused *AdmissionError // when it was last tried
}

// Quarantine are the plugins that were refused and not forgotten.
func (h *Host) Quarantine() []Quarantined {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.quarantine)
}

// Plugins are the plugins that were loaded.
func (h *Host) Plugins() []LegacyPlugin {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.loaded)
}
