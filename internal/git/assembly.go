package git

import (
	"context"
	"os"
	"path/filepath"

	"github.com/mortise-dev/mortise/internal/unpack"
)

// assembly is one checkout that is put together of a repository and, where they are
// fetched, those of its submodules. All are brought and judged as one tree before
// anything of it is written.
type assembly struct {
	*Git
	how     Fetching
	beside  string // the directory in which repositories are made
	names   *unpack.Names
	spent   int64 // bytes that were transferred
	parts   []*part
	fetched *Fetched
}

// close removes the repositories.
func (a *assembly) close() {
	for _, p := range a.parts {
		os.RemoveAll(p.store)
	}
}

// bring has the objects of a part brought into a repository of its own. Its source is then
// as it was reached. What all parts transfer is bounded as one.
func (a *assembly) bring(ctx context.Context, p *part, o Fetching) (err error) {
	if p.store, err = newRepository(a.beside, p.commit); err != nil {
		return failure(p.doing(), err)
	}
	a.parts = append(a.parts, p)
	most := 2 * a.opt.Bounds.Bytes
	p.source, err = a.reach(p.source, p.doing(), func(at Source) error {
		return a.watched(ctx, p.store, most-a.spent, func(ctx context.Context) error { return a.transfer(ctx, at, p.commit, p.store, o) })
	})
	a.spent += weight(filepath.Join(p.store, "objects", "pack"))
	if err == nil && len(a.parts) > 1 && a.spent > most {
		err = failure(p.doing(), errTooBig)
	}
	return err
}

// judge reads what is in the tree of a part, and refuses what may not be.
func (a *assembly) judge(ctx context.Context, p *part) error {
	w := walk{names: a.names, top: p.path}
	err := a.reading(ctx, p.store, func(from *objects) error {
		commit, err := from.whole(p.commit, "commit", mostCommit)
		if err != nil {
			return err
		}
		tree, when := commitOf(commit)
		if p.in == nil {
			a.fetched.When = when
		}
		w.from = from
		return w.all(tree)
	})
	if err != nil {
		return p.failed(err)
	}
	p.leaves = w.leaves
	a.note(ctx, p)
	return nil
}

// note notes the submodules that a part has, and what is said of them.
func (a *assembly) note(ctx context.Context, p *part) {
	modules := p.modules()
	if len(modules) == 0 {
		return
	}
	p.says, p.mute = a.declared(ctx, p)
	for _, l := range modules {
		m := Module{Path: l.path, Commit: l.id}
		for _, d := range p.says {
			if p.within(d.path) == m.Path {
				m.URL = d.url
			}
		}
		a.fetched.Modules = append(a.fetched.Modules, m)
	}
}

// write writes all parts, once all that is in them is known.
func (a *assembly) write(ctx context.Context, dir string) error {
	top := a.parts[0]
	// One that gave each file at once would wake its reader for each. It starts meanwhile.
	return a.reading(ctx, top.store, func(files *objects) error {
		if err := a.judge(ctx, top); err != nil {
			return err
		}
		if a.how.Modules != nil {
			if err := a.modules(ctx, top); err != nil {
				return err
			}
		}
		to, err := unpack.New(dir, a.opt.Bounds, a.how.Sums)
		if err != nil {
			return err
		}
		defer to.Close()
		w := writing{from: files, to: to, fetched: a.fetched, progress: a.how.Progress, total: a.files()}
		if err := w.all(top.leaves); err != nil {
			return err
		}
		for _, p := range a.parts[1:] {
			err := a.reading(ctx, p.store, func(from *objects) error {
				w.from = from
				return w.all(p.leaves)
			}, "--buffer")
			if err != nil {
				return p.failed(err)
			}
		}
		return to.Finish()
	}, "--buffer")
}

// files is how many files and links there are.
func (a *assembly) files() (n int) {
	for _, p := range a.parts {
		for _, l := range p.leaves {
			if l.kind != unpack.Dir {
				n++
			}
		}
	}
	return n
}
