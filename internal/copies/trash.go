package copies

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/file"
)

// Trash is where units go: a directory for each time, in which each lies at the path that
// it had below the owner's directory.
type Trash struct {
	Dir    string // absolute
	owner  string
	record record
}

// NewTrash is a directory for what is moved at one time out of an owner's directory. It is
// made when something is.
func NewTrash(dir, owner string, at time.Time) *Trash {
	return &Trash{Dir: filepath.Join(dir, at.UTC().Format("20060102T150405Z")+"-"+rand.Text()[:6]), owner: owner}
}

// recordName is the file that says what lies in a directory of the trash.
const recordName = "moved.json"

// record is what was moved, and from where.
type record struct {
	Owner string   `json:"owner"` // the owner's directory, absolute
	Units []string `json:"units"` // their paths below it
}

// ErrChanged is a unit that is another one by now than was judged. It is where it was.
var ErrChanged = errors.New("it was changed since it was looked at, and was left")

// Take moves a unit into the trash, and looks there whether it still is what was judged.
// Where that fails it is where it was.
func (t *Trash) Take(ctx context.Context, u *Unit) error {
	from, to := filepath.Join(t.owner, filepath.FromSlash(u.Path)), filepath.Join(t.Dir, "owner", filepath.FromSlash(u.Path))
	if err := os.MkdirAll(t.Dir, 0o700); err != nil {
		return err
	}
	t.record.Owner, t.record.Units = t.owner, append(t.record.Units, u.Path)
	if err := t.write(); err != nil { // before: what is there without a record cannot be put back
		return err
	}
	if err := move(ctx, from, to); err != nil {
		return err
	}
	same, err := t.holds(u)
	if err == nil && same {
		return nil
	}
	if err == nil {
		err = ErrChanged
	}
	return errors.Join(err, move(ctx, to, from))
}

// holds reports whether a unit in the trash is what was judged.
func (t *Trash) holds(u *Unit) (bool, error) {
	r, err := os.OpenRoot(filepath.Join(t.Dir, "owner"))
	if err != nil {
		return false, err
	}
	defer r.Close()
	is, err := (&Look{Owner: r}).state(u.Path, false)
	return err == nil && maps.Equal(is, u.is), err
}

func (t *Trash) write() error {
	data, err := json.Marshal(t.record)
	if err != nil {
		return err
	}
	return file.Replace(filepath.Join(t.Dir, recordName), data)
}

// Restore puts back what a directory of the trash says was moved there, where nothing is in
// its place, into the owner's directory that it came from. It names what it put back and
// what it left.
func Restore(ctx context.Context, trash, dir string) (owner string, back, left []string, err error) {
	if rel, err := filepath.Rel(trash, dir); err != nil || !filepath.IsLocal(rel) || rel == "." {
		return "", nil, nil, ext.AsUsage(fmt.Errorf("%s is no directory of the trash, %s", ext.Quote(dir), ext.Quote(trash)))
	}
	data, err := os.ReadFile(filepath.Join(dir, recordName))
	if err != nil {
		return "", nil, nil, fmt.Errorf("see what lies in the trash: %w", err)
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil || !filepath.IsAbs(r.Owner) {
		return "", nil, nil, fmt.Errorf("%s cannot be read", ext.Quote(filepath.Join(dir, recordName)))
	}
	for _, p := range r.Units {
		if !fs.ValidPath(p) {
			continue
		}
		from, to := filepath.Join(dir, "owner", filepath.FromSlash(p)), filepath.Join(r.Owner, filepath.FromSlash(p))
		if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
			continue // it was put back before, or never moved
		}
		if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
			left = append(left, p)
			continue
		}
		if err := move(ctx, from, to); err != nil {
			return r.Owner, back, left, err
		}
		back = append(back, p)
	}
	return r.Owner, back, left, nil
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
