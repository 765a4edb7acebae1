package mortise_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mortise-dev/mortise"
	"github.com/mortise-dev/mortise/ext"
)

func does(err error) func(context.Context) error {
	return func(context.Context) error { return err }
}

func hooked(name string, hooks ...mortise.LifecycleHook) mortise.Contribution {
	return mortise.Contribution{Extension: name, Lifecycle: hooks}
}

// diary is what hooks did, in their order.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, line)
}

// take is what was noted since it was last taken.
func (d *diary) take() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	lines := d.lines
	d.lines = nil
	return strings.Join(lines, " ")
}

// install and teardown are hooks that note that they are run, as +NAME and -NAME.
func (d *diary) install(name string, do func(context.Context) error) mortise.LifecycleHook {
	return mortise.LifecycleHook{Name: name, Phase: mortise.Install, Run: func(ctx context.Context) error {
		d.note("+" + name)
		return do(ctx)
	}}
}

func (d *diary) teardown(name string, do func(context.Context) error) mortise.LifecycleHook {
	return mortise.LifecycleHook{Name: name, Phase: mortise.Teardown, Run: func(ctx context.Context) error {
		d.note("-" + name)
		return do(ctx)
	}}
}

func open(t testing.TB, c *mortise.Composed, opts ...mortise.HostOption) *mortise.Host {
	t.Helper()
	h, err := mortise.Open(context.Background(), c, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// unwrapped is how many errors an error holds.
func unwrapped(err error) int {
	var many interface{ Unwrap() []error }
	if !errors.As(err, &many) {
		return 0
	}
	return len(many.Unwrap())
}

var errInk = errors.New("out of ink")

// badly is every way in which a hook can fail, with the words of its error. What hangs
// does until the function is called that comes with it.
func badly() (ways []way, release func()) {
	leave := make(chan struct{})
	return []way{
		{"an error", does(errInk), "out of ink"},
		{"an error that cannot be told", does((*angry)(nil)), "even the error fails"},
		{"a panic", func(context.Context) error { panic("no \x1b ink") }, "it panicked: no "},
		{"the end of its goroutine", func(context.Context) error {
			runtime.Goexit()
			return nil
		}, "ended its goroutine"},
		{"an answer that comes late", func(ctx context.Context) error {
			<-ctx.Done()
			return nil
		}, "did not return within 2s"},
		{"no answer", func(context.Context) error {
			<-leave
			return nil
		}, "did not return within 2s"},
	}, sync.OnceFunc(func() { close(leave) })
}

type way struct {
	name  string
	run   func(context.Context) error
	words string
}

// TestOpen_runs_the_hooks in the order of the providers, and takes them down in
// reverse. A second host over the same composition installs nothing again.
func TestOpen_runs_the_hooks(t *testing.T) {
	var d diary
	c := compose(t,
		hooked("a", d.teardown("a1", does(nil)), d.install("a2", does(nil)), d.install("a3", does(nil)), d.teardown("a4", does(nil))),
		with("b", aTool("x")),
		hooked("c", d.install("c1", does(nil)), d.teardown("c2", does(nil))))
	if d.take() != "" {
		t.Error("composing ran a hook")
	}
	first := open(t, c)
	if got := d.take(); got != "+a2 +a3 +c1" {
		t.Errorf("the first Open: got %q", got)
	}
	second := open(t, c)
	if got := d.take(); got != "" {
		t.Errorf("the second Open: got %q, want nothing installed twice", got)
	}
	if r, err := second.Session().Call(t.Context(), "b_x", nil); err != nil || r.Failed {
		t.Errorf("a call: got %+v, %v", r, err)
	}
	for _, h := range []*mortise.Host{first, second} {
		for _, want := range []string{"-c2 -a4 -a1", ""} {
			if err := h.Close(); err != nil {
				t.Error(err)
			}
			if got := d.take(); got != want {
				t.Errorf("Close: got %q, want %q: the teardown is of each host, once", got, want)
			}
		}
	}
	open(t, c)
	if got := d.take(); got != "" {
		t.Errorf("an Open after all are closed: got %q, want what was installed to last", got)
	}
}

// TestNew_runs_no_hooks, and so begins nothing where there are any: neither of a
// teardown alone, which would be due to run, nor of an install.
func TestNew_runs_no_hooks(t *testing.T) {
	var d diary
	for _, hook := range []mortise.LifecycleHook{d.install("i", does(nil)), d.teardown("t", does(nil))} {
		contribution := with("acme", aTool("x"))
		contribution.Lifecycle = []mortise.LifecycleHook{hook}
		h := mortise.New(compose(t, contribution))
		s := h.Session()
		_, called := s.Call(t.Context(), "acme_x", nil)
		_, turned := s.Turn(t.Context(), mortise.Request{})
		for what, err := range map[string]error{"Call": called, "Turn": turned, "Connect": h.Connect(t.Context()), "LoadPlugin": h.LoadPlugin(&legacy{name: "p"})} {
			if ext.KindOf(err) != ext.Usage || !strings.Contains(err.Error(), "mortise.Open") {
				t.Errorf("%s with the hook %s: got %v, want an error that says to use Open", what, hook.Name, err)
			}
		}
		if err := h.Close(); err != nil || d.take() != "" {
			t.Errorf("Close: got %v, want nothing run: nothing was opened", err)
		}
	}
}

func TestOpen_without_hooks_is_New(t *testing.T) {
	for _, c := range []*mortise.Composed{nil, compose(t, with("acme", aTool("x")))} {
		if err := open(t, c).Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOpen_an_install_that_fails refuses its extension. What was installed is torn
// down, what was not begun is not, and the next Open begins anew.
func TestOpen_an_install_that_fails(t *testing.T) {
	ways, _ := badly()
	for i := range ways {
		t.Run(ways[i].name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ways, release := badly() // of this bubble
				defer release()
				var d diary
				mended := make(chan bool) // closed when it is
				c := compose(t,
					hooked("a", d.install("a1", does(nil)), d.teardown("a2", does(nil))),
					hooked("b", d.teardown("b1", does(nil))),
					hooked("c", d.install("c1", does(nil)), d.install("c2", func(ctx context.Context) error {
						select {
						case <-mended:
							return nil
						default:
							return ways[i].run(ctx)
						}
					}), d.install("c3", does(nil)), d.teardown("c4", does(errors.New("stuck"))), d.teardown("c5", does(nil))),
					hooked("d", d.install("d1", does(nil)), d.teardown("d2", does(nil))))
				h, err := mortise.Open(t.Context(), c, mortise.Patience(2*time.Second))
				var refused *mortise.AdmissionError
				if !errors.As(err, &refused) || h != nil || ext.KindOf(err) != ext.Refused {
					t.Fatalf("got %v, %v, want a refusal and no host", h, err)
				}
				r := refused.Refusals[0]
				if len(refused.Refusals) != 1 || r.Extension != "c" || r.Cause != mortise.InstallFailed || !strings.Contains(r.Reason, `"c2"`) || !strings.Contains(r.Reason, ways[i].words) || strings.Contains(r.Reason, "\x1b") || r.Fix == "" {
					t.Errorf("got %+v, want c refused for its hook c2, with %q", refused.Refusals, ways[i].words)
				}
				if want := `1 teardown hook failed: the teardown hook "c4" of c: stuck`; refused.Teardown == nil || refused.Teardown.Error() != want || !strings.HasSuffix(err.Error(), want) {
					t.Errorf("got %v in %v, want %q", refused.Teardown, err, want)
				}
				if i == 0 && !errors.Is(err, errInk) {
					t.Errorf("got %v, want the hook's own error in it", err)
				}
				if got := d.take(); got != "+a1 +c1 +c2 -c5 -c4 -a2" {
					t.Errorf("got %q, want what was begun torn down, the last first", got)
				}
				close(mended)
				h = open(t, c)
				if got := d.take(); got != "+a1 +c1 +c2 +c3 +d1" {
					t.Errorf("the next Open: got %q, want nothing remembered of the one that failed", got)
				}
				if err := h.Close(); unwrapped(err) != 1 {
					t.Errorf("Close: got %v, want the one that is stuck", err)
				}
			})
		})
	}
}

// TestOpen_ends_with_its_context: what was installed is torn down all the same, with a
// context that lives and has the values of the one that ended.
func TestOpen_ends_with_its_context(t *testing.T) {
	type key struct{}
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "kept"))
	var d diary
	alive := func(ctx context.Context) error {
		if ctx.Err() != nil || ctx.Value(key{}) != "kept" {
			t.Errorf("a teardown was given %v", ctx)
		}
		return errInk
	}
	c := compose(t,
		hooked("a", d.install("a1", does(nil)), d.teardown("a2", alive)),
		hooked("b", d.install("b1", func(context.Context) error {
			cancel()
			return nil
		}), d.teardown("b2", alive)),
		hooked("c", d.install("c1", does(nil)), d.teardown("c2", alive)))
	h, err := mortise.Open(ctx, c)
	var refused *mortise.AdmissionError
	if h != nil || !errors.Is(err, context.Canceled) || errors.As(err, &refused) || !errors.Is(err, errInk) || !strings.Contains(err.Error(), "2 teardown hooks failed; the first") {
		t.Errorf("got %v, %v, want no host, nobody blamed and both failures", h, err)
	}
	if got := d.take(); got != "+a1 +b1 -b2 -a2" {
		t.Errorf("got %q", got)
	}
	for _, c := range []*mortise.Composed{c, compose(t, with("plain", aTool("x")))} {
		if h, err := mortise.Open(ctx, c); h != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that ended before: got %v, %v", h, err)
		}
	}
	if got := d.take(); got != "" {
		t.Errorf("with a context that ended before: got %q, want nothing begun", got)
	}
}

