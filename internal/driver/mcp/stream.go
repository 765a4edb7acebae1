package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// follow takes in a stream of events until the request was answered. A stream
// that the server ended before is taken up where it stopped, when the server
// said how.
func (w *remote) follow(ctx context.Context, body io.Reader, id uint64) error {
	last, err := w.stream(body, "", id)
	for idle := 0; w.waiting(id); {
		if errors.Is(err, errTooLong) || last.id == "" || idle == maxResumes {
			return w.cut(ctx, err)
		}
		if !pause(ctx, min(max(last.retry, leastPause), mostPause)) {
			return ctx.Err()
		}
		after := last.id
		if last, err = w.resume(ctx, after, id); last.id == after {
			idle++
		} else {
			idle = 0
		}
	}
	return nil
}

// resume takes up a stream after the event with the id after.
func (w *remote) resume(ctx context.Context, after string, id uint64) (event, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	resp, err := w.do(ctx, http.MethodGet, nil, w.known(), after)
	if err != nil {
		return event{id: after}, err
	}
	defer drain(resp)
	if resp.StatusCode != http.StatusOK {
		return event{}, &status{code: resp.StatusCode}
	}
	return w.stream(resp.Body, after, id)
}

func (w *remote) waiting(id uint64) bool {
	w.conn.mu.Lock()
	defer w.conn.mu.Unlock()
	return w.conn.flights[id] != nil
}

// stream takes in the events of one body, which follow the one with the id
// after. What it returns is the last one, for its id and pause.
func (w *remote) stream(body io.Reader, after string, id uint64) (event, error) {
	s := newEvents(body, w.limit)
	defer s.close()
	s.id = after
	for {
		e, err := s.next()
		if err != nil {
			return event{id: s.id, retry: s.retry}, err
		}
		if (e.named == "" || e.named == "message") && len(e.data) > 0 {
			w.conn.take(e.data, id)
		}
		if id != 0 && !w.waiting(id) {
			return e, nil
		}
	}
}

// cut is why an answer was not read to its end.
func (w *remote) cut(ctx context.Context, err error) error {
	var s *status
	switch {
	case errors.As(err, &s):
		return err
	case errors.Is(err, errTooLong):
		return fmt.Errorf("it answered with more than %d MiB, which is more than is taken in", w.limit>>20)
	case err == nil || errors.Is(err, io.EOF):
		return errors.New("its answer ended before the response")
	}
	return w.explain(ctx, fmt.Errorf("read its answer: %w", err))
}

// listen takes in what the server says unasked, on a stream of its own, for as
// long as the server offers one.
func (w *remote) listen() {
	defer func() {
		w.mu.Lock()
		w.listening = false
		w.mu.Unlock()
	}()
	after, wait := "", time.Second
	for {
		began := time.Now()
		last, err := w.hear(after)
		switch {
		case unreachable(err):
			w.conn.end(err)
			return
		case errors.Is(err, errSilent):
			return
		case errors.Is(err, errTooLong):
			w.conn.log.note("a notice was longer than is taken in")
		}
		after = last.id
		if time.Since(began) > mostPause {
			wait = time.Second
		}
		if !pause(w.ctx, max(wait, min(last.retry, mostPause))) {
			return
		}
		wait = min(2*wait, mostPause)
	}
}

// errSilent is a server that offers no stream of notices.
var errSilent = errors.New("it offers no stream of notices")

// hear opens the stream of notices and takes in what comes until it ends.
func (w *remote) hear(after string) (event, error) {
	ctx, cancel := context.WithCancel(w.ctx)
	defer cancel()
	resp, err := w.do(ctx, http.MethodGet, nil, w.known(), after)
	if err != nil {
		return event{id: after}, err
	}
	defer drain(resp)
	media := mediaOf(resp)
	switch {
	case resp.StatusCode == http.StatusOK && media == "text/event-stream":
		return w.stream(resp.Body, after, 0)
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		return event{}, &status{code: resp.StatusCode}
	}
	return event{}, errSilent
}
