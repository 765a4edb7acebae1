package tools

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"time"

	"github.com/mortise-dev/mortise/internal/colony/scribe"
	"github.com/mortise-dev/mortise/internal/git"
	"github.com/mortise-dev/mortise/internal/pysrc/syntax"
)

// revision is the files of a commit, below a directory, with others put over them. It has
// files alone, and no directories.
type revision struct {
	ctx    context.Context //nolint:containedctx // of the one reading that it is made for
	work   *git.WorkTree
	below  string // "" is the top of the working tree
	commit string // "" has no files
	over   map[string][]byte
}

// revisionOf is what a branch has: or what it would begin with, where there is none.
func revisionOf(ctx context.Context, g *git.Git, b *scribe.Branch) (*revision, error) {
	w, err := g.WorkTree(ctx, b.Dir)
	if err != nil {
		return nil, err
	}
	below, err := filepath.Rel(w.Top, b.Dir)
	if err != nil {
		return nil, fmt.Errorf("find the monorepo in its working tree: %w", err)
	}
	r := &revision{ctx: ctx, work: w, below: filepath.ToSlash(below), commit: w.Head}
	if !b.Here {
		tip, err := w.Tip(ctx, b.Name)
		if err != nil {
			return nil, err
		}
		if tip != "" {
			r.commit = tip
		}
	}
	return r, nil
}

// committed is a file of the commit.
func (r *revision) committed(name string, most int64) ([]byte, error) {
	if r.commit == "" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return r.work.Blob(r.ctx, r.commit, path.Join(r.below, name), most)
}

// Open opens a file.
func (r *revision) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	data, ok := r.over[name]
	if !ok {
		var err error
		if data, err = r.committed(name, syntax.MaxSize+1); err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
	return &blob{*bytes.NewReader(data), path.Base(name), int64(len(data))}, nil
}

// blob is a file that is open.
type blob struct {
	bytes.Reader
	name string
	size int64
}

func (b *blob) Close() error               { return nil }
func (b *blob) Stat() (fs.FileInfo, error) { return blobInfo{b.name, b.size}, nil }

// blobInfo is what is told of one.
type blobInfo struct {
	name string
	size int64
}

func (i blobInfo) Name() string     { return i.name }
func (i blobInfo) Size() int64      { return i.size }
func (blobInfo) Mode() fs.FileMode  { return 0o444 }
func (blobInfo) ModTime() time.Time { return time.Time{} }
func (blobInfo) IsDir() bool        { return false }
func (blobInfo) Sys() any           { return nil }
