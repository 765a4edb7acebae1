package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/mortise-dev/mortise/internal/rpc"
)

// Talk is a lane as somebody uses it who makes calls without waiting for the one
// before, and reads all that comes as one row of frames. It is for tests.
type Talk struct {
	*Lane

	mu    sync.Mutex
	calls map[string]func() // give up, by the ids of requests
	open  int               // calls
	came  []string
	ended bool          // nothing more comes but the answers of calls
	wake  chan struct{} // closed when something comes, and then another
}

// NewTalk reads what comes over the lane, until that ends.
func NewTalk(l *Lane) *Talk {
	t := &Talk{Lane: l, calls: map[string]func(){}, wake: make(chan struct{})}
	go func() {
		for {
			raw, err := l.Recv(context.Background())
			if err != nil {
				t.stir(func() { t.ended = true })
				return
			}
			t.put(string(raw))
		}
	}()
	return t
}

func (t *Talk) put(frame string) { t.stir(func() { t.came = append(t.came, frame) }) }

func (t *Talk) stir(change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change()
	close(t.wake)
	t.wake = make(chan struct{})
}

// Say sends a frame: a request is called, and the notice that cancels one gives it up.
// It returns when the call has begun. A call that fails otherwise than by that comes
// as a frame that is none: its error.
func (t *Talk) Say(frame string) error {
	f, err := read([]byte(frame))
	switch {
	case err != nil:
		return err
	case f.Method == "notifications/cancelled":
		t.mu.Lock()
		cancel := t.calls[string(f.Bytes(f.RequestID))]
		t.mu.Unlock()
		if cancel != nil {
			cancel()
		}
		return nil
	case f.Kind != rpc.Request:
		return t.Send(context.Background(), json.RawMessage(frame))
	}
	ctx, cancel := context.WithCancel(context.Background())
	begun, over := make(chan error, 1), make(chan struct{})
	t.mu.Lock()
	t.calls[string(f.Bytes(f.ID))] = func() { cancel(); <-over }
	t.open++
	t.mu.Unlock()
	go func() {
		defer cancel()
		defer close(over)
		defer t.stir(func() { t.open-- })
		answer, err := t.call(ctx, &f, begun)
		switch {
		case ctx.Err() != nil || errors.Is(err, errLaneClosed):
		case err != nil:
			t.put(err.Error())
		default:
			t.put(string(answer.Raw))
		}
	}()
	return <-begun
}

// call is Call, and tells when it has begun.
func (t *Talk) call(ctx context.Context, f *rpc.Frame, begun chan<- error) (*rpc.Frame, error) {
	if err := t.depart(ctx); err != nil {
		begun <- err
		return nil, err
	}
	e, err := t.begin(func(f *rpc.Frame) error { t.put(string(f.Raw)); return nil })
	begun <- err
	if err != nil {
		return nil, err
	}
	return t.carry(ctx, e, f)
}

// Next is the next frame. It is io.EOF when the lane has ended and nothing more came.
func (t *Talk) Next(ctx context.Context) (string, error) {
	for {
		t.mu.Lock()
		wake, ended, open := t.wake, t.ended, t.open
		if len(t.came) > 0 {
			defer t.mu.Unlock()
			next := t.came[0]
			t.came = t.came[1:]
			return next, nil
		}
		t.mu.Unlock()
		if ended && open == 0 {
			return "", io.EOF
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// All is what came and was not read.
func (t *Talk) All() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := t.came
	t.came = nil
	return all
}
