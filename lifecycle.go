package mortise

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// Open makes a host on a composition, and runs the install hooks that did not run
// before: those of each extension once for its [Extension.Digest], in the order of the
// providers. What ran before is known to the composition, and to all processes where
// [RememberInstalls] says so. A host that is closed takes nothing of that back: another
// Open over the same composition installs nothing again. Of two at once the second
// waits for the first.
//
// An install hook that fails refuses its extension, with an [*AdmissionError] of the
// cause [InstallFailed], and there is no host. Then, and where ctx ends before all is
// installed or what was cannot be remembered, the teardown hooks of every extension
// that this Open began to install are run, the last one first; what of them failed is
// in the error, too. Nothing of such an Open is remembered. ctx is for the opening
// alone; the host outlives it.
func Open(ctx context.Context, composed *Composed, opts ...HostOption) (*Host, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("open the host: %w", err)
	}
	h := newHost(composed, opts)
	if !h.composed.hooked() {
		return h, nil
	}
	if err := h.install(ctx); err != nil {
		return nil, err
	}
	return h, nil
}

// hooked reports whether there are lifecycle hooks.
func (c *Composed) hooked() bool {
	return slices.ContainsFunc(c.parts, func(p *part) bool { return len(p.lifecycle) > 0 })
}

// phase are the hooks of one phase, in their order.
func (p *part) phase(phase Phase) (out []LifecycleHook) {
	for _, h := range p.lifecycle {
		if h.Phase == phase {
			out = append(out, h)
		}
	}
	return out
}

// install runs the install hooks that did not run yet.
func (h *Host) install(ctx context.Context) error {
	known := h.composed.installs
	if err := known.enter(ctx); err != nil {
		return fmt.Errorf("open the host: wait for who opens another: %w", err)
	}
	defer known.leave()
	kept, release, err := h.memory.open(ctx)
	if err != nil {
		return fmt.Errorf("open the host: %w", err)
	}
	defer release()
	var due []*part
	for _, p := range h.composed.parts {
		if v := p.version(); len(p.phase(Install)) > 0 && !known.ran[v] && !kept[v] {
			due = append(due, p)
		}
	}
	begun, err := h.installAll(ctx, due)
	if err == nil {
		err = h.remember(kept)
	}
	if err != nil {
		return undone(err, h.tearDown(context.WithoutCancel(ctx), begun))
	}
	return nil
}

// remember enters every extension with install hooks: all of them ran, now or before.
func (h *Host) remember(kept map[version]bool) error {
	var all []version
	for _, p := range h.composed.parts {
		if len(p.phase(Install)) > 0 {
			all = append(all, p.version())
		}
	}
	if err := h.memory.add(kept, all); err != nil {
		return err
	}
	for _, v := range all {
		h.composed.installs.ran[v] = true
	}
	return nil
}

// installAll runs the install hooks of extensions, up to the first that fails. It
// returns the extensions of which any was begun.
func (h *Host) installAll(ctx context.Context, due []*part) (begun []*part, err error) {
	for _, p := range due {
		for i, hook := range p.phase(Install) {
			if err := ctx.Err(); err != nil {
				return begun, err
			}
			if i == 0 {
				begun = append(begun, p)
			}
			err := h.run(ctx, p, &hook)
			if over := ctx.Err(); over != nil { // which is no fault of the hook
				return begun, fmt.Errorf("%w while %s ran", over, hook.of(p))
			}
			if err != nil {
				return begun, &installError{p, hook, err}
			}
		}
	}
	return begun, nil
}

// closeDown runs all teardown hooks, as soon as no call is in flight or too long was
// waited for that.
func (h *Host) closeDown(calm <-chan struct{}) []error {
	if h.unopened || !h.composed.hooked() {
		return nil
	}
	over := time.NewTimer(h.patience)
	defer over.Stop()
	select {
	case <-calm:
	case <-over.C:
	}
	return h.tearDown(context.Background(), h.composed.parts)
}

// tearDown runs the teardown hooks of extensions, all of them, in reverse order. It
// returns what failed.
func (h *Host) tearDown(ctx context.Context, parts []*part) (failed []error) {
	for _, p := range slices.Backward(parts) {
		for _, hook := range slices.Backward(p.phase(Teardown)) {
			if err := h.run(ctx, p, &hook); err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", hook.of(p), err))
			}
		}
	}
	return failed
}

// run runs a hook for as long as it may take.
func (h *Host) run(ctx context.Context, p *part, hook *LifecycleHook) error {
	limit := hook.Timeout
	if limit <= 0 {
		limit = h.patience
	}
	said, err := within(ctx, limit, func(ctx context.Context) (error, error) { return spoken(hook.Run(ctx)), nil })
	switch {
	case errors.Is(err, errLate):
		return fmt.Errorf("it did not return within %s", limit)
	case err != nil:
		return err
	}
	return said
}

// of names a hook of an extension.
func (h *LifecycleHook) of(p *part) string {
	return fmt.Sprintf("the %s hook %s of %s", h.Phase, ext.Quote(h.Name), p.name)
}

// spokenError is a foreign error with what it said while a panic was caught.
type spokenError struct {
	said string
	err  error
}

func spoken(err error) error {
	if err == nil {
		return nil
	}
	return &spokenError{ext.Escape(ext.Shorten(err.Error(), 300)), err}
}

func (e *spokenError) Error() string { return e.said }

// Unwrap is the error itself, for who knows it.
func (e *spokenError) Unwrap() error { return e.err }

// installError is an install hook that failed.
type installError struct {
	part *part
	hook LifecycleHook
	err  error
}

func (e *installError) Error() string { return fmt.Sprintf("%s: %s", e.hook.of(e.part), e.err) }

// Unwrap is what became of the hook.
func (e *installError) Unwrap() error { return e.err }

// undone is the error of a host that was not opened, and of what could not be torn
// down then.
func undone(why error, failed []error) error {
	torn := ended(nil, failed)
	if at, ok := errors.AsType[*installError](why); ok {
		return ext.AsRefused(&AdmissionError{failed: why, Teardown: torn, Refusals: []Refusal{{
			Extension: string(at.part.name), Cause: InstallFailed, Reason: fmt.Sprintf("its install hook %s failed: %s", ext.Quote(at.hook.Name), at.err),
			Fix: "Mend what it says, and open the host again.",
		}}})
	}
	if torn != nil {
		return fmt.Errorf("open the host: %w; in tearing down what was installed %w", why, torn)
	}
	return fmt.Errorf("open the host: %w", why)
}

// ended is one error of servers that are not ended, and of teardown hooks that failed;
// nil for none.
func ended(servers error, hooks []error) error {
	count := fmt.Sprintf("%d teardown hooks failed", len(hooks))
	switch len(hooks) {
	case 0:
		return servers
	case 1:
		count = "1 teardown hook failed"
	}
	first, ok := errors.AsType[*countedError](servers)
	if !ok {
		return &countedError{count, hooks}
	}
	all := slices.Concat(first.errs, hooks)
	return &countedError{fmt.Sprintf("%d endings failed (%s, %s)", len(all), first.count, count), all}
}
