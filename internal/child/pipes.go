package child

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

const (
	// linger is how long we wait for the end of what was written after the
	// tree is gone: only who is not of the tree can still hold a pipe open.
	linger = time.Second
	// pipeful is more than a pipe holds.
	pipeful = 1 << 20
)

type pipe struct{ r, w *os.File }

// pipes are all ends between us and a shim. All close on exec.
type pipes struct {
	stdin, stdout, stderr, lifeline, report pipe
}

func openPipes(stderr io.Writer) (*pipes, error) {
	p := new(pipes)
	for _, at := range []*pipe{&p.stdin, &p.stdout, &p.stderr, &p.lifeline, &p.report} {
		var err error
		if at == &p.stderr && stderr == nil {
			at.w, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		} else {
			at.r, at.w, err = os.Pipe()
		}
		if err != nil {
			p.closeTheirs()
			p.closeOurs()
			return nil, err
		}
	}
	return p, nil
}

// theirs are the ends of the shim: standard input, output and error, lifeline
// and report.
func (p *pipes) theirs() []*os.File {
	return []*os.File{p.stdin.r, p.stdout.w, p.stderr.w, p.lifeline.r, p.report.w}
}

func (p *pipes) closeTheirs() { closeAll(p.theirs()) }
func (p *pipes) closeOurs() {
	closeAll([]*os.File{p.stdin.w, p.stdout.r, p.stderr.r, p.lifeline.w, p.report.r})
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close() // a nil file answers with an error
	}
}

// input is a writer that may be closed often.
type input struct {
	f    *os.File
	once sync.Once
	err  error
}

func (i *input) Write(b []byte) (int, error) { return i.f.Write(b) }

func (i *input) Close() error {
	i.once.Do(func() { i.err = i.f.Close() })
	return i.err
}

// output reads a pipe, and what was left in it once the pipe is closed.
type output struct {
	f *os.File

	mu     sync.Mutex // held while the pipe is read
	closed bool
	rest   []byte
}

func (o *output) Read(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.closed {
		n, err := o.f.Read(b)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = io.EOF
		}
		return n, err
	}
	if len(o.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b, o.rest)
	o.rest = o.rest[n:]
	return n, nil
}

// finish takes what is left in the pipe and closes it, so that nobody has to
// read to the end for us to get rid of it.
func (o *output) finish() {
	o.f.SetReadDeadline(time.Now().Add(linger)) //nolint:errcheck // where there is none, the end comes by itself
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rest, _ = io.ReadAll(io.LimitReader(o.f, pipeful))
	o.closed = true
	o.f.Close()
}

// copier copies a pipe to a writer, and goes on reading when that fails.
type copier struct {
	r    *os.File
	done chan struct{}
}

func copyFrom(r *os.File, w io.Writer) *copier {
	c := &copier{r: r, done: make(chan struct{})}
	if r == nil {
		close(c.done)
		return c
	}
	go func() {
		defer close(c.done)
		io.Copy(&tolerant{w}, r) //nolint:errcheck // the end of the pipe, or of our patience
	}()
	return c
}

// finish waits for the end of the pipe, but not for long: a writer may hang.
func (c *copier) finish() {
	if c.r == nil {
		return
	}
	end := time.Now().Add(linger)
	c.r.SetReadDeadline(end) //nolint:errcheck // where there is none, the timer decides
	late := time.NewTimer(time.Until(end))
	defer late.Stop()
	select {
	case <-c.done:
	case <-late.C:
	}
	c.r.Close()
}

// tolerant writes until that fails once.
type tolerant struct{ w io.Writer }

func (t *tolerant) Write(b []byte) (int, error) {
	if t.w != nil {
		if _, err := t.w.Write(b); err != nil {
			t.w = nil
		}
	}
	return len(b), nil
}
