package sqlstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

// list is every path below dir with its size and time of change.
func list(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		all = append(all, strings.Join([]string{path, info.Mode().String(), info.ModTime().String()}, " "))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestViewMakesNothing(t *testing.T) {
	dir := t.TempDir()
	v := sqlstore.ReadOnly(filepath.Join(dir, "home", "state.db"))
	snap, err := v.Load(t.Context())
	if diff := cmp.Diff(state.Snapshot{}, snap); diff != "" || err != nil {
		t.Errorf("Load where nothing is: got error %v, want an empty snapshot (-want +got):\n%s", err, diff)
	}
	if events, err := v.Events(t.Context(), state.Query{}); len(events) != 0 || err != nil {
		t.Errorf("Events where nothing is: got %v, error %v, want none", events, err)
	}
	if n, err := v.Revision(t.Context()); n != 0 || err != nil {
		t.Errorf("Revision where nothing is: got %d, error %v, want 0", n, err)
	}
	if got := list(t, dir); len(got) != 1 {
		t.Errorf("files afterwards: got %v, want none made", got)
	}
}

func TestViewOfStateAtRestWritesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	fill(t, path)
	before := list(t, dir)
	v := sqlstore.ReadOnly(path)
	if snap, err := v.Load(t.Context()); err != nil || len(snap.Grants) != 1 {
		t.Errorf("Load: got %d grants, error %v, want 1", len(snap.Grants), err)
	}
	if events, err := v.Events(t.Context(), state.Query{}); len(events) != 1 || err != nil {
		t.Errorf("Events: got %v, error %v, want 1", events, err)
	}
	if diff := cmp.Diff(before, list(t, dir)); diff != "" {
		t.Errorf("folder afterwards (-before +after):\n%s", diff)
	}
}

func TestViewSeesWhatAnOpenStoreWrites(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	s, v := open(t, path), sqlstore.ReadOnly(path)
	for want := uint64(1); want <= 3; want++ {
		put(t, s, state.Switch{Extension: "acme"})
		if n, err := v.Revision(t.Context()); n != want || err != nil {
			t.Errorf("Revision while the store is open: got %d, error %v, want %d", n, err, want)
		}
	}
	names := func() (names []string) {
		for _, line := range list(t, dir)[1:] {
			names = append(names, filepath.Base(strings.Fields(line)[0]))
		}
		return names
	}
	if got, want := names(), []string{"state.db", "state.db-shm", "state.db-wal"}; !slices.Equal(got, want) {
		t.Errorf("files beside a store in use: got %v, want %v", got, want)
	}
}

func TestViewRefusesToWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	v := sqlstore.ReadOnly(path)
	for door, err := range map[string]error{
		"Update": v.Update(t.Context(), func(*state.Snapshot) error { return nil }),
		"Append": v.Append(t.Context(), state.Event{Kind: "granted"}),
	} {
		if !errors.Is(err, state.ErrReadOnly) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got error %v, want ErrReadOnly with the path", door, err)
		}
	}
}
