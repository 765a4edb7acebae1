package catalog

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/builtin/rig"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/checkout"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/driver/inproc"
	"github.com/mortise-dev/mortise/internal/driver/mcp"
	"github.com/mortise-dev/mortise/internal/hook/clientevent"
	"github.com/mortise-dev/mortise/internal/hook/toolcall"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/source/dir"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/policy"
)

// Workers is how many trees are read at once.
const Workers = 2

// Open makes a host for the place. Call done when finished with it.
func Open(ctx context.Context, p host.Place, purpose host.Purpose, cache *host.Cache) (h *host.Host, done func() error, err error) {
	return open(ctx, p, purpose, cache, nil)
}

// open is Open. serve makes what runs servers in a host that would run none
// otherwise; nil leaves it so.
func open(ctx context.Context, p host.Place, purpose host.Purpose, cache *host.Cache, serve func(host.Hooks) host.Servers) (h *host.Host, done func() error, err error) {
	path := StatePath(p)
	var store state.Store = sqlstore.ReadOnly(path)
	files, done := p.Files(), func() error { return nil }
	if purpose != host.Looking {
		opened, err := sqlstore.Open(ctx, path)
		if err != nil {
			return nil, nil, err
		}
		store, done = opened, opened.Close
		files = append(files, opened.Files()...)
	}
	if remember := knowVerdicts(p); purpose != host.Looking {
		done = closing(done, remember)
	}
	o := composing(p, purpose, store)
	o.Drivers[inproc.Name] = ownDriver(own(func() *host.Host { return h }), rig.Extension())
	o.Cache, o.Run, o.Within, o.Files, o.Serve = cache, programs(p.Env), asking(p.Env), files, serve
	o.Keep = host.KeepIn(filepath.Join(p.Paths.State, "guards"))
	o.Trees = host.KeepTreesIn(filepath.Join(p.Paths.State, "guards", "trees"))
	o.Locks = filepath.Join(p.Paths.State, "locks")
	o.Definitions = host.KeepLooselyIn(filepath.Join(p.Paths.State, "definitions"))
	if purpose != host.Looking {
		o.Note = func(ctx context.Context, l host.Logged) error { return note(ctx, p, l) }
	}
	if purpose == host.Serving {
		log, err := openLog(p, func(err error) { h.Notice(err) })
		if err != nil {
			return nil, nil, errors.Join(err, done())
		}
		o.Log, done = log.write, closing(done, log.Close)
		held := checkout.Store{Dir: Checkouts(p)}.Hold()
		o.Using, done = holding(held), closing(done, held.Close)
		s := newServers(p, mcp.Options{})
		o.Drivers[mcpDriver], o.Watch = s.driver(), true
		o.Serve = s.serve
	}
	h = host.New(o)
	return h, done, nil
}

// composing is what a host needs to compose what a place has in use.
func composing(p host.Place, purpose host.Purpose, store state.Store) host.Options {
	return host.Options{
		Specs:     Specs,
		Catalogue: Digest(),
		Configure: p.Configure,
		Sources:   remembering(),
		Installed: Installed(p),
		Unnamed:   unnamed,
		Store:     store,
		Look:      purpose == host.Looking,
		Memory:    memory(p, purpose),
		Workers:   Workers,
		Drivers:   map[string]call.Driver{inproc.Name: idle{}, mcpDriver: idle{}, clientevent.Driver: idle{}},
		Refer:     map[string]ext.Trust{inproc.Name: ext.Builtin, clientevent.Driver: ext.Project, surface.Program: ext.Project},
		Asked:     append([]string{toolcall.Before.Name, policy.ToolCall, clientevent.AfterCall}, planned()...),
		Question:  clientevent.Questions,
		Data:      func(t ext.Tree) string { return p.PluginData(t.Extension, t.Own) },
		Prepared:  p.Prepared(),
	}
}

