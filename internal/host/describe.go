package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mortise-dev/mortise/internal/state"
)

// settling is how long the host waits for more servers to describe themselves
// before it takes in those that did, and how long at most.
const settling, settlingMost = 50 * time.Millisecond, 500 * time.Millisecond

// arriving paces passes over what arrives one after the other: whoever comes alone
// is taken in at once, and the longer a row of them goes on, the more are gathered
// for a pass. So many servers that start slowly are a few passes too, whose number
// grows with the logarithm of how long they take.
type arriving struct{ first, last time.Time }

// pace is how long to wait for more, and how long at most, after an arrival at now.
func (a *arriving) pace(now time.Time) (quiet, most time.Duration) {
	if now.Sub(a.last) > 2*settlingMost {
		a.first = now
	}
	row := now.Sub(a.first)
	return max(settling, row/4), max(settlingMost, row/2)
}

// settle waits until nothing more comes, as long as the pace says.
func (a *arriving) settle(ctx context.Context, fresh <-chan struct{}) {
	wait, longest := a.pace(time.Now())
	defer func() { a.last = time.Now() }()
	most := time.NewTimer(longest)
	defer most.Stop()
	for {
		quiet := time.NewTimer(wait)
		select {
		case <-fresh:
			quiet.Stop()
		case <-quiet.C:
			return
		case <-most.C:
			quiet.Stop()
			return
		case <-ctx.Done():
			quiet.Stop()
			return
		}
	}
}

// described is told what a server said of itself.
func (h *Host) described(d Described) {
	s := &h.serving
	s.mu.Lock()
	s.pending = append(s.pending, d)
	s.mu.Unlock()
	select {
	case s.fresh <- struct{}{}:
	default:
	}
}

// takeIn remembers what servers said of themselves and makes a pass over it.
// What is nothing new changes nothing. What cannot be written is in use all the
// same, and is written later.
func (h *Host) takeIn(ctx context.Context) {
	s := &h.serving
	s.mu.Lock()
	pending := s.pending
	s.pending = nil
	s.mu.Unlock()
	snap, err := h.options.Store.Load(ctx)
	if err != nil {
		h.failed(fmt.Errorf("load the state: %w", err))
		s.mu.Lock()
		s.pending = append(pending, s.pending...) // for the next time
		s.mu.Unlock()
		return
	}
	h.addTo(&snap)
	w := h.Now().now.Workspace()
	var records []state.Record
	for _, d := range pending {
		r := state.Description{
			Workspace: w.ID, Extension: d.Extension, Server: d.Server, Declaration: d.Declaration, Content: d.Content, At: h.options.Clock().UTC(),
		}
		if !remembered(snap.Descriptions, r) {
			records = append(records, r)
		}
	}
	if err = h.write(ctx, records); err == nil && len(records) == 0 && h.Fault() == nil {
		return
	}
	h.pass.Lock()
	defer h.pass.Unlock()
	h.untold()
	_, pass := h.publish(ctx)
	if err != nil {
		h.failed(errors.Join(fmt.Errorf("write down what servers offer, which is in use all the same: %w", err), pass))
	}
}

// write has records in use from now on, and writes them with those that could
// not be written before. A host for which the workspace is adopted for once
// writes none.
func (h *Host) write(ctx context.Context, records []state.Record) error {
	h.held.mu.Lock()
	h.held.records.Put(records...)
	if !h.held.once {
		h.held.unwritten = append(h.held.unwritten, records...)
	}
	all := h.held.unwritten
	h.held.mu.Unlock()
	if len(all) == 0 {
		return nil
	}
	err := h.options.Store.Update(ctx, func(s *state.Snapshot) error {
		s.Put(all...)
		return nil
	})
	h.held.mu.Lock()
	defer h.held.mu.Unlock()
	if err == nil {
		h.held.unwritten = nil // only what takes in writes
	}
	return err
}

// unwritten reports whether there is something to write that could not be
// written before.
func (h *Host) unwritten() bool {
	h.held.mu.Lock()
	defer h.held.mu.Unlock()
	return len(h.held.unwritten) > 0
}

// remembered reports whether a description says nothing new.
func remembered(known []state.Description, d state.Description) bool {
	for _, k := range known {
		if k.Workspace == d.Workspace && k.Extension == d.Extension && k.Server == d.Server {
			return k.Declaration == d.Declaration && k.Content == d.Content
		}
	}
	return false
}
