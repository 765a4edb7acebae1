package scribe

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/root"
)

// List is what lies directly in a directory of the branch, by name, with what files hold
// that are wanted and have at most so many bytes: in the working tree where the branch is
// checked out, else as it is committed. What is not there is empty. Links of the working
// tree that stay in it are followed.
func (b *Branch) List(ctx context.Context, dir string, wanted func(name string) bool, most int64) ([]git.Listed, error) {
	switch {
	case b.Here:
		return b.listed(dir, wanted, most)
	case b.base == "":
		return nil, nil
	}
	return b.work.List(ctx, b.base, path.Join(b.below, dir), wanted, most)
}

func (b *Branch) listed(dir string, wanted func(name string) bool, most int64) ([]git.Listed, error) {
	r, err := root.Open(b.Dir, root.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	entries, err := r.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	out := make([]git.Listed, len(entries))
	for i, e := range entries {
		at := path.Join(dir, e.Name())
		typ, err := r.Type(at)
		out[i] = git.Listed{Name: e.Name(), Dir: err == nil && typ.IsDir()}
		if err != nil || !typ.IsRegular() || !wanted(e.Name()) {
			continue
		}
		if data, err := r.ReadLimit(at, most); err == nil { // discovery tells of one that is not read
			out[i].Data = data
		}
	}
	return out, nil
}
