package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/internal/state"
)

// Check looks whether the database at path is whole: as SQLite judges it, and as what it
// holds makes sense. Nil where there is none. It changes nothing.
func Check(ctx context.Context, path string) error {
	v := ReadOnly(path)
	err := v.read(ctx, func(tx *sql.Tx) error {
		if _, err := schemaOf(ctx, tx); err != nil {
			return err
		}
		return integrity(ctx, tx)
	})
	if err == nil {
		_, err = v.Load(ctx)
	}
	if err == nil {
		_, err = v.Events(ctx, state.Query{})
	}
	return err
}

// integrity is what SQLite finds wrong with a database.
func integrity(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, "PRAGMA integrity_check(5)")
	if err != nil {
		return err
	}
	defer rows.Close()
	var wrong []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return err
		}
		if line != "ok" {
			wrong = append(wrong, line)
		}
	}
	if wrong != nil {
		return &damage{strings.Join(wrong, "; ")}
	}
	return rows.Err()
}

// Salvage reads of a database what can be read, list by list. lost names the lists that
// cannot be, or not whole; what of them was read before the damage is there.
func Salvage(ctx context.Context, path string) (snap state.Snapshot, events []state.Event, lost []string) {
	v := ReadOnly(path)
	for _, t := range tables {
		var s state.Snapshot
		err := v.read(ctx, func(tx *sql.Tx) error {
			s = state.Snapshot{} // it may be run twice
			from, err := t.find(ctx, tx, true)
			if err != nil || len(from.columns) == 0 {
				return err
			}
			return t.load(ctx, tx, &s, from)
		})
		if err != nil || s.Tidy() != nil {
			lost = append(lost, t.name())
		}
		if s.Tidy() == nil {
			snap.Put(records(&s)...)
		}
	}
	events, err := v.Events(ctx, state.Query{})
	if err != nil {
		lost = append(lost, "history")
	}
	_ = snap.Tidy() // each list is tidy by itself
	return snap, events, lost
}

// records are all records of a snapshot.
func records(s *state.Snapshot) (all []state.Record) {
	all = add(all, s.Roster)
	all = add(all, s.Switches)
	all = add(all, s.Adoptions)
	all = add(all, s.Grants)
	all = add(all, s.Pins)
	all = add(all, s.Guards)
	all = add(all, s.Descriptions)
	return add(all, s.Connections)
}

func add[T state.Record](all []state.Record, list []T) []state.Record {
	for _, r := range list {
		all = append(all, r)
	}
	return all
}

// Swap puts the database at from in the place of the one at path, which is kept beside
// under a name that ends in the time. There is a database at path at every moment. Who has
// it open goes on with the old one. It returns where that is then.
func Swap(path, from string, at time.Time) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	to := path + ".damaged-" + at.UTC().Format("20060102T150405Z")
	if _, err := os.Lstat(to); err == nil {
		return "", fmt.Errorf("%s is there already", to)
	}
	if err := os.Link(path, to); err != nil {
		return "", fmt.Errorf("keep the damaged state aside: %w", err)
	}
	for _, end := range []string{"-wal", "-shm"} { // what is not in the old database yet must not be read with the new one
		if err := os.Rename(path+end, to+end); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("keep the damaged state aside: %w", err)
		}
	}
	if err := os.Rename(from, path); err != nil {
		return "", fmt.Errorf("put the new state in its place: %w", err)
	}
	return to, nil
}
