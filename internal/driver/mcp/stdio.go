package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mortise-dev/mortise/internal/rpc"
)

const (
	outbox   = 64          // frames that wait for a server that does not read
	lastGasp = time.Second // for the rest of what an ended process wrote, and for the end of one that closed its output
	gulp     = 64 << 10    // of a pipe at once
)

// stdio carries frames over the pipes of a process, one a line.
type stdio struct {
	conn     *conn
	proc     *process
	patience time.Duration // for the process to end after its input did
	limit    int

	out  chan []byte   // what waits to be written; nil says that a rest does
	read chan struct{} // closed when all was read
	work sync.WaitGroup
	once sync.Once

	waiting atomic.Int32 // lines for the writer that are not written
	writing sync.Mutex   // held by who writes
	rest    []byte       // of a line that was begun
}

// openStdio takes over a process that was just started.
func openStdio(c *conn, p *process, patience time.Duration, limit int) {
	w := &stdio{
		conn: c, proc: p, patience: patience, limit: limit,
		out: make(chan []byte, outbox), read: make(chan struct{}),
	}
	c.wire = w
	w.work.Go(w.write)
	w.work.Go(w.watch)
	go w.readAll() // ends with the pipe, which nothing but the process holds; watch waits for it
}

func (w *stdio) process() *process { return w.proc }

func (w *stdio) forget(uint64) bool { return false }

// send writes a frame where the server reads what it is sent, which spares a turn of
// the writer, and else puts it into the writer's queue. A server that does not read is
// waited for until ctx ends.
func (w *stdio) send(ctx context.Context, m *letter) error {
	line := rpc.OneLine(m.raw)
	if w.direct(line) {
		return nil
	}
	w.waiting.Add(1)
	select {
	case w.out <- line:
		return nil
	case <-w.conn.done:
		w.waiting.Add(-1)
		return w.conn.reason()
	case <-ctx.Done():
		w.waiting.Add(-1)
		return fmt.Errorf("the server does not read what it is sent: %w", ctx.Err())
	}
}

// direct writes a line at once when nothing waits to be written. It reports false when
// none of it was; what there was no room for is the writer's.
func (w *stdio) direct(line []byte) bool {
	if !w.writing.TryLock() {
		return false
	}
	defer w.writing.Unlock()
	if w.waiting.Load() > 0 || w.rest != nil {
		return false
	}
	line = append(line[:len(line):len(line)], '\n')
	n, err := w.proc.in.Try(line)
	if err != nil || n == 0 {
		return false // the writer finds out what is wrong
	}
	if n < len(line) {
		w.rest = line[n:]
		select {
		case w.out <- nil:
		default: // who else waits there wakes the writer too
		}
	}
	return true
}

func (w *stdio) offer(m *letter) {
	w.waiting.Add(1)
	select {
	case w.out <- rpc.OneLine(m.raw):
	default:
		w.waiting.Add(-1)
		w.conn.omit()
	}
}

// write writes frames, as many at once as there are.
func (w *stdio) write() {
	out := bufio.NewWriterSize(w.proc.in, gulp)
	for {
		var line []byte
		select {
		case line = <-w.out:
		case <-w.conn.done:
			return
		}
		if err := w.flush(out, line); err != nil {
			if !within(lastGasp, w.conn.done) { // its end says more
				w.conn.end(errors.New("it closed its input and went on running, so it was ended"))
			}
			return
		}
	}
}

// flush writes what is left of a line that was begun, a line, and all that waits.
func (w *stdio) flush(out *bufio.Writer, line []byte) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	rest := w.rest
	w.rest = nil
	_, err := out.Write(rest)
	written := int32(0)
	for more := true; more && err == nil; {
		if line != nil {
			err = writeLine(out, line)
			written++
		}
		select {
		case line = <-w.out:
		default:
			more = false
		}
	}
	if err == nil {
		err = out.Flush()
	}
	w.waiting.Add(-written)
	return err
}

func writeLine(to *bufio.Writer, b []byte) error {
	if _, err := to.Write(b); err != nil {
		return err
	}
	return to.WriteByte('\n')
}

// readAll takes in lines until there are no more.
func (w *stdio) readAll() {
	defer close(w.read)
	r := bufio.NewReaderSize(w.proc.out, gulp)
	for {
		b, err := readLine(r, w.limit)
		if errors.Is(err, errTooLong) {
			if tail, err := skip(r, b, w.limit); !errors.Is(err, errTooLong) && w.overlong(b, tail) {
				continue // the end of the input is found next time
			}
			w.conn.end(fmt.Errorf("it sent a line of more than %d MiB, which is more than is taken in", w.limit>>20))
			_, _ = io.Copy(io.Discard, w.proc.out) // what cannot write cannot end
			return
		}
		if len(b) > 0 || err == nil {
			w.conn.take(bytes.TrimRight(b, "\r"), 0)
		}
		if err != nil {
			return
		}
	}
}

var errTooLong = errors.New("longer than is taken in")

// readLine is the next line without its end, a copy. What stands before the
// end of the input is a line as well, and comes with the error; so does the
// beginning of one that is too long.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var all []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(all)+len(part) > limit {
			return append(all, part...), errTooLong
		}
		all = append(all, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(all, []byte("\n")), err
		}
	}
}

// watch ends the connection when the process ended or closed its output.
func (w *stdio) watch() {
	select {
	case <-w.proc.done:
		within(lastGasp, w.read)
		w.conn.end(w.death())
	case <-w.read:
		if within(lastGasp, w.proc.done) {
			w.conn.end(w.death())
		} else {
			w.conn.end(errors.New("it closed its output and went on running, so it was ended"))
		}
	case <-w.conn.done:
	}
}

// within reports whether c is closed in time.
func within(d time.Duration, c <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c:
		return true
	case <-t.C:
		return false
	}
}

// exited is the end of a process by itself.
type exited struct{ exit, last string }

func (e *exited) Error() string {
	if e.last == "" {
		return "it ended: " + e.exit
	}
	return fmt.Sprintf("it ended: %s; its last words: %s", e.exit, e.last)
}

func (w *stdio) death() error { return &exited{w.proc.exit(), w.conn.log.last()} }

// close ends the process: first by the end of its input, then by whatever the
// keeper of processes has.
func (w *stdio) close() {
	w.once.Do(func() {
		w.conn.end(errClosed)
		w.proc.stop(w.patience)
		w.work.Wait()
		if !within(lastGasp, w.read) {
			w.conn.log.note("somebody outside its process tree holds its output open")
		}
	})
}

var errClosed = errors.New("the connection was closed")
