// Package state is what is remembered between runs, as values: what is
// installed, switched off, adopted, granted, pinned and guarded, what servers
// said of themselves, and the history of changes of it. It holds no clock and
// does no I/O; a Store does.
package state

import (
	"context"
	"errors"
)

// ErrReadOnly is wrapped by every error of a Store that can be read and not
// written. The error's text says why and what to do.
var ErrReadOnly = errors.New("state is read-only")

// ErrDamaged is wrapped by every error that says that what is kept is no state, or makes no
// sense. It is not about what cannot be reached for now.
var ErrDamaged = errors.New("state is damaged")

// Store keeps one state. All methods may be called from several goroutines,
// and several processes may use one persistent store at once.
type Store interface {
	// Load returns the state at one moment. It is the caller's: nothing in it
	// is shared with the store. Lists are sorted as Tidy sorts them. A store
	// that was never written loads as the zero Snapshot.
	Load(ctx context.Context) (Snapshot, error)

	// Update reads the state, lets change edit it, and stores the result, all
	// as one step that no other Update comes between. The snapshot passed has
	// the revision that Load would return; a successful Update stores the next
	// one, whatever change did to the field and even if it changed nothing. An
	// error of change is returned as it is, and then, or when the result is not
	// Tidy or ctx is done, nothing is stored. change may Load from the store
	// but must not Update it, Append to it or block: other writers wait.
	Update(ctx context.Context, change func(*Snapshot) error) error

	// Append adds to the history, all events or none, in the order given. It
	// does not change the revision.
	Append(ctx context.Context, events ...Event) error

	// Events returns what q selects of the history, the newest first: of two
	// events, the one appended later is newer, whatever their times say.
	Events(ctx context.Context, q Query) ([]Event, error)
}

// Revisioned is a Store that can tell its revision without loading the rest.
type Revisioned interface {
	Revision(ctx context.Context) (uint64, error)
}

// RevisionOf is the revision of s: what Load would return, read more cheaply
// where s is Revisioned.
func RevisionOf(ctx context.Context, s Store) (uint64, error) {
	if r, ok := s.(Revisioned); ok {
		return r.Revision(ctx)
	}
	snap, err := s.Load(ctx)
	return snap.Revision, err
}
