package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/state"
)

type opener = func(t *testing.T) state.Store

// same fails the test when the store does not load as want.
func same(t tester, s state.Store, want state.Snapshot, when string) {
	t.Helper()
	if diff := cmp.Diff(want, load(t, s)); diff != "" {
		t.Errorf("Load %s (-want +got):\n%s", when, diff)
	}
}

func testEmpty(t *testing.T, open opener) {
	s := open(t)
	same(t, s, state.Snapshot{}, "of a new store")
	if got := events(t, s, state.Query{}); len(got) != 0 {
		t.Errorf("Events of a new store: got %v, want none", got)
	}
}

func testRoundTrip(t *testing.T, open opener) {
	s := open(t)
	update(t, s, func(snap *state.Snapshot) { *snap = full() })
	want := full()
	want.Revision = 1
	if err := want.Tidy(); err != nil {
		t.Fatalf("Tidy of the sample: got %v, want no error", err)
	}
	got := load(t, s)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Load after storing every field (-want +got):\n%s", diff)
	}
	if got.Roster[0] != want.Roster[0] {
		t.Errorf("loaded record: got %#v, want it == to the tidy one, its times in UTC", got.Roster[0])
	}

	put(t, s, state.Switch{Extension: "abroad", At: abroad}, state.Switch{Extension: "now", At: time.Now()})
	got = load(t, s)
	for _, x := range []ext.Name{"abroad", "now"} {
		if sw, _ := got.Disabled("", x, ""); sw.At.Location() != time.UTC {
			t.Errorf("time of switch %s: got location %v, want UTC", x, sw.At.Location())
		}
	}
	if sw, _ := got.Disabled("", "abroad", ""); !sw.At.Equal(abroad) {
		t.Errorf("time stored in another zone: got %v, want the moment %v", sw.At, abroad)
	}
}

func testEdits(t *testing.T, open opener) {
	s := open(t)
	put(t, s, records(full())...)
	changed := full()
	changed.Roster[1].Order, changed.Roster[1].Pinned = -5, true
	changed.Switches[1].Reason = "still too loud"
	changed.Adoptions[0].By = "somebody else"
	changed.Grants[0].Until = time.Time{}
	changed.Pins[0].Digest = d2
	changed.Guards[0].Code = d1
	changed.Adoptions[2].Snapshot, changed.Adoptions[2].At = "[2]", noon.Add(time.Minute)
	changed.Descriptions[0].Declaration, changed.Descriptions[1].Content = d2, "[]"
	put(t, s, records(changed)...)
	changed.Revision = 2
	_ = changed.Tidy()
	same(t, s, changed, "after replacing records")

	update(t, s, func(snap *state.Snapshot) {
		if got, want := snap.Remove(records(full())...), len(records(full())); got != want {
			t.Errorf("Remove of all records: got %d, want %d", got, want)
		}
		if got := snap.Remove(records(full())...); got != 0 {
			t.Errorf("Remove of absent records: got %d, want 0", got)
		}
	})
	same(t, s, state.Snapshot{Revision: 3}, "after removing every record")

	one := state.Adoption{Workspace: "w", Digest: d1, Place: "/src/one", Snapshot: "{}", By: "ada", At: noon}
	two := one
	two.Place = "/src/two"
	put(t, s, one)
	put(t, s, two)
	same(t, s, state.Snapshot{Revision: 5, Adoptions: []state.Adoption{one, two}}, "after adopting the same at two places")
	update(t, s, func(snap *state.Snapshot) { snap.Remove(one) })
	same(t, s, state.Snapshot{Revision: 6, Adoptions: []state.Adoption{two}}, "after removing what was adopted at one of them")
}

func testLong(t *testing.T, open opener) {
	s := open(t)
	long := state.Description{Workspace: "w", Extension: "acme", Server: "long", Declaration: d1, Content: strings.Repeat(odd, 4<<20/len(odd)), At: noon}
	short := state.Description{Workspace: "w", Extension: "acme", Server: "short", Declaration: d1, Content: "{}", At: noon}
	put(t, s, long, short)
	same(t, s, state.Snapshot{Revision: 1, Descriptions: []state.Description{long, short}}, "after storing some MiB")
	long.Content = long.Content[1:]
	put(t, s, long)
	same(t, s, state.Snapshot{Revision: 2, Descriptions: []state.Description{long, short}}, "after replacing them")
}

