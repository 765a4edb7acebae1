package catalog

import (
	"context"
	"os"
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

// Workers is how many trees are read at once.
const Workers = 2

// Place is where a command runs: everything ambient, as values.
type Place struct {
	Workspace config.Workspace
	Paths     config.Paths
	Env       []string
}

// Configure reads the configuration of the place.
func (p Place) Configure() (*config.Config, ext.Findings, error) {
	return config.Load(config.Inputs{Workspace: p.Workspace, Env: p.Env, User: p.Paths.User, Managed: p.Paths.Managed})
}

// Open makes a host for the place. One that only looks writes nothing, not
// even the file that state is kept in. Call done when finished with it.
func Open(ctx context.Context, p Place, write bool, cache *host.Cache) (h *host.Host, done func() error, err error) {
	path := filepath.Join(p.Paths.State, "state.db")
	var store state.Store = sqlstore.ReadOnly(path)
	done = func() error { return nil }
	if write {
		opened, err := sqlstore.Open(ctx, path)
		if err != nil {
			return nil, nil, err
		}
		store, done = opened, opened.Close
	}
	return host.New(host.Options{
		Specs:     Specs,
		Catalogue: Digest(),
		Configure: p.Configure,
		Sources:   Sources,
		Store:     store,
		Cache:     cache,
		Workers:   Workers,
	}), done, nil
}

// Inspection is a look at directories that need not be a workspace.
type Inspection struct {
	Dirs      []string // absolute
	Recursive bool     // find every extension root below each
	Whole     bool
	Limits    ext.Limits
	Progress  func(read int)
	Index     string // folder that remembers what was read; "" reads everything anew
}

// Check looks at directories: each extension root is judged alone.
func Check(ctx context.Context, in Inspection) (*host.Listing, error) {
	var sources []ext.Source
	for _, dir := range in.Dirs {
		if in.Recursive {
			sources = append(sources, Below(dir, in.Limits, Workers, in.Index != ""))
		} else {
			sources = append(sources, One(dir, in.Limits))
		}
	}
	look := host.Look{Specs: Specs, Limits: in.Limits, Whole: in.Whole, Workers: Workers, Progress: in.Progress}
	if in.Index != "" {
		look.Index = host.Index{Dir: in.Index, Build: build(in)}
	}
	return look.Run(ctx, sources)
}

// build is the digest of this program and of what its outcome depends on
// beside the directory. The program is known by its file: a new one remembers
// nothing of the old.
func build(in Inspection) ext.Digest {
	h := ext.NewHash("build").Digest(Digest())
	h.Int(int(in.Limits.FileBytes)).Int(in.Limits.Files).Int(in.Limits.Depth)
	if in.Whole {
		h.Int(1)
	}
	if name, err := os.Executable(); err == nil {
		if info, err := os.Stat(name); err == nil {
			h.Text(name).Int(int(info.Size())).Int(int(info.ModTime().UnixNano()))
		}
	}
	return h.Sum()
}

// CheckWorkspace looks at everything that a workspace's configuration names,
// as if it were adopted and nothing were known of it.
func CheckWorkspace(ctx context.Context, p Place) (*host.Listing, error) {
	c, findings, err := p.Configure()
	if err != nil {
		return nil, err
	}
	l, err := host.Look{Specs: Specs, Limits: limits(c), Whole: c.Trust.Whole, Workers: Workers}.Run(ctx, Sources(c, false)[1:])
	if err != nil {
		return nil, err
	}
	l.Note(findings)
	return l, nil
}
