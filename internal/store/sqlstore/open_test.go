package sqlstore_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

func put(t *testing.T, s state.Store, records ...state.Record) {
	t.Helper()
	err := s.Update(t.Context(), func(snap *state.Snapshot) error { snap.Put(records...); return nil })
	if err != nil {
		t.Fatalf("Update: got error %v, want none", err)
	}
}

func TestOpenMakesPrivateFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("file modes are POSIX")
	}
	dir := filepath.Join(t.TempDir(), "a", "b")
	s := open(t, filepath.Join(dir, "state.db"))
	put(t, s, state.Switch{Extension: "acme"})
	for path, want := range map[string]fs.FileMode{
		filepath.Dir(dir):                  0o700,
		dir:                                0o700,
		filepath.Join(dir, "state.db"):     0o600,
		filepath.Join(dir, "state.db-wal"): 0o600,
		filepath.Join(dir, "state.db-shm"): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Errorf("%s: got error %v, want it there", path, err)
		} else if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: got mode %o, want %o", path, got, want)
		}
	}
}

func TestOpenTakesAnyPath(t *testing.T) {
	names := []string{"a b", "100%25", "q#frag", "ünï☃", "a&b=c;d"}
	if runtime.GOOS != "windows" {
		names = append(names, "what?mode=memory", `back\slash`)
	}
	for _, name := range names {
		path := filepath.Join(t.TempDir(), name, name+".db")
		put(t, open(t, path), state.Switch{Extension: "acme"})
		if _, err := os.Stat(path); err != nil {
			t.Errorf("Open(%q): %v, want the file at exactly that path", name, err)
		}
		if snap, err := open(t, path).Load(t.Context()); err != nil || len(snap.Switches) != 1 {
			t.Errorf("Load of %q opened again: got %d switches, error %v, want 1", name, len(snap.Switches), err)
		}
	}
}

func TestOpenKeepsWhatWasStored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := sqlstore.Open(t.Context(), path)
	if err != nil {
		t.Fatalf("Open: got error %v, want none", err)
	}
	put(t, s, state.Switch{Extension: "acme"})
	if err := s.Close(); err != nil {
		t.Fatalf("Close: got error %v, want none", err)
	}
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("log after Close: got %v, want it put away", err)
	}
	s = open(t, path)
	if snap, err := s.Load(t.Context()); err != nil || snap.Revision != 1 || len(snap.Switches) != 1 {
		t.Errorf("Load: got revision %d with %d switches, error %v, want 1 and 1", snap.Revision, len(snap.Switches), err)
	}
	if err := s.ReadOnly(); err != nil {
		t.Errorf("ReadOnly of an ordinary store: got %v, want nil", err)
	}
}

