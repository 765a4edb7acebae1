package audit

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// Options are how a log is written. The zero value is the default.
type Options struct {
	// SegmentSize is the size in bytes at which a segment is followed by the next
	// one; 16 MiB if 0. Retention goes by segments, and whole ones are read to drop
	// them; twenty thousand calls a file are enough of both.
	SegmentSize int64
	// SyncDelay is how long at most a record that need not be durable waits to be
	// synced; 50 ms if 0. That is what a power failure may take of what was allowed,
	// less than most tools take to answer, and twenty syncs a second while there are
	// calls are bearable on any disk. A process that is killed loses nothing.
	SyncDelay time.Duration
	// Full is that arguments are kept as they are, up to FullSize bytes of a call
	// (64 KiB if 0, at most 1 MiB). They may hold secrets: only the person's own
	// settings may say so.
	Full     bool
	FullSize int
	// Report is told, from another goroutine, when a sync in the background fails:
	// records whose Append has returned may be lost in a power failure then. The log
	// says so too. It must not call the Log. Nil: nobody is told.
	Report func(error)
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

func (o Options) withDefaults() Options {
	if o.SegmentSize <= 0 {
		o.SegmentSize = 16 << 20
	}
	if o.SyncDelay <= 0 {
		o.SyncDelay = 50 * time.Millisecond
	}
	if o.FullSize <= 0 {
		o.FullSize = 64 << 10
	}
	o.FullSize = min(o.FullSize, fullMax)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Durability is what Append waits for.
type Durability bool

const (
	// Written records survive the end of this process, however it ends. For what
	// is allowed.
	Written Durability = false
	// Durable records survive the end of the machine. For asks, answers, denials
	// and grants.
	Durable Durability = true
)

// ErrClosed is that a Log was closed.
var ErrClosed = errors.New("the audit log is closed")

// Log is a process's own chain in a log. Its methods may be called from several
// goroutines at once.
type Log struct {
	dir   string
	o     Options
	key   ed25519.PrivateKey
	salt  salt
	fsync func(*os.File) error // (*os.File).Sync; tests let it fail

	mu      sync.Mutex
	chain   string // "" until the first record
	number  int    // of the last segment that was begun
	file    *file  // nil: the next record begins a segment
	at      mark   // behind the last line that was written
	last    time.Time
	given   *after // why the segment before was given up
	held    *file  // that segment
	greet   bool   // the checkpoint of the chain's beginning is due
	batch   *batch // those who wait for the next sync
	dirty   bool   // something was written since the last sync began
	buf     []byte
	closing bool

	bodies sync.Pool
	soon   chan struct{} // something is to be synced within SyncDelay
	now    chan struct{} // at once
	quit   chan struct{}
	done   chan struct{}
}

// Open opens the log in dir to be written; dir is made if it is missing, and must
// be this person's alone. No segment is begun before the first record. The caller
// closes it.
func Open(dir string, o Options) (*Log, error) {
	l := &Log{
		dir: dir, o: o.withDefaults(), fsync: (*os.File).Sync, batch: newBatch(),
		soon: make(chan struct{}, 1), now: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	l.bodies.New = func() any { return new(encoder) }
	err := prepare(dir)
	if err == nil {
		l.key, err = loadKey(dir)
	}
	if err == nil {
		l.salt, err = loadSalt(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("open the audit log in %s: %w", ext.Quote(dir), err)
	}
	go l.syncer()
	return l, nil
}

// Append writes r at the end of the chain. It returns nil only if r is there,
// and, if it is to be durable, on the disk. After an error r may be there or not,
// and what it is about must not happen. When ctx ends, no sync is waited for any
// longer, and its error is returned.
func (l *Log) Append(ctx context.Context, r Record, how Durability) error {
	if err := r.check(); err != nil {
		return fmt.Errorf("append to the audit log: %w", err)
	}
	e := l.bodies.Get().(*encoder)
	defer l.bodies.Put(e)
	e.b, e.altered, e.salt = e.b[:0], nil, &l.salt
	e.body(&r)
	b, err := l.append(e.b)
	if err != nil {
		return fmt.Errorf("append to the audit log in %s: %w", ext.Quote(l.dir), err)
	}
	if how != Durable {
		return nil
	}
	poke(l.now)
	if err := b.wait(ctx); err != nil {
		return fmt.Errorf("sync the audit log in %s: %w", ext.Quote(l.dir), err)
	}
	return nil
}

// append writes a record whose body is whole; the batch is who is told when it is
// durable.
func (l *Log) append(body []byte) (*batch, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.ready(); err != nil {
		return nil, err
	}
	if err := l.put(l.compose(body, false)); err != nil {
		return nil, err
	}
	return l.batch, nil
}

// checkpoint is append for a checkpoint; heads are added.
func (l *Log) checkpoint(c Checkpoint) (*batch, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.ready(); err != nil {
		return nil, err
	}
	if err := l.putCheckpoint(c); err != nil {
		return nil, err
	}
	return l.batch, nil
}

// Close ends the chain: its last line says so, and is on the disk when Close
// returns nil. Closing again does nothing.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closing {
		l.mu.Unlock()
		return nil
	}
	err := l.end()
	l.closing = true
	l.mu.Unlock()
	close(l.quit)
	<-l.done
	if err != nil {
		return fmt.Errorf("close the audit log in %s: %w", ext.Quote(l.dir), err)
	}
	return nil
}

// end writes the last line, if there is a first one.
func (l *Log) end() error {
	defer l.letGo()
	if l.file == nil && l.given == nil {
		return nil
	}
	err := l.ready()
	if err == nil {
		err = l.putCheckpoint(Checkpoint{End: true})
	}
	if l.file == nil {
		return err
	}
	syncErr := l.file.sync(l.at)
	l.batch.finish(syncErr)
	closeErr := l.file.Close()
	l.file = nil
	return errors.Join(err, syncErr, closeErr)
}

func (l *Log) path(n segmentName) string { return filepath.Join(l.dir, n.String()) }

func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is going to look anyway
	}
}
