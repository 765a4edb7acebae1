package sqlstore_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"modernc.org/sqlite"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

// fill makes a small state at path and closes it.
func fill(t *testing.T, path string) {
	t.Helper()
	fillSteps(t, path, sqlstore.Schema())
}

func fillSteps(t *testing.T, path string, steps []string) {
	t.Helper()
	s, err := sqlstore.OpenSteps(t.Context(), path, steps)
	if err != nil {
		t.Fatalf("Open: got error %v, want none", err)
	}
	put(t, s, state.Grant{Kind: "code", Subject: "acme", Digest: ext.Sum(nil)}, state.Switch{Extension: "acme"})
	if err := s.Append(t.Context(), state.Event{Kind: "granted"}); err != nil {
		t.Fatalf("Append: got error %v, want none", err)
	}
	if err := s.Close(); err != nil {
		t.Fatalf("Close: got error %v, want none", err)
	}
}

// execute changes the database at path behind the store's back.
func execute(t *testing.T, path, statements string) {
	t.Helper()
	c, err := sqlite.NewConnector(path)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(c)
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
}

func newer() []string {
	steps := sqlstore.Schema()
	for range 6 {
		steps = append(steps, "CREATE TABLE IF NOT EXISTS later (x TEXT)")
	}
	return steps
}

func TestNewerSchemaIsReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	fillSteps(t, path, newer())
	s := open(t, path)

	snap, err := s.Load(t.Context())
	if err != nil || snap.Revision != 1 || len(snap.Grants) != 1 || len(snap.Switches) != 1 {
		t.Errorf("Load: got %+v, error %v, want what the newer one stored", snap, err)
	}
	if n, err := s.Revision(t.Context()); n != 1 || err != nil {
		t.Errorf("Revision: got %d, error %v, want 1", n, err)
	}
	if events, err := s.Events(t.Context(), state.Query{}); len(events) != 1 || err != nil {
		t.Errorf("Events: got %v, error %v, want 1", events, err)
	}
	known := len(sqlstore.Schema())
	want := fmt.Sprintf("state at %s was written by a newer mortise (schema %d, this one knows %d)", path, known+6, known) + ": opened read-only; upgrade mortise, or set MORTISE_HOME to another directory"
	for door, err := range map[string]error{
		"Update": s.Update(t.Context(), func(*state.Snapshot) error {
			t.Error("Update: got its function called, want it not to be")
			return nil
		}),
		"Append":   s.Append(t.Context(), state.Event{Kind: "granted"}),
		"ReadOnly": s.ReadOnly(),
	} {
		if !errors.Is(err, state.ErrReadOnly) || err.Error() != want {
			t.Errorf("%s: got error %v, want ErrReadOnly saying %q", door, err, want)
		}
	}
}

func TestNewerSchemaWithoutAKnownTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	fillSteps(t, path, newer())
	execute(t, path, "DROP TABLE switches; DROP TABLE pins")
	for door, s := range map[string]state.Store{"Open": open(t, path), "ReadOnly": sqlstore.ReadOnly(path)} {
		snap, err := s.Load(t.Context())
		if err != nil || len(snap.Switches) != 0 || len(snap.Grants) != 1 {
			t.Errorf("Load through %s: got %+v, error %v, want the lists whose tables are there", door, snap, err)
		}
	}
}

// The program may be upgraded while an older one still runs.
func TestSchemaMigratedUnderAnOpenStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path)
	put(t, s, state.Switch{Extension: "acme"})
	fillSteps(t, path, newer())
	if err := s.Update(t.Context(), func(*state.Snapshot) error { return nil }); !errors.Is(err, state.ErrReadOnly) {
		t.Errorf("Update of a file migrated since Open: got error %v, want ErrReadOnly", err)
	}
	if snap, err := s.Load(t.Context()); err != nil || snap.Revision != 2 {
		t.Errorf("Load of it: got revision %d, error %v, want 2", snap.Revision, err)
	}
}

func TestMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	fill(t, path)
	broken := append(sqlstore.Schema(), "CREATE TABLE later (x TEXT)", "NO SUCH STATEMENT")
	if _, err := sqlstore.OpenSteps(t.Context(), path, broken); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("migrate to schema %d", len(broken))) {
		t.Errorf("Open with a migration that fails: got error %v, want one that names it", err)
	}
	if err := open(t, path).ReadOnly(); err != nil {
		t.Errorf("Open after it: got %v, want the old schema, all steps undone", err)
	}

	steps := append(sqlstore.Schema(), "CREATE TABLE later (x TEXT)", "INSERT INTO later VALUES ('x')")
	for range 2 { // the second time there is nothing to do: the table would be there twice
		s, err := sqlstore.OpenSteps(t.Context(), path, steps)
		if err != nil {
			t.Fatalf("Open with two steps more: got error %v, want none", err)
		}
		if snap, err := s.Load(t.Context()); err != nil || snap.Revision != 1 || len(snap.Grants) != 1 {
			t.Errorf("Load after migrating: got %+v, error %v, want what was stored before", snap, err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("Close: got error %v, want none", err)
		}
	}
	if err := open(t, path).ReadOnly(); err == nil {
		t.Error("ReadOnly of a file two steps ahead: got nil, want an error")
	}
}

func TestViewOfAnOlderSchemaDoesNotMigrate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	old := strings.Split(sqlstore.Schema()[0], "CREATE TABLE pins")[0]
	old += "CREATE TABLE events (id INTEGER PRIMARY KEY)"
	s, err := sqlstore.OpenSteps(t.Context(), path, []string{old})
	if err != nil {
		t.Fatalf("Open with an older schema: got error %v, want none", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before := read(t, path)
	if snap, err := sqlstore.Peek(t.Context(), path); err != nil || snap.Revision != 0 {
		t.Errorf("Peek: got %+v, error %v, want an empty snapshot", snap, err)
	}
	if read(t, path) != before {
		t.Error("file after Peek: got other bytes, want it left as it was")
	}
}
