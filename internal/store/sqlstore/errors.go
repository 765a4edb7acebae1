package sqlstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/mortise-dev/mortise/internal/state"
)

// newerError is the answer to writing what a newer program keeps.
type newerError struct {
	path          string
	schema, known int
}

func (e *newerError) Error() string {
	return fmt.Sprintf("state at %s was written by a newer mortise (schema %d, this one knows %d): opened read-only; upgrade mortise, or set MORTISE_HOME to another directory", e.path, e.schema, e.known)
}

func (e *newerError) Unwrap() error { return state.ErrReadOnly }

// unwritableError is the answer to writing what this user may only read.
type unwritableError struct {
	path  string
	cause error
}

func (e *unwritableError) Error() string {
	return fmt.Sprintf("state at %s cannot be written (%v): let this user write the file and its folder, or set MORTISE_HOME to another directory", e.path, e.cause)
}

func (e *unwritableError) Unwrap() []error { return []error{state.ErrReadOnly, e.cause} }

// damage is what makes no sense in a database.
type damage struct{ what string }

func (d *damage) Error() string { return d.what }

var errForeign = errors.New("another program's database")

// explain turns what is wrong with the database at path into what a person can
// act on. Errors of a context and of callers are returned as they are.
func explain(path string, err error) error {
	var d *damage
	var e *sqlite.Error
	switch {
	case errors.As(err, &d):
		return damaged(path, err)
	case errors.Is(err, errForeign):
		return fmt.Errorf("%s is a database of another program, and was left as it is: set MORTISE_HOME to another directory", path)
	case !errors.As(err, &e):
		return err
	case e.Code() == sqlite3.SQLITE_IOERR_SHORT_READ:
		return damaged(path, err)
	}
	if full(e.Code()) {
		return fmt.Errorf("state at %s cannot be written: its disk is full, or does not take more; make room there and try again (%w)", path, err)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
		return damaged(path, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("state at %s is held by another process for longer than 5s: try again: %w", path, err)
	case sqlite3.SQLITE_READONLY:
		return &unwritableError{path: path, cause: err}
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		if _, gone := os.Stat(path); errors.Is(gone, fs.ErrNotExist) {
			return fmt.Errorf("state at %s is gone since it was opened: put it back, or start again to begin anew (what it remembered is then forgotten)", path)
		}
		return fmt.Errorf("state at %s cannot be opened (%w): let this user read and write the file and its folder, or set MORTISE_HOME to another directory", path, err)
	}
	return fmt.Errorf("state at %s: %w", path, err)
}

// noRoom reports whether an error, of SQLite or of the system, says that there is no room.
func noRoom(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && full(e.Code()) || errors.Is(err, syscall.ENOSPC)
}

// full reports whether a code says that there is no room, as SQLite has it: also where it
// could not make the files beside the database as large as it needs.
func full(code int) bool {
	switch code {
	case sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_TRUNCATE:
		return true
	}
	return code&0xff == sqlite3.SQLITE_FULL
}

// damagedError says that a database is damaged. It is state.ErrDamaged.
type damagedError struct{ error }

func (e *damagedError) Unwrap() []error { return []error{state.ErrDamaged, e.error} }

func damaged(path string, why error) error {
	return &damagedError{fmt.Errorf("state at %s is damaged (%w), and was left as it is: move it aside, with %s-wal where there is one, to begin anew (what it remembered is then forgotten), or put a copy of it back", path, why, path)}
}
