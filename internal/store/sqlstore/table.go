package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/mortise-dev/mortise/internal/state"
)

// tables is where each list of a snapshot is kept.
var tables = []interface {
	name() string
	load(context.Context, *sql.Tx, *state.Snapshot) error
	save(ctx context.Context, tx *sql.Tx, old, next *state.Snapshot) error
}{roster, switches, adoptions, grants, pins, guards}

// table keeps one list of a snapshot. The first columns, as many as keys says,
// identify a row.
type table[T comparable] struct {
	title   string
	keys    int
	columns []string
	list    func(*state.Snapshot) *[]T
	fields  func(*T) []any // one for each column, to be scanned into and stored from
}

func (t table[T]) name() string { return t.title }

func (t table[T]) load(ctx context.Context, tx *sql.Tx, s *state.Snapshot) error {
	rows, err := tx.QueryContext(ctx, "SELECT "+strings.Join(t.columns, ", ")+" FROM "+t.title)
	if err != nil {
		return err
	}
	defer rows.Close()
	list := t.list(s)
	for rows.Next() {
		var r T
		if err := rows.Scan(t.fields(&r)...); err != nil {
			return &damage{err.Error()}
		}
		*list = append(*list, r)
	}
	return rows.Err()
}

// save writes what differs between old and next, deletions first.
func (t table[T]) save(ctx context.Context, tx *sql.Tx, old, next *state.Snapshot) error {
	was, is := t.list(old), t.list(next)
	drop := "DELETE FROM " + t.title + " WHERE " + strings.Join(t.columns[:t.keys], " = ? AND ") + " = ?"
	for _, r := range without(*was, *is) {
		if _, err := tx.ExecContext(ctx, drop, t.fields(&r)[:t.keys]...); err != nil {
			return err
		}
	}
	add := "INSERT INTO " + t.title + " (" + strings.Join(t.columns, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(t.columns)-1) + ")"
	for _, r := range without(*is, *was) {
		if _, err := tx.ExecContext(ctx, add, t.fields(&r)...); err != nil {
			return err
		}
	}
	return nil
}

// without is the elements of a that are not in b.
func without[T comparable](a, b []T) (rest []T) {
	in := make(map[T]bool, len(b))
	for _, x := range b {
		in[x] = true
	}
	for _, x := range a {
		if !in[x] {
			rest = append(rest, x)
		}
	}
	return rest
}

const selectRevision = "SELECT number FROM revision"

// load reads the whole state. In a database of another schema it passes over
// the tables that are not there.
func load(ctx context.Context, tx *sql.Tx, known int) (s state.Snapshot, err error) {
	schema, err := schemaOf(ctx, tx)
	if err != nil {
		return s, err
	}
	for _, t := range tables {
		if schema != known {
			there, err := hasTable(ctx, tx, t.name())
			if err != nil {
				return s, err
			}
			if !there {
				continue
			}
		}
		if err := t.load(ctx, tx, &s); err != nil {
			return s, fmt.Errorf("read %s: %w", t.name(), err)
		}
	}
	if err := tx.QueryRowContext(ctx, selectRevision).Scan(&s.Revision); err != nil {
		return s, fmt.Errorf("read revision: %w", err)
	}
	if err := s.Tidy(); err != nil {
		return s, &damage{err.Error()}
	}
	return s, nil
}

// save replaces old, which the database holds, by next.
func save(ctx context.Context, tx *sql.Tx, old, next *state.Snapshot) error {
	for _, t := range tables {
		if err := t.save(ctx, tx, old, next); err != nil {
			return fmt.Errorf("write %s: %w", t.name(), err)
		}
	}
	_, err := tx.ExecContext(ctx, "UPDATE revision SET number = ?", next.Revision)
	return err
}

func hasTable(ctx context.Context, tx *sql.Tx, name string) (there bool, err error) {
	err = tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?)", name).Scan(&there)
	return there, err
}
