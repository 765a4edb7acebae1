package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/state"
)

// model is what a store should hold, kept in the plainest way.
type model struct {
	revision uint64
	records  map[string]state.Record // by identity
	events   []state.Event           // oldest first
}

// identity is spelled out here once more, so that the store's own idea of it
// is checked and not used.
func identity(r state.Record) string {
	switch r := r.(type) {
	case state.Installed:
		return fmt.Sprintf("installed %q %q", r.Name, r.Scope)
	case state.Switch:
		return fmt.Sprintf("switch %q %q %q", r.Workspace, r.Extension, r.Entry)
	case state.Adoption:
		return fmt.Sprintf("adoption %q %v %q", r.Workspace, r.Digest, r.Place)
	case state.Grant:
		return fmt.Sprintf("grant %q %q %v", r.Kind, r.Subject, r.Digest)
	case state.Pin:
		return fmt.Sprintf("pin %q %q %q %q", r.Workspace, r.Extension, r.Server, r.Tool)
	case state.Guard:
		return fmt.Sprintf("guard %q %v %q %q %q", r.Extension, r.Scope, r.Name, r.Event, r.Matcher)
	case state.Connection:
		return fmt.Sprintf("connection %q %q %q", r.Workspace, r.Client, r.Event)
	case state.Description:
		return fmt.Sprintf("description %q %q %q", r.Workspace, r.Extension, r.Server)
	}
	panic(fmt.Sprintf("a record of type %T", r))
}

