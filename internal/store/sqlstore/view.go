package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/mortise-dev/mortise/internal/state"
)

// View is a state.Store that only looks: it makes no file, changes none, and
// keeps none open between calls. Where there is no state it is empty. Make one
// with ReadOnly.
type View struct {
	path  string
	steps []string
}

var (
	_ state.Store      = (*View)(nil)
	_ state.Revisioned = (*View)(nil)
)

// ReadOnly returns a view of the state at path. Nothing is read yet.
func ReadOnly(path string) *View {
	return &View{path: path, steps: schema()}
}

// Peek loads the state at path and writes nothing. It is empty when there is
// none.
func Peek(ctx context.Context, path string) (state.Snapshot, error) {
	return ReadOnly(path).Load(ctx)
}

// Load implements state.Store, as Store.Load does.
func (v *View) Load(ctx context.Context) (snap state.Snapshot, err error) {
	err = v.read(ctx, func(tx *sql.Tx) (err error) {
		snap, err = load(ctx, tx, len(v.steps))
		return err
	})
	return snap, err
}

// Revision implements state.Revisioned.
func (v *View) Revision(ctx context.Context) (revision uint64, err error) {
	err = v.read(ctx, func(tx *sql.Tx) error {
		if _, err := schemaOf(ctx, tx); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, selectRevision).Scan(&revision)
	})
	return revision, err
}

// Update returns an error that wraps state.ErrReadOnly.
func (v *View) Update(context.Context, func(*state.Snapshot) error) error { return v.refuse() }

// Append returns an error that wraps state.ErrReadOnly.
func (v *View) Append(context.Context, ...state.Event) error { return v.refuse() }

func (v *View) refuse() error {
	return fmt.Errorf("state at %s was opened to look only: %w", v.path, state.ErrReadOnly)
}

// Events implements state.Store.
func (v *View) Events(ctx context.Context, q state.Query) (events []state.Event, err error) {
	err = v.read(ctx, func(tx *sql.Tx) (err error) {
		events, err = selectEvents(ctx, tx, q)
		return err
	})
	return events, err
}

// read runs f over the database, maybe twice, or not at all where there is
// none. A database at rest is read without locks, which would need files
// beside it; when it did not stay at rest, and when it is in use, with them.
func (v *View) read(ctx context.Context, f func(*sql.Tx) error) error {
	path, err := filepath.Abs(v.path)
	if err != nil {
		return err
	}
	if there, err := exists(path); !there || err != nil {
		return err
	}
	if before := traceOf(path); before.log == 0 {
		err := v.readAs(ctx, path, still, f)
		if traceOf(path) == before {
			return explain(path, err)
		}
	}
	return explain(path, v.readAs(ctx, path, looking, f))
}

func (v *View) readAs(ctx context.Context, path, how string, f func(*sql.Tx) error) (err error) {
	db, err := connect(path, how, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return transact(ctx, db, &sql.TxOptions{ReadOnly: true}, f)
}

// trace is what a write to a database leaves on the outside.
type trace struct {
	size, log int64
	changed   time.Time
}

func traceOf(path string) (t trace) {
	if info, err := os.Stat(path); err == nil {
		t.size, t.changed = info.Size(), info.ModTime()
	}
	t.log = size(path + "-wal")
	return t
}
