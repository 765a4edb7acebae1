package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/file"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

// State is what is remembered on this machine. Call done when finished with it.
func State(ctx context.Context, p host.Place, purpose host.Purpose) (s state.Store, done func() error, err error) {
	if purpose == host.Looking {
		return sqlstore.ReadOnly(StatePath(p)), func() error { return nil }, nil
	}
	opened, err := sqlstore.Open(ctx, StatePath(p))
	if err != nil {
		return nil, nil, err
	}
	return opened, opened.Close, nil
}

// CheckState looks whether what is remembered is whole; nil where nothing is.
func CheckState(ctx context.Context, p host.Place) error {
	return sqlstore.Check(ctx, StatePath(p))
}

// forbidding are the lists of a state that say what may not be, or what guards: without one
// of them more would be allowed than was.
var forbidding = []string{"roster", "switches", "placed_adoptions", "grants", "guards"}

// RepairState keeps a damaged state aside and puts a new one in its place, with what could
// be read of it. It returns where the damaged one lies, "" where it is not damaged any more,
// and the lists of which something is lost. Where that are lists without which more would be
// allowed, nothing is done unless accept is set, and all that is installed is switched off
// then.
func RepairState(ctx context.Context, p host.Place, at time.Time, accept bool) (aside string, lost []string, err error) {
	path := StatePath(p)
	l, err := file.WaitLock(ctx, path+".repair")
	if err != nil {
		return "", nil, err
	}
	defer l.Release()
	switch err := sqlstore.Check(ctx, path); {
	case err == nil:
		return "", nil, nil // somebody else repaired it
	case !errors.Is(err, state.ErrDamaged):
		return "", nil, err
	}
	snap, events, lost := sqlstore.Salvage(ctx, path)
	if gone := critical(lost); gone != nil {
		if !accept {
			return "", lost, ext.AsRefused(fmt.Errorf("of %s not everything can be read, and without it more would be allowed than was; put a copy of the state back, or give --accept-loss: then all that is installed is switched off until you enable it", strings.Join(gone, ", ")))
		}
		for _, i := range snap.Roster {
			snap.Put(state.Switch{Workspace: i.Scope, Extension: i.Name, Reason: "the state was damaged, and what was switched off is not known", At: at.UTC()})
		}
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".repair-")
	if err != nil {
		return "", lost, err
	}
	defer os.RemoveAll(dir)
	draft := filepath.Join(dir, "state.db")
	if err := write(ctx, draft, snap, events); err != nil {
		return "", lost, fmt.Errorf("make a new state: %w", err)
	}
	aside, err = sqlstore.Swap(path, draft, at)
	return aside, lost, err
}

func critical(lost []string) (gone []string) {
	for _, l := range lost {
		if slices.Contains(forbidding, l) {
			gone = append(gone, strings.TrimPrefix(l, "placed_"))
		}
	}
	return gone
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
