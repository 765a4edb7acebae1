package catalog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

// StatePath is the file in which what is remembered lies.
func StatePath(p host.Place) string { return statePath(p) }

// State is what is remembered on this machine. Call done when finished with it.
func State(ctx context.Context, p host.Place, purpose host.Purpose) (s state.Store, done func() error, err error) {
	if purpose == host.Looking {
		return sqlstore.ReadOnly(statePath(p)), func() error { return nil }, nil
	}
	opened, err := sqlstore.Open(ctx, statePath(p))
	if err != nil {
		return nil, nil, err
	}
	return opened, opened.Close, nil
}

// CheckState looks whether what is remembered is whole; nil where nothing is.
func CheckState(ctx context.Context, p host.Place) error {
	return sqlstore.Check(ctx, statePath(p))
}

// RepairState keeps a damaged state aside and puts a new one in its place, with what could
// be read of it. It returns where the damaged one lies, and the lists of which something is
// lost.
func RepairState(ctx context.Context, p host.Place, at time.Time) (aside string, lost []string, err error) {
	path := statePath(p)
	draft := path + ".repair"
	if err := os.Remove(draft); err != nil && !errors.Is(err, fs.ErrNotExist) { // of a repair that was ended
		return "", nil, err
	}
	snap, events, lost := sqlstore.Salvage(ctx, path)
	if err := write(ctx, draft, snap, events); err != nil {
		return "", nil, errors.Join(fmt.Errorf("make a new state: %w", err), os.Remove(draft))
	}
	aside, err = sqlstore.Swap(path, draft, at)
	return aside, lost, err
}

// write makes a state of what was read of another one.
func write(ctx context.Context, path string, snap state.Snapshot, newest []state.Event) error {
	store, err := sqlstore.Open(ctx, path)
	if err != nil {
		return err
	}
	err = store.Update(ctx, func(s *state.Snapshot) error {
		snap.Revision = s.Revision
		*s = snap
		return nil
	})
	if err == nil {
		slices.Reverse(newest) // the oldest first
		err = store.Append(ctx, newest...)
	}
	return errors.Join(err, store.Close())
}
