package guard_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/mortise-dev/mortise/ext"
)

// event is what happens to an extension, or a pass for x < 0.
type event struct {
	x  int
	do func(*extension)
}

// scripts are what may happen to one extension, in order.
var scripts = map[string][]func(*extension){
	"its manifest breaks and is mended": {func(x *extension) { x.broken = true }, func(x *extension) { x.broken = false }},
	"a guard breaks and is disabled":    {func(x *extension) { x.guards[0].broken = true }, func(x *extension) { x.guards[0].off = true }},
	"it breaks and is disabled":         {func(x *extension) { x.guards[len(x.guards)-1].broken = true }, func(x *extension) { x.off = true }},
}

// trio are the guards of each extension of the exhaustive check.
func trio(n int) []one {
	return []one{
		{kind: rule, says: denies, tool: "write"},
		{kind: answer, says: asks, tool: "read"},
		{kind: code, says: silent},
	}[:n]
}

// TestLaw05_every_interleaving runs every interleaving of what may happen to a few
// extensions with the passes of the host, and wants every call after every step
// judged as the model has it. With MORTISE_EXHAUSTIVE set that is up to three
// extensions of three guards, else two.
func TestLaw05_every_interleaving(t *testing.T) {
	most := 2
	if testing.Short() {
		most = 1
	}
	if os.Getenv("MORTISE_EXHAUSTIVE") != "" {
		most = 3
	}
	runs := 0
	for extensions := 1; extensions <= most; extensions++ {
		for guards := 1; guards <= 3; guards++ {
			choose(extensions, nil, func(chosen []string) {
				var left [][]event
				for x, name := range chosen {
					var script []event
					for _, do := range scripts[name] {
						script = append(script, event{x, do})
					}
					left = append(left, script)
				}
				left = append(left, []event{{x: -1}, {x: -1}}) // passes
				interleave(left, nil, func(order []event) {
					runs++
					walk(t, extensions, guards, chosen, order)
				})
			})
		}
	}
	t.Logf("%d interleavings", runs)
}

func choose(n int, chosen []string, do func([]string)) {
	if len(chosen) == n {
		do(chosen)
		return
	}
	for _, name := range []string{"its manifest breaks and is mended", "a guard breaks and is disabled", "it breaks and is disabled"} {
		choose(n, append(chosen[:len(chosen):len(chosen)], name), do)
	}
}

// interleave calls do for every order in which each script keeps its own.
func interleave(left [][]event, order []event, do func([]event)) {
	done := true
	for i := range left {
		if len(left[i]) == 0 {
			continue
		}
		done = false
		rest := append([][]event(nil), left...)
		rest[i] = left[i][1:]
		interleave(rest, append(order[:len(order):len(order)], left[i][0]), do)
	}
	if done {
		do(order)
	}
}

func walk(t *testing.T, extensions, guards int, chosen []string, order []event) {
	m := newMachine(programs)
	o := newOracle()
	for i := range extensions {
		m.now = append(m.now, &extension{name: ext.Name(fmt.Sprintf("x%d", i)), granted: true, guards: trio(guards)})
	}
	m.refresh()
	o.pass(m.now)
	for step, e := range append(order[:len(order):len(order)], event{x: -1}) {
		if e.x >= 0 {
			e.do(m.now[e.x])
			continue // no call sees it before a pass has
		}
		m.refresh()
		o.pass(m.now)
		for _, x := range m.now {
			for _, tool := range []string{"read", "write", "other"} {
				if got, want := m.judge(x.name, tool), o.judge(x.name, tool); got != want {
					t.Fatalf("%q, step %d: a call of %s:%s: got %v, want %v of %s", chosen, step, x.name, tool, got, want, show(o.seen))
				}
			}
		}
	}
}
