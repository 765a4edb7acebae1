// Package monorepo reads a design monorepo: a working tree that declares plugins, agents,
// deployments, tools, profiles and missions below .colony, most of them as Python. Nothing
// of it is run, imported or expanded: Python is read as text, and what reading cannot
// decide is told and not guessed.
//
//	m, err := monorepo.Open("design", monorepo.Options{})
//	…
//	all, err := m.Discover(ctx)
//	for name, agent := range all.Agents { … }
//
// What is found is remembered for as long as nothing that it was read from changed: every
// file, every directory listing and every link on the way is looked at again, by its
// identity, size and times, and what was changed so shortly before it was read that another
// change might not show is not remembered at all. What a process writes through a mapping
// that it shares with the file, and does not sync, is seen when the system updates the
// file's times. Where the system tells too little of files to know them again, nothing is
// remembered.
package monorepo

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/colony"
	"github.com/mortise-dev/mortise/internal/root"
	source "github.com/mortise-dev/mortise/internal/source/monorepo"
)

// Manifest is what .colony/manifest.json says. Here it only says where surfaces lie.
type Manifest = colony.Manifest

// Surface is one kind of things that a monorepo declares, as its manifest calls it.
type Surface = colony.Surface

// The surfaces.
const (
	Plugins     = colony.Plugins
	Agents      = colony.Agents
	Deployments = colony.Deployments
	Tools       = colony.Tools
	Profiles    = colony.Profiles
	Missions    = colony.Missions
)

// ParseSurface is the surface of that name; any other name is an error.
func ParseSurface(name string) (Surface, error) { return colony.ParseSurface(name) }

// LoadManifest reads the manifest of the working tree at dir. One that is not there is an
// error that matches fs.ErrNotExist; so is one that is broken, with all that is wrong.
func LoadManifest(dir string) (*Manifest, error) {
	r, err := root.Open(dir, root.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return colony.Load(r)
}

// ErrUnavailable is matched by the error for a working tree that is not there, cannot be
// read, or of which nothing is checked out yet. It is never taken for an empty one.
var ErrUnavailable = errors.New("the working tree is not available")

// Options are how a monorepo is read. The zero value is right.
type Options struct {
	// Manifest says where surfaces lie. Nil: the working tree's own does, and where it
	// has none, or one that is broken, each lies in its default directory; the second is
	// told as an error finding.
	Manifest *Manifest
	// Defaults has no manifest be looked at: each surface lies in its default directory.
	Defaults bool
	// AgentBases, DeploymentBases and Decorators are known besides those that are
	// shipped: dotted names, or ones that end in ".*" for all below.
	AgentBases, DeploymentBases, Decorators []string
	// Allowed is what Python may use besides the list that is shipped: dotted names, ones
	// that end in ".*" for every name below that begins with a capital letter, or ones
	// without a dot for what needs no import.
	Allowed []string
	// Limits bound what is read; the zero value is ext.DefaultLimits.
	Limits ext.Limits
	// Workers read Python at once; 0 is two.
	Workers int

	open root.Options // for tests
}

// Monorepo is one working tree. It is safe for use by several goroutines at once, which
// wait for each other.
type Monorepo struct {
	source source.Source

	mu     sync.Mutex
	last   *Snapshot // nil: nothing is remembered
	stamps []root.Stamp
}

// Open makes a Monorepo of the working tree at dir. It reads nothing: dir need not be
// there yet.
func Open(dir string, o Options) (*Monorepo, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if o.Limits == (ext.Limits{}) {
		o.Limits = ext.DefaultLimits
	}
	if o.Workers == 0 {
		o.Workers = 2
	}
	if o.Defaults && o.Manifest == nil {
		o.Manifest = colony.Default()
	}
	m := &Monorepo{source: source.Source{
		Dir: abs, Shown: dir, Named: true, Manifest: o.Manifest, Workers: o.Workers, Memory: new(source.Memory), Open: o.open,
		Known: source.Known{Agents: o.AgentBases, Deployments: o.DeploymentBases, Decorators: o.Decorators, Allowed: o.Allowed},
	}}
	m.source.Env.Specs, m.source.Env.Limits = specs, o.Limits
	m.source.Open.Trace = true
	return m, nil
}

// Dir is the absolute path of the working tree.
func (m *Monorepo) Dir() string { return m.source.Dir }

// Discover reads the working tree. Where nothing that the last Discover read has changed
// since, it is the same Snapshot. The error is that of ctx, or matches ErrUnavailable, or
// says what the system did not answer; whatever is wrong with what was read is among the
// findings, and costs what it is about.
func (m *Monorepo) Discover(ctx context.Context) (*Snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last != nil && fresh(m.source.Dir, m.stamps) {
		return m.last, nil
	}
	m.last, m.stamps = nil, nil
	s, stamps, err := m.discover(ctx)
	if err != nil {
		return nil, err
	}
	if lasting(stamps) {
		m.last, m.stamps = s, stamps
	}
	return s, nil
}

// Invalidate forgets what was read. It is hardly ever needed: Discover sees what changed.
func (m *Monorepo) Invalidate() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last, m.stamps = nil, nil
	m.source.Memory.Forget()
}

// Skills are those of Discover, in the order of their directories' names.
func (m *Monorepo) Skills(ctx context.Context) ([]Entry[Skill], error) {
	return of(ctx, m, func(s *Snapshot) []Entry[Skill] { return s.Skills })
}

// Agents are those of Discover, by the classes' names.
func (m *Monorepo) Agents(ctx context.Context) (map[string]Entry[AgentClass], error) {
	return of(ctx, m, func(s *Snapshot) map[string]Entry[AgentClass] { return s.Agents })
}

// Deployments are those of Discover, by the classes' names.
func (m *Monorepo) Deployments(ctx context.Context) (map[string]Entry[Deployment], error) {
	return of(ctx, m, func(s *Snapshot) map[string]Entry[Deployment] { return s.Deployments })
}

// Tools are those of Discover, by the entries' names.
func (m *Monorepo) Tools(ctx context.Context) (map[string]Entry[Tool], error) {
	return of(ctx, m, func(s *Snapshot) map[string]Entry[Tool] { return s.Tools })
}

// Profiles are those of Discover, by the files' names without their ending.
func (m *Monorepo) Profiles(ctx context.Context) (map[string]Entry[Profile], error) {
	return of(ctx, m, func(s *Snapshot) map[string]Entry[Profile] { return s.Profiles })
}

// Missions are those of Discover, by the files' names without their ending.
func (m *Monorepo) Missions(ctx context.Context) (map[string]Entry[Mission], error) {
	return of(ctx, m, func(s *Snapshot) map[string]Entry[Mission] { return s.Missions })
}

func of[T any](ctx context.Context, m *Monorepo, take func(*Snapshot) T) (none T, err error) {
	s, err := m.Discover(ctx)
	if err != nil {
		return none, err
	}
	return take(s), nil
}
