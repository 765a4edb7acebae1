package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/audit"
	"github.com/mortise-dev/mortise/internal/config"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

// logged is a place whose log has n calls of some tools in some sessions, in
// segments of that size, and a state without an index.
func logged(t testing.TB, n int, segment int64) host.Place {
	t.Helper()
	dir := t.TempDir()
	p := host.Place{Paths: config.Paths{State: filepath.Join(dir, "state"), User: filepath.Join(dir, "config.toml")}, Workspace: config.Workspace{Dir: dir}}
	l, err := audit.Open(p.CallLog(), audit.Options{SegmentSize: segment})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := l.Append(t.Context(), called(l, i), audit.Written); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	forgetIndex(t, p)
	return p
}

// called is the call of that number: of the tool "rare" in session 7 every ten
// thousandth, and every thousandth is denied.
func called(l *audit.Log, i int) audit.Record {
	r := audit.Record{
		Kind: audit.KindCall, ID: decisionOf(i), Generation: 7, GenerationDigest: ext.Sum(nil), Workspace: "repo:0123456789ab", Session: fmt.Sprintf("%012x", i/500),
		Client: "client 1.0", Agent: "main", Tool: fmt.Sprintf("acme_tool_%02d", i%40), Extension: "acme", Server: "search",
		Arguments: l.Summarize(json.RawMessage(`{"query":"select name, price from parts where price > 10","limit":50,"options":{"format":"table"}}`)), Outcome: audit.Allowed,
	}
	switch {
	case i%10_000 == 77:
		r.Tool = "rare"
	case i%1000 == 13:
		r.Kind, r.Outcome, r.By, r.Reason = audit.KindDeny, audit.Denied, []string{"owner:no-list"}, "not that one"
	}
	return r
}

// decisionOf is an id as decisions have them.
func decisionOf(i int) string {
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	sum := ext.Sum(fmt.Append(nil, i))
	id := make([]byte, 12)
	for k := range id {
		id[k] = digits[sum[k]%32]
	}
	return string(id)
}

// forgetIndex leaves a state that was just made.
func forgetIndex(t testing.TB, p host.Place) {
	t.Helper()
	for _, end := range []string{"", "-wal", "-shm"} {
		if err := os.RemoveAll(StatePath(p) + end); err != nil {
			t.Fatal(err)
		}
	}
	s, err := sqlstore.Open(t.Context(), StatePath(p))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// text is all that a reading yields.
func text(records iter.Seq2[audit.Entry, error]) (out []string) {
	for e, err := range records {
		out = append(out, fmt.Sprintf("%s %s %v", e.File, e.Line, err))
	}
	return out
}

// indexed is how many segments the state has an index of.
func indexed(t testing.TB, p host.Place) int {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), StatePath(p))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	kept, err := s.Calls(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return len(kept)
}

// By an index there is what there is without one, in the same order, also when the
// log grew and when a part of it was dropped, and the state has nothing else of it.
func TestCallsAreFoundByIndex(t *testing.T) {
	p := logged(t, 12_000, 1<<20)
	queries := []audit.Query{
		{Tool: "rare"}, {Tool: "rare", OldestFirst: true}, {Session: fmt.Sprintf("%012x", 3), Limit: 20}, {ID: decisionOf(6000)}, {ID: decisionOf(6001)[:3]},
		{Outcome: audit.Denied}, {Kind: audit.KindDeny, Tool: "acme_tool_13", Limit: 3}, {Tool: "acme_tool_01", Limit: 50}, {Tool: "none"}, {Kind: audit.KindCheckpoint}, {Limit: 50},
	}
	compare := func(when string) {
		t.Helper()
		for _, q := range queries {
			want, got := text(audit.Read(p.CallLog(), q)), text(Calls(t.Context(), p, q, nil))
			if !slices.Equal(got, want) {
				t.Errorf("%s, Calls(%+v): got %d records, want the %d that Read yields", when, q, len(got), len(want))
			}
		}
	}
	compare("at first")
	if n := indexed(t, p); n < 5 {
		t.Fatalf("the index: got %d segments, want all of some", n)
	}
	l, err := audit.Open(p.CallLog(), audit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for i := range 300 {
		if err := l.Append(t.Context(), called(l, i), audit.Written); err != nil {
			t.Fatal(err)
		}
	}
	compare("when it grew")
	gone, err := l.Drop(t.Context(), audit.Keep{Size: 5 << 20})
	if err != nil || len(gone) == 0 {
		t.Fatalf("Drop: got %d segments and error %v, want some", len(gone), err)
	}
	before := indexed(t, p)
	compare("when a part was dropped")
	if n := indexed(t, p); n != before-len(gone) {
		t.Errorf("the index after %d segments were dropped: got %d segments, want %d", len(gone), n, before-len(gone))
	}
	snap, err := sqlstore.Peek(t.Context(), StatePath(p))
	if err != nil || snap.Revision != 0 {
		t.Errorf("the state: got revision %d and error %v, want it unmoved", snap.Revision, err)
	}
}

// Whatever is wrong with the state, the log is read, and none is made.
func TestCallsAreFoundWithoutState(t *testing.T) {
	p := logged(t, 9000, 2<<20)
	q := audit.Query{Tool: "rare"}
	want := text(audit.Read(p.CallLog(), q))
	if !audit.Searchable(p.CallLog(), q) || len(want) != 1 {
		t.Fatalf("the log: got %d records, want one, and an index to be worth it", len(want))
	}
	for _, c := range []struct {
		name string
		hurt func(t *testing.T, path string)
	}{
		{"absent", func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}},
		{"damaged", func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte("what is this"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"a directory", func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			forgetIndex(t, p)
			c.hurt(t, StatePath(p))
			before, _ := os.Stat(StatePath(p))
			if got := text(Calls(t.Context(), p, q, nil)); !slices.Equal(got, want) {
				t.Errorf("Calls: got %q, want %q", got, want)
			}
			if after, _ := os.Stat(StatePath(p)); (before == nil) != (after == nil) {
				t.Errorf("the state: got %v after %v, want it left as it was", after, before)
			}
		})
	}
}