// One damaged level of a mode costs itself: it is at a time that cannot be, so that who
// reads it puts the axis at its default, and all else is read.
func TestADamagedLevelCostsItself(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, err := sqlstore.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	for _, axis := range []string{"llm", "net", "gcp"} {
		put(t, s, state.Level{Worktree: "/w", Axis: axis, Level: "on", Until: at.Add(time.Hour), By: "p", At: at})
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, damage := range []string{"UPDATE levels SET until = 'soon' WHERE axis = 'llm'", "UPDATE levels SET level = '', at = '7' WHERE axis = 'net'", "UPDATE revision SET number = number + 1"} {
		if _, err := db.ExecContext(t.Context(), damage); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(db.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	snap, err := sqlstore.ReadOnly(path).Load(t.Context())
	if err != nil {
		t.Fatalf("got %v, want what is whole", err)
	}
	levels := map[string]state.Level{}
	for _, l := range snap.LevelsOf("/w") {
		levels[l.Axis] = l
	}
	if l := levels["gcp"]; l.Level != "on" || !l.Until.Equal(at.Add(time.Hour)) {
		t.Errorf("the whole level: got %+v", l)
	}
	for _, axis := range []string{"llm", "net"} {
		if l := levels[axis]; l.Level == "" || l.Until.Sub(l.At) < 24*time.Hour && l.At.Before(at.AddDate(100, 0, 0)) {
			t.Errorf("the damaged level of %s: got %+v, want one that cannot be", axis, l)
		}
	}
}

// A damaged file is named, with what to do, and keeps every byte.
func TestOpenLeavesWhatItCannotRead(t *testing.T) {
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, path string)
		want   string
	}{
		{"not a database", func(t *testing.T, path string) { write(t, path, strings.Repeat("no database ", 1000)) }, "is damaged"},
		{"a short text", func(t *testing.T, path string) { write(t, path, "hello") }, "is damaged"},
		{"empty", func(t *testing.T, path string) { write(t, path, "") }, "is damaged"},
		{"cut short", func(t *testing.T, path string) { write(t, path, read(t, path)[:8192]) }, "is damaged"},
		{"overwritten past the first page", func(t *testing.T, path string) {
			all := read(t, path)
			write(t, path, all[:4096]+strings.Repeat("\xff", len(all)-4096))
		}, "is damaged"},
		{"a digest that is none", func(t *testing.T, path string) { execute(t, path, "UPDATE grants SET digest = 'sha256:0'") }, "is damaged (read grants:"},
		{"another program's", func(t *testing.T, path string) {
			execute(t, path, "PRAGMA application_id = 1; PRAGMA user_version = 3")
		}, "is a database of another program"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			fill(t, path)
			c.damage(t, path)
			before := read(t, path)

			s, err := sqlstore.Open(t.Context(), path)
			if err == nil {
				_, err = s.Load(t.Context())
				defer s.Close()
			}
			_, peek := sqlstore.Peek(t.Context(), path)
			for door, err := range map[string]error{"Open and Load": err, "Peek": peek} {
				if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
					t.Errorf("%s: got error %v, want one with %q and the path", door, err, c.want)
				}
				if err != nil && strings.HasPrefix(c.want, "is damaged") && !strings.Contains(err.Error(), "move it aside") {
					t.Errorf("%s: got error %v, want it to say what to do", door, err)
				}
				if errors.Is(err, state.ErrReadOnly) {
					t.Errorf("%s: got error %v, which is ErrReadOnly, want it not to be", door, err)
				}
			}
			if read(t, path) != before {
				t.Error("file afterwards: got other bytes, want it left as it was")
			}
		})
	}
}

func TestOpenRefusesALogWithoutItsDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	write(t, path+"-wal", "left behind")
	_, err := sqlstore.Open(t.Context(), path)
	_, peek := sqlstore.Peek(t.Context(), path)
	for door, err := range map[string]error{"Open": err, "Peek": peek} {
		if err == nil || !strings.Contains(err.Error(), path+"-wal") {
			t.Errorf("%s: got error %v, want one that names the log", door, err)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("state: got a new one, want none made under a log of another")
	}
}

func TestOpenWhereNothingCanBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	path := filepath.Join(file, "state.db")
	_, err := sqlstore.Open(t.Context(), path)
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("Open below a file: got error %v, want one that names the path", err)
	}
}

func TestReadOnlyFolder(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("this user may write anywhere")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "state.db")
	t.Run("without state", func(t *testing.T) {
		lock(t, dir)
		_, err := sqlstore.Open(t.Context(), path)
		if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "MORTISE_HOME") {
			t.Errorf("Open: got error %v, want a permission error that names the path and what to do", err)
		}
		if snap, err := sqlstore.Peek(t.Context(), path); err != nil || snap.Revision != 0 {
			t.Errorf("Peek: got revision %d, error %v, want an empty snapshot", snap.Revision, err)
		}
	})
	fill(t, path)
	t.Run("with state", func(t *testing.T) {
		lock(t, dir)
		s := open(t, path)
		if snap, err := s.Load(t.Context()); err != nil || len(snap.Grants) != 1 {
			t.Errorf("Load: got %d grants, error %v, want 1", len(snap.Grants), err)
		}
		err := s.Update(t.Context(), func(*state.Snapshot) error { return nil })
		if !errors.Is(err, state.ErrReadOnly) || !strings.Contains(err.Error(), path) {
			t.Errorf("Update: got error %v, want ErrReadOnly with the path", err)
		}
		if !errors.Is(s.ReadOnly(), state.ErrReadOnly) {
			t.Errorf("ReadOnly: got %v, want ErrReadOnly", s.ReadOnly())
		}
	})
	t.Run("that cannot be read", func(t *testing.T) {
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		_, err := sqlstore.Open(t.Context(), path)
		if err == nil || errors.Is(err, state.ErrReadOnly) || !strings.Contains(err.Error(), "cannot be opened") {
			t.Errorf("Open: got error %v, want one that says it cannot be opened, not ErrReadOnly", err)
		}
	})
}

// lock makes dir read-only for the length of a test.
func lock(t *testing.T, dir string) {
	t.Helper()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
