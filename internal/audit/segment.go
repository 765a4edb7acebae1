package audit

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// file is an open segment. It is locked as long as its process writes it.
type file struct {
	*os.File
	dir   string
	fsync func(*os.File) error

	mu     sync.Mutex
	synced mark     // what is surely on the disk; size 0: nothing
	err    error    // of the first sync that failed: a later one proves nothing
	named  bool     // the directory was synced too
	others []string // files of other processes whose heads this one names
}

// sync makes the file last up to and with m, under its name.
func (f *file) sync(m mark) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil || f.synced.size >= m.size {
		return f.err
	}
	for _, path := range f.others {
		syncOther(path)
	}
	f.others = nil
	err := f.fsync(f.File)
	if err == nil && !f.named {
		err = syncDir(f.dir)
	}
	if err == nil {
		err = f.there()
	}
	if err != nil {
		f.err = err
		return err
	}
	f.named, f.synced = true, m
	return nil
}

// there is nil while the segment is what its name leads to: what is on the disk under
// no name is lost with its process.
func (f *file) there() error {
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	named, err := os.Lstat(f.Name())
	if err != nil || !os.SameFile(mine, named) {
		return errors.Join(fmt.Errorf("%s was removed or replaced while it was written", f.Name()), err)
	}
	return nil
}

// syncOther lets what a head names reach the disk before the head does: else a
// power failure would look as if somebody had cut that chain. Where another's
// file cannot be synced it would look so; there is nothing better.
func syncOther(path string) {
	if f, _, err := openRegular(path); err == nil {
		_ = f.Sync()
		f.Close()
	}
}

// create begins a segment of the chain with the header h. Nothing is left of it
// if that fails.
func (l *Log) create(h header) (*file, mark, error) {
	line, err := h.line()
	if err != nil {
		return nil, mark{}, err
	}
	path := l.path(segmentName{h.Chain, h.Segment})
	raw, err := openFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, mark{}, err
	}
	f := &file{File: raw, dir: l.dir, fsync: l.fsync, synced: mark{seq: h.Seq - 1}}
	if err = waitLock(raw); err == nil {
		_, err = raw.Write(line)
	}
	if err != nil {
		return nil, mark{}, errors.Join(err, f.discard())
	}
	return f, h.mark(line), nil
}

// discard takes a segment away that was just made and holds no record.
func (f *file) discard() error { return errors.Join(f.Close(), os.Remove(f.Name())) }

// ready sees to it that a record can be written: there is a segment, which is
// neither full nor in the future, and a chain begins with a checkpoint.
func (l *Log) ready() (err error) {
	now := l.o.Now()
	switch {
	case l.closing:
		return ErrClosed
	case l.file == nil:
		err = l.begin(now)
	case l.at.size >= l.o.SegmentSize || now.Before(l.last.Add(-backMax)):
		err = l.turn(now)
	}
	if err != nil {
		return err
	}
	if now.After(l.last) {
		l.last = now
	}
	if l.greet {
		err = l.putCheckpoint(Checkpoint{})
		l.greet = err != nil
	}
	return err
}

// backMax is by how much a clock may go back without another segment: a record
// has the time of the one before then.
const backMax = time.Second

// begin begins the chain, or goes on with it where a segment was given up.
func (l *Log) begin(now time.Time) error {
	h := header{Mortise: format, Chain: l.chain, Segment: l.number + 1, Seq: l.at.seq + 1, Time: stamp(now), Pid: os.Getpid(), After: l.given}
	if first := l.chain == ""; first {
		h.Chain = newChain(now)
	} else {
		h.Prev = l.at.hex()
	}
	f, m, err := l.create(h)
	if err != nil {
		return fmt.Errorf("begin a segment: %w", err)
	}
	l.greet = l.greet || l.chain == ""
	l.chain, l.number, l.file, l.at, l.last, l.given = h.Chain, h.Segment, f, m, now, nil
	l.letGo()
	return nil
}

func stamp(t time.Time) string { return t.UTC().Format(timeLayout) }

// turn ends a segment and begins the next one. The next is there, on the disk,
// before the last line of this one says so: a segment whose last line names
// another that is missing had it taken away.
func (l *Log) turn(now time.Time) error {
	next := segmentName{l.chain, l.number + 1}
	line, m, err := l.composeCheckpoint(Checkpoint{Next: next.String()})
	if err != nil {
		return err
	}
	h := header{Mortise: format, Chain: l.chain, Segment: next.number, Seq: m.seq + 1, Prev: m.hex(), Time: stamp(now), Pid: os.Getpid()}
	f, begun, err := l.create(h)
	if err == nil {
		if err = f.sync(begun); err != nil {
			err = errors.Join(err, f.discard())
		}
	}
	if err != nil {
		return fmt.Errorf("begin the next segment: %w", err)
	}
	err = l.put(line, m)
	if err == nil {
		if err = l.file.sync(m); err != nil {
			l.giveUp(err)
		}
	}
	if err != nil {
		return errors.Join(err, f.discard())
	}
	old := l.file
	l.number, l.file, l.at, l.last = h.Segment, f, begun, now
	return old.Close()
}

// compose is the next line and the place behind it. It is valid until the next
// call.
func (l *Log) compose(body []byte, checkpoint bool) ([]byte, mark) {
	l.buf = append(appendFront(l.buf[:0], l.at, l.last.UTC()), body...)
	if checkpoint {
		l.buf = signed(l.buf, l.key)
	}
	l.buf = append(l.buf, '\n')
	return l.buf, l.at.after(l.buf, true)
}

func (l *Log) composeCheckpoint(c Checkpoint) ([]byte, mark, error) {
	seen, living, err := heads(l.dir, l.chain)
	if err != nil {
		return nil, mark{}, fmt.Errorf("look at the other chains: %w", err)
	}
	l.file.mu.Lock()
	l.file.others = append(l.file.others, living...)
	l.file.mu.Unlock()
	c.Heads, c.Unnamed = seen.Heads, seen.Unnamed
	body, err := c.body()
	if err != nil {
		return nil, mark{}, err
	}
	line, m := l.compose(body, true)
	return line, m, nil
}

func (l *Log) putCheckpoint(c Checkpoint) error {
	line, m, err := l.composeCheckpoint(c)
	if err != nil {
		return err
	}
	return l.put(line, m)
}

// put writes a line with one system call. When part of it is in the file, or it
// cannot be told, the segment is given up.
func (l *Log) put(line []byte, m mark) error {
	n, err := l.file.Write(line)
	if err == nil {
		l.at = m
		if !l.dirty {
			l.dirty = true
			poke(l.soon)
		}
		return nil
	}
	if info, statErr := l.file.Stat(); n > 0 || statErr != nil || info.Size() != l.at.size {
		l.giveUp(err)
	}
	return err
}

// giveUp ends a segment whose end is not to be trusted. Who waits for a sync is
// told whether what they wrote is safe all the same. The file stays open until the
// next one is there, for its lock: the chain goes on.
func (l *Log) giveUp(why error) {
	err := l.file.sync(l.at)
	l.batch.finish(err)
	l.batch, l.dirty = newBatch(), false
	sure := l.file.synced
	l.given = &after{Seq: sure.seq, Size: sure.size, Why: cut(ext.Escape(why.Error()), nameMax)}
	if sure.size > 0 {
		l.given.Hash = sure.hex()
	}
	l.letGo()
	l.held, l.file = l.file, nil
}

// letGo closes a segment that was given up. There is nothing in it to lose any
// more.
func (l *Log) letGo() {
	if l.held != nil {
		l.held.Close()
		l.held = nil
	}
}
