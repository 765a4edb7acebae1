package sqlstore_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/mortise-dev/mortise/internal/state"
)

// Of what a newer program keeps the index can be read, and not changed.
func TestCallIndexOfNewerSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path)
	known := state.CallSegment{File: "a", End: 10, Sound: true, Blocks: []state.CallBlock{{End: 10, Words: "\ntquery"}}}
	if err := s.ChangeCalls(t.Context(), state.CallChange{Segment: known, Anew: true}); err != nil {
		t.Fatal(err)
	}
	fillSteps(t, path, newer())
	s = open(t, path)
	if got, err := s.Calls(t.Context(), []string{"tq"}); err != nil || len(got) != 1 || len(got[0].Blocks) != 1 {
		t.Errorf("Calls: got %+v, error %v, want the block that was stored", got, err)
	}
	if err := s.ChangeCalls(t.Context(), state.CallChange{Gone: []string{"a"}}); !errors.Is(err, state.ErrReadOnly) {
		t.Errorf("ChangeCalls: got error %v, want ErrReadOnly", err)
	}
}

// A change of the index is none of the state.
func TestRevisionDoesNotMoveWithCallIndex(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state.db"))
	put(t, s, state.Switch{Extension: "acme"})
	if err := s.ChangeCalls(t.Context(), state.CallChange{Segment: state.CallSegment{File: "a"}, Anew: true}); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Revision(t.Context()); n != 1 || err != nil {
		t.Errorf("Revision after a change of the index: got %d, error %v, want 1, as before", n, err)
	}
}
