package mcp_test

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/internal/child"
	"github.com/mortise-dev/mortise/internal/driver/mcp"
)

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// TestField_LIF06_NeverAnswers wants a server that never answers the greeting
// to be ended and reaped each time, and nothing to pile up over 200 of them.
func TestField_LIF06_NeverAnswers(t *testing.T) {
	b := newBench(t, func(o *mcp.Options) { o.Connect = 5 * time.Millisecond; o.Tries = 1 << 20 })
	s := fixtureTarget(t, "hang")
	b.Run([]mcp.Target{s})
	pids := map[int]bool{}
	between := func(n int) func(mcp.Status) bool {
		return func(st mcp.Status) bool {
			if st.Pid != 0 {
				pids[st.Pid] = true
			}
			return st.Starts >= n && st.State == mcp.Waiting && st.Pid == 0
		}
	}
	st := b.until(s.Name, "five tries", between(5))
	before := descriptors(t)
	if !strings.Contains(st.Error, "did not answer the greeting within 5ms") {
		t.Errorf("error: got %q, want the limit named", st.Error)
	}
	b.until(s.Name, "many tries", between(cycles))
	if after := descriptors(t); after > before+8 { // one start may be under way
		t.Errorf("descriptors: got %d, had %d before", after, before)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if after := descriptors(t); after > before {
		t.Errorf("descriptors after Close: got %d, had %d", after, before)
	}
	for pid := range pids {
		if child.Alive(child.Identity{Pid: pid}) {
			t.Errorf("process %d lives", pid)
		}
	}
}

func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestField_LIF07_Idle wants waiting for a server that does not get ready to
// cost no time of the processor.
func TestField_LIF07_Idle(t *testing.T) {
	b, s := newBench(t, nil), fixtureTarget(t, "hang")
	b.Run([]mcp.Target{s})
	b.until(s.Name, "started", func(st mcp.Status) bool { return st.Starts == 1 })
	before := cpu(t)
	ctx, cancel := context.WithTimeout(context.Background(), 500*time.Millisecond)
	defer cancel()
	if _, err := b.Call(ctx, ref(s, "echo"), nil); err == nil {
		t.Error("call: got an answer, want none")
	}
	if spent := cpu(t) - before; spent > 100*time.Millisecond {
		t.Errorf("processor: %v spent in half a second of waiting, want next to none", spent)
	}
}
