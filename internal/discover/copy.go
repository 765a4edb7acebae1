package discover

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
	"github.com/mortise-dev/mortise/internal/unpack"
)

// mostCopied is the largest tree that is copied, in bytes.
const mostCopied = 64 << 20

// Copy copies a directory as far as its digest covers it: what the digest leaves out
// is not there, and files may be executed or not, as they could. dst must not be
// there; only this person can look into it. What cannot be copied so that it means
// the same – a link that leads out of the tree, a pipe, more than 64 MiB – is an
// error, and then perhaps a part is at dst.
func Copy(ctx context.Context, dir, dst string) error {
	r, err := root.Open(dir, root.Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	c, err := count(ctx, r)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dst, 0o700); err != nil {
		return err
	}
	left := int64(mostCopied)
	for i := range c.items {
		item := &c.items[i]
		if left -= item.Size; item.Kind == root.File && left < 0 {
			return fmt.Errorf("it holds more than %d MiB", mostCopied>>20)
		}
		if err := copyItem(ctx, r, item, filepath.Join(dst, filepath.FromSlash(item.Path))); err != nil {
			return err
		}
	}
	return contained(dst, c)
}

// contained looks whether the links of a copy stay in it, whatever links are on their
// way.
func contained(dst string, c *census) error {
	top, err := filepath.EvalSymlinks(dst)
	if err != nil {
		return err
	}
	for i := range c.items {
		if c.items[i].Kind != root.Link {
			continue
		}
		at, err := filepath.EvalSymlinks(filepath.Join(dst, filepath.FromSlash(c.items[i].Path)))
		if below, relErr := filepath.Rel(top, at); err != nil || relErr != nil || !filepath.IsLocal(below) {
			return &fs.PathError{Op: "copy", Path: c.items[i].Path, Err: errors.New("it leads out of the directory, or nowhere")}
		}
	}
	return nil
}

func copyItem(ctx context.Context, r *root.Root, i *root.Item, to string) error {
	switch i.Kind {
	case root.Dir:
		return os.Mkdir(to, 0o700)
	case root.Link:
		target, err := r.TargetStamped(i.Stamp)
		if err != nil {
			return err
		}
		if path.IsAbs(target) || !filepath.IsLocal(path.Join(path.Dir(i.Path), target)) {
			return &fs.PathError{Op: "copy", Path: i.Path, Err: errors.New("it leads out of the directory")}
		}
		return os.Symlink(target, to)
	case root.File:
	default:
		return &fs.PathError{Op: "copy", Path: i.Path, Err: errors.New("it is " + i.Kind.String())}
	}
	mode := fs.FileMode(0o600)
	if i.Mode&0o100 != 0 {
		mode = 0o700
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	return errors.Join(r.CopyStamped(ctx, io.Writer(f), i.Stamp, make([]byte, 128<<10)), f.Close())
}

// Digest is the digest of all that lies in a directory, as Candidate.Content has it.
func Digest(ctx context.Context, dir string) (ext.Digest, error) {
	return DigestWritten(ctx, dir, nil)
}

// DigestWritten is Digest, and reads no file back that this process wrote and nobody
// touched since.
func DigestWritten(ctx context.Context, dir string, sums *unpack.Sums) (ext.Digest, error) {
	r, err := root.Open(dir, root.Options{})
	if err != nil {
		return ext.Digest{}, err
	}
	defer r.Close()
	c, err := count(ctx, r)
	if err != nil {
		return ext.Digest{}, err
	}
	a := adder{ground: r, written: sums}
	return a.sum(ctx, c)
}
