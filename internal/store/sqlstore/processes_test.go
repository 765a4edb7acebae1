package sqlstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

// The test binary is its own child process: childRole says which one.
const (
	childRole = "MORTISE_TEST_CHILD"
	childPath = "MORTISE_TEST_PATH"
)

func TestMain(m *testing.M) {
	role := os.Getenv(childRole)
	if role == "" {
		os.Exit(m.Run())
	}
	if err := child(role, os.Getenv(childPath)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const updatesEach = 50

// child counts in the reason of one switch, which loses counts when two
// updates read the same state, and leaves a switch for each update.
func child(role, path string) error {
	ctx := context.Background()
	if role == "obey" {
		return obey(ctx, path, os.Stdin, os.Stdout)
	}
	s, err := sqlstore.Open(ctx, path)
	if err != nil {
		return err
	}
	if role == "die" {
		return s.Update(ctx, func(snap *state.Snapshot) error {
			snap.Put(state.Switch{Extension: "half"})
			os.Exit(7)
			return nil
		})
	}
	for i := range updatesEach {
		err := s.Update(ctx, func(snap *state.Snapshot) error {
			sw, _ := snap.Disabled("", "count", "")
			n, _ := strconv.Atoi(sw.Reason)
			snap.Put(
				state.Switch{Extension: "count", Reason: strconv.Itoa(n + 1)},
				state.Switch{Extension: ext.Name(role), Entry: strconv.Itoa(i)},
			)
			return nil
		})
		if err != nil {
			return errors.Join(err, s.Close())
		}
		if err := s.Append(ctx, state.Event{Kind: role, Subject: strconv.Itoa(i)}); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	return s.Close()
}

func start(t *testing.T, role, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"="+role, childPath+"="+path)
	cmd.Stderr = new(strings.Builder)
	if err := cmd.Start(); err != nil {
		t.Fatalf("start child %s: %v", role, err)
	}
	return cmd
}

// Four processes also race to make the file, which is not there at first.
func TestProcessesLoseNothing(t *testing.T) {
	const processes = 4
	path := filepath.Join(t.TempDir(), "home", "state.db")
	var children []*exec.Cmd
	for i := range processes {
		children = append(children, start(t, fmt.Sprint("child", i), path))
	}
	for i, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Errorf("child %d: got %v, want success: %s", i, err, cmd.Stderr)
		}
	}
	s := open(t, path)
	snap, err := s.Load(t.Context())
	if err != nil {
		t.Fatalf("Load: got error %v, want none", err)
	}
	const want = processes * updatesEach
	if sw, _ := snap.Disabled("", "count", ""); sw.Reason != strconv.Itoa(want) {
		t.Errorf("count of %d processes: got %q, want %d", processes, sw.Reason, want)
	}
	if snap.Revision != want || len(snap.Switches) != want+1 {
		t.Errorf("after %d updates: got revision %d with %d switches, want %d with %d", want, snap.Revision, len(snap.Switches), want, want+1)
	}
	if events, err := s.Events(t.Context(), state.Query{}); len(events) != want || err != nil {
		t.Errorf("Events: got %d, error %v, want %d", len(events), err, want)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range left {
		if !strings.HasPrefix(f.Name(), "state.db") {
			t.Errorf("beside the state: got %s, want nothing left from making it", f.Name())
		}
	}
}

func TestProcessDyingInsideUpdateChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	put(t, open(t, path), state.Switch{Extension: "acme"})
	cmd := start(t, "die", path)
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 7 {
		t.Fatalf("child: got %v, want it to end with 7 inside its update: %s", err, cmd.Stderr)
	}
	s := open(t, path)
	snap, err := s.Load(t.Context())
	if err != nil || snap.Revision != 1 || len(snap.Switches) != 1 {
		t.Errorf("Load after it: got revision %d with %d switches, error %v, want what was there before", snap.Revision, len(snap.Switches), err)
	}
	put(t, s, state.Switch{Extension: "next"}) // and its lock is gone
}