var (
	genName  = rapid.SampledFrom([]ext.Name{"acme", "acme.x", "b", "owner"})
	genPlace = rapid.SampledFrom([]string{"", "repo:1", "repo:2"})
	genSum   = rapid.SampledFrom([]ext.Digest{d1, d2, ext.Sum(nil)})
	genText  = rapid.OneOf(rapid.SampledFrom([]string{"", "a", odd}), rapid.String())
	genTime  = rapid.Custom(func(t *rapid.T) time.Time {
		if rapid.Bool().Draw(t, "zero time") {
			return time.Time{}
		}
		zone := time.FixedZone("", rapid.IntRange(-12, 14).Draw(t, "zone")*3600)
		return time.Unix(rapid.Int64Range(-1<<33, 1<<33).Draw(t, "seconds"), rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds")).In(zone)
	})
)

var genRecord = rapid.Custom(func(t *rapid.T) state.Record {
	x, place, sum, text, at := genName.Draw(t, "extension"), genPlace.Draw(t, "place"), genSum.Draw(t, "digest"), genText.Draw(t, "text"), genTime.Draw(t, "at")
	few := rapid.SampledFrom([]string{"", "a", "skill/a", "B"}).Draw(t, "few")
	switch rapid.IntRange(0, 7).Draw(t, "sort of record") {
	case 0:
		return state.Installed{Name: x, Scope: place, Kind: few, Source: text, Within: few, Ref: few, Commit: text, Submodules: rapid.Bool().Draw(t, "submodules"), Digest: sum, Pinned: rapid.Bool().Draw(t, "pinned"), Before: few, DigestBefore: sum, Order: rapid.IntRange(-3, 3).Draw(t, "order"), By: few, At: at}
	case 1:
		return state.Switch{Workspace: place, Extension: x, Entry: few, Reason: text, By: text, At: at}
	case 2:
		return state.Adoption{Workspace: "w" + place, Digest: sum, Place: few, Snapshot: text, By: text, At: at}
	case 3:
		return state.Grant{Kind: "k" + few, Subject: place, Digest: sum, By: text, At: at, Until: genTime.Draw(t, "until")}
	case 4:
		return state.Pin{Workspace: few, Extension: x, Server: place, Tool: few, Digest: sum, By: text, At: at}
	case 6:
		return state.Connection{Workspace: "w" + place, Client: "c" + few, Event: "e" + place, At: at}
	case 5:
		return state.Description{Workspace: "w" + place, Extension: x, Server: "s" + few, Declaration: sum, Content: text, At: at}
	}
	return state.Guard{Extension: x, Scope: sum, Name: place, Event: few, Matcher: text, Code: genSum.Draw(t, "code"), At: at}
})

var genEvent = rapid.Custom(func(t *rapid.T) state.Event {
	return state.Event{Kind: genKind.Draw(t, "kind"), Subject: genText.Draw(t, "subject"), Text: genText.Draw(t, "text"), By: "ada", At: genTime.Draw(t, "at"), Revision: rapid.Uint64Range(0, 9).Draw(t, "revision")}
})

var genKind = rapid.SampledFrom([]string{"installed", "disabled", "granted"})

func testModel(t *testing.T, open opener) {
	s := open(t)
	rapid.Check(t, func(rt *rapid.T) {
		m := begin(rt, s)
		rt.Repeat(map[string]func(*rapid.T){
			"put": func(rt *rapid.T) {
				batch := rapid.SliceOfN(genRecord, 0, 5).Draw(rt, "records")
				put(rt, s, batch...)
				m.revision++
				for _, r := range batch {
					m.records[identity(r)] = r
				}
			},
			"remove": func(rt *rapid.T) {
				batch := rapid.SliceOfN(genRecord, 1, 5).Draw(rt, "records")
				update(rt, s, func(snap *state.Snapshot) { snap.Remove(batch...) })
				m.revision++
				for _, r := range batch {
					delete(m.records, identity(r))
				}
			},
			"replace all": func(rt *rapid.T) {
				batch := rapid.SliceOfNDistinct(genRecord, 0, 8, identity).Draw(rt, "records")
				update(rt, s, func(snap *state.Snapshot) { *snap = state.Snapshot{}; snap.Put(batch...) })
				m.revision++
				clear(m.records)
				for _, r := range batch {
					m.records[identity(r)] = r
				}
			},
			"fail": func(rt *rapid.T) {
				stop := errors.New("stop")
				batch := rapid.SliceOfN(genRecord, 1, 3).Draw(rt, "records")
				err := s.Update(t.Context(), func(snap *state.Snapshot) error { scribble(snap); snap.Put(batch...); return stop })
				if !errors.Is(err, stop) {
					rt.Errorf("failing Update: got error %v, want the function's own", err)
				}
			},
			"append": func(rt *rapid.T) {
				batch := rapid.SliceOfN(genEvent, 0, 3).Draw(rt, "events")
				if err := s.Append(t.Context(), batch...); err != nil {
					rt.Fatalf("Append: got error %v, want none", err)
				}
				m.events = append(m.events, batch...)
			},
			"": func(rt *rapid.T) { m.check(rt, s) },
		})
	})
}

// begin empties s, whatever the case before left in it, but for its history.
func begin(rt *rapid.T, s state.Store) *model {
	update(rt, s, func(snap *state.Snapshot) { *snap = state.Snapshot{} })
	m := &model{
		revision: load(rt, s).Revision,
		records:  map[string]state.Record{},
		events:   events(rt, s, state.Query{}),
	}
	slices.Reverse(m.events)
	return m
}

func (m *model) check(rt *rapid.T, s state.Store) {
	got := load(rt, s)
	if got.Revision != m.revision {
		rt.Errorf("Load: got revision %d, want %d", got.Revision, m.revision)
	}
	if n, err := state.RevisionOf(rt.Context(), s); n != m.revision || err != nil {
		rt.Errorf("RevisionOf: got %d, error %v, want %d", n, err, m.revision)
	}
	held := map[string]state.Record{}
	for _, r := range records(got) {
		if held[identity(r)] != nil {
			rt.Errorf("Load: got %s twice, want it once", identity(r))
		}
		held[identity(r)] = r
	}
	if diff := cmp.Diff(m.records, held); diff != "" {
		rt.Errorf("Load (-want +got):\n%s", diff)
	}
	sorted := got.Clone()
	if err := sorted.Tidy(); err != nil || !cmp.Equal(sorted, got) {
		rt.Errorf("Load: got a snapshot that Tidy changes (error %v), want it tidy", err)
	}

	q := state.Query{Limit: rapid.IntRange(0, 4).Draw(rt, "limit"), Kinds: rapid.SliceOfN(genKind, 0, 2).Draw(rt, "kinds")}
	if diff := cmp.Diff(m.query(q), events(rt, s, q)); diff != "" {
		rt.Errorf("Events(%+v) (-want +got):\n%s", q, diff)
	}
}

func (m *model) query(q state.Query) (found []state.Event) {
	for _, e := range slices.Backward(m.events) {
		if (len(q.Kinds) == 0 || slices.Contains(q.Kinds, e.Kind)) && (q.Limit == 0 || len(found) < q.Limit) {
			found = append(found, e)
		}
	}
	return found
}
