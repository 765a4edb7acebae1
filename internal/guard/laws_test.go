package guard_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/ext"
)

// play runs a machine beside the oracle over a random sequence of what may happen.
func play(t *rapid.T) {
	m := newMachine(programs)
	o := newOracle()
	for i := range rapid.IntRange(1, 3).Draw(t, "extensions") {
		x := &extension{name: ext.Name(fmt.Sprintf("x%d", i)), granted: rapid.Bool().Draw(t, "granted")}
		for range rapid.IntRange(0, 3).Draw(t, "guards") {
			x.guards = append(x.guards, anyGuard().Draw(t, "guard"))
		}
		m.now = append(m.now, x)
	}
	refresh := func() { m.refresh(); o.pass(m.now) }
	refresh()
	tool := rapid.SampledFrom([]string{"read", "write", "write_all"})
	for range rapid.IntRange(1, 8).Draw(t, "steps") {
		x := rapid.SampledFrom(m.now).Draw(t, "extension")
		g := &one{}
		if len(x.guards) > 0 {
			g = &x.guards[rapid.IntRange(0, len(x.guards)-1).Draw(t, "which")]
		}
		switch rapid.SampledFrom([]string{"manifest", "switch", "grant", "guard", "watch", "break", "off", "absent", "refresh", "refresh", "refresh", "call"}).Draw(t, "step") {
		case "manifest":
			x.broken = !x.broken
		case "switch":
			x.off = !x.off
		case "grant":
			x.granted = !x.granted
		case "guard":
			*g = anyGuard().Draw(t, "other")
		case "watch":
			g.watches = !g.watches
		case "break":
			g.broken = !g.broken
		case "off":
			g.off = !g.off
		case "absent":
			g.absent = !g.absent
		case "refresh":
			refresh()
		}
		of, name := rapid.SampledFrom(m.now).Draw(t, "of").name, tool.Draw(t, "tool")
		if got, want := m.judge(of, name), o.judge(of, name); got != want {
			t.Fatalf("a call of %s:%s: got %v, want %v of %s", of, name, got, want, show(o.seen))
		}
	}
}

func show(xs []extension) (s string) {
	for i := range xs {
		s += fmt.Sprintf("\n%+v", xs[i])
	}
	return s
}

func anyGuard() *rapid.Generator[one] {
	return rapid.Custom(func(t *rapid.T) one {
		g := one{kind: kind(rapid.IntRange(0, 3).Draw(t, "kind")), tool: rapid.SampledFrom([]string{"", "read", "write", "write*"}).Draw(t, "tool")}
		says := []behaviour{denies, asks}
		if g.kind == code {
			says = []behaviour{denies, asks, silent, silent, fails, panics, oddly, wishful, hangs}
		}
		if g.kind == handler {
			says = []behaviour{denies, asks, silent, silent, fails, panics, oddly, wishful, hangs, holds, floods}
		}
		g.says = rapid.SampledFrom(says).Draw(t, "says")
		g.broken = rapid.IntRange(0, 9).Draw(t, "broken") == 0
		return g
	})
}

// TestLaw05_no_sequence_reaches_an_allow_that_the_oracle_denies plays sequences of
// all that may happen to extensions and their guards, and wants each call judged
// as a small model has it, which knows nothing of how that is done.
func TestLaw05_no_sequence_reaches_an_allow_that_the_oracle_denies(t *testing.T) {
	for range 20 { // of a hundred each
		rapid.Check(t, play)
	}
}

func FuzzDecisions(f *testing.F) { f.Fuzz(rapid.MakeFuzz(play)) }
