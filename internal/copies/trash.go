package copies

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
)

// Trash is where units go: a directory for each time, in which each lies at the path that
// it had below the owner's directory.
type Trash struct {
	Dir   string // absolute
	owner string
}

// NewTrash is a directory for what is moved at one time out of an owner's directory. It is
// made when something is.
func NewTrash(dir, owner string, at time.Time) *Trash {
	return &Trash{Dir: filepath.Join(dir, at.UTC().Format("20060102T150405Z")+"-"+rand.Text()[:6]), owner: owner}
}

// Take moves a unit into the trash. Where that fails it is where it was.
func (t *Trash) Take(ctx context.Context, p string) error {
	return move(ctx, filepath.Join(t.owner, filepath.FromSlash(p)), filepath.Join(t.Dir, "owner", filepath.FromSlash(p)))
}

// Restore puts back all that lies in a directory of the trash, where nothing is in its
// place. It names what it put back and what it left.
func Restore(ctx context.Context, dir, owner string) (back, left []string, err error) {
	for _, k := range append(kindDirs(), ".") {
		at := filepath.Join(dir, "owner", k)
		entries, err := os.ReadDir(at)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return back, left, err
		}
		for _, e := range entries {
			p := filepath.Join(k, e.Name())
			if k == "." && isKind(e.Name()) {
				continue
			}
			to := filepath.Join(owner, p)
			if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
				left = append(left, filepath.ToSlash(p))
				continue
			}
			if err := move(ctx, filepath.Join(at, e.Name()), to); err != nil {
				return back, left, err
			}
			back = append(back, filepath.ToSlash(p))
		}
	}
	return back, left, nil
}

func kindDirs() (all []string) {
	for _, k := range kinds {
		all = append(all, k.dir)
	}
	return all
}

func isKind(name string) bool {
	for _, k := range kinds {
		if k.dir == name {
			return true
		}
	}
	return false
}

// move renames; across file systems it copies, compares, and only then removes.
func move(ctx context.Context, from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return ext.AsRefused(fmt.Errorf("%s is there already", ext.Quote(to)))
	}
	err := os.Rename(from, to)
	if err == nil || !elsewhere(err) {
		return err
	}
	return across(ctx, from, to)
}

// across moves between file systems.
func across(ctx context.Context, from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return acrossFile(from, to, info.Mode())
	}
	err = os.CopyFS(to, os.DirFS(from))
	if err == nil {
		err = sameTrees(ctx, from, to)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(to))
	}
	return os.RemoveAll(from)
}

func acrossFile(from, to string, mode fs.FileMode) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, data, mode.Perm()); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return os.Remove(from)
}

func sameTrees(ctx context.Context, a, b string) error {
	one, err := discover.Digest(ctx, a)
	if err != nil {
		return err
	}
	other, err := discover.Digest(ctx, b)
	if err == nil && one != other {
		err = fmt.Errorf("the copy of %s is not what it is; it was left where it is", ext.Quote(a))
	}
	return err
}
