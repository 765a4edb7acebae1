package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// twoWay carries frames as 2024-11-05 does over HTTP: a stream of events brings
// all that the server says, the first of them an address, to which all that it
// is told is posted.
type twoWay struct {
	remote *remote // makes the requests

	ready chan struct{} // closed when there is an address
	once  sync.Once
}

// openTwoWay opens the stream and waits for the address.
func (s *session) openTwoWay(ctx context.Context, c *conn, t *Target) error {
	if err := checkRemote(t); err != nil {
		return err
	}
	w := &twoWay{remote: openRemote(c, s.client, s.aside, t.URL, t.Headers, s.opts.Frame), ready: make(chan struct{})}
	w.remote.plain = true
	c.wire = w
	w.remote.spawn(w.listen)
	ctx, cancel := context.WithTimeout(ctx, s.opts.Connect)
	defer cancel()
	var err error
	select {
	case <-w.ready:
		return nil
	case <-c.done:
		err = c.reason()
	case <-ctx.Done():
		err = ctx.Err()
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("it did not say within %v where it is posted to", s.opts.Connect)
		}
	}
	w.close()
	return err
}

// listen takes in all that the server says. The end of that is the end of the
// connection.
func (w *twoWay) listen() {
	err := w.hear()
	if err == nil || errors.Is(err, context.Canceled) {
		err = errors.New("it ended the stream of what it says")
	}
	w.remote.conn.end(err)
}

func (w *twoWay) hear() error {
	r := w.remote
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	resp, err := r.do(ctx, http.MethodGet, nil, "", "")
	if err != nil {
		return err
	}
	defer drain(resp)
	media := mediaOf(resp)
	switch {
	case resp.StatusCode >= 300:
		return &status{code: resp.StatusCode}
	case media != "text/event-stream":
		return fmt.Errorf("it answered with %s, which is no stream of events", ext.Quote(ext.Shorten(media, 80)))
	}
	s := newEvents(resp.Body, r.limit)
	defer s.close()
	for {
		e, err := s.next()
		switch {
		case err != nil:
			return r.cut(ctx, err)
		case e.named == "endpoint":
			if err := w.address(string(e.data)); err != nil {
				return err
			}
		case (e.named == "" || e.named == "message") && len(e.data) > 0:
			r.conn.take(e.data, 0)
		}
	}
}

// address takes in where to post, which has to be of the same origin.
func (w *twoWay) address(said string) error {
	r := w.remote
	base, err := url.Parse(r.url)
	if err != nil {
		return errors.New("the address cannot be used") // err shows it whole
	}
	at, err := base.Parse(said)
	if err != nil || originOf(at) != originOf(base) {
		return errors.New("it names an address to post to that is not of its own origin, where nothing is sent")
	}
	r.mu.Lock()
	r.postTo = at.String()
	r.mu.Unlock()
	w.once.Do(func() { close(w.ready) })
	return nil
}

func (w *twoWay) settle(version string) {
	w.remote.mu.Lock()
	defer w.remote.mu.Unlock()
	w.remote.version = version
}

func (w *twoWay) process() *process { return nil }

func (w *twoWay) forget(id uint64) bool { return w.remote.forget(id) }

func (w *twoWay) offer(m *letter) { w.remote.offer(m) }

// send posts a message. The answer to a request comes on the stream, perhaps before
// its POST has ended.
func (w *twoWay) send(ctx context.Context, m *letter) error {
	r := w.remote
	if m.frame.Kind != rpc.Request {
		return r.post(ctx, m, 0)
	}
	return r.carried(m, func(ctx context.Context, stop func()) {
		defer stop()
		err := r.post(ctx, m, 0)
		r.posted(m.id)
		if err != nil && ctx.Err() == nil {
			r.conn.fail(m.id, err)
		}
	})
}

func (w *twoWay) close() { w.remote.close() }

var _ wire = (*twoWay)(nil)

// accepted is what a POST was answered with that only takes a message in.
func (w *remote) accepted(resp *http.Response, media string, m *letter) error {
	if resp.StatusCode >= 300 {
		return w.refusal(resp, media, 0)
	}
	if m.frame.Kind != rpc.Request || media != "application/json" {
		return nil
	}
	b, err := readAtMost(resp, w.limit)
	if err == nil && len(b) > 0 && b[0] == '{' {
		w.conn.take(b, 0) // some answer here already
	}
	return nil
}