func testRevision(t *testing.T, open opener) {
	s := open(t)
	for i, change := range []func(*state.Snapshot){
		func(snap *state.Snapshot) { snap.Put(state.Switch{Extension: "acme"}) },
		func(snap *state.Snapshot) {},
		func(snap *state.Snapshot) { snap.Revision = 100 },
		func(snap *state.Snapshot) { snap.Revision = 0 },
	} {
		update(t, s, func(snap *state.Snapshot) {
			if snap.Revision != uint64(i) {
				t.Errorf("update %d: got a snapshot of revision %d, want the stored one, %d", i+1, snap.Revision, i)
			}
			change(snap)
		})
		want := uint64(i + 1)
		if got := load(t, s).Revision; got != want {
			t.Errorf("Load after update %d: got revision %d, want %d", i+1, got, want)
		}
		if got, err := state.RevisionOf(t.Context(), s); got != want || err != nil {
			t.Errorf("RevisionOf after update %d: got %d, %v, want %d", i+1, got, err, want)
		}
	}
}

func testRollback(t *testing.T, open opener) {
	s := open(t)
	put(t, s, records(full())...)
	before := load(t, s)
	stop := errors.New("stop")
	err := s.Update(t.Context(), func(snap *state.Snapshot) error {
		snap.Put(state.Switch{Extension: "new"})
		snap.Grants = nil
		snap.Roster[0].Pinned = !snap.Roster[0].Pinned
		return stop
	})
	if !errors.Is(err, stop) {
		t.Errorf("Update: got error %v, want the function's own", err)
	}
	same(t, s, before, "after an update that failed")
	put(t, s, state.Switch{Extension: "next"})
	if got := load(t, s); got.Revision != before.Revision+1 || len(got.Grants) != len(before.Grants) {
		t.Errorf("update after a failed one: got revision %d with %d grants, want %d with %d", got.Revision, len(got.Grants), before.Revision+1, len(before.Grants))
	}
}

func testPanic(t *testing.T, open opener) {
	s := open(t)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("Update: got no panic, want the function's own")
			}
		}()
		_ = s.Update(t.Context(), func(snap *state.Snapshot) error {
			snap.Put(state.Switch{Extension: "acme"})
			panic("impossible")
		})
	}()
	same(t, s, state.Snapshot{}, "after an update that panicked")
	put(t, s, state.Switch{Extension: "acme"}) // and the store still works
}

func testUntidy(t *testing.T, open opener) {
	s := open(t)
	for _, c := range []struct {
		name   string
		change func(*state.Snapshot)
	}{
		{"one switch twice", func(s *state.Snapshot) {
			s.Switches = []state.Switch{{Extension: "acme", Reason: "a"}, {Extension: "acme", Reason: "b"}}
		}},
		{"a grant without a digest", func(s *state.Snapshot) { s.Put(state.Grant{Kind: "code", Subject: "acme"}) }},
		{"a time beyond the year 9999", func(s *state.Snapshot) {
			s.Put(state.Switch{Extension: "acme", At: time.Date(10000, 1, 2, 0, 0, 0, 0, time.UTC)})
		}},
	} {
		err := s.Update(t.Context(), func(snap *state.Snapshot) error { c.change(snap); return nil })
		if err == nil {
			t.Errorf("Update with %s: got no error, want one", c.name)
		}
		same(t, s, state.Snapshot{}, "after an update with "+c.name)
	}
}

// scribble overwrites everything that s lists, in place.
func scribble(s *state.Snapshot) {
	for i := range s.Roster {
		s.Roster[i] = state.Installed{Name: "scribble"}
	}
	for i := range s.Switches {
		s.Switches[i] = state.Switch{Extension: "scribble"}
	}
	for i := range s.Adoptions {
		s.Adoptions[i] = state.Adoption{Workspace: "scribble"}
	}
	for i := range s.Grants {
		s.Grants[i] = state.Grant{Kind: "scribble"}
	}
	for i := range s.Pins {
		s.Pins[i] = state.Pin{Extension: "scribble"}
	}
	for i := range s.Guards {
		s.Guards[i] = state.Guard{Extension: "scribble"}
	}
	for i := range s.Descriptions {
		s.Descriptions[i] = state.Description{Extension: "scribble"}
	}
	for i := range s.Connections {
		s.Connections[i] = state.Connection{Client: "scribble"}
	}
}

