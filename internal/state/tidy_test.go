package state_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/state"
)

func TestTidyOrdersTheRoster(t *testing.T) {
	s := state.Snapshot{Roster: []state.Installed{
		{Name: "c", Order: 1}, {Name: "b", Order: 2}, {Name: "b", Scope: "w", Order: 1}, {Name: "b", Order: 1, Scope: "v"}, {Name: "a", Order: 3},
	}}
	if err := s.Tidy(); err != nil {
		t.Fatalf("Tidy: got error %v, want none", err)
	}
	var got []string
	for _, r := range s.Roster {
		got = append(got, fmt.Sprintf("%d %s %q", r.Order, r.Name, r.Scope))
	}
	want := []string{`1 b "v"`, `1 b "w"`, `1 c ""`, `2 b ""`, `3 a ""`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Tidy(roster): want order, then name, then scope (-want +got):\n%s", diff)
	}
}

func described(workspace, server string, declaration ext.Digest) state.Description {
	return state.Description{Workspace: workspace, Extension: "acme", Server: server, Declaration: declaration}
}

func TestTidyRefuses(t *testing.T) {
	far := time.Date(12026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		s    state.Snapshot
		want string // part of the error; "" is none
	}{
		{"nothing", state.Snapshot{}, ""},
		{"a whole sample", sample(), ""},
		{"one name in two scopes", state.Snapshot{Roster: []state.Installed{{Name: "a"}, {Name: "a", Scope: "w"}}}, ""},
		{"a guard of two matchers", state.Snapshot{Guards: []state.Guard{{Extension: "a", Matcher: "x"}, {Extension: "a", Matcher: "y"}}}, ""},
		{"one subject granted at two digests", state.Snapshot{Grants: []state.Grant{{Kind: "k", Digest: d1}, {Kind: "k", Digest: d2}}}, ""},
		{"installed twice", state.Snapshot{Roster: []state.Installed{{Name: "a", Order: 1}, {Name: "b", Order: 2}, {Name: "a", Order: 3}}}, `installed "a" is there twice`},
		{"adopted with two effects", state.Snapshot{Adoptions: []state.Adoption{{Workspace: "w", Digest: d1}, {Workspace: "w", Digest: d2}}}, ""},
		{"the same adopted at two places", state.Snapshot{Adoptions: []state.Adoption{{Workspace: "w", Digest: d1}, {Workspace: "w", Digest: d1, Place: "/a"}, {Workspace: "w", Digest: d1, Place: "/b"}}}, ""},
		{"adopted twice at one place", state.Snapshot{Adoptions: []state.Adoption{{Workspace: "w", Digest: d1, Place: "/a"}, {Workspace: "w", Digest: d1, Place: "/a", By: "ada"}}}, `adoption of "w" at "/a" is there twice`},
		{"adopted twice", state.Snapshot{Adoptions: []state.Adoption{{Workspace: "w", Digest: d1}, {Workspace: "w", Digest: d1}}}, `adoption of "w" is there twice`},
		{"one server described in two workspaces", state.Snapshot{Descriptions: []state.Description{described("v", "a", d1), described("w", "a", d1)}}, ""},
		{"one server described twice", state.Snapshot{Descriptions: []state.Description{described("w", "a", d1), described("w", "a", d2)}}, `description of "acme:a" in "w" is there twice`},
		{"a description in no workspace", state.Snapshot{Descriptions: []state.Description{described("", "a", d1)}}, "no workspace is given"},
		{"a description of no server", state.Snapshot{Descriptions: []state.Description{described("w", "", d1)}}, "no server is given"},
		{"a description of no declaration", state.Snapshot{Descriptions: []state.Description{described("w", "a", ext.Digest{})}}, "no digest is given"},
		{"a foreign name in the message is escaped", state.Snapshot{Switches: []state.Switch{{Extension: "a", Entry: "\x1b[2J"}, {Extension: "a", Entry: "\x1b[2J"}}}, `switch of "a:\x1b[2J" is there twice`},
		{"a roster line without a name", state.Snapshot{Roster: []state.Installed{{}}}, "no extension is given"},
		{"an adoption of no workspace", state.Snapshot{Adoptions: []state.Adoption{{Digest: d1}}}, "no workspace is given"},
		{"an adoption of no effects", state.Snapshot{Adoptions: []state.Adoption{{Workspace: "w"}}}, "no digest is given"},
		{"a grant of no content", state.Snapshot{Grants: []state.Grant{{Kind: "code"}}}, "no digest is given"},
		{"a grant until the far future", state.Snapshot{Grants: []state.Grant{{Kind: "code", Digest: d1, Until: far}}}, "the year 12026 is not within 0 to 9999"},
	} {
		err := c.s.Tidy()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("Tidy(%s): got error %v, want %q", c.name, err, c.want)
		}
	}
}
