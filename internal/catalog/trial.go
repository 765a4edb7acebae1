package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/call"
	"github.com/mortise-dev/mortise/internal/compose"
	"github.com/mortise-dev/mortise/internal/driver/mcp"
	"github.com/mortise-dev/mortise/internal/host"
	"github.com/mortise-dev/mortise/internal/session"
	"github.com/mortise-dev/mortise/internal/surface/server"
)

// Try starts one server of a place, by its qualified name, as a serving host would:
// what may not run is not started, and the look at the disk right before the start
// is made. It waits until the server answered or was given up, ends it, and
// is what became of it. No state is written but the server's own data and log. A
// process that ends at once is started once more: servers of old may end because
// they are asked which revisions they speak.
//
// It returns an error where nothing can be said of the server: it is not in use, or
// ctx ended. It was given up when it did not answer within the time.
func Try(ctx context.Context, p host.Place, name string, within time.Duration) (out host.Trial, err error) {
	t := newTrial(p, name)
	h, done, err := open(ctx, p, host.Looking, nil, t.serve)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, done()) }()
	if _, err := h.Refresh(ctx); err != nil {
		return out, err
	}
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(serving) }()
	err = t.wait(ctx, within)
	stop()
	if err := errors.Join(err, <-ended); err != nil {
		return out, err
	}
	return t.outcome(), nil
}

// trial runs one server of a session.
type trial struct {
	*servers
	name  string
	moved chan struct{} // holds one when something changed

	mu      sync.Mutex
	content string

	// Only wait uses what follows.
	out   host.Trial
	began time.Time // of the last start
	ran   time.Time // when that start had something to write to
}

func newTrial(p host.Place, name string) *trial {
	return &trial{
		servers: newServers(p, mcp.Options{Tries: 2, Retry: time.Second / 10}),
		name:    name, moved: make(chan struct{}, 1),
	}
}

// serve begins: the host is asked, and told of nothing, so that it records nothing.
func (t *trial) serve(h host.Hooks) host.Servers {
	t.servers.serve(host.Hooks{
		Allowed: h.Allowed,
		Changed: t.tell,
		Described: func(d host.Described) {
			t.mu.Lock()
			t.content = d.Content
			t.mu.Unlock()
		},
	})
	return t
}

func (t *trial) tell() {
	select {
	case t.moved <- struct{}{}:
	default:
	}
}

// Run implements host.Servers.
func (t *trial) Run(of *session.Session, extension func(ext.Name) ext.Tree) {
	alone := *of
	alone.Servers = slices.DeleteFunc(slices.Clone(of.Servers), func(e compose.Typed[server.Server]) bool { return e.Qualified != t.name })
	t.servers.Run(&alone, extension)
	t.tell()
}

// wait waits until the server answered, or is given up.
func (t *trial) wait(ctx context.Context, within time.Duration) error {
	late := time.NewTimer(within)
	defer late.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-late.C:
			t.late(within)
			return nil
		case <-t.moved:
		}
		st, ok := t.status()
		if !ok {
			return ext.AsRefused(fmt.Errorf("%s is not in use; mortise list says why", ext.Escape(t.name)))
		}
		if t.take(st) {
			return nil
		}
	}
}

// late gives the server up.
func (t *trial) late(within time.Duration) {
	say := fmt.Sprintf("it did not answer within %v", within)
	if last := t.out.Status.Error; last != "" {
		say += ": " + last
	}
	t.out.Status.Error = say
}

// take takes in a status. It reports whether that says what there is to say.
func (t *trial) take(st call.Status) bool {
	if st.State == call.Starting && st.Since.After(t.began) {
		t.began, t.ran = st.Since, time.Time{}
	}
	if t.ran.IsZero() && st.Starts > t.out.Status.Starts {
		t.ran = time.Now()
		if !t.began.IsZero() {
			t.out.Start = t.ran.Sub(t.began)
		}
	}
	t.out.Status = st
	switch st.State {
	case call.Ready:
		t.out.Answer = max(st.Since.Sub(t.ran), 0)
		return true
	case call.Failed, call.Stopped:
		return true
	case call.Waiting:
		return st.Transport != mcp.Stdio // one that is reached over a network says no differently the next time
	}
	return false
}

// status is how the server is doing; false: there is none.
func (t *trial) status() (call.Status, bool) {
	for _, st := range t.Status() {
		if st.Name == t.name {
			return st, true
		}
	}
	return call.Status{}, false
}

// outcome is what became of the server, after its end.
func (t *trial) outcome() host.Trial {
	if st, ok := t.status(); ok {
		t.out.Status.Noise, t.out.Status.Stderr = st.Noise, st.Stderr
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out.Content = t.content
	return t.out
}