func testAliasing(t *testing.T, open opener) {
	s := open(t)
	mine := full()
	var kept *state.Snapshot
	update(t, s, func(snap *state.Snapshot) { *snap, kept = mine, snap })
	want := full()
	want.Revision = 1
	_ = want.Tidy()

	scribble(&mine)
	same(t, s, want, "after overwriting the lists that were put in")
	scribble(kept)
	same(t, s, want, "after overwriting the snapshot kept from inside Update")
	loaded := load(t, s)
	scribble(&loaded)
	same(t, s, want, "after overwriting a loaded snapshot")

	earlier := load(t, s)
	update(t, s, func(snap *state.Snapshot) { scribble(snap); *snap = state.Snapshot{} })
	if diff := cmp.Diff(want, earlier); diff != "" {
		t.Errorf("snapshot loaded before an update edited everything in place (-want +got):\n%s", diff)
	}

	line := []state.Event{{Kind: "disabled", Subject: "acme", At: abroad}}
	if err := s.Append(t.Context(), line...); err != nil {
		t.Fatalf("Append: got error %v, want none", err)
	}
	if line[0].At != abroad {
		t.Errorf("events passed to Append: got time %v, want them as they were", line[0].At)
	}
	line[0].Subject = "scribble"
	events(t, s, state.Query{})[0].Subject = "scribble"
	if got := events(t, s, state.Query{})[0].Subject; got != "acme" {
		t.Errorf("event after overwriting what was appended and returned: got subject %q, want %q", got, "acme")
	}
}

func testOrder(t *testing.T, open opener) {
	forward, backward := open(t), open(t)
	all := records(full())
	put(t, forward, all...)
	slices.Reverse(all)
	for _, r := range all {
		put(t, backward, r)
	}
	a, b := load(t, forward), load(t, backward)
	b.Revision = a.Revision
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("the same records stored backwards, one by one (-forward +backward):\n%s", diff)
	}
	if a.Digest() != b.Digest() {
		t.Errorf("Digest of the same records stored backwards: got %v, want %v", b.Digest(), a.Digest())
	}
}

func testContext(t *testing.T, open opener) {
	s := open(t)
	done, cancel := context.WithCancel(t.Context())
	err := s.Update(done, func(snap *state.Snapshot) error {
		snap.Put(state.Switch{Extension: "acme"})
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Update whose context ended inside: got error %v, want %v", err, context.Canceled)
	}
	calls := map[string]func() error{
		"Load":       func() error { _, err := s.Load(done); return err },
		"Update":     func() error { return s.Update(done, func(*state.Snapshot) error { return nil }) },
		"RevisionOf": func() error { _, err := state.RevisionOf(done, s); return err },
		"Append":     func() error { return s.Append(done, state.Event{Kind: "disabled"}) },
		"Events":     func() error { _, err := s.Events(done, state.Query{}); return err },
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a done context: got error %v, want %v", name, err, context.Canceled)
		}
	}
	same(t, s, state.Snapshot{}, "after calls with a done context")
}

func testLoadInUpdate(t *testing.T, open opener) {
	s := open(t)
	update(t, s, func(snap *state.Snapshot) {
		snap.Put(state.Switch{Extension: "acme"})
		if got := load(t, s); got.Revision != 0 || len(got.Switches) != 0 {
			t.Errorf("Load inside Update: got revision %d with %d switches, want the state before it", got.Revision, len(got.Switches))
		}
		if n, err := state.RevisionOf(t.Context(), s); n != 0 || err != nil {
			t.Errorf("RevisionOf inside Update: got %d, error %v, want 0, of the state before it", n, err)
		}
	})
}

func testConcurrent(t *testing.T, open opener) {
	const writers, each = 8, 25
	s := open(t)
	var writing, reading sync.WaitGroup
	stop := make(chan struct{})
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				update(tb{t}, s, func(snap *state.Snapshot) {
					snap.Put(state.Switch{Extension: "acme", Entry: fmt.Sprintf("%d-%d", w, i)})
				})
			}
		})
	}
	for range 2 {
		reading.Go(func() {
			for last := uint64(0); ; {
				snap := load(tb{t}, s)
				if snap.Revision != uint64(len(snap.Switches)) || snap.Revision < last {
					t.Errorf("Load during updates: got revision %d with %d switches after revision %d, want as many switches as the revision, and never an older one", snap.Revision, len(snap.Switches), last)
				}
				last = snap.Revision
				if n, err := state.RevisionOf(t.Context(), s); n < last || err != nil {
					t.Errorf("RevisionOf during updates: got %d, error %v, want %d at least, which was loaded before", n, err, last)
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	writing.Wait()
	close(stop)
	reading.Wait()
	if got := load(t, s); got.Revision != writers*each || len(got.Switches) != writers*each {
		t.Errorf("after %d updates by %d goroutines: got revision %d with %d switches, want %d of both", writers*each, writers, got.Revision, len(got.Switches), writers*each)
	}
}

// tb fails a test from a goroutine of its own: Fatalf must not be called there.
type tb struct{ *testing.T }

func (t tb) Fatalf(format string, args ...any) { t.Helper(); t.Errorf(format, args...) }
