package roster_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mortise-dev/mortise/internal/checkout"
	"github.com/mortise-dev/mortise/internal/discover"
	"github.com/mortise-dev/mortise/internal/roster"
	"github.com/mortise-dev/mortise/internal/state"
)

// forgetful is a store that can keep what is, and no history: the disk is full by then.
type forgetful struct{ state.Store }

var errFull = errors.New("the disk is full")

func (forgetful) Append(context.Context, ...state.Event) error { return errFull }

// What is said to have failed has not happened, and what has happened goes on to its end.
func TestRoster_LineWithoutHistory(t *testing.T) {
	r, b := newRepo(t, map[string]string{"a": "1"}), newBench(t)
	b.Store = forgetful{b.Store}
	if _, err := b.Add(t.Context(), roster.Wish{Offer: roster.Offer{Source: r.source()}}); (err == nil) != (len(b.lines()) == 1) {
		t.Errorf("Add: got %v, and the roster is %+v", err, b.lines())
	}
	data := filepath.Join(t.TempDir(), "data")
	write(t, filepath.Join(data, "kept"), "kept")
	_, _, _, err := b.Remove(t.Context(), roster.Key{Name: key}, func(*state.Installed) string { return data })
	if _, there := os.Stat(data); len(b.lines()) == 0 && there == nil {
		t.Errorf("Remove with its data: got %v, it is out of use, and its data is there still", err)
	}
}

const wants = "MORTISE_TEST_WANTS" // a directory of checkouts, and a commit below

// TestWants is another process that asks for a checkout that is there, as one does that is
// about to install it, and that then ends without having done it.
func TestWants(t *testing.T) {
	dir := os.Getenv(wants)
	if dir == "" {
		t.Skip("it is run by another test")
	}
	s := checkout.Store{Dir: filepath.Dir(filepath.Dir(dir)), Digest: discover.Digest}
	_, err := s.Make(t.Context(), checkout.Key{Name: key, Commit: filepath.Base(dir)}, func(context.Context, string) error { return errors.New("it is there") })
	if err != nil {
		t.Fatal(err)
	}
}

// A checkout that a living process made, and is about to write down as used, is not swept.
func TestRoster_SweptBeforeItIsWrittenDown(t *testing.T) {
	r, b := newRepo(t, map[string]string{"a": "1"}), newBench(t)
	b.Clock, b.Checkouts.Now = nil, nil
	b.Try = func(ctx context.Context, lines ...state.Installed) error { // it is made, and not yet written down
		cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestWants$")
		cmd.Env = append(os.Environ(), wants+"="+roster.Dir(b.Checkouts.Dir, &lines[0]))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("another process: %v\n%s", err, out)
		}
		_, err := b.Checkouts.Sweep(ctx, nil) // as the removal of any other plugin does
		return err
	}
	i := b.add(roster.Wish{Offer: roster.Offer{Source: r.source()}})
	if err := b.Checkouts.Verify(t.Context(), checkout.Key{Name: i.Name, Commit: i.Commit}, i.Digest); err != nil {
		t.Errorf("it is installed, and %v", err)
	}
}
