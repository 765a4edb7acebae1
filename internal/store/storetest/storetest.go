// Package storetest holds every store to the contract of state.Store.
package storetest

import (
	"context"
	"testing"

	"github.com/mortise-dev/mortise/internal/state"
)

// Run checks the stores that open returns, as state.CallIndex too where they are
// one. Each call of open must return an empty store and see to its end with
// t.Cleanup.
func Run(t *testing.T, open func(t *testing.T) state.Store) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, open func(t *testing.T) state.Store)
	}{
		{"a store never written loads as zero", testEmpty},
		{"every field comes back", testRoundTrip},
		{"edits of records", testEdits},
		{"a long description comes back", testLong},
		{"every update raises the revision by one", testRevision},
		{"an error changes nothing", testRollback},
		{"a panic changes nothing", testPanic},
		{"what is not tidy is not stored", testUntidy},
		{"nothing is shared with the store", testAliasing},
		{"lists do not depend on insertion order", testOrder},
		{"a done context changes nothing", testContext},
		{"an update can load", testLoadInUpdate},
		{"concurrent updates lose nothing", testConcurrent},
		{"events come newest first", testEvents},
		{"events are appended all or none", testEventsWhole},
		{"a plain model agrees", testModel},
		{"an index of calls is found by words", testCalls},
		{"an index of calls is beside the state", testCallsBesideState},
		{"a change of an index that does not fit is none", testCallsMoved},
		{"a plain model of an index of calls agrees", testCallsModel},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open) })
	}
}

// tester is what *testing.T and *rapid.T have in common and is needed here.
type tester interface {
	Context() context.Context
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// load, update, put and events fail the test on an error.

func load(t tester, s state.Store) state.Snapshot {
	t.Helper()
	snap, err := s.Load(t.Context())
	if err != nil {
		t.Fatalf("Load: got error %v, want none", err)
	}
	return snap
}

func update(t tester, s state.Store, change func(*state.Snapshot)) {
	t.Helper()
	err := s.Update(t.Context(), func(snap *state.Snapshot) error {
		change(snap)
		return nil
	})
	if err != nil {
		t.Fatalf("Update: got error %v, want none", err)
	}
}

func put(t tester, s state.Store, records ...state.Record) {
	t.Helper()
	update(t, s, func(snap *state.Snapshot) { snap.Put(records...) })
}

func events(t tester, s state.Store, q state.Query) []state.Event {
	t.Helper()
	got, err := s.Events(t.Context(), q)
	if err != nil {
		t.Fatalf("Events(%+v): got error %v, want none", q, err)
	}
	return got
}
