package discover

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/mortise-dev/mortise/internal/root"
)

// plain is the ground of any file system. Nothing of it is remembered.
type plain struct{ fs fs.FS }

// Survey is as root.Root's; what cannot be looked at is an error.
func (p plain) Survey(ctx context.Context, most int, visit func(root.Item) error) error {
	return fs.WalkDir(p.fs, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || name == "." {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return &fs.PathError{Op: "look at", Path: name, Err: root.ErrChanged}
		}
		if err != nil {
			return err
		}
		return visit(root.Item{Mode: info.Mode(), Stamp: root.Stamp{
			Path: name, Kind: kindOf(info.Mode()), Size: info.Size(), Coarse: true,
		}})
	})
}

func kindOf(m fs.FileMode) root.Kind {
	switch m.Type() {
	case 0:
		return root.File
	case fs.ModeDir:
		return root.Dir
	case fs.ModeSymlink:
		return root.Link
	}
	return root.Other
}

// CopyStamped is as root.Root's.
func (p plain) CopyStamped(_ context.Context, w io.Writer, s root.Stamp, buf []byte) error {
	f, err := p.fs.Open(s.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	n := int64(-1)
	if info.Mode().IsRegular() && info.Size() == s.Size {
		n, err = io.CopyBuffer(w, io.LimitReader(f, s.Size+1), buf)
	}
	if err == nil && n != s.Size {
		err = &fs.PathError{Op: "read", Path: s.Path, Err: root.ErrChanged}
	}
	return err
}

// TargetStamped is as root.Root's.
func (p plain) TargetStamped(s root.Stamp) (string, error) {
	target, err := fs.ReadLink(p.fs, s.Path)
	return filepath.ToSlash(target), err
}