// TestOpen_of_two_at_once installs once: the second waits for the first, and where that
// fails does it itself; who waits can give up.
func TestOpen_of_two_at_once(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		results := make(chan error, 3)
		c := compose(t, hooked("a", d.install("a1", func(ctx context.Context) error {
			select {
			case err := <-results:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		})))
		var all sync.WaitGroup
		errs := make([]error, 3)
		for i := range errs {
			all.Go(func() { _, errs[i] = mortise.Open(t.Context(), c) })
		}
		synctest.Wait()
		if got := d.take(); got != "+a1" {
			t.Errorf("with three at once: got %q, want one to install", got)
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := mortise.Open(impatient, c); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "wait for who opens another") {
			t.Errorf("who gives up: got %v", err)
		}
		results <- errInk
		synctest.Wait()
		if got := d.take(); got != "+a1" {
			t.Errorf("after the first failed: got %q, want the second to install", got)
		}
		results <- nil
		all.Wait()
		failed := 0
		for _, err := range errs {
			if err != nil {
				failed++
			}
		}
		if got := d.take(); got != "" || failed != 1 {
			t.Errorf("after the second succeeded: got %q and %v, want the third to install nothing and one that failed", got, errs)
		}
	})
}

// TestLaw11_every_teardown_runs whatever another came to, each with its own deadline.
// All that failed is counted and the first shown; closing again changes nothing.
func TestLaw11_every_teardown_runs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ways, release := badly()
		defer release()
		var d diary
		var hooks []mortise.LifecycleHook
		for i, w := range ways {
			hooks = append(hooks, d.teardown(fmt.Sprintf("h%d", i), w.run))
		}
		patient := d.teardown("patient", func(ctx context.Context) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Minute):
				return nil
			}
		})
		patient.Timeout = time.Hour
		slices.Reverse(hooks) // which is the order that they are run in
		h := open(t, compose(t, hooked("first", d.teardown("last", does(nil)), patient), hooked("acme", hooks...)), mortise.Patience(2*time.Second))
		began := time.Now()
		for range 2 {
			err := h.Close()
			if want := `6 teardown hooks failed; the first: the teardown hook "h0" of acme: out of ink`; err == nil || err.Error() != want || unwrapped(err) != 6 || !errors.Is(err, errInk) {
				t.Errorf("got %v, want %q", err, want)
			}
			for i, w := range ways {
				var many interface{ Unwrap() []error }
				if errors.As(err, &many); !strings.Contains(many.Unwrap()[i].Error(), w.words) {
					t.Errorf("%s: got %v, want %q", w.name, many.Unwrap()[i], w.words)
				}
			}
		}
		if got := d.take(); got != "-h0 -h1 -h2 -h3 -h4 -h5 -patient -last" {
			t.Errorf("got %q, want each once", got)
		}
		if took := time.Since(began); took != time.Minute+4*time.Second {
			t.Errorf("it took %s, want 2s for each that hangs and a minute for the one that may", took)
		}
	})
}

