package state_test

import (
	"slices"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/internal/state"
)

func sample() state.Snapshot {
	return state.Snapshot{
		Revision:     3,
		Roster:       []state.Installed{{Name: "acme", Digest: d1}, {Name: "beta", Digest: d2}},
		Switches:     []state.Switch{{Extension: "acme", Entry: "deploy", Reason: "loud", By: "ada", At: now}},
		Adoptions:    []state.Adoption{{Workspace: "w", Digest: d1, Place: "/src/w", Snapshot: "{}", By: "ada", At: now}},
		Grants:       []state.Grant{{Kind: "code", Subject: "acme", Digest: d1, By: "ada", At: now, Until: now.Add(time.Hour)}},
		Pins:         []state.Pin{{Extension: "acme", Server: "search", Tool: "query", Digest: d1, At: now}},
		Guards:       []state.Guard{{Extension: "acme", Scope: d1, Name: "g", Event: "tool-call", Code: d2, At: now}},
		Connections:  []state.Connection{{Workspace: "w", Client: "claude-code", Event: "PreToolUse", At: now}},
		Descriptions: []state.Description{{Workspace: "w", Extension: "acme", Server: "search", Declaration: d1, Content: "{}", At: now}},
	}
}

func TestDigest(t *testing.T) {
	later := now.Add(time.Hour)
	base := sample()
	for _, c := range []struct {
		name   string
		change func(*state.Snapshot)
		same   bool
	}{
		{"nothing", func(s *state.Snapshot) {}, true},
		{"the revision", func(s *state.Snapshot) { s.Revision++ }, true},
		{"the order in the list", func(s *state.Snapshot) { slices.Reverse(s.Roster) }, true},
		{"when and by whom", func(s *state.Snapshot) {
			s.Roster[0].At, s.Switches[0].At, s.Adoptions[0].At, s.Grants[0].At, s.Pins[0].At, s.Guards[0].At = later, later, later, later, later, later
			s.Roster[0].By, s.Switches[0].By, s.Adoptions[0].By, s.Grants[0].By = "bob", "bob", "bob", "bob"
		}, true},
		{"where it was adopted and what was shown", func(s *state.Snapshot) { s.Adoptions[0].Place, s.Adoptions[0].Snapshot = "/src/x", "[]" }, true},
		{"the same adopted at another place too", func(s *state.Snapshot) {
			s.Put(state.Adoption{Workspace: "w", Digest: d1, Place: "/src/x", Snapshot: "[]", By: "bob", At: later})
		}, true},
		{"what a server said, which its candidates bring along", func(s *state.Snapshot) { s.Descriptions[0].Content, s.Descriptions[0].Declaration = "[]", d2 }, true},
		{"one description less", func(s *state.Snapshot) { s.Descriptions = nil }, true},
		{"the zone of a time", func(s *state.Snapshot) { s.Grants[0].Until = s.Grants[0].Until.In(time.FixedZone("", 3600)) }, true},

		{"one connection less", func(s *state.Snapshot) { s.Connections = nil }, false},
		{"another source", func(s *state.Snapshot) { s.Roster[0].Within = "sub" }, false},
		{"what it was before", func(s *state.Snapshot) { s.Roster[0].Before = "c0ffee" }, true},
		{"the load order", func(s *state.Snapshot) { s.Roster[0].Order = 9 }, false},
		{"the commit", func(s *state.Snapshot) { s.Roster[0].Commit = "c0ffee" }, false},
		{"the ref into the commit's place", func(s *state.Snapshot) { s.Roster[0].Ref = "c0ffee" }, false},
		{"the scope", func(s *state.Snapshot) { s.Roster[0].Scope = "w" }, false},
		{"the source", func(s *state.Snapshot) { s.Roster[0].Source = "/src" }, false},
		{"the content", func(s *state.Snapshot) { s.Roster[0].Digest = d2 }, false},
		{"a switch's entry", func(s *state.Snapshot) { s.Switches[0].Entry = "" }, false},
		{"a switch's workspace", func(s *state.Snapshot) { s.Switches[0].Workspace = "w" }, false},
		{"a switch's reason, which listings show", func(s *state.Snapshot) { s.Switches[0].Reason = "" }, false},
		{"other effects adopted too", func(s *state.Snapshot) { s.Put(state.Adoption{Workspace: "w", Digest: d2, Place: "/src/w"}) }, false},
		{"the same effects adopted in another workspace", func(s *state.Snapshot) { s.Put(state.Adoption{Workspace: "v", Digest: d1, Place: "/src/w"}) }, false},
		{"adopted effects", func(s *state.Snapshot) { s.Adoptions[0].Digest = d2 }, false},
		{"granted content", func(s *state.Snapshot) { s.Grants[0].Digest = d2 }, false},
		{"the end of a grant", func(s *state.Snapshot) { s.Grants[0].Until = time.Time{} }, false},
		{"a pin", func(s *state.Snapshot) { s.Pins[0].Digest = d2 }, false},
		{"a guard's matcher", func(s *state.Snapshot) { s.Guards[0].Matcher = "shell" }, false},
		{"a guard's code", func(s *state.Snapshot) { s.Guards[0].Code = d1 }, false},
		{"one record less", func(s *state.Snapshot) { s.Pins = nil }, false},
	} {
		s := sample()
		c.change(&s)
		if got := s.Digest() == base.Digest(); got != c.same {
			t.Errorf("Digest(another value for %s): got same %v, want %v", c.name, got, c.same)
		}
	}
}

func TestDigestChangesNothing(t *testing.T) {
	s := sample()
	slices.Reverse(s.Roster)
	s.Digest()
	if s.Roster[0].Name != "beta" {
		t.Errorf("roster after Digest: got %v first, want the order it had", s.Roster[0].Name)
	}
}
