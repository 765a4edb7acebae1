package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/mortise-dev/mortise/internal/state"
)

// tables is where each list of a snapshot is kept.
var tables = []interface {
	name() string
	load(ctx context.Context, tx *sql.Tx, s *state.Snapshot, from source) error
	find(ctx context.Context, tx *sql.Tx, older bool) (source, error)
	save(ctx context.Context, tx *sql.Tx, old, next *state.Snapshot) error
}{roster, switches, adoptions, grants, pins, guards, descriptions, connections, levels}

// table keeps one list of a snapshot. The first columns, as many as keys says,
// identify a row.
type table[T comparable] struct {
	title   string
	before  string // the table that an older schema has instead; "" is none
	keys    int
	columns []string
	list    func(*state.Snapshot) *[]T
	fields  func(*T) []any // one for each column, to be scanned into and stored from
}

func (t table[T]) name() string { return t.title }

// load reads the columns that are there; what the others hold stays zero.
func (t table[T]) load(ctx context.Context, tx *sql.Tx, s *state.Snapshot, from source) error {
	names := from.columns.of(t.columns)
	rows, err := tx.QueryContext(ctx, "SELECT "+strings.Join(names, ", ")+" FROM "+from.table)
	if err != nil {
		return err
	}
	defer rows.Close()
	var zero, r T
	list, into := t.list(s), pick(t.fields(&r), t.columns, names)
	for rows.Next() {
		r = zero
		if err := rows.Scan(into...); err != nil {
			return &damage{err.Error()}
		}
		*list = append(*list, r)
	}
	return rows.Err()
}

// find is where a database of another schema keeps the list, without columns
// when it keeps it nowhere. In a newer one the table of before is not looked
// for: what it holds may be over.
func (t table[T]) find(ctx context.Context, tx *sql.Tx, older bool) (source, error) {
	there, err := columnsOf(ctx, tx, t.title)
	if err != nil || len(there) > 0 || !older || t.before == "" {
		return source{t.title, there}, err
	}
	there, err = columnsOf(ctx, tx, t.before)
	return source{t.before, there}, err
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
// the tables and columns that are not there.
func load(ctx context.Context, tx *sql.Tx, known int) (s state.Snapshot, err error) {
	schema, err := schemaOf(ctx, tx)
	if err != nil {
		return s, err
	}
	for _, t := range tables {
		from := source{table: t.name()}
		if schema != known {
			if from, err = t.find(ctx, tx, schema < known); err != nil {
				return s, err
			}
			if len(from.columns) == 0 {
				continue
			}
		}
		if err := t.load(ctx, tx, &s, from); err != nil {
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

// source is where a list is read from.
type source struct {
	table   string
	columns columns
}

// columns are those that a table has; nil is all that are asked for.
type columns []string

// columnsOf is empty when there is no such table.
func columnsOf(ctx context.Context, tx *sql.Tx, table string) (there columns, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT name FROM pragma_table_info(?)", table)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		there = append(there, name)
	}
	return there, rows.Err()
}

// of is those of names that are there.
func (c columns) of(names []string) []string {
	if c == nil {
		return names
	}
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !slices.Contains(c, n) })
}

// pick is those of fields, one for each of all, that belong to names, which
// are of all and in their order.
func pick(fields []any, all, names []string) []any {
	if len(names) == len(all) {
		return fields
	}
	var picked []any
	for i, n := range all {
		if slices.Contains(names, n) {
			picked = append(picked, fields[i])
		}
	}
	return picked
}
