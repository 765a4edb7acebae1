package mcp_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mortise-dev/mortise/internal/driver/mcp"
)

// gate is a test's answer to whether servers may run.
type gate struct {
	mu    sync.Mutex
	err   error
	asked []string // keys
}

func (g *gate) ask(_ context.Context, key string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked = append(g.asked, key)
	return g.err
}

func (g *gate) set(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.err = err
}

func (g *gate) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.asked)
}

var errNotNow = errors.New("its tree was changed")

// patient changes options so that nothing is tried again within a test.
func patient(o *mcp.Options) { o.Retry, o.RetryMax = time.Hour, time.Hour }

// deniedAfter reports whether a server is shown as one that may not run, after
// so many starts.
func deniedAfter(starts int) func(mcp.Status) bool {
	return func(s mcp.Status) bool {
		return s.State == mcp.Failed && s.Error == errNotNow.Error() && s.Starts == starts && s.Pid == 0
	}
}

// TestAllowed wants a server that may not run not to be started, to be shown as
// such all the while, and to be asked about again however often it was denied.
func TestAllowed(t *testing.T) {
	var b *bench
	asked := 0
	b = newBench(t, func(o *mcp.Options) {
		o.Tries = 2
		o.Allowed = func(context.Context, string) error {
			if asked++; asked > 10 {
				return nil
			}
			if st := b.Status()[0]; asked > 1 && !deniedAfter(0)(st) {
				t.Errorf("when it is asked about time %d: got %+v, want it failed and never started", asked, st)
			}
			return errNotNow
		}
	})
	s := fixtureTarget(t, "normal")
	b.Run([]mcp.Target{s})
	st := b.until(s.Name, "ready", state(mcp.Ready))
	if st.Starts != 1 || st.Error != "" {
		t.Errorf("status: got %+v, want one start and no error", st)
	}
	if log := logOf(t, s); strings.Count(log, "note it is not started: "+errNotNow.Error()+"\n") != 1 {
		t.Errorf("log: got %s, want one note on why it was not started", log)
	}
}

// TestAllowedDoesNotCount wants denials between quick ends neither to count as
// such nor to make them forgotten.
func TestAllowedDoesNotCount(t *testing.T) {
	asked := 0
	b := newBench(t, func(o *mcp.Options) {
		o.Tries = 3
		o.Allowed = func(context.Context, string) error {
			if asked++; asked%3 != 0 {
				return errNotNow
			}
			return nil
		}
	})
	s := fixtureTarget(t, "exit")
	b.Run([]mcp.Target{s})
	st := b.until(s.Name, "failed for good", func(st mcp.Status) bool {
		return st.State == mcp.Failed && strings.Contains(st.Error, "exit code 7")
	})
	if st.Starts != 3 {
		t.Errorf("starts: got %d, want 3", st.Starts)
	}
}

// TestAllowedAtOnce wants a server that was denied to be asked about at once
// when somebody wants it anew, and none that is not started anyway.
func TestAllowedAtOnce(t *testing.T) {
	for _, c := range []struct {
		name string
		want func(b *bench, s mcp.Target)
	}{
		{"restarted", func(b *bench, s mcp.Target) { b.Restart(s.Name) }},
		{"left out, then named", func(b *bench, s mcp.Target) {
			b.Run(nil)
			b.Run([]mcp.Target{s})
		}},
		{"changed", func(b *bench, s mcp.Target) {
			s.Args = []string{"new"}
			b.Run([]mcp.Target{s})
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := gate{err: errNotNow}
			b := newBench(t, func(o *mcp.Options) { patient(o); o.Allowed = g.ask })
			s, faulty := fixtureTarget(t, "normal"), fixtureTarget(t, "exit")
			faulty.Fault = "it is not declared well"
			b.Run([]mcp.Target{s, faulty})
			b.until(s.Name, "denied", deniedAfter(0))
			b.until(faulty.Name, "failed", state(mcp.Failed))
			g.set(nil)
			c.want(b, s)
			b.until(s.Name, "ready", state(mcp.Ready))
			if !slices.Equal(g.asked, []string{s.Key, s.Key}) {
				t.Errorf("asked about %q, want %s twice", g.asked, s.Key)
			}
		})
	}
}

// TestAllowedEachStart wants a server that ran to be asked about before it runs
// again, after an end of its own and after one that was wanted.
func TestAllowedEachStart(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(b *bench, s mcp.Target)
	}{
		{"it ended", func(b *bench, s mcp.Target) { _, _ = b.call(s, "exit", "") }},
		{"it was restarted", func(b *bench, s mcp.Target) { b.Restart(s.Key) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var g gate
			b := newBench(t, func(o *mcp.Options) { o.Allowed = g.ask })
			s := fixtureTarget(t, "normal")
			b.Run([]mcp.Target{s})
			b.until(s.Name, "ready", state(mcp.Ready))
			if g.count() != 1 {
				t.Errorf("asked %d times, want once", g.count())
			}
			g.set(errNotNow)
			c.end(b, s)
			b.until(s.Name, "denied", deniedAfter(1))
			if _, err := b.call(s, "echo", ""); err == nil || !strings.Contains(err.Error(), errNotNow.Error()) {
				t.Errorf("call: got %v, want why it does not run", err)
			}
			g.set(nil)
			b.until(s.Name, "ready again", func(st mcp.Status) bool { return st.State == mcp.Ready && st.Starts == 2 })
		})
	}
}