// A state that another one writes for longer than is waited for is left alone.
func TestCallsAreFoundWhileStateIsWritten(t *testing.T) {
	t.Parallel()
	p := logged(t, 9000, 2<<20)
	q := audit.Query{Tool: "rare"}
	want := text(audit.Read(p.CallLog(), q))
	s, err := sqlstore.Open(t.Context(), StatePath(p))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.Update(t.Context(), func(*state.Snapshot) error {
		if got := text(Calls(t.Context(), p, q, nil)); !slices.Equal(got, want) {
			t.Errorf("Calls: got %q, want %q", got, want)
		}
		return nil
	})
	if err != nil || indexed(t, p) != 0 {
		t.Errorf("Update: got error %v, and an index of %d segments, want neither", err, indexed(t, p))
	}
}

// When the log cannot be made to last, who serves is told: who wrote the line was
// told already that it is there.
func TestFaultOfTheLogIsReported(t *testing.T) {
	dir := t.TempDir()
	p := host.Place{Paths: config.Paths{State: filepath.Join(dir, "state"), User: filepath.Join(dir, "config.toml")}, Workspace: config.Workspace{Dir: dir}}
	told := make(chan error, 100)
	l, err := openLog(p, func(err error) { told <- err })
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	log := func() {
		t.Helper()
		if err := l.write(t.Context(), host.Logged{Kind: "call", Decision: "A", Outcome: "allowed"}, false); err != nil {
			t.Fatal(err)
		}
	}
	log()
	files, err := filepath.Glob(filepath.Join(p.CallLog(), "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the log: got %q and error %v, want one segment", files, err)
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	log()
	select {
	case err := <-told:
		if !strings.Contains(err.Error(), "was removed or replaced while it was written") || !strings.Contains(err.Error(), "look after that disk") {
			t.Errorf("report: got %q, want what happened and what to do", err)
		}
	case <-time.After(30 * time.Second):
		t.Error("report: got nothing, want that the log is not on the disk")
	}
}

// BenchmarkCalls finds things in a log of a million calls: by reading, with an
// index that is still to be made, and with one that was.
func BenchmarkCalls(b *testing.B) {
	const calls = 1_000_000
	p := logged(b, calls, 0)
	for _, c := range []struct {
		name string
		q    audit.Query
	}{
		{"list -n 50", audit.Query{Limit: 50}},
		{"list -n 50 --tool, of one in 40", audit.Query{Tool: "acme_tool_01", Limit: 50}},
		{"list -n 50 --tool, of one in 10000", audit.Query{Tool: "rare", Limit: 50}},
		{"list -n 50 --session, of 500 calls", audit.Query{Session: fmt.Sprintf("%012x", 300), Limit: 50}},
		{"list -n 50 --outcome denied", audit.Query{Outcome: audit.Denied, Limit: 50}},
		{"show ID", audit.Query{ID: decisionOf(123_456), OldestFirst: true}},
	} {
		want := len(text(audit.Read(p.CallLog(), c.q)))
		find := func(b *testing.B, records iter.Seq2[audit.Entry, error]) {
			if got := len(text(records)); got != want || got == 0 {
				b.Fatalf("got %d records, want %d", got, want)
			}
		}
		b.Run(c.name+"/without", func(b *testing.B) {
			for b.Loop() {
				find(b, audit.Read(p.CallLog(), c.q))
			}
		})
		b.Run(c.name+"/first", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				forgetIndex(b, p)
				b.StartTimer()
				find(b, Calls(context.Background(), p, c.q, nil))
			}
		})
		b.Run(c.name+"/again", func(b *testing.B) {
			find(b, Calls(b.Context(), p, c.q, nil))
			for b.Loop() {
				find(b, Calls(b.Context(), p, c.q, nil))
			}
			if info, err := os.Stat(StatePath(p)); err == nil {
				b.ReportMetric(float64(info.Size())/1e6, "state-MB")
			}
		})
	}
}
