package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// create makes the database at path when there is none, and its folder. It is
// made whole under another name and then linked into place, so that nobody
// ever sees half of it, several processes can begin at once, and an empty file
// at path is known to be damage.
func create(ctx context.Context, path string, steps []string) error {
	if there, err := exists(path); there || err != nil {
		return err
	}
	err := build(ctx, path, steps)
	if noRoom(err) {
		return fmt.Errorf("make state at %s: its disk is full, or does not take more; make room there and try again (%w)", path, err)
	}
	if err != nil {
		return fmt.Errorf("make state at %s: %w: let this user write there, or set MORTISE_HOME to another directory", path, err)
	}
	return nil
}

func build(ctx context.Context, path string, steps []string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".state-*") // 0600, and so are the files that SQLite makes beside it
	if err != nil {
		return err
	}
	draft := f.Name()
	defer os.Remove(draft)
	if err := f.Close(); err != nil {
		return err
	}
	if err := fill(ctx, draft, steps); err != nil {
		return err
	}
	err = os.Link(draft, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil // ours, or that of a process that was faster
	}
	if there, err := exists(path); there || err != nil {
		return err
	}
	return os.Rename(draft, path) // a file system without links
}

// fill makes the database in the empty file draft.
func fill(ctx context.Context, draft string, steps []string) error {
	db, err := connect(draft, making, 1)
	if err != nil {
		return err
	}
	err = transact(ctx, db, nil, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "PRAGMA application_id = "+strconv.Itoa(application)); err != nil {
			return err
		}
		return migrate(ctx, tx, steps, 0)
	})
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	if _, err := os.Lstat(draft + "-wal"); err == nil {
		return errors.New("the log of the new database could not be put away")
	}
	return nil
}

// exists reports whether there is a file at path. A log without its database
// is an error: SQLite would play it into the next one. So is anything but a
// regular file, there or beside it, where SQLite has its own: it would be
// waited for.
func exists(path string) (bool, error) {
	for range 2 { // the second time because another process may have made both in between
		err := regular(path)
		if err == nil {
			return true, errors.Join(beside(path)...)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("look for state: %w", err)
		}
		if size(path+"-wal") == 0 {
			return false, nil
		}
	}
	return false, fmt.Errorf("%s is gone, and what belongs to it, %s-wal, is still there: put both back, or move that aside too", path, path)
}

// regular is an error for what is no regular file, or leads to none.
func regular(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file (%s), and was left as it is: move it aside, or set MORTISE_HOME to another directory", path, fileKind(info.Mode()))
	}
	return nil
}

// beside is what is wrong with the files that SQLite has beside its database.
func beside(path string) []error {
	var errs []error
	for _, end := range []string{"-wal", "-shm", "-journal"} {
		if err := regular(path + end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("look for state: %w", err))
		}
	}
	return errs
}

// fileKind is what a file is instead of a regular one.
func fileKind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "mode " + mode.String()
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