// TestField_POL12_every_teardown_runs: of three the first fails, and the others are run
// all the same. And one hook at fault refuses its extension whole; mended, it is
// composed under its name.
func TestField_POL12_every_teardown_runs(t *testing.T) {
	var d diary
	valid, broken := d.install("valid", does(nil)), mortise.LifecycleHook{Name: "broken", Phase: "perhaps", Run: does(nil)}
	if _, err := mortise.Compose([]mortise.Provider{hooked("acme", valid, broken)}); err == nil || d.take() != "" {
		t.Errorf("a valid and an invalid hook: got %v, want it refused and nothing run", err)
	}
	h := open(t, compose(t, hooked("acme", valid, d.teardown("t3", does(nil)), d.teardown("t2", does(nil)), d.teardown("t1", does(errInk)))))
	err := h.Close()
	if got := d.take(); got != "+valid -t1 -t2 -t3" {
		t.Errorf("got %q, want all three teardowns", got)
	}
	if err == nil || err.Error() != `1 teardown hook failed: the teardown hook "t1" of acme: out of ink` {
		t.Errorf("got %v, want the one that failed", err)
	}
}

// TestLaw11_teardowns_wait_for_calls no longer than the host's patience: a call that
// never returns costs no teardown.
func TestLaw11_teardowns_wait_for_calls(t *testing.T) {
	for _, c := range []struct {
		name  string
		lasts time.Duration
		after time.Duration // the teardown runs
	}{{"a call that returns", time.Second, time.Second}, {"a call that does not", time.Hour, 5 * time.Second}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				contribution := with("acme", mortise.NewTool(mortise.About{Name: "slow", Description: "Waits."}, func(context.Context, nothing) (any, error) {
					<-time.After(c.lasts)
					return "done", nil
				}))
				var ran time.Duration
				contribution.Lifecycle = []mortise.LifecycleHook{{Name: "t", Phase: mortise.Teardown, Run: func(context.Context) error {
					ran = time.Since(began)
					return nil
				}}}
				h := open(t, compose(t, contribution), mortise.Patience(5*time.Second))
				s := h.Session()
				var call sync.WaitGroup
				call.Go(func() {
					if r, err := s.Call(context.Background(), "acme_slow", nil); err != nil || r.Text != `"done"` {
						t.Errorf("the call: got %+v, %v", r, err)
					}
				})
				synctest.Wait()
				if err := h.Close(); err != nil {
					t.Error(err)
				}
				if ran != c.after {
					t.Errorf("the teardown ran after %s, want %s", ran, c.after)
				}
				if took := time.Since(began); took != c.lasts {
					t.Errorf("Close took %s, want %s: no tool may call what is closed", took, c.lasts)
				}
				call.Wait()
			})
		})
	}
}

