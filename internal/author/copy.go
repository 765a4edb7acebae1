package author

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/root"
)

// Copy makes a task of the owner's that has all files of another one, which lies in
// a directory of an extension. record is told the digest of the copy before it has
// its name: where that fails nothing was copied.
func (s Store) Copy(ctx context.Context, name string, from *root.Root, dir string, record func(whole ext.Digest) error) error {
	if err := ValidName(name); err != nil {
		return err
	}
	return s.add(ctx, name, func(to *os.Root) error {
		c := copying{from: from, to: to, left: mostBytes}
		if err := c.directory(dir, "."); err != nil {
			return err
		}
		made, err := filesOf(to)
		if err != nil {
			return err
		}
		return record(made.Whole)
	})
}

// copying copies the files of one task.
type copying struct {
	from  *root.Root
	to    *os.Root
	files int
	left  int64
}

// directory copies what a directory holds. A link to a file is copied as that file,
// as long as it stays in the extension; one to a directory is not followed.
func (c *copying) directory(dir, at string) error {
	entries, err := c.from.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, to := path.Join(dir, e.Name()), filepath.Join(filepath.FromSlash(at), e.Name())
		switch {
		case e.IsDir():
			if err = c.to.Mkdir(to, 0o777); err == nil {
				err = c.directory(name, path.Join(at, e.Name()))
			}
		default:
			err = c.file(name, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *copying) file(name, to string) error {
	info, err := c.from.Stat(name)
	if err != nil {
		return fmt.Errorf("copy %s: %w", ext.Quote(name), err)
	}
	if !info.Mode().IsRegular() {
		return ext.AsRefused(fmt.Errorf("copy %s: it is a link to a directory, or no file; copy the task by hand", ext.Quote(name)))
	}
	if c.files++; c.files > mostFiles || info.Size() > c.left {
		return ext.AsRefused(fmt.Errorf("it has more than %d files, or more than %d bytes; copy it by hand", mostFiles, mostBytes))
	}
	data, err := c.from.ReadFile(name)
	if err != nil {
		return fmt.Errorf("copy %s: %w", ext.Quote(name), err)
	}
	if c.left -= int64(len(data)); c.left < 0 {
		return ext.AsRefused(errors.New("it grew while it was copied; try again"))
	}
	const writable, executable fs.FileMode = 0o666, 0o111
	return write(c.to, to, data, writable|info.Mode()&executable)
}