// TestAllowedMayRun wants the question to be free to say which servers should
// run, this one among them or not, and what is said there to hold.
func TestAllowedMayRun(t *testing.T) {
	for _, c := range []struct {
		name string
		run  func(b *bench, s mcp.Target)
		err  error
		want string // a word of the arguments with which it runs in the end; "" none runs
	}{
		{"the same", func(b *bench, s mcp.Target) { b.Run([]mcp.Target{s}) }, nil, "old"},
		{"the same, and denied once", func(b *bench, s mcp.Target) { b.Run([]mcp.Target{s}) }, errNotNow, "old"},
		{"none", func(b *bench, _ mcp.Target) { b.Run(nil) }, nil, ""},
		{"none, and denied", func(b *bench, _ mcp.Target) { b.Run(nil) }, errNotNow, ""},
		{"another", func(b *bench, s mcp.Target) {
			s.Args = []string{"new"}
			b.Run([]mcp.Target{s})
		}, nil, "new"},
		{"a restart", func(b *bench, s mcp.Target) { b.Restart(s.Key) }, nil, "old"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := fixtureTarget(t, "normal")
			s.Args = []string{"old"}
			var b *bench
			first := true // two are never asked at once for one key
			b = newBench(t, func(o *mcp.Options) {
				o.Allowed = func(context.Context, string) error {
					if !first {
						return nil
					}
					first = false
					c.run(b, s)
					return c.err
				}
			})
			b.Run([]mcp.Target{s})
			if c.want == "" {
				b.none()
				if log := logOf(t, s); strings.Contains(log, "started as process") {
					t.Errorf("log: got %s, want no start", log)
				}
				return
			}
			st := b.until(s.Name, "ready", state(mcp.Ready))
			if got := b.self(s).Args; st.Starts != 1 || !slices.Equal(got, []string{c.want}) {
				t.Errorf("got %d starts, %q, want one of %q", st.Starts, got, c.want)
			}
		})
	}
}

// none waits until no server is left.
func (b *bench) none() {
	b.t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for len(b.Status()) > 0 {
		select {
		case <-b.changed:
		case <-late.C:
			b.t.Fatalf("got %+v, want none", b.Status())
		}
	}
}

// TestAllowedEnds wants the question to end with the server.
func TestAllowedEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(b *bench)
	}{
		{"left out", func(b *bench) { b.Run(nil) }},
		{"closed", func(b *bench) { _ = b.Close() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := make(chan struct{})
			b := newBench(t, func(o *mcp.Options) {
				o.Allowed = func(ctx context.Context, _ string) error {
					close(asked)
					<-ctx.Done()
					return nil
				}
			})
			s := fixtureTarget(t, "normal")
			b.Run([]mcp.Target{s})
			<-asked
			c.end(b)
			for _, st := range b.Status() {
				if st.Starts != 0 {
					t.Errorf("got %+v, want it never started", st)
				}
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
			if log := logOf(t, s); strings.Contains(log, "started as process") {
				t.Errorf("log: got %s, want no start", log)
			}
		})
	}
}

// TestAllowedRemote wants nothing to be sent to a remote server that may not
// run, neither at first nor when it has forgotten its session, however many
// find that out.
func TestAllowedRemote(t *testing.T) {
	x := newWeb(t, nil)
	methods := map[string]int{}
	x.respond = func(_ http.ResponseWriter, r *http.Request, m message) bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		methods[r.Method+" "+m.Method]++
		return false
	}
	g := gate{err: errNotNow}
	b, s := newBench(t, func(o *mcp.Options) { patient(o); o.Allowed = g.ask }), remoteTarget(x.URL)
	b.Run([]mcp.Target{s})
	b.until(s.Name, "denied", deniedAfter(0))
	x.mu.Lock()
	if len(x.requests) != 0 {
		t.Errorf("got %v sent, want nothing", methods)
	}
	x.mu.Unlock()

	g.set(nil)
	b.Restart(s.Name)
	b.until(s.Name, "ready", state(mcp.Ready))
	g.set(errNotNow)
	x.mu.Lock()
	x.session = "s2"
	x.mu.Unlock()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got, err := b.call(s, "t", ""); err == nil || !strings.Contains(err.Error(), errNotNow.Error()) {
				t.Errorf("call: got %s, %v; want why it may not run", got, err)
			}
		})
	}
	all.Wait()
	b.until(s.Name, "denied", deniedAfter(1))
	x.mu.Lock()
	if methods["POST initialize"] != 1 || methods["DELETE "] != 0 {
		t.Errorf("got %v sent, want one greeting and no farewell", methods)
	}
	x.mu.Unlock()
	if g.count() != 3 {
		t.Errorf("asked %d times, want 3", g.count())
	}

	g.set(nil)
	b.Restart(s.Name)
	b.until(s.Name, "ready again", func(st mcp.Status) bool { return st.State == mcp.Ready && st.Starts == 2 })
}
