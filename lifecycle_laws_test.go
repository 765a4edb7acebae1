package mortise_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/mortise-dev/mortise"
)

// ends is how a hook of a play ends.
type ends int

const (
	well ends = iota
	withError
	withPanic
	withGoexit
	late    // it returns when its time is over
	never   // it returns when the play is over
	cancels // the context of the Open that is on its way, and returns well
)

// drawnHook is a hook of a play: how it ends when it is run for the first, second …
// time, and then for ever.
type drawnHook struct {
	install bool
	timeout time.Duration
	runs    []ends
}

// lifecyclePlay is a sequence of hosts that are opened and closed over one
// composition, and what is known of it.
type lifecyclePlay struct {
	extensions [][]drawnHook
	composed   *mortise.Composed
	diary      diary
	ran        map[string]int // by name
	leave      chan struct{}
	cancel     context.CancelFunc // of the Open on its way

	// The model.
	installed map[int]bool
	expected  []string
	times     map[string]int
	canceled  bool
}

func drawExtensions(t *rapid.T) [][]drawnHook {
	end := rapid.SampledFrom([]ends{well, well, well, well, withError, withPanic, withGoexit, late, never, cancels})
	return rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) drawnHook {
		return drawnHook{
			rapid.Bool().Draw(t, "install"), time.Duration(rapid.IntRange(0, 3).Draw(t, "timeout")) * time.Millisecond,
			rapid.SliceOfN(end, 1, 3).Draw(t, "runs"),
		}
	}), 0, 4), 1, 4).Draw(t, "extensions")
}

func hookName(extension, hook int) string { return fmt.Sprintf("x%d-h%d", extension, hook) }

// endOf is how a hook ends for the nth time.
func (h drawnHook) endOf(n int) ends { return h.runs[min(n, len(h.runs)-1)] }

func (p *lifecyclePlay) contribute() {
	var providers []mortise.Provider
	for x, hooks := range p.extensions {
		c := mortise.Contribution{Extension: fmt.Sprintf("x%d", x)}
		for i, h := range hooks {
			hook := mortise.LifecycleHook{Name: hookName(x, i), Phase: mortise.Teardown, Timeout: h.timeout}
			if h.install {
				hook.Phase = mortise.Install
			}
			hook.Run = func(ctx context.Context) error { return p.play(ctx, hook.Name, h) }
			c.Lifecycle = append(c.Lifecycle, hook)
		}
		providers = append(providers, c)
	}
	composed, err := mortise.Compose(providers)
	if err != nil {
		panic(err)
	}
	p.composed = composed
}

// play is a hook that is run.
func (p *lifecyclePlay) play(ctx context.Context, name string, h drawnHook) error {
	p.diary.mu.Lock()
	end := h.endOf(p.ran[name])
	p.ran[name]++
	p.diary.mu.Unlock()
	line := name
	if ctx.Err() != nil {
		line += " with a dead context"
	}
	if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) != limitOf(h) {
		line += " with another deadline"
	}
	p.diary.note(line)
	switch end {
	case withError:
		return errInk
	case withPanic:
		panic("no ink")
	case withGoexit:
		runtime.Goexit()
	case late:
		<-ctx.Done()
	case never:
		<-p.leave
	case cancels:
		p.cancel()
	}
	return nil
}

const playPatience = 5 * time.Millisecond

func limitOf(h drawnHook) time.Duration {
	if h.timeout == 0 {
		return playPatience
	}
	return h.timeout
}

// runs enters in the model that a hook is run, and reports whether it fails.
func (p *lifecyclePlay) runs(x, i int) bool {
	name, h := hookName(x, i), p.extensions[x][i]
	end := h.endOf(p.times[name])
	p.times[name]++
	p.expected = append(p.expected, name)
	p.canceled = p.canceled || end == cancels
	return end != well && end != cancels
}

// tears enters the teardown of extensions, and how many fail.
func (p *lifecyclePlay) tears(extensions []int) (failed int) {
	for n := len(extensions) - 1; n >= 0; n-- {
		x := extensions[n]
		for i := len(p.extensions[x]) - 1; i >= 0; i-- {
			if !p.extensions[x][i].install && p.runs(x, i) {
				failed++
			}
		}
	}
	return failed
}

// opened is what an Open must come to.
type opened struct {
	refused  string // the extension; "" is none
	canceled bool
	failed   int // teardowns
}