// holding has checkouts stay that are in use.
func holding(h *checkout.Hold) func([]state.Installed) error {
	return func(lines []state.Installed) error {
		var keys []checkout.Key
		for _, i := range lines {
			if i.Commit != "" {
				keys = append(keys, roster.Checkout(&i, i.Commit))
			}
		}
		return h.Add(keys...)
	}
}

// StatePath is the file in which what is remembered lies.
func StatePath(p host.Place) string { return filepath.Join(p.Paths.State, "state.db") }

// closing closes both, whatever fails.
func closing(first, then func() error) func() error {
	return func() error { return errors.Join(first(), then()) }
}

// memory is what spares reading what did not change. A host that only looks
// makes no folder for it, and uses the one that is there.
func memory(p host.Place, purpose host.Purpose) *discover.Memory {
	dir := filepath.Join(p.Paths.Cache, "trees")
	if _, err := os.Stat(dir); purpose == host.Looking && err != nil {
		dir = ""
	}
	return discover.NewMemory(dir)
}

// Check looks at directories: each extension root is judged alone, and so are the
// marketplaces, unless what is there is judged as another format.
func Check(ctx context.Context, in host.Inspection) (*host.Listing, error) {
	var sources []ext.Source
	for _, dir := range distinct(in.Dirs) {
		switch {
		case in.Profile != nil && in.Recursive:
			sources = append(sources, below(dir, in.Limits, Workers, in.Index != "", in.Profile, in.Changes))
		case in.Profile != nil:
			sources = append(sources, one(dir, in.Limits, in.Profile, in.Changes))
		case in.Recursive:
			sources = append(sources, withMarkets(below(dir, in.Limits, Workers, in.Index != "", nil, in.Changes)))
		default:
			sources = append(sources, &oneOrMarket{Source: one(dir, in.Limits, nil, in.Changes), dir: dir, limits: in.Limits, open: root.Options{Changes: in.Changes}})
		}
	}
	look := host.Look{Specs: known(in.Profile), Limits: in.Limits, Whole: in.Whole, Workers: Workers, Profile: in.Profile, Uncosted: in.Uncosted, Progress: in.Progress}
	if in.Index != "" {
		look.Index = host.Index{Dir: in.Index, Build: build(in)}
	}
	l, err := look.Run(ctx, sources)
	if err == nil {
		l.LeaveMarkets()
	}
	return l, err
}

// distinct leaves out a directory that was named before.
func distinct(dirs []string) []string {
	var out []string
	for _, dir := range dirs {
		if !slices.Contains(out, filepath.Clean(dir)) {
			out = append(out, filepath.Clean(dir))
		}
	}
	return out
}

// build is the digest of this program and of what its outcome depends on
// beside the directory. The program is known by its file: a new one remembers
// nothing of the old.
func build(in host.Inspection) ext.Digest {
	h := ext.NewHash("build").Digest(Digest())
	h.Int(int(in.Limits.FileBytes)).Int(in.Limits.Files).Int(in.Limits.Depth)
	if in.Whole {
		h.Int(1)
	}
	if in.Profile != nil {
		h.Text("profile", in.Profile.Name)
	}
	if name, err := os.Executable(); err == nil {
		if info, err := os.Stat(name); err == nil {
			h.Text(name).Int(int(info.Size())).Int(int(info.ModTime().UnixNano()))
		}
	}
	return h.Sum()
}

// CheckWorkspace looks at everything that a workspace's configuration names,
// as if it were adopted, nothing were known of it, and changes had been made to
// the owner's files; nil are none.
func CheckWorkspace(ctx context.Context, p host.Place, as *root.Changes) (*host.Listing, error) {
	c, findings, err := p.Configure(nil)
	if err != nil {
		return nil, err
	}
	sources := Configured(c, false)
	for _, s := range sources {
		if owner, ok := s.(*dir.Owner); ok {
			owner.Open.Changes = as
		}
	}
	l, err := host.Look{Specs: Specs, Limits: c.Limits.Bounds(), Whole: c.Trust.Whole, Workers: Workers}.Run(ctx, sources)
	if err != nil {
		return nil, err
	}
	l.Note(findings)
	return l, nil
}
