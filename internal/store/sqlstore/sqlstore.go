// Package sqlstore keeps state in one SQLite file that several processes can
// use at once. What only looks at state uses ReadOnly, which writes nothing.
package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"sync/atomic"

	"github.com/mortise-dev/mortise/internal/state"
)

// Store is a state.Store in a SQLite file. Make one with Open; Close it.
type Store struct {
	steps   []string // the schema, one migration an element
	path    string
	writer  *sql.DB // one connection: writers of this process queue here, not in SQLite
	readers *sql.DB
	prober  *sql.DB // one connection: asks for the revision while nobody writes
	view    *View   // reads instead of readers when the file cannot be written
	why     error   // wraps state.ErrReadOnly; nil when the file can be written

	clock func() int64          // stampClock
	known atomic.Pointer[known] // what Revision remembers; nil is nothing
}

var (
	_ state.Store      = (*Store)(nil)
	_ state.Revisioned = (*Store)(nil)
)

// Open opens the state at path, and makes it, with its folder, when there is
// none. What was written by a newer mortise, and what this user may read and
// not write, is opened read-only: see ReadOnly. A file that is damaged or not
// ours is an error, and left as it is.
func Open(ctx context.Context, path string) (*Store, error) {
	return open(ctx, path, schema())
}

func open(ctx context.Context, path string, steps []string) (*Store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := create(ctx, path, steps); err != nil {
		return nil, err
	}
	s := &Store{steps: steps, path: path, clock: stampClock}
	for _, c := range []struct {
		db  **sql.DB
		how string
		n   int
	}{{&s.readers, reading, 4}, {&s.writer, writing, 1}, {&s.prober, probing, 1}} {
		if *c.db, err = connect(path, c.how, c.n); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepare brings the file to the schema of this program, or finds out that the
// store is read-only.
func (s *Store) prepare(ctx context.Context) error {
	var schema int
	err := s.read(ctx, func(tx *sql.Tx) (err error) {
		schema, err = schemaOf(ctx, tx)
		return err
	})
	if err == nil && schema != len(s.steps) {
		err = s.write(ctx, func(*sql.Tx) error { return nil })
	}
	if errors.Is(err, state.ErrReadOnly) {
		s.why = err
		s.view = &View{path: s.path, steps: s.steps}
		_, err = s.view.Revision(ctx)
	}
	return err
}

// ReadOnly is nil when the state can be written, else the error of Update and
// Append, which wraps state.ErrReadOnly and says why and what to do.
func (s *Store) ReadOnly() error { return s.why }

// Close ends the store; nothing may be called after it.
func (s *Store) Close() error {
	var errs []error
	for _, db := range []*sql.DB{s.prober, s.writer, s.readers} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// Load implements state.Store, in one transaction. Of a file that a newer
// mortise wrote it loads the lists that this one knows.
func (s *Store) Load(ctx context.Context) (snap state.Snapshot, err error) {
	err = s.read(ctx, func(tx *sql.Tx) (err error) {
		snap, err = load(ctx, tx, len(s.steps))
		return err
	})
	return snap, err
}

// Update implements state.Store.
func (s *Store) Update(ctx context.Context, change func(*state.Snapshot) error) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		old, err := load(ctx, tx, len(s.steps))
		if err != nil {
			return err
		}
		next := old.Clone()
		if err := change(&next); err != nil {
			return err
		}
		if err := next.Tidy(); err != nil {
			return err
		}
		next.Revision = old.Revision + 1
		return save(ctx, tx, &old, &next)
	})
}

// Append implements state.Store.
func (s *Store) Append(ctx context.Context, events ...state.Event) error {
	events, err := state.TidyEvents(events)
	if err != nil {
		return err
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		return appendEvents(ctx, tx, events)
	})
}

// Events implements state.Store.
func (s *Store) Events(ctx context.Context, q state.Query) (events []state.Event, err error) {
	err = s.read(ctx, func(tx *sql.Tx) (err error) {
		events, err = selectEvents(ctx, tx, q)
		return err
	})
	return events, err
}

func (s *Store) read(ctx context.Context, f func(*sql.Tx) error) error {
	if s.view != nil {
		return s.view.read(ctx, f)
	}
	return explain(s.path, transact(ctx, s.readers, &sql.TxOptions{ReadOnly: true}, f))
}

// write runs f in a transaction that holds the one write lock of the file, and
// on the schema of this program. It asks for the schema each time: a newer
// mortise may have changed it since, and an older file may have been put back.
func (s *Store) write(ctx context.Context, f func(*sql.Tx) error) error {
	if s.why != nil {
		return s.why
	}
	return explain(s.path, transact(ctx, s.writer, nil, func(tx *sql.Tx) error {
		schema, err := schemaOf(ctx, tx)
		if err != nil {
			return err
		}
		if schema > len(s.steps) {
			return &newerError{path: s.path, schema: schema, known: len(s.steps)}
		}
		if schema < len(s.steps) {
			if err := migrate(ctx, tx, s.steps, schema); err != nil {
				return err
			}
		}
		return f(tx)
	}))
}
