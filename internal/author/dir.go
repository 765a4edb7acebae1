package author

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/surface"
	"github.com/mortise-dev/mortise/internal/surface/task"
)

// maxName is how long the name of a task may be that is written here.
const maxName = 64

// devices are names that Windows keeps for itself, with any ending.
var devices = []string{"con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9"}

// ValidName reports what is wrong with the name of a task that is to be written: it
// is a directory on every system, and nothing else.
func ValidName(name string) error {
	ok := len(name) >= 1 && len(name) <= maxName && name[0] != '.' && name[0] != '-' && name[len(name)-1] != '.'
	for i := range len(name) {
		c := name[i]
		ok = ok && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.')
	}
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	if !ok || slices.Contains(devices, stem) {
		return ext.AsUsage(fmt.Errorf("%s cannot be the name of a task; use 1 to %d letters, digits, '_', '-' and '.', beginning with a letter or a digit", ext.Quote(ext.Shorten(name, 80)), maxName))
	}
	return nil
}

// open opens the directory of tasks, for one writer at a time; done ends that. Where
// nothing is to be made and there is none, nothing is in it: the error is
// fs.ErrNotExist.
func (s Store) open(ctx context.Context, make bool) (tasks *os.Root, done func(), err error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, nil, err
	}
	owner, err := s.owner(make)
	if err != nil {
		unlock()
		return nil, nil, fmt.Errorf("open the owner's directory: %w", err)
	}
	defer owner.Close()
	if make {
		if err := owner.Mkdir(task.Surface.Dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			unlock()
			return nil, nil, fmt.Errorf("make the directory of tasks: %w", err)
		}
	}
	tasks, err = enter(owner, task.Surface.Dir)
	if err != nil {
		unlock()
		return nil, nil, err
	}
	return tasks, func() { _ = tasks.Close(); unlock() }, nil
}

// owner opens the owner's directory.
func (s Store) owner(make bool) (*os.Root, error) {
	if s.Within == "" {
		if make {
			if err := os.MkdirAll(s.Dir, 0o777); err != nil {
				return nil, err
			}
		}
		return os.OpenRoot(s.Dir)
	}
	rel, err := filepath.Rel(s.Within, s.Dir)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, ext.AsRefused(fmt.Errorf("%s lies outside the workspace, which is not adopted; adopt it first: mortise trust", ext.Quote(filepath.ToSlash(s.Dir))))
	}
	workspace, err := os.OpenRoot(s.Within)
	if err != nil {
		return nil, err
	}
	defer workspace.Close()
	if make {
		if err := workspace.MkdirAll(rel, 0o777); err != nil {
			return nil, err
		}
	}
	return workspace.OpenRoot(rel)
}

// inside opens the directory of a task to look at it.
func (s Store) inside(name string) (*os.Root, error) {
	if err := ValidName(name); err != nil {
		return nil, err
	}
	owner, err := s.owner(false)
	if err != nil {
		return nil, fmt.Errorf("open the owner's directory: %w", err)
	}
	defer owner.Close()
	tasks, err := enter(owner, task.Surface.Dir)
	if err != nil {
		return nil, err
	}
	defer tasks.Close()
	return enter(tasks, name)
}

// enter opens a directory below another one, that is no link.
func enter(parent *os.Root, name string) (*os.Root, error) {
	where := ext.Quote(filepath.ToSlash(filepath.Join(parent.Name(), name)))
	was, err := parent.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !was.IsDir() {
		return nil, ext.AsRefused(fmt.Errorf("%s is a link, or no directory: nothing is written through it; edit what it leads to, where it lies", where))
	}
	dir, err := parent.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	is, err := dir.Stat(".")
	if err == nil && !os.SameFile(was, is) {
		err = ext.AsRefused(fmt.Errorf("%s became another directory meanwhile; look again", where))
	}
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

// vacant reports that no task has a name, whatever its case.
func vacant(tasks *os.Root, name string) error {
	entries, err := fs.ReadDir(tasks.FS(), ".")
	if err != nil {
		return fmt.Errorf("look which tasks there are: %w", err)
	}
	for _, e := range entries {
		if surface.Fold(e.Name()) == surface.Fold(name) {
			return ext.AsRefused(fmt.Errorf("there is %s already; edit it with mortise task edit, or take another name", ext.Quote(filepath.ToSlash(filepath.Join(tasks.Name(), e.Name())))))
		}
	}
	return nil
}

// document reads the document of a task.
func document(dir *os.Root, limit int64) ([]byte, fs.FileMode, error) {
	data, info, err := read(dir, task.File, limit)
	if err != nil {
		return nil, 0, err
	}
	return data, info.Mode().Perm(), nil
}

// read reads a regular file of a directory.
func read(dir *os.Root, name string, limit int64) ([]byte, fs.FileInfo, error) {
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, ext.AsRefused(fmt.Errorf("%s is a link, or no file: nothing is written through it; edit what it leads to, where it lies", ext.Quote(name)))
	}
	f, err := dir.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if is, err := f.Stat(); err != nil || !os.SameFile(info, is) {
		return nil, nil, errors.Join(err, fmt.Errorf("%s became another file meanwhile; look again", ext.Quote(name)))
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%s is larger than %d bytes", ext.Quote(name), limit)
	}
	return data, info, err
}

// write makes a file that is not there, and has it on the disk.
func write(dir *os.Root, name string, data []byte, mode fs.FileMode) error {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// gone is an error unless it says that nothing was there.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Bounds of what a task may hold to be looked through and copied.
const (
	mostFiles = 2_000
	mostBytes = 64 << 20
)

// File is one file of a task.
type File struct {
	Path string `json:"path"` // below the task
	Size int64  `json:"size"`
}

// Files are all files of a task.
type Files struct {
	List  []File
	Whole ext.Digest // of all names, kinds and contents
}

// Files looks through the directory of a task of the owner's.
func (s Store) Files(name string) (*Files, error) {
	dir, err := s.inside(name)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	files, err := filesOf(dir)
	if err != nil {
		return nil, fmt.Errorf("look at the files of the task %s: %w", ext.Quote(name), err)
	}
	return files, nil
}

// filesOf looks through the directory of a task. A link is what it says and not
// what it leads to.
func filesOf(dir *os.Root) (*Files, error) {
	out := &Files{List: []File{}}
	h, left := ext.NewHash("task"), int64(mostBytes)
	err := fs.WalkDir(dir.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		h.Text(name, d.Type().String())
		switch {
		case d.IsDir():
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			to, err := dir.Readlink(filepath.FromSlash(name))
			h.Text(to)
			out.List = append(out.List, File{Path: name})
			return err
		case !d.Type().IsRegular():
			out.List = append(out.List, File{Path: name})
			return nil
		}
		data, _, err := read(dir, filepath.FromSlash(name), left)
		if err != nil {
			return err
		}
		left -= int64(len(data))
		h.Bytes(data)
		if out.List = append(out.List, File{name, int64(len(data))}); len(out.List) > mostFiles {
			return fmt.Errorf("there are more than %d files", mostFiles)
		}
		return nil
	})
	out.Whole = h.Sum()
	return out, err
}
