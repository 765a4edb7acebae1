package inproc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// Link is a link to one extension. It may be used by several goroutines.
type Link struct {
	driver  *Driver
	target  string
	life    context.Context // ends with Close
	cancel  context.CancelFunc
	mu      sync.Mutex // held while a call begins, and while the link is closed
	running sync.WaitGroup
}

// Link is a link to the extension that ref names as its target. Its calls run
// beside each other.
func (d *Driver) Link(_ context.Context, ref ext.Ref) (*Link, error) {
	if _, ok := d.extensions[ref.Target]; !ok {
		return nil, fmt.Errorf("there is no extension %s in this build", ext.Quote(ref.Target))
	}
	l := &Link{driver: d, target: ref.Target}
	l.life, l.cancel = context.WithCancel(context.Background())
	return l, nil
}

// Call calls the tool that a request names. Any other request is answered with an
// error. Nothing comes before the answer. A tool that goes on although ctx has
// ended is not waited for.
func (l *Link) Call(ctx context.Context, request json.RawMessage, _ func(*rpc.Frame) error) (*rpc.Frame, error) {
	f, err := rpc.Read(request)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read a request: %w", err)
	case f.Kind != rpc.Request:
		return nil, errors.New("what is called is no request")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answer := make(chan *rpc.Frame, 1)
	if !l.begin(func() { answer <- l.answer(ctx, &f) }) {
		return nil, io.EOF
	}
	select {
	case a := <-answer:
		return a, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.life.Done():
		return nil, io.ErrClosedPipe
	}
}

// begin runs a call, unless the link is closed.
func (l *Link) begin(do func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.life.Err() != nil {
		return false
	}
	l.running.Go(do)
	return true
}

// answer is the response to a request.
func (l *Link) answer(ctx context.Context, f *rpc.Frame) *rpc.Frame {
	id := f.Bytes(f.ID)
	if f.Method != "tools/call" {
		return rpc.Refuse(id, rpc.Fault(-32601, "only tools can be called here"))
	}
	name, _ := rpc.Text(f.Bytes(f.Name))
	result, err := l.driver.Call(ctx, ext.Ref{Driver: Name, Target: l.target, Name: name}, f.Bytes(f.Arguments))
	if err != nil {
		return rpc.Refuse(id, rpc.Fault(-32602, err.Error()))
	}
	return rpc.Answer(id, result)
}

// Send does nothing: an extension asks nothing and hears no notices.
func (l *Link) Send(context.Context, json.RawMessage) error { return nil }

// Recv waits for the end of the link: an extension says nothing by itself.
func (l *Link) Recv(ctx context.Context) (json.RawMessage, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.life.Done():
		return nil, io.EOF
	}
}

// Close gives up the calls that are under way, waits until they have returned,
// and ends the link.
func (l *Link) Close() error {
	l.mu.Lock()
	l.cancel()
	l.mu.Unlock()
	l.running.Wait()
	return nil
}