// opens enters an Open.
func (p *lifecyclePlay) opens() (want opened) {
	var begun []int
	p.canceled = false
	for x, hooks := range p.extensions {
		began := p.installed[x]
		for i, h := range hooks {
			if !h.install || p.installed[x] || want.refused != "" || p.canceled {
				continue
			}
			if !began {
				began, begun = true, append(begun, x)
			}
			if p.runs(x, i) {
				want.refused = fmt.Sprintf("x%d", x)
			}
		}
	}
	if want.canceled = p.canceled; want.canceled || want.refused != "" {
		want.failed = p.tears(begun)
		return want
	}
	for _, x := range begun {
		p.installed[x] = true
	}
	return want
}

// open opens a host, and says what is wrong with what came of that.
func (p *lifecyclePlay) open() (*mortise.Host, string) {
	want := p.opens()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p.cancel = cancel
	h, err := mortise.Open(ctx, p.composed, mortise.Patience(playPatience))
	var refused *mortise.AdmissionError
	errors.As(err, &refused)
	torn := ""
	if want.failed == 1 {
		torn = "1 teardown hook failed: "
	} else if want.failed > 1 {
		torn = fmt.Sprintf("%d teardown hooks failed; the first: ", want.failed)
	}
	switch {
	case (err == nil) != (want == opened{}) || (h == nil) != (err != nil):
		return h, fmt.Sprintf("Open: got %v, want %+v", err, want)
	case err == nil:
		return h, ""
	case errors.Is(err, context.Canceled) != want.canceled || want.refused != "" && (refused == nil || refused.Refusals[0].Extension != want.refused || refused.Refusals[0].Cause != mortise.InstallFailed):
		return h, fmt.Sprintf("Open: got %v, want %+v", err, want)
	case strings.Contains(err.Error(), "teardown hook") != (torn != "") || !strings.Contains(err.Error(), torn):
		return h, fmt.Sprintf("Open: got %v, want %d teardowns that failed", err, want.failed)
	}
	return h, ""
}

// close closes a host twice, likewise.
func (p *lifecyclePlay) close(h *mortise.Host) string {
	p.cancel = func() {}
	var all []int
	for x := range p.extensions {
		all = append(all, x)
	}
	want := p.tears(all)
	for range 2 {
		err := h.Close()
		if (err != nil) != (want > 0) || unwrapped(err) != want || want > 0 && !strings.HasPrefix(err.Error(), fmt.Sprintf("%d teardown hook", want)) {
			return fmt.Sprintf("Close: got %v, want %d that failed", err, want)
		}
	}
	return ""
}

// run plays a sequence of opening (true) and closing what was opened first.
func (p *lifecyclePlay) run(steps []bool) string {
	p.leave = make(chan struct{})
	defer close(p.leave)
	p.ran, p.times, p.installed = map[string]int{}, map[string]int{}, map[int]bool{}
	p.contribute()
	var hosts []*mortise.Host
	for _, opens := range steps {
		wrong := ""
		switch {
		case opens:
			var h *mortise.Host
			if h, wrong = p.open(); h != nil {
				hosts = append(hosts, h)
			}
		case len(hosts) > 0:
			wrong, hosts = p.close(hosts[0]), hosts[1:]
		}
		if wrong != "" {
			return wrong
		}
		synctest.Wait()
		if got, want := p.diary.take(), strings.Join(p.expected, " "); got != want {
			return fmt.Sprintf("got the hooks %q run, want %q", got, want)
		}
		p.expected = nil
	}
	return ""
}

// TestLaw11_no_failure_costs_a_teardown plays random hooks that end in every way, over
// hosts that are opened and closed in any order, and wants exactly what a model says to
// be run: every teardown once for each host, and of an Open that failed for what it had
// begun; an install once for what is contributed, again where it was rolled back; each
// with its own deadline and a context that lives; and each error to count what failed.
func TestLaw11_no_failure_costs_a_teardown(t *testing.T) {
	for range 10 { // of a hundred each
		rapid.Check(t, func(rt *rapid.T) {
			p := lifecyclePlay{extensions: drawExtensions(rt)}
			steps := rapid.SliceOfN(rapid.Bool(), 1, 6).Draw(rt, "steps")
			wrong := ""
			synctest.Test(t, func(*testing.T) { wrong = p.run(steps) })
			if wrong != "" {
				rt.Fatalf("%s\nof %+v, %v", wrong, p.extensions, steps)
			}
		})
	}
}
