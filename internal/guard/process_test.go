//go:build unix

package guard_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/driver/command"
	"github.com/mortise-dev/mortise/internal/guard"
)

func TestMain(m *testing.M) {
	child.Main()
	os.Exit(m.Run())
}

// lines are what handlers are that behave in a way.
var lines = map[string]string{
	string(denies):  `echo no >&2; exit 2`,
	string(asks):    `printf '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "ask"}}'`,
	string(wishful): `printf '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}'`,
	string(silent):  `cat > /dev/null`,
	string(fails):   `exit 1`,
	string(panics):  `kill -9 $$`,
	string(oddly):   `printf '{"hookSpecificOutput": 7'`,
	string(holds):   `sleep 300 & exit 0`,
	string(hangs):   `sleep 300`,
	string(floods):  `while :; do echo flood; done`,
}

// processes runs what behaves in a way as a program of this machine.
func processes(ctx context.Context, p guard.Program) (guard.Ran, error) {
	c := command.Command{Line: lines[p.Line], Env: command.Environment(os.Environ()), Stdin: p.Input, Limit: p.Limit, Most: 4096}
	if p.Line == string(hangs) {
		c.Limit = 50 * time.Millisecond
	}
	r, err := command.Run(ctx, c)
	return guard.Ran{Exit: r.Exit, Stdout: r.Stdout, Stderr: r.Stderr, Held: r.Left > 0}, err
}

// TestLaw05_no_process_reaches_an_allow_that_the_oracle_denies is the property of
// sequences with handlers that are real programs: some crash, hang, flood, or leave a
// child behind.
func TestLaw05_no_process_reaches_an_allow_that_the_oracle_denies(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many programs")
	}
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(processes)
		o := newOracle()
		x := &extension{name: "x0", granted: true}
		for range rapid.IntRange(1, 3).Draw(t, "guards") {
			g := one{kind: handler, says: behaviour(rapid.SampledFrom([]string{
				string(denies), string(asks), string(wishful), string(silent), string(silent), string(fails), string(panics), string(oddly), string(holds), string(hangs), string(floods),
			}).Draw(t, "says"))}
			g.watches = rapid.IntRange(0, 4).Draw(t, "watches") == 0
			x.guards = append(x.guards, g)
		}
		m.now = []*extension{x}
		for range 2 {
			m.refresh()
			o.pass(m.now)
			if got, want := m.judge("x0", "read"), o.judge("x0", "read"); got != want {
				t.Fatalf("got %v, want %v of %s", got, want, show(o.seen))
			}
			x.broken = rapid.Bool().Draw(t, "broken")
			x.granted = rapid.Bool().Draw(t, "granted")
		}
	})
}

// Handlers are asked at once, not one after the other.
func TestHandlersAreAskedInParallel(t *testing.T) {
	var all []one
	for range 8 {
		all = append(all, one{kind: handler, says: silent})
	}
	arrived := make(chan struct{}, len(all))
	m := newMachine(func(ctx context.Context, _ guard.Program) (guard.Ran, error) {
		arrived <- struct{}{}
		for len(arrived) < cap(arrived) { // each waits until all have come
			select {
			case <-ctx.Done():
				return guard.Ran{}, fmt.Errorf("%d of %d came", len(arrived), cap(arrived))
			default:
			}
		}
		return guard.Ran{}, nil
	})
	m.now = []*extension{{name: "x0", granted: true, guards: all}}
	m.refresh()
	if got := m.judge("x0", "read"); got != guard.Pass {
		t.Errorf("got %v, want no objection: all are asked at once", got)
	}
}
