package catalog

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

// Workers is how many trees are read at once.
const Workers = 2

// Open makes a host for the place. One that only looks writes nothing, not
// even the file that state is kept in. Call done when finished with it.
func Open(ctx context.Context, p host.Place, write bool, cache *host.Cache) (h *host.Host, done func() error, err error) {
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
		Look:      !write,
		Cache:     cache,
		Workers:   Workers,
	}), done, nil
}

// Check looks at directories: each extension root is judged alone.
func Check(ctx context.Context, in host.Inspection) (*host.Listing, error) {
	var sources []ext.Source
	for _, dir := range distinct(in.Dirs) {
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
	if name, err := os.Executable(); err == nil {
		if info, err := os.Stat(name); err == nil {
			h.Text(name).Int(int(info.Size())).Int(int(info.ModTime().UnixNano()))
		}
	}
	return h.Sum()
}

// CheckWorkspace looks at everything that a workspace's configuration names,
// as if it were adopted and nothing were known of it.
func CheckWorkspace(ctx context.Context, p host.Place) (*host.Listing, error) {
	c, findings, err := p.Configure()
	if err != nil {
		return nil, err
	}
	l, err := host.Look{Specs: Specs, Limits: c.Limits.Bounds(), Whole: c.Trust.Whole, Workers: Workers}.Run(ctx, Configured(c, false))
	if err != nil {
		return nil, err
	}
	l.Note(findings)
	return l, nil
}
