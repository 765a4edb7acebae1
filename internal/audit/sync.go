package audit

import (
	"context"
	"fmt"
	"time"

	"github.com/mortise-dev/mortise/ext"
)

// batch is records that one sync makes durable.
type batch struct {
	done chan struct{}
	err  error // once done is closed
}

func newBatch() *batch { return &batch{done: make(chan struct{})} }

func (b *batch) finish(err error) {
	b.err = err
	close(b.done)
}

func (b *batch) wait(ctx context.Context) error {
	select {
	case <-b.done:
		return b.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// syncer syncs what was written: at once when somebody waits, and whoever comes
// while it does so shares the next sync; else some time later.
func (l *Log) syncer() {
	defer close(l.done)
	timer := time.NewTimer(l.o.SyncDelay)
	timer.Stop()
	for {
		select {
		case <-l.soon:
			timer.Reset(l.o.SyncDelay)
		case <-timer.C:
			l.sync()
		case <-l.now:
			timer.Stop()
			l.sync()
		case <-l.quit:
			return
		}
	}
}

// sync makes durable what is written now.
func (l *Log) sync() {
	l.mu.Lock()
	b, f, at := l.batch, l.file, l.at
	if f == nil || !l.dirty { // it was given up or closed, and all have been told
		l.mu.Unlock()
		return
	}
	l.batch, l.dirty = newBatch(), false
	l.mu.Unlock()

	err := f.sync(at)
	if err != nil {
		l.mu.Lock()
		if l.file == f {
			l.giveUp(err)
		}
		l.mu.Unlock()
		if l.o.Report != nil {
			l.o.Report(fmt.Errorf("sync the audit log in %s: %w; what was logged just now may be lost with the machine's power, and is in a segment of its own from here on: look after that disk", ext.Quote(l.dir), err))
		}
	}
	b.finish(err)
}
