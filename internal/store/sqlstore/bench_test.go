package sqlstore_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/state"
	"github.com/mortise-dev/mortise/internal/store/sqlstore"
)

// described is a state of twenty servers' descriptions of n bytes each.
func described(b *testing.B, n int) *sqlstore.Store {
	b.Helper()
	s, err := sqlstore.Open(b.Context(), filepath.Join(b.TempDir(), "state.db"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	err = s.Update(b.Context(), func(snap *state.Snapshot) error {
		for i := range 20 {
			snap.Put(state.Description{
				Workspace: "repo:1", Extension: "acme", Server: fmt.Sprintf("server-%02d", i),
				Declaration: ext.Sum(nil), Content: strings.Repeat("x", n), At: time.Now(),
			})
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return s
}

// The revision while nothing moves, and while the files never count as settled.
func BenchmarkRevision(b *testing.B) {
	for _, c := range []struct {
		name    string
		settled bool
	}{{"remembered", true}, {"asked", false}} {
		b.Run(c.name, func(b *testing.B) {
			s := described(b, 50<<10)
			if c.settled {
				remember(b, s)
			} else {
				s.SetClock(func() int64 { return 0 })
			}
			b.ReportAllocs()
			for b.Loop() {
				if n, err := s.Revision(b.Context()); n != 1 || err != nil {
					b.Fatal(n, err)
				}
			}
			if s.Remembers() != c.settled {
				b.Errorf("Remembers: got %v, want %v", s.Remembers(), c.settled)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, c := range []struct {
		name string
		size int
	}{{"none", 0}, {"20x50KiB", 50 << 10}, {"20x1MiB", 1 << 20}} {
		b.Run(c.name, func(b *testing.B) {
			s := described(b, c.size)
			b.ReportAllocs()
			for b.Loop() {
				if snap, err := s.Load(b.Context()); len(snap.Descriptions) != 20 || err != nil {
					b.Fatal(len(snap.Descriptions), err)
				}
			}
		})
	}
}

// An update of something else, with the descriptions beside it.
func BenchmarkUpdate(b *testing.B) {
	for _, c := range []struct {
		name string
		size int
	}{{"none", 0}, {"20x50KiB", 50 << 10}} {
		b.Run(c.name, func(b *testing.B) {
			s := described(b, c.size)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				err := s.Update(b.Context(), func(snap *state.Snapshot) error {
					snap.Put(state.Switch{Extension: "acme", Reason: fmt.Sprint(i)})
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A thousand approved definitions.
func BenchmarkLoadPins(b *testing.B) {
	s := described(b, 0)
	err := s.Update(b.Context(), func(snap *state.Snapshot) error {
		for i := range 1000 {
			name := fmt.Sprintf("tool/create_%04d", i)
			snap.Put(state.Pin{Workspace: "repo:1", Extension: "acme", Server: "server-00", Tool: name, Digest: ext.Sum([]byte(name)), By: "somebody", At: time.Now()})
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Load(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
