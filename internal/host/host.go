// Package host is the shell around the stages: it reads sources, runs a pass,
// and publishes the outcome as a generation. It knows no extension point by
// name.
package host

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/admit"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/plan"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/surface"
)

// Options is what a host is made of.
type Options struct {
	Specs     []*surface.Spec // in catalogue order
	Catalogue ext.Digest      // of the build's catalogue: what the specs mean
	// Configure reads the configuration anew.
	Configure func() (*config.Config, ext.Findings, error)
	// Sources makes the sources of a configuration, in load order. adopted says
	// whether the workspace's person vouches for it.
	Sources func(c *config.Config, adopted bool) []ext.Source
	Store   state.Store
	Look    bool             // the host only looks: it goes on without a state that cannot be read
	Cache   *Cache           // nil: one of its own
	Clock   func() time.Time // nil: time.Now
	Workers int              // how many trees are read at once; 0: one
}

// Host holds the current generation of one workspace.
type Host struct {
	options Options
	pass    sync.Mutex
	now     atomic.Pointer[Generation]
}

// New makes a host. It has no generation until Refresh made one.
func New(o Options) *Host {
	if o.Cache == nil {
		o.Cache = new(Cache)
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return &Host{options: o}
}

// Now is the current generation; nil before the first Refresh.
func (h *Host) Now() *Generation { return h.now.Load() }

// Refresh runs one pass and publishes its generation. When it fails the
// current generation stays.
func (h *Host) Refresh(ctx context.Context) (*Generation, error) {
	h.pass.Lock()
	defer h.pass.Unlock()
	g, err := h.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the workspace: %w", err)
	}
	g.Number = 1
	if was := h.Now(); was != nil {
		g.Number = was.Number + 1
	}
	h.now.Store(g)
	return g, nil
}

// Generation is the outcome of one pass. It is immutable.
type Generation struct {
	Number      uint64
	Config      *config.Config
	Adopted     bool // the workspace's person adopted what is here now
	Composition *compose.Composition
	// Effects is what an adoption of the workspace would consent to.
	Effects ext.Digest

	specs     []*surface.Spec
	decisions []admit.Decision
	unread    []ext.Tree
	findings  ext.Findings
	trial     func() *compose.Composition
}

// Digest identifies the composition in use.
func (g *Generation) Digest() ext.Digest { return g.Composition.Digest() }

// Trial is the composition that adoption would give; the one in use where the
// workspace is adopted.
func (g *Generation) Trial() *compose.Composition {
	if g.Adopted {
		return g.Composition
	}
	return g.trial()
}

// Session resolves what an agent would get: of the composition in use, or of
// the one that adoption would give.
func (g *Generation) Session(adopted bool) *session.Session {
	if adopted {
		return session.Resolve(g.Trial())
	}
	return session.Resolve(g.Composition)
}

// Plan resolves what should run for a worktree in a mode.
func (g *Generation) Plan(worktree string, mode ext.Mode) *plan.Plan {
	return plan.Resolve(g.Composition, worktree, mode)
}
