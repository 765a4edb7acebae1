package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mortise-dev/mortise/internal/state"
)

func testEvents(t *testing.T, open opener) {
	s := open(t)
	all := []state.Event{
		{Kind: "installed", Subject: "acme", Text: odd, By: "ada", At: noon, Revision: 1},
		{Kind: "disabled", Subject: "acme", Text: "too loud", By: "ada", At: noon.Add(time.Hour), Revision: 2},
		{Kind: "enabled", Subject: "acme", At: noon.Add(-time.Hour)}, // a clock went back: still newer
		{Kind: "disabled", Subject: odd, At: noon},
	}
	for _, batch := range [][]state.Event{all[:1], all[1:3], nil, all[3:]} {
		if err := s.Append(t.Context(), batch...); err != nil {
			t.Fatalf("Append of %d events: got error %v, want none", len(batch), err)
		}
	}
	for _, c := range []struct {
		name  string
		query state.Query
		want  []state.Event
	}{
		{"all", state.Query{}, []state.Event{all[3], all[2], all[1], all[0]}},
		{"the newest two", state.Query{Limit: 2}, []state.Event{all[3], all[2]}},
		{"a limit above what there is", state.Query{Limit: 9}, []state.Event{all[3], all[2], all[1], all[0]}},
		{"a limit below zero is none", state.Query{Limit: -1}, []state.Event{all[3], all[2], all[1], all[0]}},
		{"one kind", state.Query{Kinds: []string{"disabled"}}, []state.Event{all[3], all[1]}},
		{"the newest of one kind", state.Query{Kinds: []string{"disabled"}, Limit: 1}, []state.Event{all[3]}},
		{"two kinds", state.Query{Kinds: []string{"enabled", "installed"}}, []state.Event{all[2], all[0]}},
		{"a kind that is not there", state.Query{Kinds: []string{"moved"}}, nil},
	} {
		if diff := cmp.Diff(c.want, events(t, s, c.query)); diff != "" {
			t.Errorf("Events(%s) (-want +got):\n%s", c.name, diff)
		}
	}
	if got := load(t, s).Revision; got != 0 {
		t.Errorf("revision after Append: got %d, want 0, unchanged", got)
	}
}

func testEventsWhole(t *testing.T, open opener) {
	s := open(t)
	if err := s.Append(t.Context(), state.Event{Kind: "disabled"}, state.Event{Subject: "no kind"}); err == nil {
		t.Error("Append of an event without a kind: got no error, want one")
	}
	if got := events(t, s, state.Query{}); len(got) != 0 {
		t.Errorf("Events after a failed Append: got %d, want none of its events", len(got))
	}
}
