package sqlstore_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"modernc.org/sqlite"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

var (
	d1   = ext.Sum([]byte("one"))
	noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// version1 makes a state at path as the first version left it, with one record
// of each kind it knew.
func version1(t *testing.T, path string) {
	t.Helper()
	const at = "'2026-03-01T12:00:00Z'"
	d := "'" + d1.String() + "'"
	execute(t, path, "PRAGMA journal_mode = WAL; PRAGMA application_id = 0x6d727473; PRAGMA user_version = 1;"+sqlstore.Schema()[0]+`;
		UPDATE revision SET number = 1;
		INSERT INTO roster VALUES ('acme', '', '/src', 'v1', 'c0ffee', `+d+`, 1, 2, 'ada', `+at+`);
		INSERT INTO switches VALUES ('', 'acme', 'skill/x', 'loud', 'ada', `+at+`);
		INSERT INTO adoptions VALUES ('repo:1', `+d+`, 'ada', `+at+`);
		INSERT INTO grants VALUES ('code', 'acme', `+d+`, 'ada', `+at+`, '');
		INSERT INTO pins VALUES ('acme', 'search', 'query', `+d+`, `+at+`);
		INSERT INTO guards VALUES ('acme', `+d+`, 'g', 'tool-call', '', `+d+`, `+at+`);
		INSERT INTO events VALUES (1, 'adopted', 'repo:1', '', 'ada', `+at+`, 1)`)
}

// of1 is what version1 stores.
func of1() state.Snapshot {
	return state.Snapshot{
		Revision:  1,
		Roster:    []state.Installed{{Name: "acme", Source: "/src", Ref: "v1", Commit: "c0ffee", Digest: d1, Order: 2, By: "ada", At: noon}},
		Switches:  []state.Switch{{Extension: "acme", Entry: "skill/x", Reason: "loud", By: "ada", At: noon}},
		Adoptions: []state.Adoption{{Workspace: "repo:1", Digest: d1, By: "ada", At: noon}},
		Grants:    []state.Grant{{Kind: "code", Subject: "acme", Digest: d1, By: "ada", At: noon}},
		Pins:      []state.Pin{{Extension: "acme", Server: "search", Tool: "query", Digest: d1, At: noon}},
		Guards:    []state.Guard{{Extension: "acme", Scope: d1, Name: "g", Event: "tool-call", Code: d1, At: noon}},
	}
}

func TestVersion1IsMigrated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	version1(t, path)
	before := read(t, path)
	snap, err := sqlstore.Peek(t.Context(), path)
	if diff := cmp.Diff(of1(), snap); diff != "" || err != nil {
		t.Errorf("Peek of a file of version 1: got error %v (-want +got):\n%s", err, diff)
	}
	if read(t, path) != before {
		t.Error("file after Peek: got other bytes, want it left as it was")
	}

	s := open(t, path)
	snap, err = s.Load(t.Context())
	if diff := cmp.Diff(of1(), snap); diff != "" || err != nil {
		t.Errorf("Load once migrated: got error %v (-want +got):\n%s", err, diff)
	}
	if events, err := s.Events(t.Context(), state.Query{}); len(events) != 1 || events[0].Subject != "repo:1" || err != nil {
		t.Errorf("Events once migrated: got %v, error %v, want the one of before", events, err)
	}
	placed := state.Adoption{Workspace: "repo:1", Digest: d1, Place: "/src/tree", Snapshot: "{}", By: "ada", At: noon}
	said := state.Description{Workspace: "repo:1", Extension: "acme", Server: "search", Declaration: d1, Content: "{}", At: noon}
	put(t, s, placed, said)
	want := of1()
	want.Revision, want.Adoptions, want.Descriptions = 2, append(want.Adoptions, placed), []state.Description{said}
	snap, err = open(t, path).Load(t.Context())
	if diff := cmp.Diff(want, snap); diff != "" || err != nil {
		t.Errorf("Load after storing what is new: got error %v (-want +got):\n%s", err, diff)
	}
}

