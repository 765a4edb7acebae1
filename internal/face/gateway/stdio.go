package gateway

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
	"github.com/mortise-dev/mortise/internal/rpc"
)

// Serve serves one client over a pair of streams until it closes in or ctx ends,
// which is no error; that it sent what is no JSON-RPC is one. What the client asked
// before it closed in is answered where that is a matter of moments, and given up
// otherwise. Serve closes both streams.
func (g *Gateway) Serve(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
	c := g.newClient()
	c.stays = true
	if !g.enter(c) {
		return errOver
	}
	s := &stdio{client: c, out: out}
	ended := make(chan error, 1)
	go func() { ended <- s.read(in) }() // a read of some streams ends with the process alone
	go s.unasked()                      // and so does a write
	var err error
	select {
	case err = <-ended:
		s.finish()
	case <-ctx.Done():
	case <-c.life.Done():
	}
	go func() { _, _ = in.Close(), out.Close() }() // so that who reads and who writes returns, where they can
	c.end()
	return err
}

// finish waits for what is in flight, for a while.
func (s *stdio) finish() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.answers.Wait()
	}()
	select {
	case <-done:
	case <-s.client.life.Done():
	case <-time.After(farewell):
	}
}

// stdio is a client over a pair of streams, a message a line.
type stdio struct {
	client  *client
	answers sync.WaitGroup // requests that are in flight

	mu  sync.Mutex
	out io.Writer
}

// write writes one message.
func (s *stdio) write(frame []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.out.Write(append(rpc.OneLine(frame), '\n'))
	return err
}

// unasked writes what belongs to no request.
func (s *stdio) unasked() {
	for {
		frames, err := s.client.unasked.next(s.client.life, 0)
		if err != nil {
			return
		}
		for _, f := range frames {
			if s.write(f) != nil {
				return // its end is seen by who reads
			}
		}
	}
}

// read takes in messages until the stream ends. Each request is answered beside.
func (s *stdio) read(in io.Reader) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(r)
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if s.take(line) != nil {
				return fmt.Errorf("the client sent something that is no JSON-RPC: %s", ext.Quote(ext.Shorten(string(line), 80)))
			}
		}
		switch {
		case errors.Is(err, io.EOF) || s.client.life.Err() != nil:
			return nil //nolint:nilerr // a stream that is closed because the session is over has not failed
		case errors.Is(err, errTooLong):
			return fmt.Errorf("the client sent something that is no JSON-RPC: %w", err)
		case err != nil:
			return fmt.Errorf("serve a client: %w", err)
		}
	}
}

func (s *stdio) take(line []byte) error {
	frames, err := rpc.Unbatch(line)
	if err != nil {
		return err
	}
	for _, raw := range frames {
		f, err := rpc.Read(raw)
		switch {
		case err == nil:
			s.route(&f)
		case !rpc.IsObject(raw):
			return err
		default: // it is one message, and the next is another
			_ = s.write(rpc.Refuse([]byte("null"), rpc.Fault(-32600, "the message is no JSON-RPC")).Raw)
		}
	}
	return nil
}

// route brings a message to what it is for. What comes after a handshake waits for
// that.
func (s *stdio) route(f *rpc.Frame) {
	c := s.client
	if f.Kind != rpc.Request {
		c.hear(f)
		return
	}
	in := c.takeIn(c.life, f) // at once, so that what cancels it finds it
	if in == nil {
		_ = s.write(refusal(f, errNotTaken)) // who reads too little is read no more
		return
	}
	answer := func() {
		defer in.end() // when it was written: what nobody reads counts as in flight
		raw := s.perform(in.ctx, f)
		if raw != nil {
			_ = s.write(raw) // its end is seen by who reads
		}
	}
	if f.Method == "initialize" {
		answer()
		return
	}
	s.answers.Go(answer)
}

func (s *stdio) perform(ctx context.Context, f *rpc.Frame) []byte {
	if modern(f) {
		return s.client.gateway.stateless(ctx, &visit{frame: f, out: s.write, by: s.client}).raw
	}
	return s.client.perform(ctx, f, s.write)
}

var errTooLong = fmt.Errorf("a message of more than %d MiB", largestBody>>20)

// readLine is the next line without its end, a copy.
func readLine(r *bufio.Reader) ([]byte, error) {
	var all []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(all)+len(part) > largestBody {
			return nil, errTooLong
		}
		all = append(all, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return all, err
		}
	}
}
