// Package memstore keeps state in memory, for tests and for hosts that
// remember nothing.
package memstore

import (
	"context"
	"sync"

	"github.com/mortise-dev/mortise/internal/state"
)

// Store is a state.Store that ends with its process. Make one with New.
type Store struct {
	writing sync.Mutex // held by one Update from its read to its write

	mu       sync.RWMutex // guards what follows; never held while a caller's function runs
	snapshot state.Snapshot
	events   []state.Event
}

var (
	_ state.Store      = (*Store)(nil)
	_ state.Revisioned = (*Store)(nil)
)

// New returns an empty store.
func New() *Store { return &Store{} }

// Load implements state.Store.
func (s *Store) Load(ctx context.Context) (state.Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return state.Snapshot{}, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.snapshot.Clone(), nil
}

// Revision implements state.Revisioned.
func (s *Store) Revision(ctx context.Context) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.snapshot.Revision, nil
}

// Update implements state.Store.
func (s *Store) Update(ctx context.Context, change func(*state.Snapshot) error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	draft, err := s.Load(ctx)
	if err != nil {
		return err
	}
	revision := draft.Revision + 1
	if err := change(&draft); err != nil {
		return err
	}
	next := draft.Clone() // change may have kept the draft
	if err := next.Tidy(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	next.Revision = revision
	s.mu.Lock()
	defer s.mu.Unlock()
	s.snapshot = next
	return nil
}

// Append implements state.Store.
func (s *Store) Append(ctx context.Context, events ...state.Event) error {
	events, err := state.TidyEvents(events)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, events...)
	return nil
}

// Events implements state.Store.
func (s *Store) Events(ctx context.Context, q state.Query) ([]state.Event, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var found []state.Event
	for i := len(s.events) - 1; i >= 0; i-- {
		if q.Limit > 0 && len(found) == q.Limit {
			break
		}
		if q.Selects(s.events[i]) {
			found = append(found, s.events[i])
		}
	}
	return found, nil
}