// An older program reads on in the table it knows. There it may find fewer
// adoptions than there are, and none that is over.
func TestVersion1SeesNoAdoptionThatIsOver(t *testing.T) {
	d2 := ext.Sum([]byte("two"))
	old := state.Adoption{Workspace: "repo:1", Digest: d1, By: "ada", At: noon}
	again := old
	again.By = "bob"
	placed := state.Adoption{Workspace: "repo:1", Digest: d1, Place: "/src/tree", Snapshot: "{}", At: noon}
	other := state.Adoption{Workspace: "repo:1", Digest: d2, Place: "/src/tree", Snapshot: "{}", At: noon}
	for _, c := range []struct {
		name    string
		changes []func(*state.Snapshot)
		left    int
	}{
		{"migrated", nil, 1},
		{"more adopted", []func(*state.Snapshot){func(s *state.Snapshot) { s.Put(placed, other) }}, 1},
		{"other effects removed", []func(*state.Snapshot){
			func(s *state.Snapshot) { s.Put(other) }, func(s *state.Snapshot) { s.Remove(other) },
		}, 1},
		{"removed", []func(*state.Snapshot){func(s *state.Snapshot) { s.Remove(old) }}, 0},
		{"replaced", []func(*state.Snapshot){func(s *state.Snapshot) { s.Put(again) }}, 0},
		{"removed at one place", []func(*state.Snapshot){
			func(s *state.Snapshot) { s.Put(placed) }, func(s *state.Snapshot) { s.Remove(placed) },
		}, 0},
	} {
		path := filepath.Join(t.TempDir(), "state.db")
		version1(t, path)
		s := open(t, path)
		for _, change := range c.changes {
			if err := s.Update(t.Context(), func(snap *state.Snapshot) error { change(snap); return nil }); err != nil {
				t.Fatalf("Update (%s): got error %v, want none", c.name, err)
			}
		}
		if n := count(t, path, "SELECT count(*) FROM adoptions"); n != c.left {
			t.Errorf("adoptions that an older program reads (%s): got %d, want %d", c.name, n, c.left)
		}
	}
}

// count is the number that query selects from the database at path.
func count(t *testing.T, path, query string) (n int) {
	t.Helper()
	c, err := sqlite.NewConnector(path)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(c)
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// What a newer program took out of its own table is not looked for in an older
// one.
func TestNewerSchemaWithoutAdoptions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	version1(t, path)
	fillSteps(t, path, newer())
	execute(t, path, "DROP TABLE placed_adoptions")
	if snap, err := open(t, path).Load(t.Context()); err != nil || len(snap.Adoptions) != 0 || len(snap.Grants) != 2 {
		t.Errorf("Load: got %d adoptions and %d grants, error %v, want none and two", len(snap.Adoptions), len(snap.Grants), err)
	}
}

// What an update does not change is not written again: a log that grew by less
// than one description holds none.
func TestUpdateLeavesDescriptionsAlone(t *testing.T) {
	const long = 1 << 20
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path)
	said := state.Description{Workspace: "w", Extension: "acme", Server: "a", Declaration: d1, Content: strings.Repeat("x", long)}
	other := said
	other.Server = "b"
	put(t, s, said, other)
	if err := checkpoint(path, "TRUNCATE"); err != nil {
		t.Fatal(err)
	}
	put(t, s, said, state.Switch{Extension: "acme"})
	if n := size(t, path+"-wal"); n == 0 || n > long/2 {
		t.Errorf("log after an update of something else: got %d bytes, want some and fewer than a description has", n)
	}
	other.Content += "y"
	put(t, s, other)
	if n := size(t, path+"-wal"); n < long || n > 2*long {
		t.Errorf("log after an update of one of two descriptions: got %d bytes, want about %d", n, long)
	}
}