// TestComposed_tells_of_lifecycle_hooks, and the digest of an extension is another with
// another version or other hooks.
func TestComposed_tells_of_lifecycle_hooks(t *testing.T) {
	var d diary
	c := compose(t, hooked("acme", d.install("prepare", does(nil)), d.teardown("shut", does(nil))))
	for _, want := range []string{"0 guards, 2 lifecycle hooks\n", "lifecycle hook acme:prepare: install\n", "lifecycle hook acme:shut: teardown\n"} {
		if !strings.Contains(c.String(), want) {
			t.Errorf("got %q, want %q in it", c, want)
		}
	}
	if d.take() != "" {
		t.Error("telling ran a hook")
	}
	seen := map[ext.Digest]string{}
	for _, other := range []mortise.Contribution{
		with("acme"), {Extension: "acme", Version: "1"}, {Extension: "acme", Version: "2"},
		hooked("acme", d.install("a", does(nil))), hooked("acme", d.teardown("a", does(nil))), hooked("acme", d.install("b", does(nil))),
		{Extension: "acme", Version: "1", Lifecycle: []mortise.LifecycleHook{d.install("a", does(nil))}},
		{Extension: "acme", Fragments: []mortise.Fragment{{Name: "f", Text: "x"}}, Lifecycle: []mortise.LifecycleHook{d.install("a", does(nil))}},
	} {
		digest, said := compose(t, other).Extensions()[0].Digest, compose(t, other).String()+other.Version
		if before, ok := seen[digest]; ok {
			t.Errorf("%q and %q have one digest", before, said)
		}
		seen[digest] = said
	}
}
